import SDImage
import Synchronization

/// Encodes the frames of an animation in pairs; an idle worker, if there is one, encodes the second of each pair. `WebPEncoder`
/// calls it for one pair after another.
final class WebPParallelEncoder: Sendable {
    private let image: Image
    /// Number of frames.
    private let count: Int
    private let configuration: WebPEncoderConfiguration
    private let account: WorkingMemory
    private let stop: CancellationToken
    /// True after an error in the first frame of a pair; ends the encode of the second.
    private let isAbandoned = Atomic<Bool>(false)
    /// The second frame of the current pair.
    private let second = Lock<Result<Bytes, ImageError>?>(nil)

    init(_ image: Image, _ count: Int, _ configuration: WebPEncoderConfiguration, account: WorkingMemory, stop: CancellationToken)
    {
        self.image = image
        self.count = count
        self.configuration = configuration
        self.account = account
        self.stop = stop
    }

    /// Returns the files of the frame at `index` and of the one after it, if there is one.
    func pair(_ index: Int, pool: () -> WorkPool?) throws(ImageError) -> (Bytes, Bytes?) {
        let hasSecond = index + 1 < count
        let assistance = hasSecond ? pool()?.assist { self.keepSecond(index + 1) } : nil
        let first: Bytes
        do throws(ImageError) { first = try encode(index) } catch {
            isAbandoned.store(true, ordering: .relaxed)
            assistance?.wait()
            throw error
        }
        guard hasSecond else { return (first, nil) }
        // A worker that has not started would finish later than this thread.
        if assistance?.cancel() ?? true { keepSecond(index + 1) } else { assistance?.wait() }
        guard let result = second.withLock({ $0 }) else {
            throw ImageError(.internalError, "webp: frame \(index + 1) was not encoded")
        }
        return (first, try result.get())
    }

    /// Runs on the worker or on the calling thread, never on both.
    private func keepSecond(_ index: Int) {
        do throws(ImageError) {
            let file = try encode(index)
            second.withLock { $0 = .success(file) }
        } catch {
            second.withLock { $0 = .failure(error) }
        }
    }

    private func encode(_ index: Int) throws(ImageError) -> Bytes {
        let frame = try image.frame(at: index, stop: stop)
        // The writer stores frames that cover the canvas.
        guard frame.size == image.size else {
            throw ImageError(
                .invalidArgument, "webp: frame \(index) is \(frame.size.width)x\(frame.size.height) pixels, unlike the first")
        }
        let encoder = WebPFrameEncoder(configuration, account: account, stop: stop) { self.isAbandoned.load(ordering: .relaxed) }
        return try encoder.encode(frame)
    }
}
