import Testing

@testable import SDImageCurl

/// Start times of background transfers.
@Suite struct CourtesyTests {
    private let millisecond: UInt64 = 1_000_000

    @Test func withoutAnythingVisibleTheyStartAtOnce() {
        var courtesy = BackgroundThrottle()
        for now: UInt64 in 1...10 {
            #expect(courtesy.admits(at: now))
            courtesy.began(inBackground: true, at: now)
        }
    }

    @Test func noneStartsBesideAVisibleOne() {
        var courtesy = BackgroundThrottle()
        courtesy.began(inBackground: true, at: 100)
        courtesy.began(inBackground: false, at: 200)
        #expect(!courtesy.admits(at: 300))
        courtesy.ended(inBackground: true, at: 400)
        #expect(!courtesy.admits(at: 500))
        courtesy.ended(inBackground: false, at: 600)
        #expect(courtesy.admits(at: 700))
    }

    @Test func forAWhileAfterAVisibleOneTheyStartOneByOne() {
        var courtesy = BackgroundThrottle()
        courtesy.began(inBackground: false, at: 1)
        courtesy.ended(inBackground: false, at: millisecond)
        #expect(courtesy.admits(at: 2 * millisecond))
        courtesy.began(inBackground: true, at: 2 * millisecond)
        #expect(!courtesy.admits(at: 300 * millisecond))
        #expect(courtesy.opening(at: 300 * millisecond) == 301 * millisecond)
        #expect(courtesy.admits(at: 301 * millisecond))
    }

    // Endless visible loads slow background transfers down, but do not stop them.
    @Test func oneStartsEachSecondWhateverRuns() {
        var courtesy = BackgroundThrottle()
        courtesy.began(inBackground: true, at: millisecond)
        courtesy.ended(inBackground: true, at: 2 * millisecond)
        courtesy.began(inBackground: false, at: 3 * millisecond)
        #expect(!courtesy.admits(at: 1000 * millisecond))
        #expect(courtesy.opening(at: 1000 * millisecond) == 1001 * millisecond)
        #expect(courtesy.admits(at: 1001 * millisecond))
        courtesy.began(inBackground: true, at: 1001 * millisecond)
        #expect(!courtesy.admits(at: 9000 * millisecond))
        courtesy.ended(inBackground: true, at: 9000 * millisecond)
        #expect(courtesy.admits(at: 9000 * millisecond))
    }
}
