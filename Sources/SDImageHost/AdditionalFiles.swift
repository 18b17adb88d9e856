import CSDImage
import Glibc
import SDImage

/// Files of the host that hold the bytes of entries missing in every disk cache. `ImageCache` asks on a thread `sdimage-file`,
/// or on that of a look-up that blocks.
@safe package final class AdditionalFiles: Sendable {
    private let host: ForeignTable<sdimage_cache_path_vtable>
    /// Maximum bytes of a file.
    private let limit: Int

    /// Copies the table; throws if it has no function.
    package init(_ table: UnsafePointer<sdimage_cache_path_vtable>, _ foreign: Foreign, limit: Int) throws(ImageError) {
        let required = MemoryLayout<sdimage_cache_path_vtable>.size
        let copy = unsafe try Input.table(
            table, size: table.pointee.size, required: required, empty: sdimage_cache_path_vtable())
        guard unsafe copy.path != nil else { throw ImageError(.invalidArgument, "argument: the table has no path function") }
        host = ForeignTable(copy, foreign)
        self.limit = limit
    }

    /// nil if the host names no file, or a file that cannot be read.
    package func bytes(for key: CacheKey) -> Bytes? {
        let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { room -> [UInt8]? in
            let length = unsafe key.bytes.withUnsafeBytes { key in
                unsafe host.table.path?(host.userData, key.baseAddress, key.count, room.baseAddress, room.count) ?? 0
            }
            // A length beyond the room means a path that was cut.
            guard length > 0, length <= room.count else { return nil }
            return unsafe Array(UnsafeRawBufferPointer(room).prefix(length))
        }
        // A path ends at a NUL, so one inside would name another file.
        guard let name, !name.contains(0) else { return nil }
        do throws(ImageError) { return try FileLoader.read(name, limit: limit) } catch {
            Log.write(.info, "cache: additional file not used: \(error.message.string)")
            return nil
        }
    }
}
