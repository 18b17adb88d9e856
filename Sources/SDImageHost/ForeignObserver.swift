import CSDImage
import SDImage

/// The host's callback for the end of every load.
@safe package final class ForeignObserver: LoadObserver {
    private let host: ForeignTable<sdimage_load_observer_fn>

    package init(_ observer: @escaping sdimage_load_observer_fn, _ foreign: Foreign) {
        unsafe host = ForeignTable(observer, foreign)
    }

    package func loadEnded(_ result: ImageResult) {
        let host = unsafe host
        Engine.callLater { unsafe host.table(host.userData, Handle.lend(result)) }
    }
}
