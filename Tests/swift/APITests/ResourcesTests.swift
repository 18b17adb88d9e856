import CSDImage
import Foundation
import TestSupport
import Testing

/// Bundled images of a program by name. Caching and threads are tested in C, in separate processes, because other tests in this
/// process clear all cached images.
@Suite struct ResourcesTests {
    /// A folder of images, and the resources object for it.
    private struct Icons {
        let folder = TemporaryDirectory()

        /// Each image is a square with the given side in pixels.
        init(_ pictures: KeyValuePairs<String, Int>) throws {
            for (name, side) in pictures { try write(makePNG(width: side, height: side), name) }
        }

        func write(_ bytes: [UInt8], _ name: String) throws {
            let file = URL(fileURLWithPath: folder.path).appendingPathComponent(name)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }

        func open(_ scales: [Double]? = nil, _ options: Owned? = nil) throws -> Owned {
            let resources = try make(sdimage_resources_unref) {
                sdimage_resources_new(folder.path, options?.pointer, $0, $1)
            }
            if let scales {
                #expect(sdimage_resources_set_scales(resources.pointer, scales, scales.count, nil) == .SDIMAGE_STATUS_OK)
            }
            return resources
        }
    }

    private func image(_ resources: Owned, _ name: String) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_resources_get_image(resources.pointer, name, $0, $1) }
    }

    private func failure(_ resources: Owned, _ name: String) -> CallFailure? {
        do {
            _ = try image(resources, name)
            return nil
        } catch { return error as? CallFailure }
    }

    // MARK: File names and scales

    private static let found: [(name: String, scales: [Double]?, side: UInt32, scale: Double)] = [
        ("cat", nil, 10, 1), ("cat", [2, 3, 1], 20, 2), ("cat", [1.5, 2], 15, 1.5), ("cat", [4, 5], 10, 1), ("cat", [], 10, 1),
        ("cat@2x", [1], 20, 2), ("cat@1.5x", [1], 15, 1.5), ("cat@1.5x.png", [1], 15, 1.5),
        // The scale in the name does not exist: the preferred scales, then none.
        ("cat@9x", [2], 20, 2), ("cat@9x", [8], 10, 1), ("cat@9x.png", [1.5], 15, 1.5),
        // Only a large one exists.
        ("dog", nil, 30, 3), ("dog", [2, 3, 1], 30, 3),
        ("pets/cat", [2], 22, 2), ("pets/cat.png", [2], 22, 2), ("v1.2/cat", [2], 24, 2),
        ("cat.v2.png", [2], 40, 1), ("photo@2x.old", [1], 41, 2), (".cat", [1], 42, 1),
    ]

    @Test(arguments: found.indices)
    func aNameMeansTheFirstFileThatIsThere(index: Int) throws {
        let icons = try Icons([
            "cat.png": 10, "cat@2x.png": 20, "cat@1.5x.png": 15, "dog@3x.png": 30, "pets/cat@2x.png": 22, "pets/cat.png": 11,
            "v1.2/cat@2x.png": 24, "cat.v2.png": 40, "photo@2x.old": 41, ".cat.png": 42,
        ])
        let (name, scales, side, scale) = Self.found[index]
        let found = try image(try icons.open(scales), name)
        #expect(sdimage_image_width(found.pointer) == side && sdimage_image_scale(found.pointer) == scale)
    }

    @Test func anExtensionIsKeptAndNoneIsPNG() throws {
        let icons = try Icons(["cat.png": 10])
        try icons.write(try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF), "cat@2x.gif")
        let resources = try icons.open([2, 1])
        let moving = try image(resources, "cat.gif")
        #expect(sdimage_image_format(moving.pointer) == .SDIMAGE_FORMAT_GIF && sdimage_image_scale(moving.pointer) == 2)
        // An image with all its frames.
        #expect(sdimage_image_frame_count(moving.pointer) == 3)
        let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(moving.pointer, 2, $0, $1) }
        #expect(Playing.firstByte(frame.pointer) == 25 && sdimage_image_scale(frame.pointer) == 2)
        #expect(sdimage_image_format(try image(resources, "cat").pointer) == .SDIMAGE_FORMAT_PNG)
    }

    @Test func optionsSayHowToDecodeButNotTheScale() throws {
        let icons = try Icons(["cat@2x.png": 20])
        let options = decodeOptions {
            sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED)
            sdimage_decode_options_set_scale($0, 3)
        }
        let found = try image(try icons.open(nil, options), "cat")
        #expect(sdimage_image_pixel_format(found.pointer) == .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED)
        #expect(sdimage_image_scale(found.pointer) == 2)
    }

    // MARK: Invalid names

    @Test(arguments: ["", "/cat", "..", "../cat", "pets/../../cat", "pets/..", "./cat", ".", "pets//cat", "pets/", "cat/."])
    func aNameCannotLeaveTheFolder(name: String) throws {
        let icons = try Icons(["below/cat.png": 10, "cat.png": 10, "below/pets/cat.png": 10])
        let below = try make(sdimage_resources_unref) {
            sdimage_resources_new(icons.folder.path + "/below", nil, $0, $1)
        }
        #expect(failure(below, name)?.status == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_image_width(try image(below, "cat").pointer) == 10)
    }

    @Test func aNameIsNeitherNothingNorEndless() throws {
        let icons = try Icons([:])
        let resources = try icons.open()
        var none: OpaquePointer?
        #expect(sdimage_resources_get_image(resources.pointer, nil, &none, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(failure(resources, String(repeating: "a/", count: 4000) + "a")?.status == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(none == nil)
    }

    @Test func aFolderMustBeThere() throws {
        let icons = try Icons(["cat.png": 10])
        for path in [icons.folder.path + "/none", icons.folder.path + "/cat.png"] {
            var resources: OpaquePointer?
            #expect(sdimage_resources_new(path, nil, &resources, nil) == .SDIMAGE_STATUS_NOT_FOUND && resources == nil)
        }
        var resources: OpaquePointer?
        #expect(sdimage_resources_new("", nil, &resources, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func scalesThatMakeNoSenseChangeNothing() throws {
        let icons = try Icons(["cat.png": 10, "cat@2x.png": 20])
        let resources = try icons.open([2])
        for scales in [[0.5], [2, .nan], [.infinity], [101], [Double](repeating: 2, count: 17)] {
            #expect(
                sdimage_resources_set_scales(resources.pointer, scales, scales.count, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        }
        #expect(sdimage_resources_set_scales(resources.pointer, nil, 1, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_image_width(try image(resources, "cat").pointer) == 20)
    }

    @Test func scalesCanChange() throws {
        let icons = try Icons(["cat.png": 10, "cat@2x.png": 20])
        let resources = try icons.open()
        #expect(sdimage_image_width(try image(resources, "cat").pointer) == 10)
        #expect(sdimage_resources_set_scales(resources.pointer, [2], 1, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_image_width(try image(resources, "cat").pointer) == 20)
    }

    // MARK: Failures

    @Test func notFoundSaysWhatWasLookedFor() throws {
        let icons = try Icons([:])
        let missing = try #require(failure(try icons.open([2, 1.5, 1]), "pets/cat\n"))
        #expect(missing.status == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(missing.message.hasPrefix("resources: no pets/cat?@2x.png, pets/cat?@1.5x.png, pets/cat?.png in /"))
        let exact = try #require(failure(try icons.open([2]), "cat@3x.gif"))
        #expect(exact.message.hasPrefix("resources: no cat@3x.gif, cat@2x.gif, cat.gif in /"))
    }

    @Test func aBrokenFileTellsItsOwnError() throws {
        let icons = try Icons(["cat.png": 10])
        try icons.write(Array("<html>".utf8), "cat@2x.png")
        try icons.write(makePNG(width: 9, height: 9).dropLast(40), "short.png")
        try FileManager.default.createDirectory(atPath: icons.folder.path + "/folder.png", withIntermediateDirectories: false)
        let resources = try icons.open([2, 1])
        let broken = try #require(failure(resources, "cat"))
        #expect(broken.status == .SDIMAGE_STATUS_NOT_AN_IMAGE && broken.message.hasPrefix("cat@2x.png: "))
        #expect(failure(resources, "short")?.status == .SDIMAGE_STATUS_TRUNCATED)
        #expect(failure(resources, "folder")?.status == .SDIMAGE_STATUS_NOT_A_FILE)
    }

    @Test func failuresAreNotKept() throws {
        let icons = try Icons([:])
        let resources = try icons.open()
        #expect(failure(resources, "cat")?.status == .SDIMAGE_STATUS_NOT_FOUND)
        try icons.write(Array("<html>".utf8), "cat.png")
        #expect(failure(resources, "cat")?.status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        try icons.write(makePNG(width: 10, height: 10), "cat.png")
        #expect(sdimage_image_width(try image(resources, "cat").pointer) == 10)
    }
}
