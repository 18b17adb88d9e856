import CSDImage

/// Sets the bits of a request's cache policy that skip a layer: `disk` if disk is not among the layers, `memory` likewise.
private func skip(
    _ request: OpaquePointer?, unless layers: sdimage_cache_layers, disk: sdimage_cache_policy, memory: sdimage_cache_policy
) {
    var bits = sdimage_request_cache_policy(request).rawValue & ~(disk.rawValue | memory.rawValue)
    if layers.rawValue & 1 == 0 { bits |= disk.rawValue }
    if layers.rawValue & 2 == 0 { bits |= memory.rawValue }
    sdimage_request_set_cache_policy(request, unsafeBitCast(bits, to: sdimage_cache_policy.self))
}

func setQueryLayers(_ request: OpaquePointer?, _ layers: sdimage_cache_layers) {
    skip(
        request, unless: layers, disk: .SDIMAGE_CACHE_POLICY_SKIP_DISK_READ, memory: .SDIMAGE_CACHE_POLICY_SKIP_MEMORY_READ)
}

func setStoreLayers(_ request: OpaquePointer?, _ layers: sdimage_cache_layers) {
    skip(
        request, unless: layers, disk: .SDIMAGE_CACHE_POLICY_SKIP_DISK_WRITE, memory: .SDIMAGE_CACHE_POLICY_SKIP_MEMORY_WRITE)
}

/// Memory is an exception for originals: its bit is set when it is among the layers.
func setOriginalQueryLayers(_ request: OpaquePointer?, _ layers: sdimage_cache_layers) {
    skip(
        request, unless: unsafeBitCast(layers.rawValue ^ 2, to: sdimage_cache_layers.self),
        disk: .SDIMAGE_CACHE_POLICY_SKIP_ORIGINAL_READ, memory: .SDIMAGE_CACHE_POLICY_READ_ORIGINAL_FROM_MEMORY)
}

func setOriginalStoreLayers(_ request: OpaquePointer?, _ layers: sdimage_cache_layers) {
    skip(
        request, unless: unsafeBitCast(layers.rawValue ^ 2, to: sdimage_cache_layers.self),
        disk: .SDIMAGE_CACHE_POLICY_SKIP_ORIGINAL_WRITE, memory: .SDIMAGE_CACHE_POLICY_STORE_ORIGINAL_IN_MEMORY)
}
