import CSDImage
import SDImage

/// The host's callbacks for one animated view: `sdimage_animated_view_handler`.
package final class ForeignView: AnimatedViewHandler {
    private let host: ForeignTable<sdimage_animated_view_handler>

    /// NULL is a handler without functions.
    package init(_ table: UnsafePointer<sdimage_animated_view_handler>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_animated_view_handler>.offset(of: \.loop) ?? 0
        let copy =
            unsafe table == nil
            ? sdimage_animated_view_handler()
            : try Input.table(table, size: size, required: required, empty: sdimage_animated_view_handler())
        host = ForeignTable(copy, foreign)
    }

    package var wantsFrames: Bool { unsafe host.table.show != nil }

    package func show(_ view: AnimatedView, _ image: Image?) {
        unsafe host.table.show?(host.userData, Handle.lend(view), Handle.lend(image))
    }

    package func loop(_ view: AnimatedView, _ count: Int) {
        unsafe host.table.loop?(host.userData, Handle.lend(view), UInt32(clamping: count))
    }
}
