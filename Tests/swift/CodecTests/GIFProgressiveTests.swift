import SDImage
import SDImageCodecs
import Testing

@Suite struct GIFProgressiveTests {
    private let coder = GIFCoder()
    private let stop = CancellationToken()

    private func opened(_ change: (inout DecodeOptions) -> Void = { _ in }) throws -> any ImageDecoder {
        var options = DecodeOptions()
        change(&options)
        return try #require(try coder.open(options: options, stop: CancellationToken()))
    }

    /// The result of a file as one string: the pixels of all frames, or the error.
    private func outcome(_ frameCount: Int, _ image: (Int) throws -> Image?) -> String {
        do {
            return try (0..<max(frameCount, 1)).map { index in
                guard let image = try image(index) else { return "none" }
                return "\(image.pixels.format) \(image.metadata.hasAlpha) \(image.metadata.isIncremental) \(image.content)"
            }.joined(separator: "\n")
        } catch { return "\((error as? ImageError)?.status ?? .internalError)" }
    }

    private func atOnce(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void) throws -> String {
        var options = DecodeOptions()
        change(&options)
        let bytes = try Bytes.copying(data)
        let coder = coder
        let stop = stop
        var image: Image?
        let failure = imageError { image = try coder.decode(bytes, options: options, stop: stop) }
        if let failure { return "\(failure.status)" }
        return outcome(image?.metadata.frameCount ?? 0) { try image?.frame(at: $0, stop: stop) }
    }

    /// Feeds pieces of `size` bytes, looking at the image after each.
    private func inPieces(_ data: [UInt8], _ size: Int, _ change: (inout DecodeOptions) -> Void) throws -> String {
        let decoder = try opened(change)
        var end = 0
        repeat {
            end = min(end + size, data.count)
            let bytes = try Bytes.copying(Array(data[..<end]))
            let isFinished = end == data.count
            let failure = imageError {
                try decoder.update(bytes, isFinished: isFinished, stop: CancellationToken())
                if !isFinished, let image = try decoder.image(stop: stop) { #expect(image.size == decoder.size) }
            }
            if let failure { return "\(failure.status)" }
        } while end < data.count
        return outcome(decoder.frameCount) { index in
            decoder.frameCount > 1 ? try decoder.frame(at: index, stop: stop) : try decoder.image(stop: stop)
        }
    }

    private var animation: [UInt8] {
        var gif = GIFBuilder(9, 7)
        gif.loop(2)
        gif.comment(300)
        for index in 0..<5 {
            gif.control(delay: index, transparent: index == 2 ? 3 : nil, disposal: UInt8(index % 4))
            let pixels = (0..<20).map { UInt8(($0 * 7 + index) % 4) }
            gif.frame(index, index % 3, 5, 4, pixels, interlaced: index % 2 == 0, blockSize: 5)
        }
        return gif.finished
    }

    private var still: [UInt8] {
        var gif = GIFBuilder(16, 16, background: 2)
        gif.frame(1, 1, 14, 14, (0..<196).map { UInt8($0 * $0 % 4) }, interlaced: true, blockSize: 9)
        return gif.finished
    }

    @Test(arguments: [1, 2, 7, 64, 4096]) func howeverBytesAreCutTheyEndInTheSamePictures(_ size: Int) throws {
        for data in [animation, still] {
            for change: (inout DecodeOptions) -> Void in [
                { _ in }, { $0.firstFrameOnly = true }, { $0.acceptPartial = true }, { $0.pixelFormat = .bgra8Premultiplied },
                { $0.thumbnailSize = PixelSize(width: 4, height: 4) }, { $0.limitBytes = 700 },
            ] {
                #expect(try inPieces(data, size, change) == (try atOnce(data, change)))
            }
        }
    }

    @Test func everyTruncationEndsAsOneDecodeOfIt() throws {
        for data in [animation, still] {
            for length in 0..<data.count {
                for accepts in [false, true] {
                    let part = Array(data[..<length])
                    let change: (inout DecodeOptions) -> Void = { $0.acceptPartial = accepts }
                    #expect(try inPieces(part, 31, change) == (try atOnce(part, change)))
                }
            }
        }
    }

    @Test func everyBitFlipEndsAsOneDecodeOfIt() throws {
        let data = animation
        for bit in stride(from: 0, to: data.count * 8, by: 3) {
            var damaged = data
            damaged[bit / 8] ^= 1 << (bit % 8)
            // Sizes are 16 bits wide: a flipped bit can request gigabytes.
            let change: (inout DecodeOptions) -> Void = { $0.limits.heldPixels = 1 << 20 }
            #expect(try inPieces(damaged, 57, change) == (try atOnce(damaged, change)))
        }
    }

    @Test func rowsShowAsTheyCome() throws {
        var gif = GIFBuilder(8, 8)
        gif.control()
        gif.frame(0, 0, 8, 8, (0..<64).map { (index: Int) -> UInt8 in UInt8(index * index * 5 % 3 + 1) })
        let decoder = try opened()
        var seen: Set<Int> = []
        for length in 1..<gif.finished.count {
            try decoder.update(try .copying(Array(gif.finished[..<length])), isFinished: false, stop: CancellationToken())
            guard let image = try decoder.image(stop: stop) else { continue }
            #expect(image.metadata.isIncremental)
            #expect(image.size == PixelSize(width: 8, height: 8))
            seen.insert((0..<8).count { image.pixel(0, $0) != [0, 0, 0, 0] })
        }
        #expect(seen == Set(1...8))
    }

    @Test func thePassesOfAnInterlacedPictureShowAllOfIt() throws {
        var gif = GIFBuilder(1, 16)
        gif.frame(0, 0, 1, 16, [1, 2] + [UInt8](repeating: 3, count: 14), interlaced: true)
        let decoder = try opened()
        // Header, palette, descriptor, code size, length, and a few codes: an incomplete second pass.
        try decoder.update(
            try .copying(Array(gif.bytes[..<(13 + 12 + 10 + 1 + 1 + 2)])), isFinished: false, stop: CancellationToken())
        let image = try #require(try decoder.image(stop: stop))
        #expect((0..<2).map { image.pixel(0, $0) } == [[255, 0, 0, 255], [255, 0, 0, 255]])
        #expect((8..<12).map { image.pixel(0, $0) } == [[UInt8]](repeating: [0, 255, 0, 255], count: 4))
    }

    @Test func framesAreCountedAsTheyCome() throws {
        let data = animation
        let decoder = try opened()
        var counts: [Int] = []
        for length in 1...data.count {
            try decoder.update(try .copying(Array(data[..<length])), isFinished: length == data.count, stop: CancellationToken())
            if counts.last != decoder.frameCount { counts.append(decoder.frameCount) }
            if decoder.frameCount > 0 { _ = try decoder.frame(at: decoder.frameCount - 1, stop: stop) }
        }
        #expect(counts == [0, 1, 2, 3, 4, 5])
        #expect(decoder.loopCount == 2)
        #expect((0..<5).map { decoder.durationMilliseconds(at: $0) } == [100, 100, 20, 30, 40])
    }

    @Test func behindTheTrailerNothingIsWanted() throws {
        let decoder = try opened()
        try decoder.update(try .copying(animation), isFinished: false, stop: CancellationToken())
        #expect(decoder.isSatisfied)
        #expect(try decoder.image(stop: stop)?.metadata.isIncremental == false)
        let first = try opened { $0.firstFrameOnly = true }
        try first.update(try .copying(Array(animation.dropLast(3))), isFinished: false, stop: CancellationToken())
        #expect(first.isSatisfied)
    }
}
