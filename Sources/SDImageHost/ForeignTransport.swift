import CSDImage
import SDImage

/// A transport of the host: the adapter of `sdimage_transport_vtable` (include/sdimage/sys/transport.h). Its `start` runs on a
/// thread that may block for a while.
package final class ForeignTransport: Transport, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    private let host: ForeignTable<sdimage_transport_vtable>

    package init(_ table: UnsafePointer<sdimage_transport_vtable>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_transport_vtable>.offset(of: \.cancel) ?? 0
        let copy = unsafe try Input.table(table, size: size, required: required, empty: sdimage_transport_vtable())
        guard unsafe copy.start != nil else { throw ImageError(.invalidArgument, "transport: vtable lacks start") }
        host = ForeignTable(copy, foreign)
    }

    /// Passes an exchange to the host, which reports the response through the lent `ExchangeObject`.
    package func start(_ exchange: Exchange) {
        guard let engine = Engine.current else { return exchange.finish(.shutdown) }
        engine.loaders.submit(exchange.request.priority) { [self] in
            let request = RequestObject(exchange.request)
            // Without another reference of the host, its release at the end of this block ends the exchange.
            let lent = ExchangeObject(exchange)
            // The exchange may have been cancelled while it waited for a thread.
            guard exchange.lend(lent) else { return exchange.finish(.cancelled) }
            let status = unsafe host.table.start(host.userData, Handle.lend(request), Handle.lend(lent))
            withExtendedLifetime(request) {}
            if status.rawValue < 0 { exchange.finish(unsafe ImageError.foreign(status, nil)) }
        }
    }

    /// Tells the host that the response is no longer needed; does nothing once the host has released the exchange.
    package func cancel(_ exchange: Exchange) {
        guard unsafe host.table.cancel != nil, let lent = exchange.holder as? ExchangeObject else { return }
        unsafe host.table.cancel?(host.userData, Handle.lend(lent))
    }
}

/// The host's reference to an exchange. Releasing it unfinished ends the exchange: so only the host may hold it.
package final class ExchangeObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let exchange: Exchange

    package init(_ exchange: Exchange) { self.exchange = exchange }

    deinit { exchange.finish(ImageError(.connectionLost, "transport: exchange released without completion")) }
}
