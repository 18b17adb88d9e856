// The functions of include/sdimage/isolation.h: decoding in worker processes (SDImageIsolation).

import CSDImage
import SDImage
import SDImageHost
import SDImageIsolation
import SDImageModules

@_cdecl("sdimage_set_isolation") @implementation
public func sdimage_set_isolation(_ isolation: sdimage_isolation) { Isolation.standard = Isolation?(isolation) ?? .none }

@_cdecl("sdimage_get_isolation") @implementation
public func sdimage_get_isolation(_ isolation: UnsafeMutablePointer<sdimage_isolation>?) {
    unsafe isolation?.pointee = Isolation?(Isolation.standard).code
}

@_cdecl("sdimage_set_isolation_fallback") @implementation
public func sdimage_set_isolation_fallback(_ decodeInProcess: Bool) { Isolation.decodesInProcess = decodeInProcess }

@_cdecl("sdimage_has_isolation_fallback") @implementation
public func sdimage_has_isolation_fallback() -> Bool { Isolation.decodesInProcess }

@_cdecl("sdimage_decode_options_set_isolation") @implementation
public func sdimage_decode_options_set_isolation(_ options: Object, _ isolation: sdimage_isolation) {
    unsafe change(options, DecodeOptionsObject.self) { $0.isolation = Isolation?(isolation) }
}

@_cdecl("sdimage_decode_options_isolation") @implementation
public func sdimage_decode_options_isolation(_ options: Object) -> sdimage_isolation {
    unsafe read(options, DecodeOptionsObject.self, .SDIMAGE_ISOLATION_DEFAULT) { $0.value.isolation.code }
}

@_cdecl("sdimage_isolation_get_statistics") @implementation
public func sdimage_isolation_get_statistics(
    _ statistics: UnsafeMutablePointer<sdimage_isolation_statistics>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try fill(statistics, size: statistics?.pointee.size ?? 0, with: DecoderPool.shared.statistics.counters)
    }
}

@_cdecl("sdimage_isolation_statistics_to_json") @implementation
public func sdimage_isolation_statistics_to_json(_ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(json)
        unsafe try give(try Report.counts(DecoderPool.shared.statistics.counts).bytes(), json)
    }
}

@_cdecl("sdimage_isolation_end_idle") @implementation
public func sdimage_isolation_end_idle() { DecoderPool.shared.endIdle() }

// The main function of `sdimage-decoder`: it returns when the host ends.
@_cdecl("sdimage_isolation_main") @implementation
public func sdimage_isolation_main() -> Int32 { DecoderService.run { name throws(ImageError) in try Defaults.coder(name) } }

extension DecoderStatistics {
    fileprivate var counters: sdimage_isolation_statistics {
        var result = sdimage_isolation_statistics()
        result.running = UInt64(clamping: running)
        result.started = UInt64(clamping: started)
        result.crashes = UInt64(clamping: crashes)
        result.kills = UInt64(clamping: kills)
        result.timeouts = UInt64(clamping: timeouts)
        result.refused = UInt64(clamping: refused)
        result.calls = UInt64(clamping: calls)
        result.waiting = UInt64(clamping: waiting)
        return result
    }
}
