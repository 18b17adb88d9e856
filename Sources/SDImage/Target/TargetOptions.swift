/// How one load of a target behaves. A value; copied when submitted.
package struct TargetOptions: Sendable {
    package var key = TargetKey.standard
    /// In place of the target's.
    package var manager: ManagerHold?
    package var placeholder = TargetPlaceholder.none
    /// The placeholder is shown where there is no picture at the end, and not before.
    package var showsPlaceholderOnFailure = false
    package var cachedPlaceholder = CachedPlaceholder.none
    package var keepsPreviousLoad = false
    /// The host sets the picture itself.
    package var isManual = false
    package var transition = TargetTransition()
    /// Also for what nobody had to wait for.
    package var alwaysAnimates = false
    package var transitionSetsImage = true
    package var waitsForTransition = false

    package init() {}
}

/// A manager, and what closes it when nobody holds that any more.
package struct ManagerHold: Sendable {
    let manager: ImageManager
    private let owner: any Sendable & AnyObject

    package init(_ manager: ImageManager, owner: any Sendable & AnyObject) {
        self.manager = manager
        self.owner = owner
    }
}

/// Names a slot of a target.
package struct TargetKey: Sendable {
    let bytes: CacheKey
    package let text: CString
    package var name: [UInt8] { bytes.bytes }

    /// Under which hooks find the key among a request's options.
    static let optionName = Array("setImageOperationKey".utf8)
    package static let standard = TargetKey(Array("image".utf8))

    package init(_ name: [UInt8]) {
        bytes = CacheKey(name)
        text = CString(name)
    }
}

/// Which cached pictures of the same URL may stand in for the placeholder; the numbers are those of
/// `sdimage_cached_placeholder`.
package enum CachedPlaceholder: UInt32, Sendable {
    case none = 0
    case memory = 1
    case memoryAndDisk = 2
}

/// What stands in for a picture.
package enum TargetPlaceholder: Sendable {
    case none
    case image(Image)
    case blurHash([UInt8], size: PixelSize)
    case thumbHash([UInt8])

    /// A hash that is none, or too large to draw, shows nothing: it is not worth an error.
    var image: Image? {
        switch self {
        case .none: nil
        case .image(let image): image
        case .blurHash(let text, let size): try? BlurHash(text).image(size: size, punch: 1)
        case .thumbHash(let bytes): try? ThumbHash(bytes).image()
        }
    }
}
