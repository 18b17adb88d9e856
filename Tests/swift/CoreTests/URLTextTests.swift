import SDImage
import TestSupport
import Testing

private func text(_ slice: ArraySlice<UInt8>?) -> String? { slice.map { String(decoding: $0, as: UTF8.self) } }

@Test func partsOfAURLAreFoundAndNotChanged() {
    let url = URLText("HTTP://user:p%40ss@Example.COM:8080/A/../b.PNG?x=/?#frag?#")
    #expect(url.scheme == "http")
    #expect(text(url.userInfo) == "user:p%40ss")
    #expect(text(url.host) == "Example.COM")
    #expect(text(url.port) == "8080")
    #expect(text(url.path) == "/A/../b.PNG")
    #expect(text(url.query) == "x=/?")
    #expect(text(url.fragment) == "frag?#")
    #expect(url.pathExtension == "png")
}

@Test(
    arguments: [
        ("http://[::1]:80/a", "[::1]", "80"), ("http://[::1]/a", "[::1]", nil), ("http://h:/a", "h", nil), ("http://h", "h", nil),
        ("//h/a", "h", nil), ("file:///tmp/a", "", nil), ("mailto:x@y", "", nil), ("http://a@b@c/", "c", nil),
        ("http://h?x@y", "h", nil),
        ("", "", nil), ("://", "", nil), ("http:", "", nil), ("http:/", "", nil), ("#", "", nil), ("?", "", nil),
        ("a:#//", "", nil),
    ] as [(String, String, String?)])
func hostAndPortOfOddURLs(url: String, host: String, port: String?) {
    #expect(text(URLText(url).host) == host)
    #expect(text(URLText(url).port) == port)
}

@Test(arguments: [("1http://h", ""), ("ht tp://h", ""), ("a/b:c", ""), ("x-y.z+1:p", "x-y.z+1"), (":a", "")])
func schemeFollowsTheGrammar(url: String, scheme: String) {
    #expect(URLText(url).scheme == scheme)
}

@Test(arguments: [
    ("https://user:secret@h/p?q#f", "https://h/p?q#f"), ("https://h/p@q", "https://h/p@q"), ("https://a@b@h/", "https://h/"),
    ("ftp://:@h", "ftp://h"),
])
func redactedURLHasNoUserAndPassword(url: String, redacted: String) {
    #expect(URLText(url).redacted.string == redacted)
}

@Test(arguments: [
    ("http://alice:pw@host/a.png?token=t0p#frag", "http://host/a.png?…"), ("http:alice:pw@host/a", "http:…@host/a"),
    ("http:/alice:pw@host/a", "http:…@host/a"), ("alice:pw@host/a", "…@host/a"), ("http:alice:p?w@host", "http:…?…"),
    ("http://alice:p/w@host/a", "http://…"), ("http://alice:p?w@host/a", "http://…?…"), ("http://alice:p#w@host/a", "http://…#…"),
    ("http://alice:pw", "http://alice:…"), ("https://h:8443/@user/a@2x.png", "https://h:8443/@user/a@2x.png"),
    ("https://p/fetch/https://alice:pw@h/x", "https://p/fetch/https://…@h/x"), ("https://h/a;jsessionid=1/b", "https://h/a;…/b"),
    ("https://p/https%3A%2F%2Falice%3Apw%40h%2Fx%3Ftoken%3Dt/200", "https://p/…/200"),
    ("https://h/#access_token=t", "https://h/#…"),
    ("http://h/\r\nERROR forged", "http://h/%0D%0AERROR forged"), ("photos:album/1", "photos:album/1"), ("cat.jpg", "cat.jpg"),
    ("https://b/k?X-Amz-Signature=abc&sig=d", "https://b/k?…"), ("", ""), (":", ":"), ("?t", "?…"),
    ("http://[::1]:80/a", "http://[::1]:80/a"),
    ("data:image/png;base64,AAAA", "data:image/png;base64,AAAA…"),
])
func messagesShowNoSecretsOfAURL(url: String, shown: String) {
    #expect(URLText(url).messageText == shown)
}

