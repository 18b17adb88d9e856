// The getters of include/sdimage/cache.h. Texts are lent by the object that they are read from.

import CSDImage
import SDImage
import SDImageHost

/// The chain behind a pointer; nil for any other cache.
private func chain(_ pointer: Object) -> CacheChain? {
    unsafe Handle.find(pointer, as: CacheObject.self)?.cache as? CacheChain
}

@_cdecl("sdimage_cache_config_directory") @implementation
public func sdimage_cache_config_directory(_ config: Object) -> Text {
    unsafe read(config, CacheConfigObject.self, nil) { unsafe $0.lent.text("directory", $0.value.directory)?.pointer }
}

@_cdecl("sdimage_cache_config_namespace") @implementation
public func sdimage_cache_config_namespace(_ config: Object) -> Text {
    unsafe read(config, CacheConfigObject.self, CString.empty.pointer) {
        unsafe $0.lent.text("namespace", $0.value.namespace)?.pointer
    }
}

@_cdecl("sdimage_cache_config_is_memory_only") @implementation
public func sdimage_cache_config_is_memory_only(_ config: Object) -> Bool {
    unsafe read(config, CacheConfigObject.self, false) { $0.value.isMemoryOnly }
}

@_cdecl("sdimage_cache_config_max_memory_cost") @implementation
public func sdimage_cache_config_max_memory_cost(_ config: Object) -> Int {
    unsafe read(config, CacheConfigObject.self, 0) { $0.value.maxMemoryCost }
}

@_cdecl("sdimage_cache_config_max_memory_count") @implementation
public func sdimage_cache_config_max_memory_count(_ config: Object) -> Int {
    unsafe read(config, CacheConfigObject.self, 0) { $0.value.maxMemoryCount }
}

@_cdecl("sdimage_cache_config_eviction") @implementation
public func sdimage_cache_config_eviction(_ config: Object) -> sdimage_eviction {
    unsafe read(config, CacheConfigObject.self, .SDIMAGE_EVICTION_ADAPTIVE) { $0.value.eviction.code }
}

@_cdecl("sdimage_cache_config_should_keep_in_memory") @implementation
public func sdimage_cache_config_should_keep_in_memory(_ config: Object) -> Bool {
    unsafe read(config, CacheConfigObject.self, false) { $0.value.keepsImagesInMemory }
}

@_cdecl("sdimage_cache_config_should_keep_weakly") @implementation
public func sdimage_cache_config_should_keep_weakly(_ config: Object) -> Bool {
    unsafe read(config, CacheConfigObject.self, false) { $0.value.keepsWeakImages }
}

@_cdecl("sdimage_cache_config_max_disk_size") @implementation
public func sdimage_cache_config_max_disk_size(_ config: Object) -> UInt64 {
    unsafe read(config, CacheConfigObject.self, 0) { UInt64(clamping: $0.value.disk.maxSize) }
}

@_cdecl("sdimage_cache_config_max_disk_age") @implementation
public func sdimage_cache_config_max_disk_age(_ config: Object) -> Int64 {
    unsafe read(config, CacheConfigObject.self, 0) { Int64($0.value.disk.maxAge) }
}

@_cdecl("sdimage_cache_config_inline_entry_limit") @implementation
public func sdimage_cache_config_inline_entry_limit(_ config: Object) -> Int {
    unsafe read(config, CacheConfigObject.self, 0) { $0.value.inlineEntryLimit }
}

@_cdecl("sdimage_cache_config_is_durable") @implementation
public func sdimage_cache_config_is_durable(_ config: Object) -> Bool {
    unsafe read(config, CacheConfigObject.self, false) { $0.value.isDurable }
}

@_cdecl("sdimage_cache_get_memory_limits") @implementation
public func sdimage_cache_get_memory_limits(
    _ cache: Object, _ bytes: UnsafeMutablePointer<Int>?, _ count: UnsafeMutablePointer<Int>?
) {
    let limits = unsafe Handle.find(cache, as: CacheObject.self)?.memory?.limits ?? (bytes: 0, count: 0)
    unsafe bytes?.pointee = limits.bytes
    unsafe count?.pointee = limits.count
}

@_cdecl("sdimage_cache_should_keep_in_memory") @implementation
public func sdimage_cache_should_keep_in_memory(_ cache: Object) -> Bool {
    unsafe read(cache, CacheObject.self, false) { $0.builtIn?.keepsImagesInMemory ?? false }
}

@_cdecl("sdimage_cache_should_keep_weakly") @implementation
public func sdimage_cache_should_keep_weakly(_ cache: Object) -> Bool {
    unsafe read(cache, CacheObject.self, false) { $0.memory?.keepsEvictedImages ?? false }
}

@_cdecl("sdimage_cache_chain_count") @implementation
public func sdimage_cache_chain_count(_ chain: Object) -> Int {
    unsafe SDImageABI.chain(chain)?.members.count ?? 0
}

@_cdecl("sdimage_cache_chain_get_member") @implementation
public func sdimage_cache_chain_get_member(_ chain: Object, _ index: Int, _ member: ObjectOut, _ error: ObjectOut)
    -> sdimage_status
{
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(member)
        let members = Array(unsafe try Input.chain(chain).members.reversed())
        guard members.indices.contains(index) else {
            throw ImageError(.notFound, "cache: member \(UInt(bitPattern: index)) is out of range (count \(members.count))")
        }
        unsafe try give(CacheObject(members[index]), member)
    }
}

@_cdecl("sdimage_cache_chain_get_policy") @implementation
public func sdimage_cache_chain_get_policy(
    _ chain: Object, _ operation: sdimage_cache_chain_operation, _ policy: UnsafeMutablePointer<sdimage_cache_chain_policy>?,
    _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        guard let policy = unsafe policy, let operation = CacheChain.Operation(rawValue: operation.rawValue) else {
            throw ImageError(.invalidArgument, "cache: unknown operation, or no place to store the result")
        }
        unsafe policy.pointee = unsafe try Input.chain(chain).policy(of: operation).code
    }
}

@_cdecl("sdimage_cache_chain_should_promote") @implementation
public func sdimage_cache_chain_should_promote(_ chain: Object) -> Bool {
    unsafe SDImageABI.chain(chain)?.promotes ?? false
}
