/// Options of one load of a target. A value type, copied when submitted.
package struct TargetOptions: Sendable {
    package var key = TargetKey.standard
    /// Replaces the manager of the target.
    package var manager: ManagerHold?
    package var placeholder = TargetPlaceholder.none
    /// Shows the placeholder only when the load ends without an image.
    package var showsPlaceholderOnFailure = false
    package var cachedPlaceholder = CachedPlaceholder.none
    package var keepsPreviousLoad = false
    /// The host sets the image itself.
    package var isManual = false
    package var transition = TargetTransition()
    /// Also animates images that were available without waiting.
    package var alwaysAnimates = false
    package var transitionSetsImage = true
    package var waitsForTransition = false

    package init() {}
}

/// A manager and the object that closes it with its last reference.
package struct ManagerHold: Sendable {
    let manager: ImageManager
    package let owner: any Sendable & AnyObject

    package init(_ manager: ImageManager, owner: any Sendable & AnyObject) {
        self.manager = manager
        self.owner = owner
    }
}

/// Name of a slot of a target.
package struct TargetKey: Sendable {
    let bytes: CacheKey
    package let text: CString
    package var name: [UInt8] { bytes.bytes }

    /// Name of the request option in which hooks find the key.
    static let optionName = Array("setImageOperationKey".utf8)
    package static let standard = TargetKey(Array("image".utf8))

    package init(_ name: [UInt8]) {
        bytes = CacheKey(name)
        text = CString(name)
    }
}

/// Cached images of the same URL that may replace the placeholder; the raw values are those of `sdimage_cached_placeholder`.
package enum CachedPlaceholder: UInt32, Sendable {
    case none = 0
    case memory = 1
    case memoryAndDisk = 2
}

/// Content shown until the image is available, or when the load fails.
package enum TargetPlaceholder: Sendable {
    case none
    case image(Image)
    case blurHash([UInt8], size: PixelSize)
    case thumbHash([UInt8])

    /// The image set by the caller; nil for a hash.
    package var shownImage: Image? { if case .image(let image) = self { image } else { nil } }
    package var blurHash: (text: [UInt8], size: PixelSize)? {
        if case .blurHash(let text, let size) = self { (text, size) } else { nil }
    }
    package var thumbHash: [UInt8]? { if case .thumbHash(let bytes) = self { bytes } else { nil } }

    /// The placeholder image; nil for a hash that is invalid or too large to draw, which is not worth an error.
    var image: Image? {
        switch self {
        case .none: nil
        case .image(let image): image
        case .blurHash(let text, let size): try? BlurHash(text).image(size: size, punch: 1)
        case .thumbHash(let bytes): try? ThumbHash(bytes).image()
        }
    }
}
