/// Status and fields of a response as received, parsed on access.
/// Made for each response; most loads never read the fields.
package final class ReceivedHead: Sendable {
    /// URL after redirects, without user and password.
    private let url: CString
    private let status: Int32
    /// The fields, one per line, without the status line.
    private let lines: [UInt8]

    package init(url: CString, status: Int32, lines: [UInt8]) {
        self.url = url
        self.status = status
        self.lines = lines
    }

    /// Parsed on each access.
    package var response: DownloadResponse {
        let fields = lines.split(separator: Byte.newline).compactMap(ReceivedHead.field)
        return DownloadResponse(url: url, status: status, headers: fields)
    }

    /// nil for a line without a colon.
    private static func field(_ line: ArraySlice<UInt8>) -> HeaderField? {
        guard let colon = line.firstIndex(of: Byte.colon) else { return nil }
        let value = line[(colon + 1)...].drop(while: Byte.isSpace)
        let end = value.lastIndex { $0 > Byte.space }.map { $0 + 1 } ?? value.startIndex
        return HeaderField(
            name: String(decoding: line[..<colon], as: UTF8.self), value: String(decoding: value[..<end], as: UTF8.self))
    }
}
