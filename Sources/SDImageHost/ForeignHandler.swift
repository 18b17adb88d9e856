import CSDImage
import SDImage

/// The host's callbacks for one load.
package final class ForeignHandler: LoadHandler {
    private let host: ForeignTable<sdimage_load_handler>

    package init(_ table: UnsafePointer<sdimage_load_handler>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_load_handler>.offset(of: \.progress) ?? 0
        host = unsafe ForeignTable(
            try Input.table(table, size: size, required: required, empty: sdimage_load_handler()), foreign)
    }

    package var wantsProgress: Bool { unsafe host.table.progress != nil }

    package func result(_ task: LoadTask, _ result: ImageResult) {
        unsafe host.table.result?(host.userData, Handle.lend(task), Handle.lend(result))
    }

    package func progress(_ task: LoadTask, received: Int64, expected: Int64) {
        unsafe host.table.progress?(host.userData, Handle.lend(task), received, expected)
    }
}
