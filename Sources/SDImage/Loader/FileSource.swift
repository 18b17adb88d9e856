import Glibc

/// A regular file of the user as a byte source. Read by `pread` and never mapped, because the file may be truncated meanwhile.
/// Passed to coders that read on demand. Several threads may read at once, because `pread` has no position.
package final class FileSource: ByteSource {
    /// Bytes at the time of opening.
    package let size: UInt64
    private let descriptor: Int32

    /// Throws the errors of `FileLoader.openFile` and `regularSize`.
    package init(_ path: [UInt8]) throws(ImageError) {
        descriptor = try FileLoader.openFile(path)
        do throws(ImageError) { size = UInt64(clamping: try FileLoader.regularSize(descriptor)) } catch {
            close(descriptor)
            throw error
        }
    }

    // A forked child has its own copy of the descriptor, which is closed like any other.
    deinit { close(descriptor) }

    /// Returns fewer bytes than requested only at the end of the file, or if it has become shorter.
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
