import CSDImage
import SDImage

/// A loader as C holds it, with a name that can be lent.
final class LoaderObject: Sendable {
    let loader: any ImageLoader
    let name: CString

    init(_ loader: any ImageLoader) {
        self.loader = loader
        name = CString(loader.name)
    }
}

/// The chain behind a pointer.
private func chain(_ pointer: Object) throws(ImageError) -> LoaderChain {
    guard let chain = try Handle.borrow(pointer, as: LoaderObject.self).loader as? LoaderChain else {
        throw ImageError(.invalidArgument, "a loader that is no chain")
    }
    return chain
}

@_cdecl("sdimage_loader_ref") @implementation
public func sdimage_loader_ref(_ loader: Object) -> Object {
    Handle.ref(loader, as: LoaderObject.self)
}

@_cdecl("sdimage_loader_unref") @implementation
public func sdimage_loader_unref(_ loader: Object) {
    Handle.unref(loader, as: LoaderObject.self)
}

@_cdecl("sdimage_loader_name") @implementation
public func sdimage_loader_name(_ loader: Object) -> Text {
    read(loader, LoaderObject.self, CString.empty.pointer) { $0.name.pointer }
}

@_cdecl("sdimage_loader_new_file") @implementation
public func sdimage_loader_new_file(_ loader: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    attempt(error) { () throws(ImageError) in
        try requirePlace(loader)
        try give(LoaderObject(FileLoader(lease: try Engine.acquire())), loader)
    }
}

@_cdecl("sdimage_loader_new_data_url") @implementation
public func sdimage_loader_new_data_url(_ loader: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    attempt(error) { () throws(ImageError) in try give(LoaderObject(DataURLLoader()), loader) }
}

@_cdecl("sdimage_loader_new_chain") @implementation
public func sdimage_loader_new_chain(_ chain: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    attempt(error) { () throws(ImageError) in try give(LoaderObject(LoaderChain()), chain) }
}

@_cdecl("sdimage_loader_chain_add") @implementation
public func sdimage_loader_chain_add(_ chain: Object, _ loader: Object, _ error: ObjectOut) -> sdimage_status {
    attempt(error) { () throws(ImageError) in
        try SDImageABI.chain(chain).add(try Handle.borrow(loader, as: LoaderObject.self).loader)
    }
}

@_cdecl("sdimage_loader_chain_remove") @implementation
public func sdimage_loader_chain_remove(_ chain: Object, _ loader: Object, _ error: ObjectOut) -> sdimage_status {
    attempt(error) { () throws(ImageError) in
        let loader = try Handle.borrow(loader, as: LoaderObject.self).loader
        if !(try SDImageABI.chain(chain).remove(loader)) { throw ImageError(.notFound, "that loader is not in the chain") }
    }
}

@_cdecl("sdimage_loader_new_custom") @implementation
public func sdimage_loader_new_custom(_ name: Text, _ vtable: UnsafePointer<sdimage_loader_vtable>?, _ userData: UserData, _ destroy: sdimage_destroy_fn?, _ loader: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    let foreign = Foreign(userData, destroy)
    return attempt(error) { () throws(ImageError) in
        try requirePlace(loader)
        try give(LoaderObject(try ForeignLoader(name: Input.text(name) ?? "custom", vtable, foreign)), loader)
    }
}

@_cdecl("sdimage_load_sink_ref") @implementation
public func sdimage_load_sink_ref(_ sink: Object) -> Object {
    Handle.ref(sink, as: LoadSink.self)
}

@_cdecl("sdimage_load_sink_unref") @implementation
public func sdimage_load_sink_unref(_ sink: Object) {
    Handle.unref(sink, as: LoadSink.self)
}

@_cdecl("sdimage_load_sink_set_expected_length") @implementation
public func sdimage_load_sink_set_expected_length(_ sink: Object, _ length: UInt64) {
    Handle.find(sink, as: LoadSink.self)?.expect(length)
}

@_cdecl("sdimage_load_sink_write") @implementation
public func sdimage_load_sink_write(_ sink: Object, _ bytes: UnsafeRawPointer?, _ length: Int, _ error: ObjectOut) -> sdimage_status {
    attempt(error) { () throws(ImageError) in
        try Handle.borrow(sink, as: LoadSink.self).write(try Input.view(bytes, length))
    }
}

@_cdecl("sdimage_load_sink_finish") @implementation
public func sdimage_load_sink_finish(_ sink: Object, _ error: Object) {
    Handle.find(sink, as: LoadSink.self)?.finish(Handle.find(error, as: ImageError.self))
}

@_cdecl("sdimage_load_sink_finish_with_data") @implementation
public func sdimage_load_sink_finish_with_data(_ sink: Object, _ data: Object) {
    Handle.find(sink, as: LoadSink.self)?.finish(Handle.find(data, as: Bytes.self))
}

@_cdecl("sdimage_load_sink_finish_with_image") @implementation
public func sdimage_load_sink_finish_with_image(_ sink: Object, _ image: Object) {
    Handle.find(sink, as: LoadSink.self)?.finish(Handle.find(image, as: Image.self))
}

@_cdecl("sdimage_load_sink_is_cancelled") @implementation
public func sdimage_load_sink_is_cancelled(_ sink: Object) -> Bool {
    read(sink, LoadSink.self, true) { $0.isCancelled }
}
