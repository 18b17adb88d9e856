extension FilterCatalog {
    /// Filters that read neighboring pixels; lengths are in points.
    static let areaFilters: [Filter] = [
        Filter("CIGaussianBlur", ["gaussian_blur", "blur"], "As the blur transformer", [FilterParameter("radius", 10, 0...100)]) {
            .gaussian(radius: $0[0])
        },
        Filter(
            "CIBoxBlur", ["box_blur"], "The mean of the square around each pixel", [FilterParameter("radius", 10, 0...100)]
        ) { .mean(radius: $0[0]) },
        Filter(
            "CISharpenLuminance", ["sharpen"], "Sharper, in luma alone",
            [FilterParameter("sharpness", 0.4, 0...10), FilterParameter("radius", 1.69, 0...20)]
        ) { .sharpening(radius: $0[1], amount: $0[0], lumaAlone: true) },
        Filter(
            "CIUnsharpMask", ["unsharp_mask"], "Adds the difference to a blurred image",
            [FilterParameter("radius", 2.5, 0...100), FilterParameter("intensity", 0.5, -1...10)]
        ) { .sharpening(radius: $0[0], amount: $0[1], lumaAlone: false) },
        Filter(
            "CIPixellate", ["pixellate"], "Squares of one color, the mean of what they cover",
            [FilterParameter("scale", 8, 1...1000)]
        ) { .cells(side: $0[0]) },
    ]
}
