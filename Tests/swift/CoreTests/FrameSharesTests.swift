import SDImage
import Testing

@Suite struct FrameSharesTests {
    @Test func aPlayerThatNeedsLessThanAnEqualShareGetsIt() {
        #expect(FrameShares.divide(100, among: [10, 200, 300]) == [10, 45, 45])
    }

    @Test func withEnoughMemoryEachPlayerGetsEverything() {
        #expect(FrameShares.divide(100, among: [10, 20, 30]) == [10, 20, 30])
    }

    @Test func nothingIsSharedFairly() {
        #expect(FrameShares.divide(0, among: [10, 20]) == [0, 0])
        #expect(FrameShares.divide(-5, among: [10]) == [0])
        #expect(FrameShares.divide(50, among: []).isEmpty)
    }

    @Test func theLargestDemandsDoNotOverflow() {
        let shares = FrameShares.divide(90, among: [.max, .max, .max])
        #expect(shares == [30, 30, 30])
    }
}
