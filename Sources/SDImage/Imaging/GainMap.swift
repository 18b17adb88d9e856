/// The ratio of two renditions of one image, SDR and HDR: a small image, and the numbers that turn its samples into gains
/// (ISO 21496-1). Immutable.
/// Read by coders, and applied by the color conversion of the codecs.
package final class GainMap: Sendable {
    /// How a sample of one channel becomes a gain.
    package struct Channel: Hashable, Sendable {
        /// Gains of the lowest and of the highest sample, in stops.
        package var minimum = 0.0
        package var maximum = 0.0
        /// Exponent that was applied to the samples when they were encoded; positive.
        package var gamma = 1.0
        /// Added to the light of both renditions before their ratio was taken.
        package var baseOffset = 1.0 / 64
        package var alternateOffset = 1.0 / 64

        package init() {}
    }

    /// The numbers of a map.
    /// Numbers of files are checked with `isValid` before they are used.
    package struct Parameters: Hashable, Sendable {
        /// Red, green and blue; equal for a map with one channel.
        package var red = Channel()
        package var green = Channel()
        package var blue = Channel()
        /// Headroom of the base image and of the other rendition, in stops; different.
        package var baseHeadroom = 0.0
        package var alternateHeadroom = 0.0
        /// True if the gains apply to the primaries of the base image, false for those of the other rendition.
        package var usesBaseColorSpace = true
        /// True for Apple's format: the gain is 1 + (2 ^ (weight * alternateHeadroom) - 1) * light, with the light of a sample in
        /// sRGB.
        package var isLinear = false

        package init() {}

        /// Those of Apple's format.
        package init(linearWith headroom: Double) {
            isLinear = true
            alternateHeadroom = headroom
            red.baseOffset = 0
            red.alternateOffset = 0
            (green, blue) = (red, red)
        }

        package var channels: [Channel] { [red, green, blue] }
    }

    package let parameters: Parameters
    /// Gray or RGB with 8 bits, turned as the base image is. The samples are not colors; a profile or code points are those of
    /// the other rendition.
    package let image: Image

    package init(_ parameters: Parameters, image: Image) {
        self.parameters = parameters
        // Only the colors matter: the samples lie over the base image, whatever orientation their file had.
        var colors = ImageMetadata()
        (colors.colorProfile, colors.cicp) = (image.metadata.colorProfile, image.metadata.cicp)
        self.image = Image(pixels: image.pixels, metadata: colors)
    }

    /// The map for a base image that is turned.
    /// Returns this map for `up`.
    package func turned(_ orientation: Orientation, stop: CancellationToken) throws(ImageError) -> GainMap {
        guard orientation != .up else { return self }
        let pixels = try image.pixels.turned(orientation, stop: stop)
        return GainMap(parameters, image: Image(pixels: pixels, metadata: image.metadata))
    }

    /// The map for a base image of this size, than which it is not larger.
    /// Returns this map if it is small enough.
    package func limited(to size: PixelSize, stop: CancellationToken) throws(ImageError) -> GainMap {
        guard image.size.width > size.width || image.size.height > size.height else { return self }
        var options = DecodeOptions()
        (options.thumbnailSize, options.thumbnailMode, options.pixelFormat) = (size, .fill, image.pixels.format)
        let pixels = try image.fitted(options, stop: stop).pixels
        return GainMap(parameters, image: Image(pixels: pixels, metadata: image.metadata))
    }

    /// The headroom of the brighter rendition in stops.
    package var headroom: Double { parameters.headroom }
}

/// Checks and weights that coders share.
extension GainMap.Parameters {
    /// Stops beyond which a gain is damage: 10,000 cd/m2 are less than 6 stops above white.
    package static let mostStops = 32.0

    /// False if no light can be computed with these numbers.
    package var isValid: Bool {
        let most = GainMap.Parameters.mostStops
        let areInRange = channels.allSatisfy {
            abs($0.minimum) <= most && abs($0.maximum) <= most && $0.minimum <= $0.maximum && $0.gamma > 1e-3 && $0.gamma < 1e3
                && abs($0.baseOffset) <= 1 && abs($0.alternateOffset) <= 1
        }
        return areInRange && (0...most).contains(baseHeadroom) && (0...most).contains(alternateHeadroom)
            && baseHeadroom != alternateHeadroom && (!isLinear || alternateHeadroom > 0)
    }

    /// The headroom of the brighter rendition in stops.
    package var headroom: Double { max(baseHeadroom, alternateHeadroom) }

    /// The share of the gains that leads to a rendition for a display of this headroom: 0 for the base image, 1 or -1 for the
    /// other one (ISO 21496-1, section 6).
    package func weight(headroom: Double) -> Double {
        let share = (headroom - baseHeadroom) / (alternateHeadroom - baseHeadroom)
        let limited = min(max(share, 0), 1)
        return alternateHeadroom < baseHeadroom ? -limited : limited
    }
}
