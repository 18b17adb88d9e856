import CSDImage
import Glibc
import SDImage

/// Files of the host that hold the bytes of entries missing in every disk cache.
@safe package final class AdditionalFiles: Sendable {
    private let path: sdimage_cache_path_fn
    private let foreign: Foreign
    private let limit: Int

    package init(path: sdimage_cache_path_fn, _ foreign: Foreign, limit: Int) {
        unsafe self.path = path
        self.foreign = foreign
        self.limit = limit
    }

    /// nil if the host names no file, or a file that cannot be read.
    package func bytes(for key: CacheKey) -> Bytes? {
        let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { room -> [UInt8]? in
            let length = unsafe key.bytes.withUnsafeBytes { key in
                unsafe path(foreign.userData, key.baseAddress, key.count, room.baseAddress, room.count)
            }
            guard length > 0, length <= room.count else { return nil }
            return unsafe Array(UnsafeRawBufferPointer(room).prefix(length))
        }
        guard let name, !name.contains(0) else { return nil }
        do throws(ImageError) { return try FileLoader.read(name, limit: limit) } catch {
            Log.write(.info, "cache: additional file not used: \(error.message.string)")
            return nil
        }
    }
}
