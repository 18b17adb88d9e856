import SDImage
import Synchronization
import TestSupport
import Testing

@testable import SDImageCodecs

@Suite struct FramesAheadTests {
    /// Events that threads wait for.
    private final class Events: Sendable {
        private let seen = Monitor<[String]>([])

        func add(_ event: String) {
            seen.withLock { $0.append(event) }
            seen.broadcast()
        }

        func wait(for event: String) {
            let end = MonotonicClock.now + 120_000_000_000
            let found = seen.wait(deadline: end) { seen, _ -> Bool? in seen.contains(event) ? true : nil }
            #expect(found == true, "no event \(event)")
        }

        var all: [String] { seen.withLock { $0 } }
    }

    private static func pixels() -> PixelBuffer? { try? PixelBuffer(size: PixelSize(width: 4, height: 4), format: .rgba8) }

    /// One worker decodes the frames in their order.
    private func withPool(threads: Int = 1, _ body: (WorkPool) throws -> Void) throws {
        let pool = WorkPool(name: "test", threads: threads)
        defer { pool.stop() }
        try body(pool)
    }

    /// Returns when the only worker has run all jobs before this one.
    private func drain(_ pool: WorkPool, _ events: Events, _ event: String) {
        while pool.assist({ events.add(event) }) == nil {}
        events.wait(for: event)
    }

    private func isTaken(_ index: Int, _ ahead: FramesAhead) -> Bool {
        do { return try ahead.take(index, stop: CancellationToken()) != nil } catch { return false }
    }

    /// A job that ends when its token does.
    private func endless(_ events: Events, _ name: String) -> FramesAhead.Job {
        { stop in
            events.add("\(name) began")
            while !stop.isCancelled {}
            events.add("\(name) ended")
            return nil
        }
    }

    @Test func aFrameIsDecodedOnceAndTakenOnce() throws {
        try withPool { pool in
            let events = Events()
            let ahead = FramesAhead(FrameBudget(limit: 1 << 20)) { pool }
            let jobs = (1...3).map { index in
                FramesAhead.Frame(index: index) { _ in
                    events.add("\(index)")
                    return Self.pixels()
                }
            }
            ahead.expect(jobs)
            events.wait(for: "3")
            let taken = try (1...4).map { try ahead.take($0, stop: CancellationToken()) != nil }
            let again = try (1...4).map { try ahead.take($0, stop: CancellationToken()) != nil }
            #expect(taken == [true, true, true, false] && again == [false, false, false, false])
            #expect(events.all == ["1", "2", "3"])
        }
    }

    @Test func aThreadThatWouldWaitDecodesTheNextFrame() throws {
        try withPool { pool in
            let events = Events()
            let ahead = FramesAhead(FrameBudget(limit: 1 << 20)) { pool }
            let first: FramesAhead.Job = { _ in
                events.add("first began")
                events.wait(for: "second")
                return Self.pixels()
            }
            let second: FramesAhead.Job = { _ in
                events.add("second")
                return Self.pixels()
            }
            ahead.expect([.init(index: 1, decode: first), .init(index: 2, decode: second)])
            events.wait(for: "first began")
            #expect(isTaken(1, ahead))
            #expect(isTaken(2, ahead))
        }
    }

    @Test func aWaitingThreadIsCancelled() throws {
        try withPool { pool in
            let events = Events()
            let ahead = FramesAhead(FrameBudget(limit: 1 << 20)) { pool }
            ahead.expect([.init(index: 1, decode: endless(events, "1"))])
            events.wait(for: "1 began")
            let stop = CancellationToken()
            stop.cancel()
            #expect(imageError { _ = try ahead.take(1, stop: stop) }?.status == .cancelled)
            ahead.cancel()
            events.wait(for: "1 ended")
        }
    }

