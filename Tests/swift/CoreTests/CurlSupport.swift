import SDImage
import SDImageCurl
import TestSupport
import Testing

/// The transfer tests; serialized, because some of them count threads and measure time.
// The time limit ends a hang. It includes the time a test waits for a thread of the runner's pool, behind all other tests.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CurlTests {}

extension DownloaderConfiguration {
    /// For tests that mention neither retries nor timeouts: the result of one attempt, however long a response is held while the
    /// test waits for a thread.
    static var patient: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.maxRetries = 0
        configuration.connectTimeoutMilliseconds = 3_600_000
        configuration.inactivityTimeoutMilliseconds = 3_600_000
        configuration.totalTimeoutMilliseconds = 3_600_000
        return configuration
    }
}

/// A loader with an engine lease of its own.
struct Downloader: Sendable {
    let lease: EngineLease
    let loader: CurlLoader

    init(_ change: (inout DownloaderConfiguration) -> Void = { _ in }) throws {
        var configuration = DownloaderConfiguration.patient
        change(&configuration)
        lease = try Engine.acquire()
        loader = try CurlLoader(configuration, lease: lease)
    }

    func load(
        _ url: String, _ change: (inout ImageRequest) -> Void = { _ in },
        progress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
    ) async -> Result<LoadedData, ImageError> {
        var request = ImageRequest(url: Array(url.utf8))
        change(&request)
        return await withTaskExecutorPreference(lease.engine.executor) { [request] in
            do throws(ImageError) {
                return .success(try await loader.load(request, progress: LoadProgress(ProgressRecorder(progress))))
            } catch { return .failure(error) }
        }
    }

    func load(_ url: String, headers: [HeaderField]) async -> Result<LoadedData, ImageError> {
        await load(url, { $0.headers = headers })
    }

    func status(_ url: String, _ change: (inout ImageRequest) -> Void = { _ in }) async -> Status {
        await load(url, change, progress: { _, _ in }).status
    }

    func bytes(_ url: String) async -> [UInt8]? {
        guard case .success(let data) = await load(url) else { return nil }
        return data.array
    }
}

extension Result where Success == LoadedData, Failure == ImageError {
    var status: Status { error?.status ?? .ok }

    var error: ImageError? {
        if case .failure(let error) = self { return error }
        return nil
    }
}

/// Bytes that depend on their position.
func pattern(_ count: Int, seed: Int = 0) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 131 >> 2) } }

/// Passes the received bytes to a test.
private final class ProgressRecorder: ProgressReceiver {
    private let report: @Sendable (Int64, Int64) -> Void

    init(_ report: @escaping @Sendable (Int64, Int64) -> Void) { self.report = report }

    func didReceive(_ received: Int64, _ expected: Int64) { report(received, expected) }
    func didRespond(_ head: ReceivedHead) {}
}
