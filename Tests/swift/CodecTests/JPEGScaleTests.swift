import SDImage
import Testing

@testable import SDImageCodecs

@Suite struct JPEGScaleTests {
    @Test(arguments: [(600, 200, 4), (700, 210, 4), (1000, 450, 8), (1000, 100, 1), (400, 50, 2), (400, 130, 8)])
    func aScaleIsNotAboveHalfAndCoversTheThumbnail(side: Int, wanted: Int, eighths: Int) throws {
        let bytes = try JPEGCoder().encoded(TestImage.image(side, side))
        let scale = try JPEGRowDecoder(bytes, accepting: .none).scale(covering: PixelSize(width: wanted, height: wanted))
        #expect(scale.eighths == eighths)
        #expect(scale.size.width >= wanted && scale.size.height >= wanted)
    }
}
