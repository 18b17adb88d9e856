import SDImagePixels
import TestSupport
import Testing

@Suite struct SampleKernelTests {
    @Test(arguments: [1, 2, 3, 6, 127], [1, 5, 512, 1300]) func boxesHaveTheirRoundedMeans(factor: Int, samples: Int) {
        var randoms = Randoms(seed: UInt64(factor * 10_000 + samples))
        let rows = 1 + randoms.below(factor), stride = samples + 3
        let source = randoms.bytes(stride * rows, from: Array(0...255))
        var means = [UInt8](repeating: 0, count: (samples + factor - 1) / factor)
        unsafe sdpx_box_row(&means, source, stride, rows, samples, factor)
        for (index, mean) in means.enumerated() {
            let columns = index * factor..<min(samples, (index + 1) * factor)
            let sum = (0..<rows).reduce(0) { sum, row in columns.reduce(sum) { $0 + Int(source[row * stride + $1]) } }
            #expect(abs(Double(mean) - Double(sum) / Double(rows * columns.count)) < 0.51)
        }
    }

    @Test func videoLevelsBecomeFullOnes() {
        // Black, white, mid gray, and values beyond both ends; then the most saturated red and blue.
        let luma: [UInt8] = [16, 235, 126, 0, 255, 82, 41]
        let blue: [UInt8] = [128, 128, 128, 128, 128, 90, 240]
        let red: [UInt8] = [128, 128, 128, 128, 128, 240, 110]
        var pixels = [UInt8](repeating: 9, count: 21)
        unsafe sdpx_video_to_rgb(&pixels, luma, blue, red, 7)
        let expected: [[Int]] = [
            [0, 0, 0], [255, 255, 255], [128, 128, 128], [0, 0, 0], [255, 255, 255], [255, 1, 0], [0, 0, 255],
        ]
        for (index, want) in expected.joined().enumerated() { #expect(abs(Int(pixels[index]) - want) <= 1) }
    }
}
