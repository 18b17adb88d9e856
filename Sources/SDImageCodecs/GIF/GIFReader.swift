import CGIF
import Glibc
import SDImage

/// Lines of one frame as palette indices, by giflib.
@safe final class GIFReader {
    /// What giflib reads from; the bytes are kept alive by the reader.
    @unsafe private struct Source {
        let base: UnsafeRawPointer
        let count: Int
        var offset = 0
        var hasEnded = false
        /// From here on lengths of blocks and their data are read in turn.
        var isInBlocks = false
        var isAtLength = true
    }

    private let bytes: Bytes
    private let source: UnsafeMutablePointer<Source>
    private let file: UnsafeMutablePointer<GifFileType>
    /// Of the lines.
    let width: Int

    /// Opens the frame whose image separator stands at `position`.
    init(_ bytes: Bytes, position: Int) throws(ImageError) {
        guard let base = unsafe bytes.pointer,
            let source = unsafe malloc(MemoryLayout<Source>.stride)?.bindMemory(to: Source.self, capacity: 1)
        else { throw unsafe .noMemory(MemoryLayout<Source>.stride) }
        unsafe source.initialize(to: Source(base: base, count: bytes.count))
        var code: Int32 = 0
        guard let file = unsafe DGifOpen(source, GIFReader.read, &code) else {
            defer { unsafe free(source) }
            throw unsafe GIFReader.error(code, hasEnded: source.pointee.hasEnded)
        }
        // giflib reads no further than it must, so the way to the frame needs not be gone with it.
        unsafe source.pointee.offset = position
        var kind = UNDEFINED_RECORD_TYPE
        guard unsafe DGifGetRecordType(file, &kind) == GIF_OK, kind == IMAGE_DESC_RECORD_TYPE,
            unsafe DGifGetImageDesc(file) == GIF_OK
        else {
            let failure = unsafe GIFReader.error(file.pointee.Error, hasEnded: source.pointee.hasEnded)
            unsafe DGifCloseFile(file, nil)
            unsafe free(source)
            throw failure
        }
        unsafe source.pointee.isInBlocks = true
        self.bytes = bytes
        unsafe self.source = unsafe source
        unsafe self.file = unsafe file
        width = unsafe Int(file.pointee.Image.Width)
    }

    deinit {
        unsafe DGifCloseFile(file, nil)
        unsafe free(source)
    }

    static var libraryVersion: String { "giflib \(GIFLIB_MAJOR).\(GIFLIB_MINOR).\(GIFLIB_RELEASE)" }

    /// The next line in stored order; `line` has `width` bytes.
    func read(into line: UnsafeMutableRawBufferPointer) throws(ImageError) {
        guard line.count >= width, let base = line.baseAddress else { throw ImageError(.internalError, "line too short") }
        if unsafe DGifGetLine(file, base.assumingMemoryBound(to: GifPixelType.self), Int32(width)) != GIF_OK {
            throw unsafe GIFReader.error(file.pointee.Error, hasEnded: source.pointee.hasEnded)
        }
    }

    /// The last block is cut to what there is of it, and behind it stands a block of length 0, which ends the data: no
    /// pixel that is there is lost, nor a whole frame for lack of its end.
    private static let read: InputFunc = { file, target, wanted in
        guard let source = unsafe file?.pointee.UserData?.assumingMemoryBound(to: Source.self),
            let target = unsafe target, wanted > 0
        else { return 0 }
        let left = unsafe source.pointee.count - source.pointee.offset
        let count = min(Int(wanted), max(left, 0))
        unsafe memcpy(target, source.pointee.base + source.pointee.offset, count)
        unsafe source.pointee.offset += count
        if count < Int(wanted) { unsafe source.pointee.hasEnded = true }
        guard unsafe source.pointee.isInBlocks, unsafe source.pointee.isAtLength, wanted == 1 else {
            unsafe source.pointee.isAtLength = true
            return Int32(count)
        }
        let announced = unsafe count == 1 ? Int(target.pointee) : 0
        let length = min(announced, max(left - 1, 0))
        if length < announced { unsafe source.pointee.hasEnded = true }
        unsafe source.pointee.isAtLength = length == 0
        unsafe target.pointee = UInt8(length)
        return 1
    }

    private static func error(_ code: Int32, hasEnded: Bool) -> ImageError {
        if code == D_GIF_ERR_NOT_ENOUGH_MEM { return .noMemory(0) }
        let reason = unsafe GifErrorString(code).map { unsafe String(cString: $0) } ?? "damaged data"
        return ImageError(hasEnded ? .truncated : .badData, "gif: \(reason)", libraryCode: code)
    }
}
