import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_manager_config_set_observer") @implementation
public func sdimage_manager_config_set_observer(
    _ config: Object, _ observer: sdimage_load_observer_fn?, _ userData: UserData, _ destroy: sdimage_destroy_fn?
) {
    let foreign = unsafe Foreign(userData, destroy)
    unsafe change(config, ManagerConfigObject.self) { $0.observer = unsafe observer.map { unsafe ForeignObserver($0, foreign) } }
}

@_cdecl("sdimage_metrics") @implementation
public func sdimage_metrics(_ text: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(text)
        let caches = Engine.isForked ? [] : Defaults.caches
        unsafe try give(try Report.metrics(Defaults.statistics, caches).bytes(), text)
    }
}
