import CSDImage
import CSystem
import SDImage

/// Stores an object for the caller, which owns it: NULL for none, and for one that a forked child cannot use.
package func hand<Value, T: HandleObject>(_ value: Value?, _ out: ObjectOut, _ object: (Value) -> T) {
    guard let out = unsafe out else { return }
    guard let value, !csys_is_forked() || T.forkRule != .refused else { return unsafe out.pointee = nil }
    unsafe out.pointee = unsafe Handle.own(object(value))
}

/// The same for a value that is an object already.
package func hand<T: HandleObject>(_ object: T?, _ out: ObjectOut) { unsafe hand(object, out) { $0 } }

/// The same for an option that can be inherited; true if it is not.
package func hand<Value, T: HandleObject>(_ setting: Setting<Value>?, _ out: ObjectOut, _ object: (Value) -> T) -> Bool {
    unsafe hand(setting?.resolved(nil), out, object)
    switch setting {
    case nil, .inherited: return false
    case .none?, .value: return true
    }
}

extension PixelSize {
    package var code: sdimage_size { sdimage_size(width: UInt32(clamping: width), height: UInt32(clamping: height)) }
}

/// Stores the kind of a clock and its dispatcher.
package func give(clock: (any PlaybackClock)?, _ out: UnsafeMutablePointer<sdimage_player_clock>?, _ dispatcher: ObjectOut) {
    let library = clock as? LibraryClock
    let kind: sdimage_player_clock =
        if clock == nil { .SDIMAGE_PLAYER_CLOCK_HOST } else if library == nil { .SDIMAGE_PLAYER_CLOCK_DESCRIPTOR } else {
            .SDIMAGE_PLAYER_CLOCK_LIBRARY
        }
    unsafe out?.pointee = kind
    unsafe hand(library?.dispatcher, dispatcher) { DispatcherObject($0) }
}
