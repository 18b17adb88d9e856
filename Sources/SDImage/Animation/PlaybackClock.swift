import CSystem
import Glibc

/// Notifies a player when its next frame is due.
/// The player arms it after each change; the clock then calls `advance`, directly or through the host.
package protocol PlaybackClock: AnyObject, Sendable {
    /// Sets the due time in monotonic nanoseconds, replacing the previous one; nil: nothing is due until the next call.
    /// Called under a lock of the player, so it must neither block nor call the player.
    func arm(at moment: UInt64?)
}

/// A descriptor that becomes readable when a frame is due, for event loops of the host.
/// A timer descriptor of Linux (timerfd_create(2)).
package final class DescriptorClock: PlaybackClock {
    /// For poll(2) and similar; owned by the clock. The host calls `advance` when it is readable.
    package let descriptor: Int32

    package init() throws(ImageError) {
        descriptor = csys_timer_descriptor()
        if descriptor < 0 {
            throw ImageError(.ioError, "player: timer descriptor could not be created", systemError: -descriptor)
        }
    }

    deinit { close(descriptor) }

    /// A time of 0 would disarm the timer, so the earliest time is 1.
    package func arm(at moment: UInt64?) { csys_arm_timer(descriptor, moment.map { max($0, 1) } ?? 0) }
}

/// A clock that uses the timers of the library and takes its turns on a dispatcher.
/// The engine's executor schedules the timers; ticks run one at a time.
package final class LibraryClock: PlaybackClock {
    private let lease: EngineLease
    /// Serializes the ticks on the dispatcher.
    private let calls: CallQueue
    private let tick: @Sendable () -> Void
    package let dispatcher: any Dispatcher
    /// Due time of the earliest pending timer; 0: none.
    private let due = Lock<UInt64>(0)

    /// `tick` is called on the dispatcher. Serialized.
    package init(on dispatcher: any Dispatcher, lease: EngineLease, tick: @escaping @Sendable () -> Void) throws(ImageError) {
        try dispatcher.prepare()
        try lease.engine.executor.ensureStarted()
        self.lease = lease
        self.tick = tick
        self.dispatcher = dispatcher
        calls = CallQueue(on: dispatcher)
    }

    /// A later time is not scheduled: the tick of the earlier timer arms the clock again.
    package func arm(at moment: UInt64?) {
        let isNew = due.withLock { due in
            // Timers cannot be cancelled: an outdated one has no effect when it fires.
            guard let moment else {
                due = 0
                return false
            }
            guard due == 0 || moment < due else { return false }
            due = moment
            return true
        }
        guard isNew, let moment else { return }
        // Weak, so that a pending timer does not keep the clock alive.
        lease.engine.executor.schedule(at: moment) { [weak self] in self?.ring(moment) }
    }

    /// Called by the timer on a thread of the engine.
    private func ring(_ moment: UInt64) {
        let isCurrent = due.withLock { due in
            guard due == moment else { return false }
            due = 0
            return true
        }
        guard isCurrent else { return }
        calls.perform { [weak self] in self?.tick() }
    }
}
