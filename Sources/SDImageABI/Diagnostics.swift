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

@_cdecl("sdimage_manager_config_set_observer") @implementation
public func sdimage_manager_config_set_observer(
    _ config: Object, _ observer: UnsafePointer<sdimage_load_observer>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let config = unsafe try Handle.borrow(config, as: ManagerConfigObject.self)
        guard let observer = unsafe observer else { return config.value.observer = nil }
        config.value.observer = unsafe try ForeignObserver(observer, foreign)
    }
}

@_cdecl("sdimage_metrics") @implementation
public func sdimage_metrics(_ text: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(text)
        let caches = Engine.isForked ? [] : Defaults.caches
        unsafe try give(try Report.metrics(Defaults.statistics, caches).bytes(), text)
    }
}

@_cdecl("sdimage_doctor") @implementation
public func sdimage_doctor(_ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(json)
        unsafe try give(try Report.doctor(Defaults.composition).bytes(), json)
    }
}

@_cdecl("sdimage_trim_memory") @implementation
public func sdimage_trim_memory(_ emptyCaches: Bool) {
    Defaults.trimMemory(emptyingCaches: emptyCaches)
}

@_cdecl("sdimage_watch_memory_pressure") @implementation
public func sdimage_watch_memory_pressure(_ watch: Bool) {
    Defaults.watchMemoryPressure(watch)
}
