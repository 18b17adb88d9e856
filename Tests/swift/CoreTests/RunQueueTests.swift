import Testing

@testable import SDImage

struct RunQueueTests {
    @Test(arguments: [
        ("0.98 1.20 1.92 1/456 23100\n", true), ("9.98 9.20 9.92 3/456 23100\n", true), ("0.00 0.00 0.00 4/456 7", false),
        ("0.00 0.00 0.00 12/456 7", false),
    ])
    func aProcessorIsIdleWhileFewerThreadsRunThanThereAreProcessors(line: String, isIdle: Bool) {
        #expect(RunQueue.hasIdleProcessor(load: line, processors: 4) == isIdle)
    }

    @Test(arguments: ["", "1.0 1.0 1.0", "a b c d", "0.00 0.00 0.00 / 1"])
    func aLineThatSaysNothingForbidsNothing(line: String) {
        #expect(RunQueue.hasIdleProcessor(load: line, processors: 1))
    }
}
