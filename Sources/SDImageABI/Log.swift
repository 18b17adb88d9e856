import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_log_set_handler") @implementation
public func sdimage_log_set_handler(
    _ level: sdimage_log_level, _ handler: UnsafePointer<sdimage_log_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        if Engine.isForked { throw .forked }
        let known = Log.Level(rawValue: Int32(bitPattern: level.rawValue)) ?? .off
        guard let handler = unsafe handler, known != .off else { return Log.set(.off, nil) }
        let host = unsafe try ForeignLogHandler(handler, foreign)
        Log.set(known) { level, message in host.write(level, message) }
    }
}
