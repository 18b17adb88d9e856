import CSystem
import Synchronization

/// Parsers of this project that the environment variable SDIMAGE_DISABLE turns off, so that a library parses instead.
/// An operator switches off a parser with a suspected defect; `DecodeOptions` tell the coders.
package struct DisabledParsers: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// "jpeg-dc": thumbnails from the DC coefficients of a JPEG. libjpeg scales by 1/8 instead.
    package static let jpegDC = DisabledParsers(rawValue: 1)
    /// "inflate": inflating the image data of a PNG. zlib inflates instead.
    package static let inflate = DisabledParsers(rawValue: 2)

    private static let all: [(name: String, parser: DisabledParsers)] = [("jpeg-dc", .jpegDC), ("inflate", .inflate)]

    package var names: [String] { DisabledParsers.all.filter { contains($0.parser) }.map(\.name) }

    /// Parses names separated by commas; spaces are ignored.
    /// Unknown names are returned, not refused: a variable set for another version must not stop the program.
    package static func parse(_ text: String) -> (found: DisabledParsers, unknown: [String]) {
        var (found, unknown): (DisabledParsers, [String]) = ([], [])
        for part in text.split(separator: ",") {
            let name = String(part.filter { $0 != " " })
            if let parser = all.first(where: { $0.name == name })?.parser {
                found.insert(parser)
            } else if !name.isEmpty {
                unknown.append(name)
            }
        }
        return (found, unknown)
    }

    /// The value of the variable, which is read once. The first call logs names that are unknown.
    package static var ofProcess: DisabledParsers {
        // Outside of the initializer below: the log function of the host may call the library.
        if !environment.unknown.isEmpty, !isReported.exchange(true, ordering: .relaxed) {
            Log.write(.warning, "environment: SDIMAGE_DISABLE has unknown names: \(environment.unknown.joined(separator: ","))")
        }
        return environment.found
    }

    private static let environment: (found: DisabledParsers, unknown: [String]) =
        unsafe csys_environment("SDIMAGE_DISABLE").map { unsafe parse(String(cString: $0)) } ?? ([], [])
    private static let isReported = Atomic<Bool>(false)
}
