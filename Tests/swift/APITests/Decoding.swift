import CSDImage
import Foundation
import TestSupport

/// Images of `Tests/fixtures`.
enum Fixtures {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("fixtures")
    private static let suffixes: Set = ["jpg", "png", "gif", "webp", "bmp", "ico", "cur", "heic", "avif"]

    /// Sorted paths below the folder.
    private static let files = (FileManager.default.subpaths(atPath: folder.path) ?? []).sorted()
    static let pictures = files.filter { suffixes.contains(($0 as NSString).pathExtension) }
    /// Findings of `Tests/fuzz/run`, in folders named after its targets.
    static let findings = files.filter { $0.hasPrefix("fuzz/") && $0.split(separator: "/").count == 3 }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}

/// Options of one decode.
func decodeOptions(_ change: (OpaquePointer?) -> Void = { _ in }) -> Owned {
    let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
    change(options.pointer)
    return options
}

/// Properties that must be equal for two ways of decoding the same bytes.
struct Seen: Equatable {
    let width: UInt32
    let height: UInt32
    let format: sdimage_pixel_format
    let frames: UInt32
    let loops: UInt32
    let duration: UInt64
    let isIncremental: Bool
    let isDamaged: Bool
    let sum: UInt64

    init(_ image: OpaquePointer?) {
        width = sdimage_image_width(image)
        height = sdimage_image_height(image)
        format = sdimage_image_pixel_format(image)
        frames = sdimage_image_frame_count(image)
        loops = sdimage_image_loop_count(image)
        duration = sdimage_image_duration_ms(image)
        isIncremental = sdimage_image_is_incremental(image)
        isDamaged = sdimage_image_is_damaged(image)
        sum = Seen.sum(image)
    }

    /// A hash of the rows without their padding.
    private static func sum(_ image: OpaquePointer?) -> UInt64 {
        guard let base = sdimage_image_pixels(image) else { return 0 }
        let used = Int(sdimage_image_width(image)) * sdimage_pixel_format_bytes(sdimage_image_pixel_format(image))
        var hasher = Hasher()
        for y in 0..<Int(sdimage_image_height(image)) {
            hasher.combine(bytes: UnsafeRawBufferPointer(start: base + y * sdimage_image_stride(image), count: used))
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

/// An image, or the status of its error.
enum Outcome: Equatable {
    case picture(Seen)
    case failure(sdimage_status)

    var status: sdimage_status { if case .failure(let status) = self { status } else { .SDIMAGE_STATUS_OK } }
    var seen: Seen? { if case .picture(let seen) = self { seen } else { nil } }

    /// Result of decoding all bytes in one call.
    static func whole(_ bytes: [UInt8], _ options: Owned? = nil) -> Outcome {
        var image: OpaquePointer?
        let status = sdimage_decode(bytes, bytes.count, options?.pointer, &image, nil)
        defer { sdimage_image_unref(image) }
        return status == .SDIMAGE_STATUS_OK ? .picture(Seen(image)) : .failure(status)
    }
}

/// Sizes of the pieces that a file is divided into.
enum Cut: CaseIterable, CustomStringConvertible {
    case ones, sevens, sixtyFours, pages, random

    var description: String {
        switch self {
        case .ones: "1"
        case .sevens: "7"
        case .sixtyFours: "64"
        case .pages: "4096"
        case .random: "random"
        }
    }

    /// End offsets of the pieces of `count` bytes. Long files use the smallest pieces only at both ends, around the file
    /// structure.
    func ends(_ count: Int) -> [Int] {
        var randoms = Randoms(seed: 7)
        var ends: [Int] = []
        var end = 0
        while end < count {
            let isInside = end >= 1024 && end < count - 256
            switch self {
            case .ones: end += isInside ? 509 : 1
            case .sevens: end += isInside ? 511 : 7
            case .sixtyFours: end += isInside ? 1024 : 64
            case .pages: end += 4096
            case .random: end += 1 + randoms.below(1 << (1 + randoms.below(13)))
            }
            ends.append(min(end, count))
        }
        return ends
    }
}

/// A decoder of the library, fed piece by piece.
final class Feeding {
    let decoder: Owned
    /// The partial images seen so far.
    private(set) var parts: [Seen] = []

    init(_ options: Owned? = nil, coder: Owned? = nil) throws {
        decoder = try make(sdimage_decoder_unref) { sdimage_decoder_new(options?.pointer, coder?.pointer, $0, $1) }
    }

    @discardableResult
    func append(_ bytes: some Collection<UInt8>, finished: Bool = false) -> sdimage_status {
        let piece = Array(bytes)
        return sdimage_decoder_append(decoder.pointer, piece, piece.count, finished, nil)
    }

    /// The best image so far; nil when more bytes are needed.
    func look() -> Outcome? {
        var image: OpaquePointer?
        let status = sdimage_decoder_get_image(decoder.pointer, &image, nil)
        defer { sdimage_image_unref(image) }
        if status == .SDIMAGE_STATUS_NEED_MORE_DATA { return nil }
        return status == .SDIMAGE_STATUS_OK ? .picture(Seen(image)) : .failure(status)
    }

    func frame(_ index: Int) -> Outcome {
        var image: OpaquePointer?
        let status = sdimage_decoder_get_frame(decoder.pointer, UInt32(index), &image, nil)
        defer { sdimage_image_unref(image) }
        return status == .SDIMAGE_STATUS_OK ? .picture(Seen(image)) : .failure(status)
    }

    /// Feeds all bytes in pieces and finishes with an empty append; looks at about eight partial images.
    func feed(_ bytes: [UInt8], _ cut: Cut) -> Outcome? {
        let ends = cut.ends(bytes.count)
        var start = 0
        for (number, end) in ends.enumerated() {
            let status = append(bytes[start..<end])
            if status.rawValue < 0 { return .failure(status) }
            start = end
            guard number % (ends.count / 8 + 1) == 0, let part = look() else { continue }
            if case .picture(let seen) = part { parts.append(seen) } else { return part }
        }
        let status = append([], finished: true)
        return status.rawValue < 0 ? .failure(status) : look()
    }
}
