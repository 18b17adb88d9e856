import Glibc

/// A regular file of the user as a source: read by `pread`, never mapped, because it may be cut meanwhile.
package final class FileSource: ByteSource {
    package let size: UInt64
    private let descriptor: Int32

    package init(_ path: [UInt8]) throws(ImageError) {
        descriptor = try FileLoader.openFile(path)
        do throws(ImageError) { size = UInt64(clamping: try FileLoader.regularSize(descriptor)) } catch {
            close(descriptor)
            throw error
        }
    }

    // In a forked child the number is a copy of its own: to be closed like any other.
    deinit { close(descriptor) }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        guard offset < size, let start = Int(exactly: offset) else { return 0 }
        let wanted = min(buffer.count, Int(clamping: size - offset))
        var done = 0
        while done < wanted {
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done..<wanted])
            let count = unsafe try FileLoader.readPiece(descriptor, into: room, at: start + done)
            if count == 0 { break }
            done += count
        }
        return done
    }
}
