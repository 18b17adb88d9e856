// The functions of include/sdimage/loader.h: built-in loaders and chains. `sdimage_loader` is a `LoaderObject`.

import CSDImage
import SDImage
import SDImageHost

/// The chain behind a pointer; throws for any other loader.
private func chain(_ pointer: Object) throws(ImageError) -> LoaderChain {
    guard let chain = unsafe try Handle.borrow(pointer, as: LoaderObject.self).loader as? LoaderChain else {
        throw ImageError(.invalidArgument, "loader: not a chain")
    }
    return chain
}

@_cdecl("sdimage_loader_ref") @implementation
public func sdimage_loader_ref(_ loader: Object) -> Object {
    unsafe Handle.ref(loader, as: LoaderObject.self)
}

@_cdecl("sdimage_loader_unref") @implementation
public func sdimage_loader_unref(_ loader: Object) {
    unsafe Handle.unref(loader, as: LoaderObject.self)
}

@_cdecl("sdimage_loader_name") @implementation
public func sdimage_loader_name(_ loader: Object) -> Text {
    unsafe read(loader, LoaderObject.self, CString.empty.pointer) { unsafe $0.name.pointer }
}

@_cdecl("sdimage_loader_new_file") @implementation
public func sdimage_loader_new_file(_ loader: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(loader)
        let lease = try Engine.acquire()
        unsafe try give(LoaderObject(FileLoader(pool: lease.engine.files, lease: lease)), loader)
    }
}

@_cdecl("sdimage_loader_new_data_url") @implementation
public func sdimage_loader_new_data_url(_ loader: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(loader)
        let lease = try Engine.acquire()
        unsafe try give(LoaderObject(DataURLLoader(pool: lease.engine.files, lease: lease)), loader)
    }
}

@_cdecl("sdimage_loader_new_chain") @implementation
public func sdimage_loader_new_chain(_ chain: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in unsafe try give(LoaderObject(LoaderChain()), chain) }
}

@_cdecl("sdimage_loader_chain_add") @implementation
public func sdimage_loader_chain_add(_ chain: Object, _ loader: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let (chain, loader) = unsafe (try SDImageABI.chain(chain), try Handle.borrow(loader, as: LoaderObject.self).loader)
        guard chain.add(loader) else { throw ImageError(.invalidArgument, "loader: chain would contain itself") }
    }
}

@_cdecl("sdimage_loader_chain_remove") @implementation
public func sdimage_loader_chain_remove(_ chain: Object, _ loader: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let loader = unsafe try Handle.borrow(loader, as: LoaderObject.self).loader
        if unsafe !(try SDImageABI.chain(chain).remove(loader)) {
            throw ImageError(.notFound, "loader: not a member of the chain")
        }
    }
}

@_cdecl("sdimage_loader_chain_count") @implementation
public func sdimage_loader_chain_count(_ chain: Object) -> Int {
    (unsafe Handle.find(chain, as: LoaderObject.self)?.loader as? LoaderChain)?.all.count ?? 0
}

@_cdecl("sdimage_loader_chain_get_member") @implementation
public func sdimage_loader_chain_get_member(_ chain: Object, _ index: Int, _ member: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(member)
        let members = Array(unsafe try SDImageABI.chain(chain).all.reversed())
        guard members.indices.contains(index) else {
            throw ImageError(.notFound, "loader: member \(UInt(bitPattern: index)) is out of range (count \(members.count))")
        }
        unsafe try give(LoaderObject(members[index]), member)
    }
}

@_cdecl("sdimage_loader_load") @implementation
public func sdimage_loader_load(
    _ loader: Object, _ request: Object, _ handler: UnsafePointer<sdimage_load_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ task: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let lease = try Engine.acquire()
        let (loader, request) = unsafe (try Handle.borrow(loader, as: LoaderObject.self).loader, try Input.request(request))
        let started = try LoaderFetch.start(
            request, from: loader, handler: unsafe try Input.handler(handler, foreign), token: UInt(bitPattern: userData),
            owner: foreign, observers: LoadObservers(Defaults.statistics), lease: lease)
        unsafe task?.pointee = unsafe Handle.own(started)
    }
}

@_cdecl("sdimage_loader_load_sync") @implementation
public func sdimage_loader_load_sync(_ loader: Object, _ request: Object, _ result: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(result)
        let lease = try Engine.acquire()
        let (loader, request) = unsafe (try Handle.borrow(loader, as: LoaderObject.self).loader, try Input.request(request))
        let loaded = try LoaderFetch.wait(
            for: request, from: loader, observers: LoadObservers(Defaults.statistics), lease: lease)
        unsafe result?.pointee = unsafe Handle.own(loaded)
        if let error = loaded.error { throw error }
    }
}
