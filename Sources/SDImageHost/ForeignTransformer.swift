import CSDImage
import SDImage

/// A transformer of the host: the adapter of `sdimage_transformer_vtable` (include/sdimage/sys/transformer.h). Runs on
/// workers, or on the thread of a call that transforms at once.
package struct ForeignTransformer: ImageTransformer {
    /// Part of the cache key of results; not empty.
    package let key: String
    private let host: ForeignTable<sdimage_transformer_vtable>

    package init(key: String, _ table: UnsafePointer<sdimage_transformer_vtable>?, _ foreign: Foreign) throws(ImageError) {
        guard !key.isEmpty else { throw ImageError(.invalidArgument, "transform: custom transformer has no key") }
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_transformer_vtable>.offset(of: \.should_preserve_metadata) ?? 0
        let copy = unsafe try Input.table(table, size: size, required: required, empty: sdimage_transformer_vtable())
        guard unsafe copy.transform != nil else { throw ImageError(.invalidArgument, "transform: vtable lacks transform") }
        self.key = key
        host = ForeignTable(copy, foreign)
    }

    package var preservesMetadata: Bool { unsafe host.table.should_preserve_metadata?(host.userData) ?? true }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        let printed = cacheKey.printed
        let key = CString(printed)
        var result: Object = nil
        var error: Object = nil
        let status = unsafe host.table.transform?(
            host.userData, Handle.lend(image), key.pointer, printed.count, &result, &error)
        withExtendedLifetime(key) {}
        return unsafe try ForeignCoder.take(
            status, result, error, missing: ImageError(.transformFailed, "transform: no image returned"))
    }
}
