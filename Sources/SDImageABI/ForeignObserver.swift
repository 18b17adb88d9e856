import CSDImage
import SDImage

/// Somebody of the host who hears of every load that ends.
@safe final class ForeignObserver: LoadObserver {
    private let host: ForeignTable<sdimage_load_observer_fn>

    init(_ observer: @escaping sdimage_load_observer_fn, _ foreign: Foreign) {
        unsafe host = ForeignTable(observer, foreign)
    }

    func loadEnded(_ result: ImageResult) {
        let host = unsafe host
        Engine.callLater { unsafe host.table(host.userData, Handle.lend(result)) }
    }
}
