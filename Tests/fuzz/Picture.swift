import SDImage

/// Properties that must be equal for two ways of decoding the same bytes.
struct Picture: Equatable {
    let size: PixelSize
    let format: PixelFormat
    let orientation: Orientation
    let frameCount: Int
    let loopCount: Int
    let durationMilliseconds: Int
    let hasAlpha: Bool
    let sum: UInt64

    /// Reads every byte of every row.
    init(_ image: Image) {
        expect(!image.size.isEmpty, "a picture has pixels")
        size = image.size
        format = image.pixels.format
        orientation = image.metadata.orientation
        frameCount = image.metadata.frameCount
        loopCount = image.metadata.loopCount
        durationMilliseconds = image.metadata.durationMilliseconds
        hasAlpha = image.metadata.hasAlpha
        sum = Picture.sum(image.pixels)
    }

    /// FNV-1a over the rows without their padding.
    private static func sum(_ pixels: PixelBuffer) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        let used = pixels.size.width * pixels.format.bytesPerPixel
        for y in 0..<pixels.size.height {
            guard let row = pixels.row(y) else { continue }
            for byte in row.prefix(used) { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return sum
    }
}

/// The result of a decode: an image, or the status of its error.
enum Outcome: Equatable {
    case picture(Picture)
    case failure(Status)

    init(_ body: () throws(ImageError) -> Image) {
        do throws(ImageError) { self = .picture(Picture(try body())) } catch { self = .failure(error.status) }
    }

    /// True for statuses that depend on time and memory and differ from run to run.
    var isByChance: Bool { self == .failure(.timeout) || self == .failure(.noMemory) }

    func agrees(with other: Outcome) -> Bool { isByChance || other.isByChance || self == other }
}
