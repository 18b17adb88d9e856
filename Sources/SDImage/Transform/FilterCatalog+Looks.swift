extension FilterCatalog {
    /// Filters that give an image a look. The names are those of Core Image; the effects are defined here.
    /// All compute with encoded samples.
    static let lookFilters: [Filter] = [
        Filter("CISepiaTone", ["sepia"], "Brown as old prints", [FilterParameter("intensity", 1, 0...1)]) {
            .steps([.matrix(sepia.mixed($0[0]))])
        },
        Filter("CIPhotoEffectMono", ["mono", "grayscale"], "Black and white") { _ in
            .steps([.matrix(ColorMatrix(saturation: 0))])
        },
        Filter("CIPhotoEffectNoir", ["noir"], "Black and white of high contrast") { _ in
            .steps([.matrix(ColorMatrix(saturation: 0)), .curve([Double](repeating: 1, count: 3).map(steep))])
        },
        Filter("CIPhotoEffectTonal", ["tonal"], "Black and white of low contrast") { _ in
            .steps([.matrix(ColorMatrix(saturation: 0)), .matrix(ColorMatrix(scale: 0.8, offset: 0.12))])
        },
        Filter("CIPhotoEffectChrome", ["chrome"], "Strong colors and contrast") { _ in
            .steps([.matrix(ColorMatrix(saturation: 1.3)), .curve([0.35, 0.35, 0.35].map(steep))])
        },
        Filter("CIPhotoEffectFade", ["fade"], "Pale colors, and no deep black") { _ in
            .steps([.matrix(ColorMatrix(saturation: 0.6)), .matrix(ColorMatrix(scale: 0.82, offset: 0.12))])
        },
        Filter("CIPhotoEffectInstant", ["instant"], "Faded as an instant photograph, with yellow lights") { _ in
            .steps([
                .matrix(ColorMatrix(saturation: 0.75)), .matrix(tinted(scale: [0.92, 0.9, 0.74], offset: [0.06, 0.06, 0.12])),
            ])
        },
        Filter("CIPhotoEffectProcess", ["process"], "Cool, as if developed for another film") { _ in
            .steps([
                .curve([0.5, 0.25, 0].map(steep)), .matrix(tinted(scale: [0.9, 0.95, 0.85], offset: [0.02, 0.04, 0.13])),
            ])
        },
        Filter("CIPhotoEffectTransfer", ["transfer"], "Warm, with red shadows") { _ in
            .steps([
                .curve([0.1, 0.2, 0.2].map(steep)), .matrix(tinted(scale: [0.92, 0.93, 0.82], offset: [0.08, 0.04, 0.03])),
            ])
        },
        Filter(
            "CIVignette", ["vignette"], "Darker towards the corners; the radius is part of the half diagonal",
            [FilterParameter("intensity", 1, -1...1), FilterParameter("radius", 1, 0...2)]
        ) { .steps([.vignette(amount: $0[0], radius: $0[1])]) },
    ]

    /// The sepia matrix of Filter Effects Module Level 1, 9.2.
    private static let sepia = ColorMatrix(
        [0.393, 0.769, 0.189, 0, 0], [0.349, 0.686, 0.168, 0, 0], [0.272, 0.534, 0.131, 0, 0])

    /// Coefficients of an S-curve mixed with the identity: v + part * (3v² - 2v³ - v).
    /// `part` 0 is the identity, and 1 the full curve.
    @Sendable private static func steep(_ part: Double) -> [Double] { [0, 1 - part, 3 * part, -2 * part] }

    /// A factor and a constant for each of the colors, for a cast of color.
    private static func tinted(scale: [Double], offset: [Double]) -> ColorMatrix {
        ColorMatrix([scale[0], 0, 0, 0, offset[0]], [0, scale[1], 0, 0, offset[1]], [0, 0, scale[2], 0, offset[2]])
    }
}
