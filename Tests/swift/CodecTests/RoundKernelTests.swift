import SDImage
import SDImagePixels
import TestSupport
import Testing

/// Rounded corners: coverage compared with many sample points per pixel, and rows scaled by coverage.
@Suite struct RoundKernelTests {
    private static func coverage(_ shape: sdpx_rounded, _ y: Int, width: Int) -> [Float] {
        var row = [Float](repeating: 9, count: width)
        unsafe withUnsafePointer(to: shape) { unsafe sdpx_rounded_row(&row, width, Double(y), $0) }
        return row
    }

    private static func contains(_ s: sdpx_rounded, _ x: Double, _ y: Double) -> Bool {
        guard x >= s.left, x <= s.right, y >= s.top, y <= s.bottom else { return false }
        for (corner, radius) in [s.radii.0, s.radii.1, s.radii.2, s.radii.3].enumerated() {
            let cx = corner & 1 == 0 ? s.left + radius : s.right - radius
            let cy = corner & 2 == 0 ? s.top + radius : s.bottom - radius
            let isInSquare = (corner & 1 == 0 ? x < cx : x > cx) && (corner & 2 == 0 ? y < cy : y > cy)
            if isInSquare, (x - cx) * (x - cx) + (y - cy) * (y - cy) > radius * radius { return false }
        }
        return true
    }

    @Test(arguments: 0..<12) func coverageIsTheAreaInside(seed: Int) {
        var randoms = Randoms(seed: UInt64(seed))
        func some(_ most: Double) -> Double { Double(randoms.below(10_000)) / 10_000 * most }
        let (left, top, width, height) = (some(3), some(3), 1 + some(14), 1 + some(14))
        let most = min(width, height) / 2
        let radii = (0..<4).map { _ in randoms.below(3) == 0 ? 0 : randoms.below(3) == 0 ? most : some(most) }
        let shape = sdpx_rounded(
            left: left, top: top, right: left + width, bottom: top + height, radii: (radii[0], radii[1], radii[2], radii[3]))
        for y in 0..<19 {
            let row = Self.coverage(shape, y, width: 19)
            for x in 0..<19 {
                let points = 40
                var inside = 0
                for i in 0..<points * points {
                    let (dx, dy) = (Double(i % points) + 0.5, Double(i / points) + 0.5)
                    inside += Self.contains(shape, Double(x) + dx / Double(points), Double(y) + dy / Double(points)) ? 1 : 0
                }
                // The sample points of a straight edge miss up to half a sample step, on two sides.
                #expect(abs(Double(row[x]) - Double(inside) / Double(points * points)) < 1.1 / Double(points))
            }
        }
    }

    @Test func straightEdgesAndWholeDiscsAreExact() {
        let edge = sdpx_rounded(left: 1.25, top: 0.5, right: 6.5, bottom: 9, radii: (0, 0, 0, 0))
        #expect(Self.coverage(edge, 0, width: 8) == [0, 0.375, 0.5, 0.5, 0.5, 0.5, 0.25, 0])
        #expect(Self.coverage(edge, 3, width: 8) == [0, 0.75, 1, 1, 1, 1, 0.5, 0])
        let disc = sdpx_rounded(left: 0.3, top: 0.7, right: 30.3, bottom: 30.7, radii: (15, 15, 15, 15))
        let area = (0..<32).reduce(0.0) { $0 + Self.coverage(disc, $1, width: 32).reduce(0.0) { $0 + Double($1) } }
        #expect(abs(area - .pi * 225) < 0.001)
    }

    @Test func cuttingWeakensAlphaAloneAndLeavesTheRestAsItIs() {
        let row: [UInt8] = [200, 100, 50, 255, 200, 100, 50, 100, 10, 20, 30, 255, 9, 9, 9, 77]
        var cut = row
        unsafe sdpx_cut_row(&cut, PixelFormat.rgba8.rawValue, 4, [0.5, 0.5, 0, 1])
        #expect(cut == [200, 100, 50, 128, 200, 100, 50, 50, 0, 0, 0, 0, 9, 9, 9, 77])
        var premultiplied: [UInt8] = [200, 100, 50, 255, 80, 40, 20, 100]
        unsafe sdpx_cut_row(&premultiplied, PixelFormat.bgra8Premultiplied.rawValue, 2, [0.5, 0.5])
        #expect(premultiplied == [100, 50, 25, 128, 40, 20, 10, 50])
        var words: [UInt16] = [1000, 2000, 3000, 65535]
        unsafe sdpx_cut_row(&words, PixelFormat.rgba16.rawValue, 1, [0.25])
        #expect(words == [1000, 2000, 3000, 16384])
        var light: [Float] = [4, 1, 0, 1]
        unsafe sdpx_cut_row(&light, PixelFormat.rgbaFloat.rawValue, 1, [0.25])
        #expect(light == [4, 1, 0, 0.25])
    }

    @Test func aStrokeLiesOverThePicture() {
        var row: [UInt8] = [0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 255]
        unsafe sdpx_stroke_row(&row, PixelFormat.rgba8.rawValue, 3, [0.5, 0.5, 0], [1, 0.5, 0, 1])
        #expect(row == [128, 64, 0, 255, 255, 128, 0, 128, 0, 0, 0, 255])
    }
}
