/// How bytes become pixels. Defaults give the smallest straight format that holds the
/// picture, in sRGB, upright, at full size.
package struct DecodeOptions: Hashable, Sendable {
    /// Box in pixels of the displayed picture; nil or empty = full size. Never enlarges.
    package var thumbnailSize: PixelSize?
    package var thumbnailMode = ScaleMode.aspectFit
    package var firstFrameOnly = false
    /// nil: the smallest straight format that holds the picture.
    package var pixelFormat: PixelFormat?
    package var applyOrientation = true
    package var convertToSRGB = true
    /// Decoded bytes over all frames; 0 = off. Wins over the thumbnail size.
    package var limitBytes = 0
    /// Container to try first when the bytes carry no signature of their own.
    package var formatHint: ImageFormat = .undefined
    /// Pixels per point of the result, at least 1; nil: what the key of a load tells, or 1.
    package var scale: Double?
    /// Accept a truncated picture and return what rows there are (docs/decisions.md, "Truncated images are errors"); otherwise it
    /// is an error.
    package var acceptPartial = false
    /// A thumbnail of at most an eighth of a progressive JPEG from its first scan of means, and of an interlaced PNG from its
    /// first pass; what follows need not be there.
    package var earlyThumbnail = false
    /// The request's own values, for coders of the host.
    package var bag: FrozenOptions?
    /// Hard limits, checked before any allocation.
    package var limits = DecodeLimits.standard

    package init() {}

    /// As most want it: turned upright, in sRGB.
    package var isUpright: Bool { applyOrientation && convertToSRGB }

    package var wantsThumbnail: Bool { thumbnailSize.map { !$0.isEmpty } ?? false }
}

/// Safety limits of one decode (docs/decisions.md, "Limits of one decode"): on by default, each with its own message.
package struct DecodeLimits: Hashable, Sendable {
    /// Pixels of the header's area where the coder streams rows and needs no full bitmap.
    package var streamedPixels = 1 << 30
    /// Pixels of the header's area where the coder must hold the whole picture.
    package var heldPixels = 64 << 20
    /// Bytes of the result.
    package var outputBytes = 256 << 20
    /// Bytes a coder may use besides its result.
    package var workingBytes = 256 << 20
    /// What the buffers of an operation are counted on; empty until it starts.
    private var memory = WorkingMemory.Slot()
    package var frames = 10_000
    /// Bytes of each ICC, EXIF or text block.
    package var metadataBytes = 1 << 20
    /// Nanoseconds of work on one picture.
    package var workNanoseconds: UInt64 = 10_000_000_000

    package static let standard = DecodeLimits()

    package init() {}

    /// The account of the operation; outside of one, each buffer has its own.
    package var account: WorkingMemory { memory.account ?? WorkingMemory(limit: workingBytes) }

    /// The same limits with an account of their own.
    package var accounted: DecodeLimits {
        var limits = self
        limits.memory = WorkingMemory.Slot(WorkingMemory(limit: workingBytes))
        return limits
    }
}
