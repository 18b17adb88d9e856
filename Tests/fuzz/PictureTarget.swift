import SDImage

/// Bytes of one format: its header, its image, and its frames in an order that no player uses.
enum PictureTarget {
    static func target(_ coder: any ImageCoder, name: String) -> FuzzTarget {
        let registry = CoderRegistry([coder])
        var target = FuzzTarget(name: name) { run($0, registry, coder) }
        if coder.name == "png" { target.repair = { PNGChecksums.repair($0) } }
        return target
    }

    private static func run(_ input: FuzzTarget.Input, _ registry: CoderRegistry, _ coder: any ImageCoder) {
        let bytes = Bytes.exact(UnsafeRawBufferPointer(input))
        var options = DecodeOptions()
        options.limits = .fuzzing
        _ = coder.canDecode(bytes)
        let info: ImageInfo?
        do throws(ImageError) { info = try registry.info(bytes, options: options, coder: coder) } catch { info = nil }
        do throws(ImageError) {
            let image = try registry.decode(bytes, options: options, stop: CancellationToken(), coder: coder)
            check(image, info, options)
        } catch { return }
    }

    private static func check(_ image: Image, _ info: ImageInfo?, _ options: DecodeOptions) {
        _ = Picture(image)
        expect(image.pixels.byteCount <= options.limits.outputBytes, "a bitmap keeps its limit")
        // In an icon, the next best entry replaces a damaged one.
        if let info, info.format != .ico {
            expect(image.size == info.displayedSize, "the header tells the size: \(info), \(image.size)")
        }
        guard let frames = image.frames else { return }
        expect(image.metadata.frameCount == frames.frameCount, "an image counts its frames")
        checkFrames(frames, of: image)
    }

    private static func checkFrames(_ frames: any FrameProvider, of image: Image) {
        let last = frames.frameCount - 1
        var seen: [Int: Outcome] = [:]
        for index in [0, last, last / 2, 1, last, 0] where index >= 0 && index <= last {
            let outcome = Outcome { () throws(ImageError) in try frames.frame(at: index, stop: CancellationToken()) }
            if case .picture(let picture) = outcome {
                expect(picture.size == image.size, "a frame fills the canvas")
            }
            expect(seen[index]?.agrees(with: outcome) != false, "frame \(index) is the same when asked for again")
            seen[index] = outcome
            expect(frames.durationMilliseconds(at: index) >= 0, "a duration is not negative")
        }
        expect(frames.durationMilliseconds(at: last + 1) == 0, "no duration outside the frames")
    }
}