@Test func longURLsInMessagesAreCut() {
    #expect(URLText("https://h/" + String(repeating: "x", count: 5000)).messageText.utf8.count < 300)
    #expect(URLText("data:," + String(repeating: "x", count: 5000)).messageText.utf8.count < 100)
}

@Test func redactedDataURLIsShort() {
    #expect(URLText("data:," + String(repeating: "x", count: 5000)).redacted.count < 200)
}

@Test(arguments: ["", "http://h/a b", "http://h/\n", "http://h/\u{7f}", "http://h\0/"])
func uselessURLsAreInvalid(url: String) {
    #expect(throws: ImageError.self) { try URLText(url).validate() }
    do { try URLText(url).validate() } catch { #expect(error.status == .invalidURL) }
}

@Test func invalidUTF8IsAnInvalidArgument() {
    do {
        try URLText(Array("http://h/".utf8) + [0xc3]).validate()
        Issue.record("accepted")
    } catch { #expect(error.status == .invalidArgument) }
}

@Test(arguments: [
    "http://", "http:///a", "http:a", "http://h:99999/", "http://h:x/", "http://h:0/", "http://a\\@h/", "http://h\\/",
    "http://[::1/",
    "http://[x]/", "http://user:pa<ss@h/", "http://ho<st/",
])
func authoritiesThatParsersReadDifferentlyAreRefused(url: String) {
    do {
        try URLText(url).validateForHTTP()
        Issue.record("accepted")
    } catch { #expect(error.status == .invalidURL) }
}

@Test(arguments: ["http://h", "https://u:p@h:443/a?b#c", "http://127.1/", "http://[::ffff:1.2.3.4]/", "http://bücher.example/ü"])
func ordinaryURLsAreAccepted(url: String) throws {
    try URLText(url).validateForHTTP()
}

@Test func partsPutTogetherGiveTheURLBack() {
    var random = Randoms(seed: 2)
    let alphabet = Array("ab:/?#@[].%1\u{e9}".utf8)
    for _ in 0..<20_000 {
        let url = URLText(random.bytes(random.below(16), from: alphabet))
        var whole: [UInt8] = []
        if !url.scheme.isEmpty { whole += Array(url.scheme.utf8) + Array(":".utf8) }
        if url.hasAuthority { whole += Array("//".utf8) }
        if let userInfo = url.userInfo { whole += userInfo + Array("@".utf8) }
        whole += url.host
        var rest = Array(url.path)
        if let query = url.query { rest += Array("?".utf8) + query }
        if let fragment = url.fragment { rest += Array("#".utf8) + fragment }
        var withPort = whole
        if let port = url.port { withPort += Array(":".utf8) + port }
        withPort += rest
        // The only text missing from all parts is a colon without a port.
        let withColon = whole + Array(":".utf8) + rest
        #expect(url.bytes == withPort || url.bytes == withColon)
        // No call below may trap, for any text.
        _ = (url.redacted, url.origin, url.pathExtension, url.isWellFormed, url.resolving(url.bytes))
        _ = CacheKey.composed(base: url.bytes, suffixes: ["x"])
        try? url.validateForHTTP()
    }
}

/// RFC 3986, section 5.4.
@Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
    ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
    ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://x/y", "https://x/y"),
    ("a b/ü", "http://a/b/c/a%20b/%C3%BC"),
])
func referencesResolveAsTheStandardSays(reference: String, expected: String) {
    #expect(URLText("http://a/b/c/d;p?q").resolving(Array(reference.utf8)).bytes == Array(expected.utf8))
}

@Test func originsFoldCaseAndDefaultPort() {
    #expect(URLText("HTTP://H/a").origin == URLText("http://h:80/b").origin)
    #expect(URLText("http://h").origin != URLText("https://h").origin)
    #expect(URLText("http://h").origin != URLText("http://h:81").origin)
    #expect(URLText("http://u:p@h").origin == URLText("http://h").origin)
}
