import CSDImage
import SDImage
import SDImageHost

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
