import Foundation
import SDImage
import SDImageSQLite
import TestSupport

/// A new small image.
func picture(width: Int = 4) throws -> Image {
    Image(pixels: try PixelBuffer(size: PixelSize(width: width, height: 1), format: .rgba8), metadata: ImageMetadata())
}

/// Bytes that differ for each seed.
func bytes(_ seed: Int, count: Int = 100) throws -> Bytes {
    try .copying((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &* 7 &+ $0 >> 8) })
}

func array(_ bytes: Bytes?) -> [UInt8]? {
    guard let bytes else { return nil }
    return unsafe bytes.withUnsafeBytes { unsafe Array($0) }
}

/// The folder of a disk cache, with helpers to inspect and damage it.
struct CacheFixture {
    let directory = TemporaryDirectory()
    var configuration = CacheConfiguration()

    init(_ configure: (inout CacheConfiguration) -> Void = { _ in }) {
        configuration.directory = directory.path
        configure(&configuration)
    }

    static let store: CacheStoreFactory = { folder, name, isDurable throws(ImageError) in
        try SQLiteStore(in: folder, name: name, isDurable: isDurable)
    }

    func open() throws -> DiskCache { try DiskCache(configuration, store: CacheFixture.store) }

    func open(_ clock: CacheClock) throws -> DiskCache {
        try DiskCache(configuration, clock: clock, store: CacheFixture.store)
    }

    var root: String { directory.path + "/default/v1" }

    /// All plain files below the folder, by relative path.
    var files: [String] {
        (FileManager.default.enumerator(atPath: directory.path)?.allObjects as? [String] ?? []).filter { path in
            var isFolder: ObjCBool = false
            unsafe _ = FileManager.default.fileExists(atPath: directory.path + "/" + path, isDirectory: &isFolder)
            return !isFolder.boolValue
        }
    }

    /// Files of entries, not those of the index.
    var entryFiles: [String] {
        files.compactMap { path in
            let name = path.hasPrefix("default/v1/") ? String(path.dropFirst(11)) : path
            return CacheFileName(path: name) == nil ? nil : root + "/" + name
        }
    }
}

extension DiskCache {
    func put(_ seed: Int, count: Int = 100, at key: String) throws {
        try storeNow(CachedData(bytes: try bytes(seed, count: count)), for: CacheKey(key))
    }

    /// Waits for the work queued on the disk thread and for all pending changes, which are committed before this removal.
    ///
    /// A step of the disk thread that was submitted before that work may commit the first change; the second one follows it.
    func settle() async throws { for _ in 0..<2 { try await remove(CacheKey("no such entry")) } }

    func get(_ key: String) throws -> [UInt8]? { array(try dataNow(for: CacheKey(key))?.bytes) }
}
