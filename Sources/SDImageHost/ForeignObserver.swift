import CSDImage
import SDImage

/// The host's callback for the end of every load of a manager: `sdimage_load_observer`. Called on the callback thread.
@safe package final class ForeignObserver: LoadObserver {
    private let host: ForeignTable<sdimage_load_observer>

    package init(_ table: UnsafePointer<sdimage_load_observer>, _ foreign: Foreign) throws(ImageError) {
        let required = MemoryLayout<sdimage_load_observer>.size
        let copy = unsafe try Input.table(table, size: table.pointee.size, required: required, empty: sdimage_load_observer())
        guard unsafe copy.load_ended != nil else {
            throw ImageError(.invalidArgument, "argument: the table has no load_ended function")
        }
        host = ForeignTable(copy, foreign)
    }

    package func loadEnded(_ result: ImageResult) {
        // Posted: a slow observer must not delay the load.
        let host = host
        Engine.callLater { unsafe host.table.load_ended?(host.userData, Handle.lend(result)) }
    }
}
