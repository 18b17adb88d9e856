import Glibc

extension FilterCatalog {
    /// Filters that correct or replace colors.
    /// All are steps on single pixels.
    static let colorFilters: [Filter] = [
        Filter("CIColorInvert", ["invert"], "White less the color", in: .light) { _ in
            .steps([.matrix(ColorMatrix(scale: -1, offset: 1))])
        },
        Filter(
            "CIColorControls", ["color_controls", "saturation", "brightness", "contrast"],
            "Saturation, then contrast around the middle, then brightness",
            [
                FilterParameter("saturation", 1, 0...4), FilterParameter("brightness", 0, -1...1),
                FilterParameter("contrast", 1, 0...4),
            ]
        ) {
            .steps([
                .matrix(ColorMatrix(saturation: $0[0])),
                // Contrast turns the value around 0.5, and brightness shifts the result.
                .matrix(ColorMatrix(scale: $0[2], offset: 0.5 - 0.5 * $0[2] + $0[1])),
            ])
        },
        Filter(
            "CIGammaAdjust", ["gamma"], "Each color to a power", in: .light, [FilterParameter("power", 1, 0.01...10)]
        ) { .steps([.power($0[0])]) },
        Filter(
            "CIExposureAdjust", ["exposure"], "As if exposed longer, by powers of two", in: .light,
            [FilterParameter("ev", 0, -10...10)]
        ) { .steps([.matrix(ColorMatrix(scale: exp2($0[0])))]) },
        Filter(
            "CIHueAdjust", ["hue"], "Colors turned around the axis of grays, in radians",
            [FilterParameter("angle", 0, -6.283185307179586...6.283185307179586)]
        ) { .steps([.matrix(ColorMatrix(hue: $0[0]))]) },
        Filter(
            "CIVibrance", ["vibrance"], "Saturation, more where there is little of it", [FilterParameter("amount", 0, -1...1)]
        ) { .steps([.vibrance($0[0])]) },
        Filter(
            "CITemperatureAndTint", ["temperature_and_tint", "temperature"],
            "Light of a temperature in kelvin, and towards magenta, made white", in: .light,
            [FilterParameter("temperature", 6500, 2000...25000), FilterParameter("tint", 0, -150...150)]
        ) { .steps([.matrix(ColorMatrix(whiteBalance: $0[0], tint: $0[1]))]) },
        Filter(
            "CIColorMatrix", ["color_matrix"], "Colors and alpha as sums of colors and alpha", in: .light, matrixParameters
        ) {
            // Values are in the order of the parameters: five for each output channel.
            let values = $0
            let rows = (0..<4).map { row in Array(values[5 * row..<5 * row + 5]) }
            return .steps([.matrix(ColorMatrix(rows[0], rows[1], rows[2], alpha: rows[3]))])
        },
        Filter(
            "CIColorMonochrome", ["monochrome"], "Shades of one color",
            [
                FilterParameter("red", 0.6, 0...1), FilterParameter("green", 0.45, 0...1), FilterParameter("blue", 0.3, 0...1),
                FilterParameter("intensity", 1, 0...1),
            ]
        ) {
            // Each output channel is the luma times the part of the color.
            let rows = $0.prefix(3).map { part in ColorMatrix.luma.map { $0 * part } + [0, 0] }
            return .steps([.matrix(ColorMatrix(rows[0], rows[1], rows[2]).mixed($0[3]))])
        },
        Filter(
            "CIColorPosterize", ["posterize"], "A limited number of levels of each color",
            [FilterParameter("levels", 6, 2...256)]
        ) { .steps([.levels($0[0].rounded(.down))]) },
        Filter(
            "CIColorThreshold", ["threshold"], "White from a luma on, black below", [FilterParameter("threshold", 0.5, 0...1)]
        ) { .steps([.threshold($0[0])]) },
    ]

    /// The parameters "red_from_green" etc. and "red_bias" etc.; the defaults form the identity.
    private static let matrixParameters: [FilterParameter] = {
        let channels = ["red", "green", "blue", "alpha"]
        return channels.flatMap { to in
            channels.map { FilterParameter("\(to)_from_\($0)", $0 == to ? 1 : 0, -100...100) }
                + [FilterParameter("\(to)_bias", 0, -100...100)]
        }
    }()
}
