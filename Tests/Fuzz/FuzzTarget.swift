import SDImage
import SDImageCodecs

/// One way of giving arbitrary bytes to the library.
struct FuzzTarget: Sendable {
    typealias Input = UnsafeBufferPointer<UInt8>

    let name: String
    /// Returns whatever the bytes are; ends the process where the library breaks a promise.
    let run: @Sendable (Input) -> Void
    /// Makes checksums right again, without which few changes would get past the first reader.
    var repair: (@Sendable (UnsafeMutableBufferPointer<UInt8>) -> Void)?

    /// The formats whose coder this build has, the parsers, what works on pictures of every format, responses, caches, and loads.
    static let all =
        pictures + modules + parsers + [DecoderTarget.target, OptionsTarget.target, ResponseTarget.target, PhotosTarget.target]
        + [IndexTarget.target, RecordsTarget.target] + URLTarget.targets + RequestTarget.targets

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }

    private static var pictures: [FuzzTarget] {
        let coders = BuiltinCoders().formats
        let formats = coders.map { PictureTarget.target($0, name: $0.name) }
        // The same coder; another corpus.
        return formats + coders.filter { $0.name == "png" }.map { PictureTarget.target($0, name: "apng") }
    }

    /// Those whose libraries were there when this was built.
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

/// Ends the process with one line when the library broke a promise.
func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    guard !holds else { return }
    fatalError("broken promise: \(promise())")
}
