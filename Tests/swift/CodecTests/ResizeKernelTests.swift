import SDImage
import SDImagePixels
import Testing

/// Resampling compared with plain arithmetic in double precision.
@Suite struct ResizeKernelTests {
    private static let shapes: [FilterShape] = [.lanczos, .area, .cubic, .linear]

    private func resize(
        _ source: PixelBuffer, to width: Int, _ height: Int, part: Rectangle? = nil, shape: FilterShape = .lanczos,
        isLight: Bool = false, isOpaque: Bool = false, variant: Int32? = nil
    ) throws -> PixelBuffer {
        let size = PixelSize(width: width, height: height)
        let target = try PixelBuffer(size: size, format: source.format)
        var plan = Resampler.Plan(part: part ?? whole(source))
        plan.shape = shape
        plan.isLight = isLight
        plan.isOpaque = isOpaque
        if let variant { plan.variant = variant }
        try Resampler(source, plan: plan, into: target, size: size).run(stop: CancellationToken())
        return target
    }

    private func whole(_ source: PixelBuffer) -> Rectangle {
        Rectangle(x: 0, y: 0, width: Double(source.size.width), height: Double(source.size.height))
    }

    /// PSNR of the stored samples in decibels.
    private func quality(
        _ result: PixelBuffer, of source: PixelBuffer, part: Rectangle? = nil, shape: FilterShape, isLight: Bool = false
    ) -> Double {
        let reference = ReferenceImage(source, isLight: isLight).resized(
            part ?? whole(source), width: result.size.width, height: result.size.height, shape: shape)
        let stored = reference.stored(result.format, isLight: isLight)
        return stored.psnr(result.raw, hasAlpha: result.format.hasAlpha)
    }

    @Test(arguments: PixelFormat.allCases, ResizeKernelTests.shapes)
    func everyFormatAndFilterIsAsExactAsItsSamples(format: PixelFormat, shape: FilterShape) throws {
        let source = try PixelBuffer.scene(61, 47, format)
        for (width, height) in [(20, 15), (61, 9), (5, 47), (97, 113), (1, 1), (60, 48)] {
            let result = try resize(source, to: width, height, shape: shape)
            let decibels = quality(result, of: source, shape: shape)
            // Rounding a single sample can reduce the PSNR to 54.15 dB.
            let least = format.bytesPerChannel > 1 ? 90.0 : result.size.pixelCount == 1 ? 54.1 : 55
            #expect(decibels > least, "\(format) \(shape) \(width)x\(height): \(decibels)")
        }
    }

    @Test(arguments: PixelFormat.allCases)
    func lightIsWeighedWhereAskedFor(format: PixelFormat) throws {
        let source = try PixelBuffer.scene(40, 31, format)
        for (width, height) in [(13, 9), (77, 50)] {
            let result = try resize(source, to: width, height, shape: .lanczos, isLight: true)
            let decibels = quality(result, of: source, shape: .lanczos, isLight: true)
            #expect(decibels > (format.bytesPerChannel == 1 ? 54 : 85), "\(format) \(width)x\(height): \(decibels)")
        }
    }

    @Test func aCheckerboardOfLightIsBrighterThanOfNumbers() throws {
        let source = try PixelBuffer(size: PixelSize(width: 64, height: 64), format: .gray8)
        for y in 0..<64 { for x in 0..<64 { source.setSample(x, y, 0, Double((x + y) % 2)) } }
        for (isLight, mean) in [(false, 128), (true, 188)] {
            let small = try resize(source, to: 8, 8, shape: .area, isLight: isLight)
            let value = withExtendedLifetime(small) { unsafe small.row(3)?[3] }
            #expect(value == UInt8(mean))
        }
    }

    @Test(arguments: PixelFormat.allCases, ResizeKernelTests.shapes)
    func plainPicturesStayWhatTheyAre(format: PixelFormat, shape: FilterShape) throws {
        for value in [0.0, 1, 77.0 / 255, 254.0 / 255] {
            let source = try PixelBuffer.plain(53, 34, format, value)
            for (width, height) in [(7, 5), (53, 3), (171, 90), (1, 34)] {
                for isLight in [false, true] {
                    let result = try resize(source, to: width, height, shape: shape, isLight: isLight)
                    let expected = try PixelBuffer.plain(width, height, format, value)
                    let worst = result.raw.worst(expected.raw)
                    #expect(worst <= (format == .rgbaFloat ? 1e-6 : isLight && format.bytesPerChannel == 2 ? 2.0 / 65535 : 0))
                }
            }
        }
    }

