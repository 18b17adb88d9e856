import SDImage
import Testing

private func load(_ url: String, limit: Int = 1 << 20) async throws -> LoadedData {
    let lease = try Engine.acquire()
    let loader = DataURLLoader(pool: lease.engine.work, maxBodyBytes: limit)
    return try await loader.load(ImageRequest(url: Array(url.utf8)), progress: .none)
}

private func status(_ url: String, limit: Int = 1 << 20) async -> Status {
    do {
        _ = try await load(url, limit: limit)
        return .ok
    } catch { return (error as? ImageError)?.status ?? .internalError }
}

extension LoadedData {
    var array: [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
}

@Test(
    arguments: [
        ("data:image/png;base64,AAEC/w==", "image/png", [0, 1, 2, 255]), ("data:IMAGE/GIF;base64,AAEC", "image/gif", [0, 1, 2]),
        ("data:;base64,AAE", "text/plain", [0, 1]), ("data:image/x;p=1;base64,AA%3D%3D", "image/x", [0]),
        ("data:image/x;base64,A%0AAE C", "image/x", [0, 1, 2]), ("data:,a%20b?c", "text/plain", Array("a b?c".utf8)),
        ("data:image/svg+xml,%3Csvg/%3E", "image/svg+xml", Array("<svg/>".utf8)),
        ("data:,100%", "text/plain", Array("100%".utf8)),
    ] as [(String, String, [UInt8])])
func dataURLGivesItsBytesAndType(url: String, type: String, bytes: [UInt8]) async throws {
    let data = try await load(url)
    #expect(data.array == bytes)
    #expect(data.mediaType == type)
}

@Test(arguments: ["A", "AA=A", "AA===", "=AAA", "A_-A", "AA\u{e9}A", "AAA=="])
func malformedBase64IsBadData(text: String) async {
    #expect(await status("data:image/png;base64,\(text)") == .badData)
}

@Test(arguments: 0..<9)
func base64InLinesWithEscapesGivesItsBytes(more: Int) async throws {
    let bytes = (0..<40_000 + more).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 9) }
    let digits = Array(Base64.encode(bytes))
    let lines = stride(from: 0, to: digits.count, by: 76 + more).map { String(digits[$0..<min($0 + 76 + more, digits.count)]) }
    let text = lines.joined(separator: "%0D%0A").replacing("+", with: "%2B").replacing("=", with: "%3D")
    #expect(try await load("data:;base64,\(text)").array == bytes)
    #expect(try await load("data:;base64,\(String(digits))").array == bytes)
    #expect(await status("data:;base64,\(text.dropLast(20))*") == .badData)
}

@Test func dataURLWithoutCommaIsInvalidAndWithoutDataEmpty() async {
    #expect(await status("data:image/png;base64") == .invalidURL)
    #expect(await status("data:,") == .emptyData)
    #expect(await status("data:;base64,") == .emptyData)
}

@Test func dataAboveTheLimitIsTooLarge() async {
    let text = String(repeating: "A", count: 4096)
    #expect(await status("data:;base64,\(text)", limit: 3072) == .ok)
    #expect(await status("data:;base64,\(text)", limit: 3071) == .tooLarge)
    #expect(await status("data:,\(text)", limit: 4095) == .tooLarge)
}

@Test func escapesAtTheSeamsOfPiecesAreWhole() async throws {
    for length in 16380...16390 {
        let data = try await load("data:," + String(repeating: "x", count: length) + "%41%42%43")
        #expect(data.array.suffix(3) == [65, 66, 67] && data.bytes.count == length + 3)
    }
}
