import SDImage
import Testing

private let gone = ImageError(.httpStatus, "gone", httpStatus: 410)
private func url(_ number: Int) -> CacheKey { CacheKey("https://x/\(number)") }

@Test func theLatestTenThousandFailuresAreRemembered() {
    let failed = FailedURLs(retryAfter: -1)
    for number in 0..<10_000 { failed.insert(url(number), gone) }
    #expect(failed.failure(of: url(0))?.httpStatus == 410)
    // One that has failed again is not the oldest any more, and one that was forgotten leaves no trace.
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

@Test func failuresAreForgottenWhenTheirTimeIsOver() {
    let never = FailedURLs(retryAfter: 0)
    never.insert(url(1), gone)
    #expect(never.failure(of: url(1)) == nil)
    let long = FailedURLs(retryAfter: .max)
    long.insert(url(1), gone)
    #expect(long.failure(of: url(1)) != nil)
}
