import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_log_set_handler") @implementation
public func sdimage_log_set_handler(
    _ level: sdimage_log_level, _ log: sdimage_log_fn?, _ userData: UserData, _ destroy: sdimage_destroy_fn?
) {
    let foreign = unsafe Foreign(userData, destroy)
    if Engine.isForked { return }
    guard let log = unsafe log, let known = Log.Level(rawValue: Int32(bitPattern: level.rawValue)), known != .off else {
        return Log.set(.off, nil)
    }
    nonisolated(unsafe) let function = unsafe log
    Log.set(known) { level, message in
        unsafe function(
            foreign.userData, sdimage_log_level(rawValue: UInt32(level.rawValue)) ?? .SDIMAGE_LOG_LEVEL_INFO, message.pointer)
    }
}
