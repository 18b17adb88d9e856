import CSDImage
import SDImage

/// A dispatcher that uses the host's own loop: the adapter of `sdimage_dispatcher_vtable`. Any thread may post.
package final class ForeignDispatcher: Dispatcher {
    private let host: ForeignTable<sdimage_dispatcher_vtable>

    package init(_ table: UnsafePointer<sdimage_dispatcher_vtable>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_dispatcher_vtable>.offset(of: \.is_current) ?? 0
        let copy = unsafe try Input.table(table, size: size, required: required, empty: sdimage_dispatcher_vtable())
        guard unsafe copy.post != nil else { throw ImageError(.invalidArgument, "dispatcher: vtable lacks post") }
        host = ForeignTable(copy, foreign)
    }

    /// True on the thread of the host's loop, so that a delivery may happen at once.
    package var isCurrent: Bool { unsafe host.table.is_current?(host.userData) ?? false }

    /// Has the host's loop deliver what is pending at that time.
    package func post(_ delivery: any Delivery) {
        // The host calls the function exactly once, which takes back the reference.
        let argument = unsafe Unmanaged.passRetained(PostedDelivery(delivery)).toOpaque()
        unsafe host.table.post(
            host.userData,
            { argument in
                guard let argument = unsafe argument else { return }
                unsafe Unmanaged<PostedDelivery>.fromOpaque(argument).takeRetainedValue().delivery.deliverPending()
            }, argument)
    }
}

/// A delivery while the host's loop holds it: a reference to a protocol is two words, and C holds one.
private final class PostedDelivery {
    let delivery: any Delivery

    init(_ delivery: any Delivery) { self.delivery = delivery }
}
