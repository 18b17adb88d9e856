// The functions of include/sdimage/sys/coder.h. `ForeignCoder` calls the table; `sdimage_work_budget` is a `WorkBudget`.

import CSDImage
import Glibc
import SDImage
import SDImageHost

@_cdecl("sdimage_work_budget_check") @implementation
public func sdimage_work_budget_check(_ budget: Object) -> sdimage_status {
    attempt(nil) { () throws(ImageError) in
        guard unsafe budget != nil else { return }
        try (unsafe try Handle.borrow(budget, as: WorkBudget.self)).check()
    }
}

@_cdecl("sdimage_work_budget_spend") @implementation
public func sdimage_work_budget_spend(_ budget: Object, _ bytes: Int) -> sdimage_status {
    attempt(nil) { () throws(ImageError) in
        guard unsafe budget != nil else { return }
        try (unsafe try Handle.borrow(budget, as: WorkBudget.self)).spend(Input.size(bytes))
    }
}

@_cdecl("sdimage_work_budget_remaining_ms") @implementation
public func sdimage_work_budget_remaining_ms(_ budget: Object) -> UInt32 {
    unsafe read(budget, WorkBudget.self, .max) { $0.remainingMilliseconds }
}

@_cdecl("sdimage_decode_options_work_budget") @implementation
public func sdimage_decode_options_work_budget(_ options: Object) -> Object {
    unsafe Handle.lend(unsafe Handle.find(options, as: DecodeOptionsObject.self)?.budget)
}

@_cdecl("sdimage_encode_options_work_budget") @implementation
public func sdimage_encode_options_work_budget(_ options: Object) -> Object {
    unsafe Handle.lend(unsafe Handle.find(options, as: EncodeOptionsObject.self)?.budget)
}

@_cdecl("sdimage_is_sandboxed") @implementation
public func sdimage_is_sandboxed() -> Bool { Sandbox.isEntered }

@_cdecl("sdimage_coder_new_custom") @implementation
public func sdimage_coder_new_custom(
    _ name: Text, _ vtable: UnsafePointer<sdimage_coder_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?,
    _ coder: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(coder)
        let custom = unsafe try ForeignCoder(name: Input.text(name) ?? "custom", vtable, foreign, Defaults.coders)
        unsafe try give(CoderObject(custom), coder)
    }
}
