#if SDIMAGE_FUZZ_MODULES
    import CModuleHeaders
    import CSDImage
    import SDImage
    import SDImageABI

    /// Bytes for the coder of a module or a plug-in, through its C functions: in two pieces and at once.
    enum ModuleTarget {
        typealias Place = UnsafeMutablePointer<OpaquePointer?>?
        typealias MakeCoder = @convention(c) (Place, Place) -> sdimage_status

        static let all =
            [FuzzTarget(name: "heif") { run($0, heif) }, FuzzTarget(name: "avif") { run($0, avif) }] + plugins

        private static var plugins: [FuzzTarget] {
            var targets: [FuzzTarget] = []
            #if SDIMAGE_FUZZ_AV
                targets.append(FuzzTarget(name: "av") { run($0, av) })
            #endif
            #if SDIMAGE_FUZZ_JXL
                targets.append(FuzzTarget(name: "jxl") { run($0, jxl, alike: damage) })
            #endif
            #if SDIMAGE_FUZZ_PDF
                targets.append(FuzzTarget(name: "pdf") { run($0, pdf) })
            #endif
            #if SDIMAGE_FUZZ_SVG
                targets.append(FuzzTarget(name: "svg") { run($0, svg) })
            #endif
            #if SDIMAGE_FUZZ_TIFF
                targets.append(FuzzTarget(name: "tiff") { run($0, tiff) })
            #endif
            return targets
        }

        #if SDIMAGE_FUZZ_AV
            private nonisolated(unsafe) static let av = coder(sdimage_av_coder_new)
        #endif
        #if SDIMAGE_FUZZ_JXL
            private nonisolated(unsafe) static let jxl = coder(sdimage_jxl_coder_new)
        #endif
        #if SDIMAGE_FUZZ_PDF
            private nonisolated(unsafe) static let pdf = coder(sdimage_pdf_coder_new)
        #endif
        #if SDIMAGE_FUZZ_SVG
            private nonisolated(unsafe) static let svg = coder(sdimage_svg_coder_new)
        #endif
        #if SDIMAGE_FUZZ_TIFF
            private nonisolated(unsafe) static let tiff = coder(sdimage_tiff_coder_new)
        #endif

        private nonisolated(unsafe) static let heif = coder(sdimage_heif_coder_new)
        private nonisolated(unsafe) static let avif = coder(sdimage_avif_coder_new)

        private static func coder(_ make: MakeCoder) -> OpaquePointer? {
            var coder: OpaquePointer?
            expect(make(&coder, nil) == .SDIMAGE_STATUS_OK, "a module makes its coder")
            return coder
        }

        private nonisolated(unsafe) static let options = {
            let options = sdimage_decode_options_new()
            sdimage_decode_options_set_max_pixels(options, UInt64(DecodeLimits.fuzzing.heldPixels))
            sdimage_decode_options_set_max_bytes(options, DecodeLimits.fuzzing.outputBytes)
            // Gain maps are read for HDR only.
            sdimage_decode_options_set_dynamic_range(options, .SDIMAGE_DYNAMIC_RANGE_HDR)
            return options
        }()

        /// Damaged data, and data that ends early: libjxl finds one or the other first, depending on what it has drawn before.
        private static let damage = [sdimage_status.SDIMAGE_STATUS_BAD_DATA, .SDIMAGE_STATUS_TRUNCATED].map { [$0.rawValue] }

        /// `alike`: results that count as equal.
        private static func run(_ input: FuzzTarget.Input, _ coder: OpaquePointer?, alike: [[Int32]] = []) {
            let whole = decode(input, coder, cut: input.count)
            let pieces = decode(input, coder, cut: input.count / 2)
            let areAlike = alike.contains(whole) && alike.contains(pieces)
            expect(whole == pieces || areAlike, "pieces end as the whole does: \(pieces), \(whole)")
        }

        /// The status, and the size and number of frames of the image.
        private static func decode(_ input: FuzzTarget.Input, _ coder: OpaquePointer?, cut: Int) -> [Int32] {
            var decoder: OpaquePointer?
            sdimage_decoder_new(options, coder, &decoder, nil)
            defer { sdimage_decoder_unref(decoder) }
            var status = sdimage_decoder_append(decoder, input.baseAddress, cut, false, nil)
            if status.rawValue >= 0 {
                look(decoder)
                let rest = input.baseAddress.map { $0 + cut }
                status = sdimage_decoder_append(decoder, rest, input.count - cut, true, nil)
            }
            guard status.rawValue >= 0 else { return [status.rawValue] }
            var image: OpaquePointer?
            status = sdimage_decoder_get_image(decoder, &image, nil)
            defer { sdimage_image_unref(image) }
            guard status == .SDIMAGE_STATUS_OK else { return [status.rawValue] }
            touch(image)
            let frames = sdimage_decoder_frame_count(decoder)
            for index in [frames - 1, 0] where frames > 1 {
                let frame = frame(decoder, index)
                touch(frame)
                sdimage_image_unref(frame)
            }
            return [0, Int32(sdimage_image_width(image)), Int32(sdimage_image_height(image)), Int32(clamping: frames)]
        }

        private static func look(_ decoder: OpaquePointer?) {
            var image: OpaquePointer?
            sdimage_decoder_get_image(decoder, &image, nil)
            touch(image)
            sdimage_image_unref(image)
        }

        private static func frame(_ decoder: OpaquePointer?, _ index: UInt32) -> OpaquePointer? {
            var image: OpaquePointer?
            sdimage_decoder_get_frame(decoder, index, &image, nil)
            return image
        }

        /// Reads every byte of every row.
        private static func touch(_ image: OpaquePointer?) {
            guard let image, let pixels = sdimage_image_pixels(image) else { return }
            let used = Int(sdimage_image_width(image)) * sdimage_pixel_format_bytes(sdimage_image_pixel_format(image))
            var sum = 0
            for y in 0..<Int(sdimage_image_height(image)) {
                let row = UnsafeRawBufferPointer(start: pixels + y * sdimage_image_stride(image), count: used)
                sum = row.reduce(sum) { $0 &+ Int($1) }
            }
            expect(sum >= 0, "the sum of bytes is not negative")
        }
    }
#endif
