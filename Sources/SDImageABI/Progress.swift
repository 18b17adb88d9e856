import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_progress_new") @implementation
public func sdimage_progress_new() -> Object { Engine.isForked ? nil : unsafe Handle.own(ProgressCounter()) }

@_cdecl("sdimage_progress_ref") @implementation
public func sdimage_progress_ref(_ progress: Object) -> Object {
    unsafe Handle.ref(progress, as: ProgressCounter.self)
}

@_cdecl("sdimage_progress_unref") @implementation
public func sdimage_progress_unref(_ progress: Object) {
    unsafe Handle.unref(progress, as: ProgressCounter.self)
}

@_cdecl("sdimage_progress_completed") @implementation
public func sdimage_progress_completed(_ progress: Object) -> Int64 {
    unsafe read(progress, ProgressCounter.self, 0) { $0.completed }
}

@_cdecl("sdimage_progress_total") @implementation
public func sdimage_progress_total(_ progress: Object) -> Int64 {
    unsafe read(progress, ProgressCounter.self, 0) { $0.total }
}

@_cdecl("sdimage_progress_fraction") @implementation
public func sdimage_progress_fraction(_ progress: Object) -> Double {
    unsafe read(progress, ProgressCounter.self, 0) { $0.fraction }
}

@_cdecl("sdimage_progress_set") @implementation
public func sdimage_progress_set(_ progress: Object, _ completed: Int64, _ total: Int64) {
    unsafe Handle.find(progress, as: ProgressCounter.self)?.set(completed: completed, total: total)
}

@_cdecl("sdimage_progress_set_observer") @implementation
public func sdimage_progress_set_observer(
    _ progress: Object, _ changed: sdimage_progress_fn?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    let function = unsafe changed
    return unsafe attempt(error) { () throws(ImageError) in
        let counter = unsafe try Handle.borrow(progress, as: ProgressCounter.self)
        counter.setObserver(unsafe function.map { unsafe ForeignProgressObserver($0, foreign) })
    }
}
