// The functions of include/sdimage/diagnostics.h: log, metrics, the report of `doctor`, and memory.

import CSDImage
import SDImage
import SDImageHost
import SDImageIsolation

@_cdecl("sdimage_log_set_handler") @implementation
public func sdimage_log_set_handler(
    _ level: sdimage_log_level, _ handler: UnsafePointer<sdimage_log_handler>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        if Engine.isForked { throw .forked }
        let known = Log.Level(rawValue: Int32(bitPattern: level.rawValue)) ?? .off
        guard let handler = unsafe handler, known != .off else { return Log.set(.off, nil) }
        let host = unsafe try ForeignLogHandler(handler, foreign)
        Log.set(known) { level, message in host.write(level, message) }
    }
}

@_cdecl("sdimage_log_write") @implementation
public func sdimage_log_write(_ level: sdimage_log_level, _ text: Text) {
    let level = Log.Level(rawValue: Int32(bitPattern: level.rawValue)) ?? .off
    guard let text = unsafe text, level != .off else { return }
    // A message is one line: a text with several could forge others.
    Log.write(level, String(unsafe String(cString: text).prefix { !$0.isNewline }))
}

@_cdecl("sdimage_manager_config_set_observer") @implementation
public func sdimage_manager_config_set_observer(
    _ config: Object, _ observer: UnsafePointer<sdimage_load_observer>?, _ userData: UserData,
    _ destroy: sdimage_destroy_fn?, _ error: ObjectOut
) -> sdimage_status {
    let foreign = unsafe Foreign(userData, destroy)
    return unsafe attempt(error) { () throws(ImageError) in
        let config = unsafe try Handle.borrow(config, as: ManagerConfigObject.self)
        let observer = unsafe try observer.map { table throws(ImageError) in unsafe try ForeignObserver(table, foreign) }
        config.change { $0.observer = observer }
    }
}

@_cdecl("sdimage_metrics") @implementation
public func sdimage_metrics(_ text: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(text)
        let caches = Engine.isForked ? [] : Defaults.caches
        var metrics = Report.metrics(Defaults.statistics, caches)
        metrics.add(DecoderPool.shared.statistics)
        unsafe try give(try metrics.bytes(), text)
    }
}

@_cdecl("sdimage_diagnosis_new") @implementation
public func sdimage_diagnosis_new(_ diagnosis: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(diagnosis)
        unsafe try give(DiagnosisObject(Defaults.composition), diagnosis)
    }
}

@_cdecl("sdimage_diagnosis_ref") @implementation
public func sdimage_diagnosis_ref(_ diagnosis: Object) -> Object { unsafe Handle.ref(diagnosis, as: DiagnosisObject.self) }

@_cdecl("sdimage_diagnosis_unref") @implementation
public func sdimage_diagnosis_unref(_ diagnosis: Object) { unsafe Handle.unref(diagnosis, as: DiagnosisObject.self) }

@_cdecl("sdimage_diagnosis_can_decode") @implementation
public func sdimage_diagnosis_can_decode(_ diagnosis: Object, _ format: sdimage_format) -> Bool {
    unsafe read(diagnosis, DiagnosisObject.self, false) { diagnosis in
        ImageFormat(rawValue: format.rawValue).map { diagnosis.decodable.contains($0) } ?? false
    }
}

@_cdecl("sdimage_diagnosis_can_encode") @implementation
public func sdimage_diagnosis_can_encode(_ diagnosis: Object, _ format: sdimage_format) -> Bool {
    unsafe read(diagnosis, DiagnosisObject.self, false) { diagnosis in
        ImageFormat(rawValue: format.rawValue).map { diagnosis.encodable.contains($0) } ?? false
    }
}

@_cdecl("sdimage_diagnosis_library_count") @implementation
public func sdimage_diagnosis_library_count(_ diagnosis: Object) -> Int {
    unsafe read(diagnosis, DiagnosisObject.self, 0) { $0.libraries.count }
}

@_cdecl("sdimage_diagnosis_library_name") @implementation
public func sdimage_diagnosis_library_name(_ diagnosis: Object, _ index: Int) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) {
        unsafe $0.libraries.indices ~= index ? $0.libraries[index].name.pointer : nil
    }
}

@_cdecl("sdimage_diagnosis_library_version") @implementation
public func sdimage_diagnosis_library_version(_ diagnosis: Object, _ index: Int) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) {
        unsafe $0.libraries.indices ~= index ? $0.libraries[index].value.pointer : nil
    }
}

@_cdecl("sdimage_diagnosis_plugin_count") @implementation
public func sdimage_diagnosis_plugin_count(_ diagnosis: Object) -> Int {
    unsafe read(diagnosis, DiagnosisObject.self, 0) { $0.plugins.count }
}

@_cdecl("sdimage_diagnosis_plugin_name") @implementation
public func sdimage_diagnosis_plugin_name(_ diagnosis: Object, _ index: Int) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) {
        unsafe $0.plugins.indices ~= index ? $0.plugins[index].name.pointer : nil
    }
}

@_cdecl("sdimage_diagnosis_plugin_state") @implementation
public func sdimage_diagnosis_plugin_state(_ diagnosis: Object, _ index: Int) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) {
        unsafe $0.plugins.indices ~= index ? $0.plugins[index].value.pointer : nil
    }
}

@_cdecl("sdimage_diagnosis_limit_count") @implementation
public func sdimage_diagnosis_limit_count(_ diagnosis: Object) -> Int {
    unsafe read(diagnosis, DiagnosisObject.self, 0) { $0.limits.count }
}

@_cdecl("sdimage_diagnosis_limit_name") @implementation
public func sdimage_diagnosis_limit_name(_ diagnosis: Object, _ index: Int) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) { unsafe $0.limits.indices ~= index ? $0.limits[index].name.pointer : nil }
}