    @Test func framesThatAreNotNeededAnyMoreAreCancelled() throws {
        try withPool { pool in
            let events = Events()
            var ahead: FramesAhead? = FramesAhead(FrameBudget(limit: 1 << 20)) { pool }
            ahead?.expect([.init(index: 1, decode: endless(events, "1"))])
            events.wait(for: "1 began")
            ahead?.expect([.init(index: 7, decode: endless(events, "7"))])
            events.wait(for: "1 ended")
            events.wait(for: "7 began")
            // With the animation, the frame that is being decoded is released, too.
            ahead = nil
            events.wait(for: "7 ended")
        }
    }

    @Test func framesCountTowardsTheFrameBudget() throws {
        try withPool { pool in
            let budget = FrameBudget(limit: 1 << 20)
            let events = Events()
            let ahead = FramesAhead(budget) { pool }
            let last: FramesAhead.Job = { _ in
                events.add("last")
                return nil
            }
            ahead.expect([.init(index: 1) { _ in Self.pixels() }, .init(index: 2, decode: last)])
            events.wait(for: "last")
            #expect(budget.statistics.canvasBytes == 256)
            ahead.cancel()
            #expect(budget.statistics.canvasBytes == 0)
            #expect(!isTaken(1, ahead))
        }
    }

    @Test func withoutRoomNoFurtherFramesAreDecodedAhead() throws {
        try withPool { pool in
            let events = Events()
            let ahead = FramesAhead(FrameBudget(limit: 0)) { pool }
            let job: FramesAhead.Job = { _ in
                events.add("decoded")
                return Self.pixels()
            }
            ahead.expect([.init(index: 1, decode: job)])
            events.wait(for: "decoded")
            drain(pool, events, "first is over")
            #expect(!isTaken(1, ahead))
            ahead.expect([.init(index: 2, decode: job), .init(index: 3, decode: job)])
            drain(pool, events, "all is over")
            #expect(events.all.filter { $0 == "decoded" }.count == 1)
        }
    }

    // MARK: Animations

    /// Rectangles that are decoded ahead; no decoder returns a broken frame.
    private struct AheadPainter: FramePainter {
        let rectangles: RectanglePainter

        func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool {
            try rectangles.paint(index, onto: canvas, stop: stop)
        }

        func decoder(of index: Int) -> (@Sendable (CancellationToken) -> PixelBuffer?)? {
            let (layout, isBroken) = (rectangles.layouts[index], rectangles.broken.contains(index))
            return { _ in
                guard !isBroken, let pixels = try? PixelBuffer(size: layout.size, format: .rgba8) else { return nil }
                let color = RectanglePainter.color(index, isOpaque: layout.isOpaque)
                for y in 0..<layout.size.height {
                    guard let row = unsafe pixels.mutableRow(y) else { continue }
                    for x in row.indices { unsafe row[x] = color[x & 3] }
                }
                return pixels
            }
        }

        func paint(_ index: Int, from pixels: PixelBuffer, onto canvas: FrameCanvas) throws(ImageError) {
            for y in 0..<pixels.size.height {
                if let row = unsafe pixels.row(y) { unsafe canvas.draw(row, y: y, blend: RectanglePainter.blend) }
            }
        }
    }

    private static let size = PixelSize(width: 256, height: 160)

    /// A painter that draws the second frame when the third one is being decoded.
    private struct WaitingPainter: FramePainter {
        let rectangles: RectanglePainter
        let events: Events

        func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool {
            if index == 1 { events.wait(for: "2") }
            return try rectangles.paint(index, onto: canvas, stop: stop)
        }

        func decoder(of index: Int) -> (@Sendable (CancellationToken) -> PixelBuffer?)? {
            { [events] _ in
                events.add("\(index)")
                return nil
            }
        }
    }

