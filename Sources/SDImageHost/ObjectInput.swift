import CSDImage
import SDImage

/// Objects as arguments, NULL for a default.
extension Input {
    /// The object behind a pointer; nil for NULL.
    @inlinable
    package static func optional<T: HandleObject>(_ pointer: Object, as type: T.Type) throws(ImageError) -> T? {
        unsafe pointer == nil ? nil : try Handle.borrow(pointer, as: type)
    }

    package static func manager(_ pointer: Object) throws(ImageError) -> ImageManager {
        unsafe try Handle.borrow(pointer, as: ManagerObject.self).manager
    }

    /// The request behind a pointer as a load takes it.
    package static func request(_ pointer: Object) throws(ImageError) -> ImageRequest {
        unsafe try Handle.borrow(pointer, as: RequestObject.self).submitted()
    }

    /// The same with the data that loads derive from it.
    package static func preparedRequest(_ pointer: Object) throws(ImageError) -> PreparedRequest {
        unsafe try Handle.borrow(pointer, as: RequestObject.self).preparation()
    }

    /// The options behind a pointer; the defaults for NULL.
    package static func decodeOptions(_ pointer: Object) throws(ImageError) -> DecodeOptions {
        unsafe try optional(pointer, as: DecodeOptionsObject.self)?.value ?? DecodeOptions()
    }

    /// The options behind a pointer; the defaults for NULL.
    package static func encodeOptions(_ pointer: Object) throws(ImageError) -> EncodeOptions {
        unsafe try optional(pointer, as: EncodeOptionsObject.self)?.value ?? EncodeOptions()
    }

    /// The options behind a pointer; the defaults for NULL.
    package static func targetOptions(_ pointer: Object) throws(ImageError) -> TargetOptions {
        unsafe try optional(pointer, as: TargetOptionsObject.self)?.value ?? TargetOptions()
    }

    package static func batchOptions(_ pointer: Object) throws(ImageError) -> BatchOptions {
        unsafe try Handle.borrow(pointer, as: BatchOptionsObject.self).value
    }

    /// The values of a bag; empty for NULL.
    package static func filterParameters(_ pointer: Object) throws(ImageError) -> OptionsBag {
        unsafe try optional(pointer, as: OptionsObject.self)?.value ?? OptionsBag()
    }

    /// The handler of a load; nil for NULL.
    package static func handler(
        _ table: UnsafePointer<sdimage_load_handler>?, _ foreign: Foreign
    ) throws(ImageError) -> ForeignHandler? {
        unsafe table == nil ? nil : try ForeignHandler(table, foreign)
    }

    /// The key of a slot of a target; the standard one for NULL.
    package static func targetKey(_ pointer: Text) -> TargetKey { unsafe pointer == nil ? .standard : TargetKey(name(pointer)) }

    /// The monotonic time `milliseconds` from now; never for UINT32_MAX.
    package static func deadline(_ milliseconds: UInt32) -> UInt64 {
        milliseconds == .max ? .max : MonotonicClock.now.addingSaturated(.saturatingNanoseconds(milliseconds: milliseconds))
    }

    /// A clock selected from C; nil for the host's clock.
    package static func playbackClock(
        _ clock: sdimage_player_clock, _ dispatcher: Object, _ tick: @escaping @Sendable () -> Void
    ) throws(ImageError) -> (any PlaybackClock)? {
        let own = unsafe try optional(dispatcher, as: DispatcherObject.self)?.dispatcher
        switch clock {
        case .SDIMAGE_PLAYER_CLOCK_HOST: return nil
        case .SDIMAGE_PLAYER_CLOCK_DESCRIPTOR: return try DescriptorClock()
        case .SDIMAGE_PLAYER_CLOCK_LIBRARY:
            let lease = try Engine.acquire()
            return try LibraryClock(on: own ?? LibraryDispatcher(lease: lease), lease: lease, tick: tick)
        @unknown default: throw ImageError(.invalidArgument, "player: unknown clock \(clock.rawValue)")
        }
    }
}
