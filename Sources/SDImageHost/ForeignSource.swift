import CSDImage
import SDImage

/// A byte source read by functions of the host: the adapter of `sdimage_source_vtable` (include/sdimage/sys/source.h). Several
/// threads may read at once.
package final class ForeignSource: ByteSource {
    /// Length in bytes, as announced by the host.
    package let size: UInt64
    private let host: ForeignTable<sdimage_source_vtable>

    package init(_ table: UnsafePointer<sdimage_source_vtable>?, length: UInt64, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let copy = unsafe try Input.table(
            table, size: size, required: MemoryLayout<sdimage_source_vtable>.size, empty: sdimage_source_vtable())
        guard unsafe copy.read != nil else { throw ImageError(.invalidArgument, "source: vtable lacks read") }
        self.size = length
        host = ForeignTable(copy, foreign)
    }

    /// Returns the number of bytes read: all that fit the buffer, or fewer at the end of the source.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        guard offset < size, unsafe !buffer.isEmpty else { return 0 }
        let wanted = Int(clamping: min(UInt64(buffer.count), size - offset))
        var done = 0
        while done < wanted {
            var got = 0
            var error: Object = nil
            let status = unsafe host.table.read?(
                host.userData, offset + UInt64(done), buffer.baseAddress.map { unsafe $0 + done }, wanted - done, &got, &error)
            defer { unsafe Handle.unref(error, as: ImageError.self) }
            guard let status, status.rawValue >= 0 else { throw unsafe .foreign(status ?? .SDIMAGE_STATUS_IO_ERROR, error) }
            // Zero would repeat forever, and more than requested means that memory was overwritten.
            guard got > 0, got <= wanted - done else {
                throw ImageError(.ioError, "source: read returned \(got) bytes, expected 1 to \(wanted - done)")
            }
            done += got
        }
        return done
    }
}