    @Test func theNextFramesAreDecodedWhileOneIsDrawn() throws {
        try withPool { pool in
            let layouts = (0..<4).map { _ in RectanglePainter.layout(0, 0, 250, 150) { $0.blend = .over } }
            let painter = WaitingPainter(rectangles: RectanglePainter(layouts, broken: []), events: Events())
            var compositor = try FrameCompositor(
                size: Self.size, limits: .standard, budget: 0, of: FrameBudget(limit: 16 << 20)
            ) { pool }
            layouts.forEach { compositor.append($0) }
            for index in 0..<2 {
                _ = try compositor.canvas(at: index, painter: painter, isPaced: false, stop: CancellationToken())
            }
            #expect(painter.events.all.contains("2"))
        }
    }

    @Test func theNextLargeFramesAreChosenAmongSmallOnes() {
        let layouts = (0..<40).map { index in
            RectanglePainter.layout(0, 0, index % 6 == 0 ? 250 : 20, 150) { $0.blend = .over }
        }
        let painter = AheadPainter(rectangles: RectanglePainter(layouts, broken: []))
        let jobs = FramesAhead.jobs(Array(1..<40), layouts, painter, canvasBytes: 256 * 160 * 4, limits: .standard)
        #expect(jobs.map(\.index) == [6, 12, 18])
    }

    @Test func composedFramesAndTheirErrorsAreThoseOfOneThread() throws {
        try withPool(threads: 2) { pool in
            let layouts = (0..<12).map { index in
                RectanglePainter.layout(index % 5, index % 3, 250, 150) { layout in
                    layout.blend = index % 4 == 0 ? .source : .over
                    layout.isOpaque = index % 3 == 0
                    layout.disposal = [.none, .background, .previous][index % 3]
                }
            }
            let painter = AheadPainter(rectangles: RectanglePainter(layouts, broken: [4, 7]))
            let expected = painter.rectangles.reference(Self.size)
            var compositor = try FrameCompositor(
                size: Self.size, limits: .standard, budget: 0, of: FrameBudget(limit: 16 << 20)
            ) { pool }
            layouts.forEach { compositor.append($0) }
            for index in Array(0..<12) + [11, 2, 3, 4, 5, 6, 9, 1, 2, 3] {
                let stop = CancellationToken()
                do throws(ImageError) {
                    let canvas = try pool.counting { () throws(ImageError) in
                        try compositor.canvas(at: index, painter: painter, isPaced: false, stop: stop)
                    }
                    #expect(Image(pixels: canvas, metadata: ImageMetadata()).content == expected[index], "frame \(index)")
                } catch {
                    #expect(error.status == .badData && painter.rectangles.broken.contains(index), "frame \(index)")
                }
            }
        }
    }

    private static let coders: [any ImageCoder] = [GIFCoder(), APNGCoder(PNGCoder()), WebPCoder()]

    private func encoded(_ coder: any ImageCoder, _ frames: [Image]) throws -> Bytes {
        var options = EncodeOptions()
        options.isLossless = true
        return try coder.encode(
            AnimationFixture.image(frames), format: coder.encodableFormats[0], options: options, stop: CancellationToken())
    }

    /// The frames are large enough to be decoded ahead.
    private func sprites() throws -> [Image] { try AnimationFixture.sprites(9, 256, 160, alphas: [255, 0], seed: 5) }

    @Test(arguments: 0..<3)
    func framesInOrderAreThoseOfEveryOtherOrder(coder: Int) throws {
        let lease = try Engine.acquire()
        defer { withExtendedLifetime(lease) {} }
        let coder = FramesAheadTests.coders[coder]
        let file = try encoded(coder, sprites())
        let count = 9
        let backwards = try coder.decode(file, options: DecodeOptions(), stop: CancellationToken())
        let expected = try (0..<count).reversed().map { try backwards.frame(at: $0, stop: CancellationToken()).content }
        for _ in 0..<3 {
            let image = try coder.decode(file, options: DecodeOptions(), stop: CancellationToken())
            for index in 0..<count {
                let frame = try Engine.helped { () throws(ImageError) in try image.frame(at: index, stop: CancellationToken()) }
                #expect(frame.content == expected[count - 1 - index], "frame \(index)")
            }
        }
    }
}
