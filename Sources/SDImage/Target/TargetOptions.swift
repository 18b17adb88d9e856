/// Options of one load of a target. A value type, copied when submitted.
package struct TargetOptions: Sendable {
    /// Slot of the load.
    package var key = TargetKey.standard
    /// Replaces the manager of the target.
    package var manager: ManagerHold?
    /// Shown until the image is available.
    package var placeholder = TargetPlaceholder.none
    /// Shows the placeholder only when the load ends without an image.
    package var showsPlaceholderOnFailure = false
    /// Cached images that precede `placeholder`.
    package var cachedPlaceholder = CachedPlaceholder.none
    /// Keeps loads in progress in the slot; their images may appear after that of this load.
    package var keepsPreviousLoad = false
    /// The host sets the image itself.
    package var isManual = false
    /// Drawn when the image replaces another one.
    package var transition = TargetTransition()
    /// Also animates images that were available without waiting.
    package var alwaysAnimates = false
    /// Sets the image between preparing and drawing the transition; otherwise the host does.
    package var transitionSetsImage = true
    /// Delivers the final result at the end of the transition.
    package var waitsForTransition = false

    package init() {}
}

/// A manager and the object that closes it with its last reference.
/// Keeps the manager open while it is held.
package struct ManagerHold: Sendable {
    let manager: ImageManager
    package let owner: any Sendable & AnyObject

    package init(_ manager: ImageManager, owner: any Sendable & AnyObject) {
        self.manager = manager
        self.owner = owner
    }
}

/// Name of a slot of a target.
/// The name in two forms: for tables and for the host.
package struct TargetKey: Sendable {
    let bytes: CacheKey
    package let text: CString
    package var name: [UInt8] { bytes.bytes }

    /// Name of the request option in which hooks find the key.
    static let optionName = Array("setImageOperationKey".utf8)
    /// Slot of loads that do not name one.
    package static let standard = TargetKey(Array("image".utf8))

    package init(_ name: [UInt8]) {
        bytes = CacheKey(name)
        text = CString(name)
    }
}

extension ImageRequest {
    /// True if the request has options besides the name of its slot, which a target adds.
    package var hasOptionsOfHost: Bool { self.options.count > (self.options[TargetKey.optionName] == nil ? 0 : 1) }
}

/// Cached images of the same URL that may replace the placeholder; the raw values are those of `sdimage_cached_placeholder`.
package enum CachedPlaceholder: UInt32, Sendable {
    /// Only the placeholder of the options.
    case none = 0
    case memory = 1
    /// Blocks the calling thread for the disk.
    case memoryAndDisk = 2
}

/// Content shown until the image is available, or when the load fails.
/// Hashes are drawn when they are needed.
package enum TargetPlaceholder: Sendable {
    case none
    case image(Image)
    /// `size`: that of the drawn image, in pixels.
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
