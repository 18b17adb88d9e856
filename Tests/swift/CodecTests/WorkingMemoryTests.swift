import Testing

@testable import SDImage
@testable import SDImageCodecs

/// Codec memory counts on the account of its operation until it is freed.
@Suite struct WorkingMemoryTests {
    private func expectRefusal(_ body: () throws(ImageError) -> Void) {
        #expect { try body() } throws: { ($0 as? ImageError)?.status == .tooLarge }
    }

    @Test func aReservationEndsOnce() throws {
        let account = WorkingMemory(limit: 10)
        let first = try WorkingMemory.Reservation(6, of: account)
        expectRefusal { () throws(ImageError) in _ = try WorkingMemory.Reservation(5, of: account) }
        first.release()
        first.release()
        let second = try WorkingMemory.Reservation(10, of: account)
        expectRefusal { () throws(ImageError) in _ = try WorkingMemory.Reservation(1, of: account) }
        withExtendedLifetime((first, second)) {}
    }

    @Test func aBufferCountsUntilItBecomesTheResult() throws {
        let account = WorkingMemory(limit: 64 * 16), size = PixelSize(width: 16, height: 16)
        let buffer = try PixelBuffer(size: size, format: .rgba8, account: account)
        expectRefusal { () throws(ImageError) in _ = try PixelBuffer(size: size, format: .rgba8, account: account) }
        buffer.becomeResult()
        do { _ = try PixelBuffer(size: size, format: .rgba8, account: account) }
        _ = try WorkingMemory.Reservation(64 * 16, of: account)
        withExtendedLifetime(buffer) {}
    }

    @Test func jpegEncodersCountCoefficients() throws {
        // 112 by 112 luma samples and twice a quarter of that for chroma, of 2 bytes each.
        let account = WorkingMemory(limit: 112 * 112 * 3)
        var parameters = JPEGRowEncoder.Parameters(size: PixelSize(width: 100, height: 100), rows: .rgb, quality: 50)
        parameters.account = account
        parameters.isProgressive = true
        do {
            let encoder = try JPEGRowEncoder(parameters)
            expectRefusal { () throws(ImageError) in _ = try JPEGRowEncoder(parameters) }
            var plain = parameters
            plain.isProgressive = false
            _ = try JPEGRowEncoder(plain)
            withExtendedLifetime(encoder) {}
        }
        parameters.chroma = .full
        expectRefusal { () throws(ImageError) in _ = try JPEGRowEncoder(parameters) }
        parameters.rows = .gray
        _ = try JPEGRowEncoder(parameters)
    }

    @Test func jpegDecodersCountCoefficients() throws {
        let pixels = try PixelBuffer(size: PixelSize(width: 256, height: 256), format: .rgb8, zeroed: true)
        var options = EncodeOptions()
        options.isProgressive = true
        options.chroma = .full
        let image = Image(pixels: pixels, metadata: ImageMetadata())
        let bytes = try JPEGEncoder(image, options: options, stop: CancellationToken()).encode()
        var limits = DecodeLimits()
        // The coefficients take 3 times 128 KiB.
        limits.workingBytes = 1 << 20
        limits = limits.accounted
        func prepared() throws(ImageError) -> JPEGRowDecoder {
            let decoder = try JPEGRowDecoder(bytes, accepting: .none)
            try decoder.prepare(.rgb, scale: decoder.fullScale, limits: limits)
            return decoder
        }
        let first = try prepared()
        do {
            let second = try prepared()
            expectRefusal { () throws(ImageError) in _ = try prepared() }
            withExtendedLifetime(second) {}
        }
        _ = try prepared()
        withExtendedLifetime(first) {}
    }

    @Test func pngEncodersCountFilteredRows() throws {
        let pixels = try PixelBuffer(size: PixelSize(width: 10, height: 10), format: .rgb8, zeroed: true)
        let rows = try PNGScanlineSource(ImageRows(pixels, as: .rgb8))
        let account = WorkingMemory(limit: 31 * 10)
        let lines = try PNGScanlineFilter(rows, account: account)
        let filtered = try lines.filtered(.smallest, stop: CancellationToken())
        expectRefusal { () throws(ImageError) in _ = try lines.filtered(.smallest, stop: CancellationToken()) }
        withExtendedLifetime(filtered) {}
    }
}
