import SDImage
import Testing

/// The record of an image to which a redirect has led.
@Suite struct RedirectRecordTests {
    private func record(_ control: String, status: Int32 = 200, vary: String = "") -> ResponseRecord {
        var record = ResponseRecord()
        record.status = status
        record.cacheControl = Array(control.utf8)
        record.vary = Array(vary.utf8)
        record.requestTime = 1_795_000_000_000_000_000
        record.responseTime = record.requestTime
        return record
    }

    private func image(_ control: String, after redirect: ResponseRecord) -> ResponseRecord {
        var image = record(control)
        image.restrict(by: redirect)
        return image
    }

    @Test(arguments: [("private", true), ("no-store", true), ("", false), ("public", false), ("no-cache", false)])
    func aPrivateRedirectMakesTheImagePrivate(control: String, isPrivate: Bool) {
        #expect(image("public, max-age=60", after: record(control, status: 302)).isPrivate == isPrivate)
        // The image itself may be stored.
        #expect(image("public, max-age=60", after: record(control, status: 302)).mayBeStored([]))
    }

    @Test func aRedirectWithAuthorizationMakesTheImagePrivate() {
        var redirect = record("max-age=60", status: 302)
        redirect.restrict(hasAuthorization: true, hasCookies: false)
        #expect(image("public, max-age=60", after: redirect).isPrivate)
    }

    @Test(arguments: ["", "no-cache", "no-store, must-revalidate", "private, max-age=5"])
    func aRestrictionIsAddedOnce(control: String) {
        let redirect = record(control, status: 302, vary: "accept")
        let once = image("max-age=60, stale-while-revalidate=60", after: redirect)
        var twice = once
        twice.restrict(by: redirect)
        #expect(once.cacheControl.count > 40 && once.vary == Array("accept".utf8) && twice == once)
    }

    /// Otherwise the lifetime would only shrink.
    @Test func theRestrictionsOfTheNextRedirectTakeThePlaceOfTheFormer() {
        let own = "max-age=60, stale-if-error=5", strict = record("private, no-cache, max-age=5", status: 302)
        var confirmed = image(own, after: strict)
        confirmed.restrict(by: record("max-age=2", status: 307))
        confirmed.restrict(hasAuthorization: true, hasCookies: false)
        confirmed.removeRestrictions()
        #expect(confirmed == record(own))
        confirmed.restrict(by: record("max-age=30", status: 302))
        #expect(CacheDirectives(confirmed.cacheControl).maxAge == 30 && !confirmed.isPrivate)
        var plain = record(own)
        plain.removeRestrictions()
        #expect(plain == record(own))
        var empty = image("", after: strict)
        empty.removeRestrictions()
        #expect(empty == record(""))
    }

    @Test func aResponseThatAllowsLessIsUnchanged() {
        let strict = "no-store, no-cache, private, must-revalidate, max-age=0"
        #expect(image(strict, after: record("no-store, must-revalidate", status: 302)) == record(strict))
        #expect(image("max-age=60", after: record("", status: 301)) == record("max-age=60"))
        #expect(image("max-age=60", after: record("max-age=60", status: 307)) == record("max-age=60"))
    }
}
