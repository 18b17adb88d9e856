import CSDImage
import SDImage
import SDImageHost

/// The chain behind a pointer.
private func chain(_ pointer: Object) throws(ImageError) -> CacheChain {
    guard let chain = unsafe try Handle.borrow(pointer, as: CacheObject.self).cache as? CacheChain else {
        throw ImageError(.invalidArgument, "cache: not a chain")
    }
    return chain
}

@_cdecl("sdimage_cache_new_chain") @implementation
public func sdimage_cache_new_chain(_ chain: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(chain)
        unsafe try give(CacheObject(try CacheChain()), chain)
    }
}

@_cdecl("sdimage_cache_new_tiered") @implementation
public func sdimage_cache_new_tiered(_ local: Object, _ shared: Object, _ cache: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(cache)
        if Engine.isForked { throw .forked }
        let local = unsafe try Handle.borrow(local, as: CacheObject.self).cache
        let shared = unsafe try Handle.borrow(shared, as: CacheObject.self).cache
        unsafe try give(CacheObject(try CacheChain.tiered(local, shared)), cache)
    }
}

@_cdecl("sdimage_cache_chain_add") @implementation
public func sdimage_cache_chain_add(_ chain: Object, _ member: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let chain = unsafe try SDImageABI.chain(chain)
        let member = unsafe try Handle.borrow(member, as: CacheObject.self).cache
        if CacheChain.reaches(member, chain) {
            throw ImageError(.invalidArgument, "cache: chain would contain itself")
        }
        chain.add(member)
    }
}

@_cdecl("sdimage_cache_chain_remove") @implementation
public func sdimage_cache_chain_remove(_ chain: Object, _ member: Object, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let member = unsafe try Handle.borrow(member, as: CacheObject.self).cache
        if unsafe !(try SDImageABI.chain(chain).remove(member)) {
            throw ImageError(.notFound, "cache: not a member of the chain")
        }
    }
}

@_cdecl("sdimage_cache_chain_set_policy") @implementation
public func sdimage_cache_chain_set_policy(
    _ chain: Object, _ operation: sdimage_cache_chain_operation, _ policy: sdimage_cache_chain_policy, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let operations =
            operation == .SDIMAGE_CACHE_CHAIN_OPERATION_ALL
            ? CacheChain.Operation.allCases : [CacheChain.Operation(rawValue: operation.rawValue)].compactMap(\.self)
        guard !operations.isEmpty, let policy = CacheChain.Policy(rawValue: Int32(bitPattern: policy.rawValue)) else {
            throw ImageError(.invalidArgument, "cache: unknown operation or policy")
        }
        let chain = unsafe try SDImageABI.chain(chain)
        for operation in operations { chain.setPolicy(policy, for: operation) }
    }
}

@_cdecl("sdimage_cache_chain_set_promote") @implementation
public func sdimage_cache_chain_set_promote(_ chain: Object, _ promotes: Bool, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in unsafe try SDImageABI.chain(chain).setPromotes(promotes) }
}
