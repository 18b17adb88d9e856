import CSDImage
import Foundation
import TestSupport
import Testing

/// Small files are processed quickly, for any claimed size, by info, decode, metadata and the incremental decoder.
@Suite(.serialized) struct HostileFileTests {
    /// Limit in seconds of processor time; re-reading every chunk or entry took 2 to 40 seconds for the same files.
    private static let bound = 3.0

    private func seconds(_ body: () throws -> Void) rethrows -> Double { try ProcessorTime.ofThread(in: body) }

    private func info(_ bytes: [UInt8]) -> sdimage_status {
        var info: OpaquePointer?
        defer { sdimage_info_unref(info) }
        return sdimage_info_new(bytes, bytes.count, nil, &info, nil)
    }

    /// Beyond the default time limit, which a busy machine exceeds.
    private let patient = decodeOptions { sdimage_decode_options_set_max_work_ms($0, 600_000) }

    private func decode(_ bytes: [UInt8]) -> sdimage_status {
        var image: OpaquePointer?
        defer { sdimage_image_unref(image) }
        return sdimage_decode(bytes, bytes.count, patient.pointer, &image, nil)
    }

    /// Runs every entry point that reads the whole file.
    private func expectQuick(_ bytes: [UInt8], _ what: String) throws {
        #expect(seconds { _ = info(bytes) } < HostileFileTests.bound, "info of \(what)")
        #expect(seconds { _ = decode(bytes) } < HostileFileTests.bound, "decode of \(what)")
        let time = try seconds { _ = try Feeding().feed(bytes, .pages) }
        #expect(time < HostileFileTests.bound, "pieces of \(what)")
    }

    // MARK: PNG

    @Test func onlyTheFirstProfileIsUnpacked() throws {
        let whole = HostileFile.profiles(1500, isCut: false)
        #expect(decode(whole) == .SDIMAGE_STATUS_OK)
        try expectQuick(whole, "1500 profiles that are too large")
        try expectQuick(HostileFile.profiles(8000, isCut: true), "8000 profiles that are cut")
    }

    /// A buffer that ends at a page boundary, so that an over-read faults.
    @Test func aPaletteInAFileOf16BytesIsNotReadBehind() throws {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let memory = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        defer { munmap(memory, 2 * page) }
        mprotect(memory + page, page, PROT_NONE)
        let bytes = HostileFile.signature + [0, 0, 0, 0] + Array("PLTE".utf8) + [UInt8](repeating: 0, count: 10)
        for count in 16...bytes.count {
            let start = memory + page - count
            start.copyMemory(from: bytes, byteCount: count)
            var image: OpaquePointer?
            #expect(sdimage_decode(start, count, nil, &image, nil).rawValue < 0)
        }
    }

    @Test func chunksBeforeThePictureArePassedOverOnce() throws {
        let bytes = HostileFile.emptyChunks(bytes: 1 << 20)
        let time = try seconds { _ = try Feeding().feed(bytes, .pages) }
        #expect(time < HostileFileTests.bound)
        #expect(decode(bytes) == .SDIMAGE_STATUS_OK)
    }

    // MARK: ICO

    @Test func entriesOfOneOffsetAreTriedOnce() throws {
        try expectQuick(HostileFile.icon(entries: 10_000, pictures: 1, padding: 1 << 20), "10000 entries of one offset")
        try expectQuick(HostileFile.icon(entries: 65_535, pictures: 1, padding: 1 << 18), "65535 entries of one offset")
        try expectQuick(HostileFile.iconOfHeaders(65_535), "65535 pictures without data")
    }

    // MARK: Animations

    @Test func framesOfAWebPAreListedOnce() throws {
        let bytes = HostileFile.movingWebP(frames: 40_000)
        #expect(info(bytes) == .SDIMAGE_STATUS_OK)
        try expectQuick(bytes, "40000 frames")
    }

    /// 1-byte pieces: restarting at the first byte for each piece would take 10^12 steps.
    @Test(arguments: ["png", "gif", "webp", "jpeg"])
    func piecesOfAByteAddUpToOnePass(format: String) throws {
        let bytes =
            switch format {
            case "png": HostileFile.emptyChunks(bytes: 1 << 18)
            case "gif": HostileFile.movingGIF(frames: 9_000)
            case "webp": HostileFile.movingWebP(frames: 5_000)
            default: HostileFile.emptySegments(bytes: 1 << 18)
            }
        let feeding = try Feeding()
        let time = seconds {
            for index in bytes.indices {
                guard sdimage_decoder_append(feeding.decoder.pointer, [bytes[index]], 1, false, nil).rawValue >= 0 else { break }
            }
        }
        #expect(time < 20, "\(format)")
    }
}
