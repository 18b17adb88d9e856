import CSDImage
import SDImage

/// The host's callbacks for one prefetched list or batch: `sdimage_prefetch_handler`. Called on the dispatcher of the prefetcher,
/// or of the batch.
package final class ForeignPrefetchHandler: PrefetchHandler {
    private let host: ForeignTable<sdimage_prefetch_handler>

    package init(_ table: UnsafePointer<sdimage_prefetch_handler>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_prefetch_handler>.offset(of: \.fetched) ?? 0
        host = unsafe ForeignTable(
            try Input.table(table, size: size, required: required, empty: sdimage_prefetch_handler()), foreign)
    }

    package func fetched(_ group: PrefetchGroup, index: Int, result: ImageResult) {
        unsafe host.table.fetched?(host.userData, Handle.lend(group), index, Handle.lend(result))
    }

    package func progress(_ group: PrefetchGroup, finished: Int, total: Int) {
        unsafe host.table.progress?(host.userData, Handle.lend(group), finished, total)
    }

    package func completed(_ group: PrefetchGroup?, finished: Int, skipped: Int, error: ImageError?) {
        unsafe host.table.completed?(host.userData, Handle.lend(group), finished, skipped, Handle.lend(error))
    }
}

/// The host's callbacks for all lists of a prefetcher: `sdimage_prefetcher_handler`. Called on the dispatcher of the prefetcher.
package final class ForeignPrefetchObserver: PrefetchObserver {
    private let host: ForeignTable<sdimage_prefetcher_handler>

    package init(_ table: UnsafePointer<sdimage_prefetcher_handler>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_prefetcher_handler>.offset(of: \.fetched) ?? 0
        host = unsafe ForeignTable(
            try Input.table(table, size: size, required: required, empty: sdimage_prefetcher_handler()), foreign)
    }

    package func fetched(url: CString, finished: Int, total: Int) {
        unsafe host.table.fetched?(host.userData, url.pointer, finished, total)
    }

    package func idle(total: Int, skipped: Int) { unsafe host.table.idle?(host.userData, total, skipped) }
}
