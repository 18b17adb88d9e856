import SDImage
import Testing

private let gone = ImageError(.httpStatus, "gone", httpStatus: 410)
private final class NoLoader: ImageLoader {
    let name = "none"
    let number = UniqueNumber.next()

    func canLoad(_ request: ImageRequest) -> Bool { true }
    func sharingKey(_ request: ImageRequest) -> SharingKey? { SharingKey(url: request.url) }
    func load(_ request: ImageRequest, progress: LoadProgress) async throws(ImageError) -> LoadedData { throw .cancelled }
}

private let loader = NoLoader()

extension FailedURLs {
    private func scope(_ url: CacheKey) -> FailureScope? { FailureScope(url.bytes, ImageRequest(url: url.bytes), loader) }

    fileprivate func insert(_ url: CacheKey, _ failure: ImageError) {
        if let scope = scope(url) { insert(scope, failure) }
    }

    fileprivate func failure(of url: CacheKey) -> ImageError? { scope(url).flatMap { failure(of: $0) } }
}

private func url(_ number: Int) -> CacheKey { CacheKey("https://x/\(number)") }

@Test func theLatestTenThousandFailuresAreRemembered() {
    let failed = FailedURLs(retryAfter: -1)
    for number in 0..<10_000 { failed.insert(url(number), gone) }
    #expect(failed.failure(of: url(0))?.httpStatus == 410)
    // A repeated failure makes a URL the newest one, and a forgotten URL leaves no trace.
    failed.insert(url(0), gone)
    failed.remove(url(2))
    #expect(failed.failure(of: url(1)) != nil && failed.failure(of: url(2)) == nil)
    failed.insert(url(2), gone)
    #expect(failed.failure(of: url(1)) == nil && failed.failure(of: url(2)) != nil)
    for number in 10_000..<19_998 { failed.insert(url(number), gone) }
    #expect(failed.failure(of: url(0)) != nil && failed.failure(of: url(2)) != nil)
    #expect(failed.failure(of: url(9_999)) == nil)
    failed.insert(url(20_000), gone)
    #expect(failed.failure(of: url(0)) == nil && failed.failure(of: url(2)) != nil)
    failed.removeAll()
    #expect(failed.failure(of: url(2)) == nil)
}

@Test func failuresOfLongURLsAndOfDataURLsHaveNoScope() throws {
    let lease = try Engine.acquire()
    let data = DataURLLoader(pool: lease.engine.files)
    func hasScope(_ url: String, _ loader: any ImageLoader) -> Bool {
        let url = Array(url.utf8)
        return FailureScope(url, ImageRequest(url: url), loader) != nil
    }
    let start = "https://x/"
    for (length, expected) in [(8192, true), (8193, false)] {
        #expect(hasScope(start + String(repeating: "a", count: length - start.utf8.count), loader) == expected)
    }
    #expect(!hasScope("data:,a", data))
}

@Test func failuresAreForgottenWhenTheirTimeIsOver() {
    let never = FailedURLs(retryAfter: 0)
    never.insert(url(1), gone)
    #expect(never.failure(of: url(1)) == nil)
    let long = FailedURLs(retryAfter: .max)
    long.insert(url(1), gone)
    #expect(long.failure(of: url(1)) != nil)
}