@_cdecl("sdimage_diagnosis_limit_value") @implementation
public func sdimage_diagnosis_limit_value(_ diagnosis: Object, _ index: Int) -> UInt64 {
    unsafe read(diagnosis, DiagnosisObject.self, 0) {
        $0.limits.indices ~= index ? UInt64(clamping: $0.limits[index].value) : 0
    }
}

@_cdecl("sdimage_diagnosis_disabled_count") @implementation
public func sdimage_diagnosis_disabled_count(_ diagnosis: Object) -> Int {
    unsafe read(diagnosis, DiagnosisObject.self, 0) { $0.disabled.count }
}

@_cdecl("sdimage_diagnosis_disabled_name") @implementation
public func sdimage_diagnosis_disabled_name(_ diagnosis: Object, _ index: Int) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) { unsafe $0.disabled.indices ~= index ? $0.disabled[index].pointer : nil }
}

@_cdecl("sdimage_diagnosis_isolation") @implementation
public func sdimage_diagnosis_isolation(_ diagnosis: Object) -> sdimage_isolation {
    unsafe read(diagnosis, DiagnosisObject.self, .SDIMAGE_ISOLATION_DEFAULT) { Isolation?($0.isolation).code }
}

@_cdecl("sdimage_diagnosis_decoder_path") @implementation
public func sdimage_diagnosis_decoder_path(_ diagnosis: Object) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) { unsafe $0.decoderPath?.pointer }
}

@_cdecl("sdimage_diagnosis_cache_path") @implementation
public func sdimage_diagnosis_cache_path(_ diagnosis: Object) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) { unsafe $0.cachePath?.pointer }
}

@_cdecl("sdimage_diagnosis_cache_path_source") @implementation
public func sdimage_diagnosis_cache_path_source(_ diagnosis: Object) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) { unsafe $0.cachePathSource?.pointer }
}

@_cdecl("sdimage_diagnosis_cache_path_problem") @implementation
public func sdimage_diagnosis_cache_path_problem(_ diagnosis: Object) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) { unsafe $0.cachePathProblem?.pointer }
}

@_cdecl("sdimage_diagnosis_processor_count") @implementation
public func sdimage_diagnosis_processor_count(_ diagnosis: Object) -> UInt32 {
    unsafe read(diagnosis, DiagnosisObject.self, 0) { UInt32(clamping: $0.processorCount) }
}

@_cdecl("sdimage_diagnosis_simd_level") @implementation
public func sdimage_diagnosis_simd_level(_ diagnosis: Object) -> Text {
    unsafe read(diagnosis, DiagnosisObject.self, nil) { unsafe $0.simdLevel.pointer }
}

@_cdecl("sdimage_diagnosis_live_pixel_bytes") @implementation
public func sdimage_diagnosis_live_pixel_bytes(_ diagnosis: Object) -> UInt64 {
    unsafe read(diagnosis, DiagnosisObject.self, 0) { UInt64(clamping: $0.livePixelBytes) }
}

@_cdecl("sdimage_diagnosis_retained_pixel_bytes") @implementation
public func sdimage_diagnosis_retained_pixel_bytes(_ diagnosis: Object) -> UInt64 {
    unsafe read(diagnosis, DiagnosisObject.self, 0) { UInt64(clamping: $0.retainedPixelBytes) }
}

@_cdecl("sdimage_diagnosis_thread_count") @implementation
public func sdimage_diagnosis_thread_count(_ diagnosis: Object) -> UInt32 {
    unsafe read(diagnosis, DiagnosisObject.self, 0) { UInt32(clamping: $0.threadCount) }
}

@_cdecl("sdimage_diagnosis_is_running") @implementation
public func sdimage_diagnosis_is_running(_ diagnosis: Object) -> Bool {
    unsafe read(diagnosis, DiagnosisObject.self, false) { $0.isRunning }
}

@_cdecl("sdimage_diagnosis_is_forked") @implementation
public func sdimage_diagnosis_is_forked(_ diagnosis: Object) -> Bool {
    unsafe read(diagnosis, DiagnosisObject.self, false) { $0.isForked }
}

@_cdecl("sdimage_diagnosis_to_json") @implementation
public func sdimage_diagnosis_to_json(_ diagnosis: Object, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let diagnosis = unsafe try Handle.borrow(diagnosis, as: DiagnosisObject.self)
        unsafe try give(try Report.diagnosis(diagnosis).bytes(), json)
    }
}

@_cdecl("sdimage_trim_memory") @implementation
public func sdimage_trim_memory(_ emptyCaches: Bool) {
    Defaults.trimMemory(emptyingCaches: emptyCaches)
}

@_cdecl("sdimage_watch_memory_pressure") @implementation
public func sdimage_watch_memory_pressure(_ watch: Bool) {
    Defaults.watchMemoryPressure(watch)
}

extension MetricsText {
    fileprivate mutating func add(_ workers: DecoderStatistics) {
        gauge("decoder_processes", "Worker processes that run.", workers.running)
        gauge("decoder_waiting", "Decodes that wait for a worker process.", workers.waiting)
        counter("decoder_starts_total", "Worker processes started.", workers.started)
        counter("decoder_calls_total", "Results of worker processes.", workers.calls)
        counter(
            "decoder_failures_total", "Isolated decodes that failed, by reason.",
            [
                ([("reason", "crash")], Double(workers.crashes)), ([("reason", "timeout")], Double(workers.timeouts)),
                ([("reason", "refused")], Double(workers.refused)),
            ])
        counter("decoder_kills_total", "Worker processes killed because of a time limit or a cancellation.", workers.kills)
    }
}
