import Glibc
import Synchronization
import Testing

@testable import SDImage

struct AssistanceTests {
    /// Blocks a job until it is opened.
    private final class Gate: Sendable {
        private let state = Monitor((arrived: 0, isOpen: false))

        func pass() {
            state.withLock { $0.arrived += 1 }
            state.broadcast()
            state.wait { state, _ -> Void? in state.isOpen ? () : nil }
        }

        func waitFor(_ count: Int) { state.wait { state, _ -> Void? in state.arrived >= count ? () : nil } }

        func open() {
            state.withLock { $0.isOpen = true }
            state.broadcast()
        }
    }

    @Test func anIdleWorkerDoesTheJobOnAThreadOfItsOwn() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        for _ in 0..<20 {
            let thread = Mutex<pthread_t?>(nil)
            let gate = Gate()
            // The worker of the previous round may not have returned yet.
            var assistance: Assistance?
            while assistance == nil {
                assistance = pool.assist {
                    thread.withLock { $0 = pthread_self() }
                    gate.pass()
                }
            }
            gate.waitFor(1)
            gate.open()
            assistance?.wait()
            let ran = try #require(thread.withLock { $0 })
            #expect(ran != pthread_self())
        }
    }

    @Test func aBusyPoolGivesNoHelp() {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let gate = Gate()
        for _ in 0..<2 { pool.submit(.normal) { gate.pass() } }
        gate.waitFor(2)
        #expect(pool.assist {} == nil)
        gate.open()
    }

    @Test func aJobThatIsStillQueuedComesFirst() {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let gate = Gate()
        // One thread stays free of low-priority work, and this pool has no other for the second job.
        for _ in 0..<2 { pool.submit(.low) { gate.pass() } }
        gate.waitFor(1)
        #expect(pool.assist {} == nil)
        gate.open()
    }

    @Test func threadsOutsideThePoolCountAsBusyWhileTheySaySo() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        try pool.counting { () throws(ImageError) in
            try pool.counting { () throws(ImageError) in #expect(pool.assist {} == nil) }
            #expect(pool.assist {} != nil)
        }
    }

    @Test func aWorkerCountsOnce() {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let isHelped = Mutex<Bool?>(nil)
        let gate = Gate()
        pool.submit(.normal) {
            let assistance = try? pool.counting { () throws(ImageError) in pool.assist {} }
            isHelped.withLock { $0 = assistance != nil }
            assistance?.wait()
            gate.pass()
        }
        gate.waitFor(1)
        gate.open()
        let helped = isHelped.withLock { $0 }
        #expect(helped == true)
    }

    @Test func theOnlyWorkerIsNotHelped() {
        let pool = WorkPool(name: "test", threads: 1)
        defer { pool.stop() }
        let isHelped = Mutex<Bool?>(nil)
        let gate = Gate()
        pool.submit(.normal) {
            isHelped.withLock { $0 = pool.assist {} != nil }
            gate.pass()
        }
        gate.waitFor(1)
        gate.open()
        let helped = isHelped.withLock { $0 }
        #expect(helped == false)
    }

    @Test func aWithdrawnJobNeverBegins() {
        let count = Atomic<Int>(0)
        let assistance = Assistance { count.add(1, ordering: .relaxed) }
        #expect(assistance.cancel())
        assistance.run()
        assistance.wait()
        #expect(assistance.cancel())
        let runs = count.load(ordering: .relaxed)
        #expect(runs == 0)
    }

    @Test func waitingForAJobThatHasNotBegunWithdrawsIt() {
        let count = Atomic<Int>(0)
        let assistance = Assistance { count.add(1, ordering: .relaxed) }
        assistance.wait()
        assistance.run()
        let runs = count.load(ordering: .relaxed)
        #expect(runs == 0)
    }

    @Test func aJobThatHasBegunIsWaitedForAndNotWithdrawn() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let gate = Gate()
        let isDone = Atomic<Bool>(false)
        let assistance = try #require(
            pool.assist {
                gate.pass()
                isDone.store(true, ordering: .releasing)
            })
        gate.waitFor(1)
        #expect(!assistance.cancel())
        gate.open()
        assistance.wait()
        let done = isDone.load(ordering: .acquiring)
        #expect(done)
    }

    @Test func stoppingWaitsForHelpUnderWayAndRefusesMore() throws {
        let pool = WorkPool(name: "test", threads: 2)
        let gate = Gate()
        let isDone = Atomic<Bool>(false)
        let assistance = try #require(
            pool.assist {
                gate.pass()
                isDone.store(true, ordering: .releasing)
            })
        gate.waitFor(1)
        gate.open()
        pool.stop()
        let done = isDone.load(ordering: .acquiring)
        #expect(done)
        #expect(pool.assist {} == nil)
        assistance.wait()
    }

    @Test func stoppingLeavesNoJobToWaitFor() {
        for _ in 0..<50 {
            let pool = WorkPool(name: "test", threads: 2)
            let count = Atomic<Int>(0)
            let assistance = pool.assist { count.add(1, ordering: .relaxed) }
            pool.stop()
            let before = count.load(ordering: .relaxed)
            // It either ran before the stop or is withdrawn now.
            assistance?.wait()
            assistance?.run()
            let after = count.load(ordering: .relaxed)
            #expect(before <= 1 && after == before)
        }
    }
}
