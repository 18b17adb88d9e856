/// A container format of encoded images; the raw values are those of `sdimage_format`.
package enum ImageFormat: UInt32, Sendable, CaseIterable {
    case unknown = 0
    case jpeg = 1
    case png = 2
    case gif = 3
    case webp = 4
    case heic = 5
    case heif = 6
    case avif = 7
    case tiff = 8
    case bmp = 9
    case ico = 10
    case jxl = 11
    case svg = 12
    case pdf = 13
    case raw = 14

    /// Lower-case name for the command line and Python. NUL-terminated, so that C callers can borrow it.
    /// Also part of messages.
    package var name: StaticString {
        switch self {
        case .unknown: "unknown"
        case .jpeg: "jpeg"
        case .png: "png"
        case .gif: "gif"
        case .tiff: "tiff"
        case .webp: "webp"
        case .heic: "heic"
        case .heif: "heif"
        case .pdf: "pdf"
        case .svg: "svg"
        case .bmp: "bmp"
        case .raw: "raw"
        case .ico: "ico"
        case .avif: "avif"
        case .jxl: "jxl"
        }
    }

    /// The format for the extension of a file name, case-insensitive; `unknown` for unknown extensions.
    package init(fileName: [UInt8]) {
        let name = fileName.split(separator: Byte.slash, omittingEmptySubsequences: false).last ?? []
        let parts = name.split(separator: Byte.dot, omittingEmptySubsequences: false)
        let last = parts.count > 1 ? String(decoding: parts.last ?? [], as: UTF8.self).lowercased() : ""
        self = ImageFormat.extensions[last] ?? .unknown
    }

    /// The formats of the extensions of file names, which have at most five letters.
    /// `CacheFileName` uses them for files on disk.
    package static let extensions: [String: ImageFormat] = [
        "jpg": .jpeg, "jpeg": .jpeg, "jpe": .jpeg, "jfif": .jpeg, "png": .png, "apng": .png, "gif": .gif, "webp": .webp,
        "heic": .heic, "heics": .heic, "heif": .heif, "hif": .heif, "avif": .avif, "avifs": .avif, "bmp": .bmp,
        "dib": .bmp, "ico": .ico, "cur": .ico, "tif": .tiff, "tiff": .tiff, "jxl": .jxl, "svg": .svg, "pdf": .pdf,
    ]

    /// The usual extension of file names, without a dot.
    package var fileExtension: StaticString {
        switch self {
        case .unknown: ""
        case .jpeg: "jpg"
        case .tiff: "tif"
        case .raw: ""
        default: name
        }
    }

    /// True if files of the format usually store images without loss.
    /// Formats with both modes count as lossy.
    package var isLossless: Bool {
        switch self {
        case .png, .gif, .bmp, .ico, .tiff, .svg, .pdf: true
        case .unknown, .jpeg, .webp, .heic, .heif, .avif, .jxl, .raw: false
        }
    }

    /// True if files of the format lose the alpha channel or a part of it: JPEG has none, that of GIF has one bit, and readers of
    /// BMP ignore it if all pixels are transparent.
    package var losesAlpha: Bool { self == .jpeg || self == .bmp || self == .gif }

    /// The format of a media type, case-insensitive and without its parameters; `unknown` for all others.
    package init(mimeType: String) {
        let type = mimeType.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
        let bytes = type.lowercased().utf8.filter { $0 != 0x20 && $0 != 0x09 }
        self = ImageFormat.mimeTypes[String(decoding: bytes, as: UTF8.self)] ?? .unknown
    }

    /// Registered types, and others that servers send.
    private static let mimeTypes: [String: ImageFormat] = {
        var types: [String: ImageFormat] = [
            "image/jpg": .jpeg, "image/apng": .png, "image/x-png": .png, "image/heic-sequence": .heic,
            "image/heif-sequence": .heif, "image/x-icon": .ico, "image/x-bmp": .bmp, "image/x-ms-bmp": .bmp,
        ]
        for format in allCases where format != .unknown { types["\(format.mimeType)"] = format }
        return types
    }()

    /// The registered type, or the usual one for raw images; "image/*" for an unknown format.
    package var mimeType: StaticString {
        switch self {
        case .unknown: "image/*"
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .gif: "image/gif"
        case .tiff: "image/tiff"
        case .webp: "image/webp"
        case .heic: "image/heic"
        case .heif: "image/heif"
        case .pdf: "application/pdf"
        case .svg: "image/svg+xml"
        case .bmp: "image/bmp"
        case .raw: "image/x-raw"
        case .ico: "image/vnd.microsoft.icon"
        case .avif: "image/avif"
        case .jxl: "image/jxl"
        }
    }
}
