// The functions of include/sdimage/resources.h: images of a folder. `sdimage_resources` is a `Resources`.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_resources_new") @implementation
public func sdimage_resources_new(_ folder: Text, _ options: Object, _ resources: ObjectOut, _ error: ObjectOut) -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(resources)
        if Engine.isForked { throw .forked }
        let options = unsafe try Input.decodeOptions(options)
        let folder = unsafe Input.name(folder)
        guard !folder.isEmpty else { throw ImageError(.invalidArgument, "resources: folder path is empty") }
        unsafe try give(try Defaults.makeResources(folder, options), resources)
    }
}

@_cdecl("sdimage_resources_ref") @implementation
public func sdimage_resources_ref(_ resources: Object) -> Object {
    unsafe Handle.ref(resources, as: Resources.self)
}

@_cdecl("sdimage_resources_unref") @implementation
public func sdimage_resources_unref(_ resources: Object) {
    unsafe Handle.unref(resources, as: Resources.self)
}

@_cdecl("sdimage_resources_set_scales") @implementation
public func sdimage_resources_set_scales(
    _ resources: Object, _ scales: UnsafePointer<Double>?, _ count: Int, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let resources = unsafe try Handle.borrow(resources, as: Resources.self)
        try resources.setScales(unsafe try Input.numbers(scales, count))
    }
}

@_cdecl("sdimage_resources_get_scales") @implementation
public func sdimage_resources_get_scales(_ resources: Object, _ scales: UnsafeMutablePointer<Double>?, _ capacity: Int) -> Int {
    let known = unsafe read(resources, Resources.self, []) { Engine.isForked ? [] : $0.scales }
    for (index, scale) in known.enumerated() where index < Input.size(capacity) { unsafe scales?[index] = scale }
    return known.count
}

@_cdecl("sdimage_resources_get_image") @implementation
public func sdimage_resources_get_image(_ resources: Object, _ name: Text, _ image: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        let resources = unsafe try Handle.borrow(resources, as: Resources.self)
        unsafe try requireResult(image)
        unsafe try give(try resources.image(named: Input.name(name)), image)
    }
}

@_cdecl("sdimage_resources_clear") @implementation
public func sdimage_resources_clear(_ resources: Object) {
    unsafe Handle.find(resources, as: Resources.self)?.clear()
}
