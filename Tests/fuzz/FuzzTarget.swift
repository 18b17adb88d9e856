import SDImage
import SDImageCodecs

/// One way of passing arbitrary bytes to the library.
struct FuzzTarget: Sendable {
    typealias Input = UnsafeBufferPointer<UInt8>

    let name: String
    /// Returns for any bytes; ends the process when the library breaks a guarantee.
    let run: @Sendable (Input) -> Void
    /// Repairs checksums, because most mutations would otherwise fail in the first reader.
    var repair: (@Sendable (UnsafeMutableBufferPointer<UInt8>) -> Void)?

    /// All targets: formats whose coder this build has, parsers, code for images of every format, responses, caches, and loads.
    static let all =
        pictures + modules + parsers + [DecoderTarget.target, OptionsTarget.target, ResponseTarget.target, PhotosTarget.target]
        + [IndexTarget.target, RecordsTarget.target] + URLTarget.targets + RequestTarget.targets

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }

    private static var pictures: [FuzzTarget] {
        let coders = BuiltinCoders().formats
        let formats = coders.map { PictureTarget.target($0, name: $0.name) }
        // The same coder with another corpus.
        return formats + coders.filter { $0.name == "png" }.map { PictureTarget.target($0, name: "apng") }
    }

    /// Targets of modules whose libraries were present at build time.
    private static var modules: [FuzzTarget] {
        #if SDIMAGE_FUZZ_MODULES
            ModuleTarget.all
        #else
            []
        #endif
    }

    private static var parsers: [FuzzTarget] {
        [
            FuzzTarget(name: "entry", run: ParserTargets.entry),
            FuzzTarget(name: "exif", run: ParserTargets.exif),
            FuzzTarget(name: "freshness", run: ParserTargets.freshness),
            FuzzTarget(name: "icc", run: ParserTargets.icc),
            FuzzTarget(name: "placeholder", run: ParserTargets.placeholder),
            FuzzTarget(name: "sniff", run: ParserTargets.sniff),
        ]
    }
}

/// Ends the process with one line if the library broke a guarantee.
func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    guard !holds else { return }
    fatalError("broken promise: \(promise())")
}