    @Test(arguments: [(1, 1), (1, 9), (9, 1), (2, 3), (3, 2), (500, 1), (1, 500)], PixelFormat.allCases)
    func oddSizesBecomeAnyOther(from: (Int, Int), format: PixelFormat) throws {
        let source = try PixelBuffer.scene(from.0, from.1, format)
        for shape in ResizeKernelTests.shapes {
            for (width, height) in [(1, 1), (1, 7), (7, 1), (33, 17), (2, 300)] {
                let decibels = quality(try resize(source, to: width, height, shape: shape), of: source, shape: shape)
                #expect(decibels > (format.bytesPerChannel == 1 ? 53 : 88), "\(format) \(shape) \(width)x\(height)")
            }
        }
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, .rgba16])
    func hugeRatiosAreMeansOfAll(format: PixelFormat) throws {
        let source = try PixelBuffer.scene(800, 300, format)
        for shape in ResizeKernelTests.shapes {
            let result = try resize(source, to: 2, 3, shape: shape)
            #expect(quality(result, of: source, shape: shape) > 52)
        }
    }

    @Test(arguments: [PixelFormat.gray8, .rgba8, .rgb16])
    func aPartMayBeginAndEndInsidePixels(format: PixelFormat) throws {
        let source = try PixelBuffer.scene(48, 40, format)
        let part = Rectangle(x: 5.3, y: 2.75, width: 30.4, height: 36.5)
        for shape in ResizeKernelTests.shapes {
            for (width, height) in [(11, 13), (90, 71)] {
                let result = try resize(source, to: width, height, part: part, shape: shape)
                #expect(quality(result, of: source, part: part, shape: shape) > 54)
            }
        }
    }

    @Test func clearPixelsLendNoColorToTheirNeighbors() throws {
        let source = try PixelBuffer(size: PixelSize(width: 40, height: 8), format: .rgba8)
        for y in 0..<8 {
            for x in 0..<40 {
                // Opaque blue on the left, transparent red on the right.
                let pixel: [Double] = x < 20 ? [0, 0, 1, 1] : [1, 0, 0, 0]
                for k in 0..<4 { source.setSample(x, y, k, pixel[k]) }
            }
        }
        for shape in ResizeKernelTests.shapes {
            let result = try resize(source, to: 13, 5, shape: shape)
            for x in 0..<13 where result.sample(x, 2, 3) > 0 {
                #expect(result.sample(x, 2, 0) == 0)
                #expect(result.sample(x, 2, 2) == 1)
            }
        }
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8Premultiplied])
    func everyVariantOfTheIntegerFilterGivesTheSame(format: PixelFormat) throws {
        let source = try PixelBuffer.scene(211, 90, format)
        for (width, height) in [(16, 12), (100, 80), (400, 95), (211, 7), (3, 90)] {
            for shape in ResizeKernelTests.shapes {
                let plain = try resize(source, to: width, height, shape: shape, variant: Int32(SDPX_QUADS_PLAIN))
                for variant in 0...sdpx_quad_variant() {
                    let result = try resize(source, to: width, height, shape: shape, variant: variant)
                    #expect(result.raw.worst(plain.raw) == 0)
                }
            }
        }
    }

    @Test func integersAndFloatAgreeOnOpaquePictures() throws {
        let source = try PixelBuffer.plain(90, 70, .rgba8, 0)
        for y in 0..<70 {
            for x in 0..<90 {
                for k in 0..<3 {
                    let value = (x * 7 + y * 13 + k) % 256
                    source.setSample(x, y, k, Double(value) / 255)
                }
            }
        }
        let opaque = try resize(source, to: 31, 22)
        // One pixel that is not fully opaque makes its rows, and the adjacent ones, use the other filter.
        source.setSample(0, 69, 3, 254.0 / 255)
        let mixed = try resize(source, to: 31, 22)
        var worst = 0.0
        for y in 0..<15 {
            for x in 0..<31 {
                for k in 0..<4 {
                    let difference = opaque.sample(x, y, k) - mixed.sample(x, y, k)
                    worst = max(worst, abs(difference))
                }
            }
        }
        #expect(worst <= 1.0 / 255)
    }

    @Test func anOutputIsTheSameOnOneThreadAndOnMany() throws {
        let source = try PixelBuffer.scene(640, 512, .rgba8)
        let alone = try resize(source, to: 300, 250)
        let lease = try Engine.acquire()
        let shared = try resize(source, to: 300, 250)
        #expect(alone.raw.worst(shared.raw) == 0)
        withExtendedLifetime(lease) {}
    }

    @Test func aWishToStopEndsIt() throws {
        let source = try PixelBuffer.scene(64, 64, .rgba8)
        let target = try PixelBuffer(size: PixelSize(width: 8, height: 8), format: .rgba8)
        let stop = CancellationToken()
        stop.cancel()
        let resampler = try Resampler(
            source, plan: Resampler.Plan(part: whole(source)), into: target, size: PixelSize(width: 8, height: 8))
        let error = #expect(throws: ImageError.self) { try resampler.run(stop: stop) }
        #expect(error?.status == .cancelled)
    }

    @Test func aPartOfALargerCanvasIsAllThatIsWritten() throws {
        let source = try PixelBuffer.plain(30, 20, .gray8, 1)
        let target = try PixelBuffer(size: PixelSize(width: 12, height: 10), format: .rgba8, zeroed: true)
        let plan = Resampler.Plan(part: whole(source))
        try Resampler(source, plan: plan, into: target, left: 3, top: 2, size: PixelSize(width: 6, height: 4)).run(
            stop: CancellationToken())
        for y in 0..<10 {
            for x in 0..<12 {
                let isInside = (3..<9).contains(x) && (2..<6).contains(y)
                #expect((0..<4).allSatisfy { target.sample(x, y, $0) == (isInside ? 1 : 0) })
            }
        }
    }
}

extension PixelBuffer {
    /// The samples as they are stored, in 0 ... 1.
    var raw: ReferenceImage { ReferenceImage(stored: self) }
}
