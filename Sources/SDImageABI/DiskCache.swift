// The functions of include/sdimage/disk_cache.h: the disk part of built-in caches, its list of entries and its verification.
// Functions that use the disk block the calling thread.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_cache_config_set_expire_rule") @implementation
public func sdimage_cache_config_set_expire_rule(_ config: Object, _ rule: sdimage_expire_rule) {
    unsafe change(config, CacheConfigObject.self) { $0.disk.rule = ExpiryRule(rule) }
}

@_cdecl("sdimage_cache_config_expire_rule") @implementation
public func sdimage_cache_config_expire_rule(_ config: Object) -> sdimage_expire_rule {
    unsafe read(config, CacheConfigObject.self, .SDIMAGE_EXPIRE_RULE_ACCESS) { $0.value.disk.rule.code }
}

@_cdecl("sdimage_cache_config_set_modes") @implementation
public func sdimage_cache_config_set_modes(_ config: Object, _ folder: UInt32, _ file: UInt32) {
    unsafe change(config, CacheConfigObject.self) { $0.modes = CacheModes(folder: folder, file: file) }
}

@_cdecl("sdimage_cache_config_get_modes") @implementation
public func sdimage_cache_config_get_modes(
    _ config: Object, _ folder: UnsafeMutablePointer<UInt32>?, _ file: UnsafeMutablePointer<UInt32>?
) {
    let value = unsafe Handle.find(config, as: CacheConfigObject.self)?.value
    unsafe folder?.pointee = value.map { $0.modes.folder } ?? 0
    unsafe file?.pointee = value.map { $0.modes.file } ?? 0
}

@_cdecl("sdimage_cache_set_disk_limits") @implementation
public func sdimage_cache_set_disk_limits(_ cache: Object, _ bytes: UInt64, _ seconds: Int64, _ rule: sdimage_expire_rule) {
    var limits = DiskLimits()
    limits.maxSize = Int(clamping: bytes)
    limits.maxAge = Int(clamping: seconds)
    limits.rule = ExpiryRule(rule)
    unsafe Handle.find(cache, as: CacheObject.self)?.builtIn?.disk?.setLimits(limits)
}

@_cdecl("sdimage_cache_get_disk_limits") @implementation
public func sdimage_cache_get_disk_limits(
    _ cache: Object, _ maxBytes: UnsafeMutablePointer<UInt64>?, _ maxAgeSeconds: UnsafeMutablePointer<Int64>?,
    _ rule: UnsafeMutablePointer<sdimage_expire_rule>?
) {
    let limits = unsafe Handle.find(cache, as: CacheObject.self)?.builtIn?.disk?.limits
    unsafe maxBytes?.pointee = UInt64(clamping: limits?.maxSize ?? 0)
    unsafe maxAgeSeconds?.pointee = Int64(limits?.maxAge ?? 0)
    unsafe rule?.pointee = limits?.rule.code ?? .SDIMAGE_EXPIRE_RULE_ACCESS
}

@_cdecl("sdimage_cache_trim") @implementation
public func sdimage_cache_trim(_ cache: Object, _ bytes: UInt64, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let disk = unsafe try Input.disk(cache)
        try disk.trimNow(below: Int(clamping: bytes))
    }
}

@_cdecl("sdimage_cache_get_directory") @implementation
public func sdimage_cache_get_directory(_ cache: Object, _ path: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(path)
        let text = CString(unsafe try Input.disk(cache).path)
        unsafe try give(Bytes(text), path)
    }
}

@_cdecl("sdimage_cache_unpin") @implementation
public func sdimage_cache_unpin(_ cache: Object, _ path: Text, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let disk = unsafe try Input.disk(cache)
        guard let path = unsafe Input.text(path) else { throw ImageError(.invalidArgument, "disk cache: path is NULL") }
        guard try disk.unpinNow(path) else { throw ImageError(.notFound, "disk cache: path is not pinned") }
    }
}

@_cdecl("sdimage_cache_get_extended_data") @implementation
public func sdimage_cache_get_extended_data(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ data: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(data)
        let disk = unsafe try Input.disk(cache)
        let key = unsafe try Input.key(key, length)
        let named = try disk.named(key)
        guard let found = try disk.extendedDataNow(for: named) else {
            throw ImageError(.notFound, "disk cache: entry has no extended data")
        }
        unsafe try give(found, data)
    }
}

@_cdecl("sdimage_cache_set_extended_data") @implementation
public func sdimage_cache_set_extended_data(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ data: Object, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let disk = unsafe try Input.disk(cache)
        let data = unsafe data == nil ? nil : try Handle.borrow(data, as: Bytes.self)
        unsafe try disk.setExtendedDataNow(data, for: try disk.named(try Input.key(key, length)))
    }
}

@_cdecl("sdimage_cache_set_expiry") @implementation
public func sdimage_cache_set_expiry(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ date: UInt64, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let disk = unsafe try Input.disk(cache)
        unsafe try disk.setExpiryNow(date, for: try disk.named(try Input.key(key, length)))
    }
}

@_cdecl("sdimage_cache_get_expiry") @implementation
public func sdimage_cache_get_expiry(
    _ cache: Object, _ key: UnsafeRawPointer?, _ length: Int, _ date: UnsafeMutablePointer<UInt64>?, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        guard let date = unsafe date else { throw ImageError(.invalidArgument, "argument: no place to store the result") }
        let disk = unsafe try Input.disk(cache)
        unsafe date.pointee = unsafe try disk.expiryNow(of: try disk.named(try Input.key(key, length)))
    }
}

@_cdecl("sdimage_cache_query_new") @implementation
public func sdimage_cache_query_new() -> Object { unsafe Handle.own(CacheQueryObject(CacheQuery())) }

@_cdecl("sdimage_cache_query_ref") @implementation
public func sdimage_cache_query_ref(_ query: Object) -> Object { unsafe Handle.ref(query, as: CacheQueryObject.self) }

@_cdecl("sdimage_cache_query_unref") @implementation
public func sdimage_cache_query_unref(_ query: Object) { unsafe Handle.unref(query, as: CacheQueryObject.self) }

@_cdecl("sdimage_cache_query_set_order") @implementation
public func sdimage_cache_query_set_order(_ query: Object, _ order: sdimage_cache_order) {
    unsafe change(query, CacheQueryObject.self) {
        $0.order = CacheQuery.Order(rawValue: Int32(bitPattern: order.rawValue)) ?? .stored
    }
}

@_cdecl("sdimage_cache_query_order") @implementation
public func sdimage_cache_query_order(_ query: Object) -> sdimage_cache_order {
    unsafe read(query, CacheQueryObject.self, .SDIMAGE_CACHE_ORDER_STORED) { $0.value.order.code }
}

@_cdecl("sdimage_cache_query_set_prefix") @implementation
public func sdimage_cache_query_set_prefix(_ query: Object, _ prefix: UnsafeRawPointer?, _ length: Int) {
    guard let bytes = unsafe try? Input.bytes(prefix, length) else { return }
    unsafe change(query, CacheQueryObject.self) { $0.prefix = bytes }
}

@_cdecl("sdimage_cache_query_prefix") @implementation
public func sdimage_cache_query_prefix(_ query: Object, _ length: UnsafeMutablePointer<Int>?) -> UnsafeRawPointer? {
    let prefix = unsafe read(query, CacheQueryObject.self, nil) { query in
        query.lent.text("prefix", query.value.prefix.isEmpty ? nil : query.value.prefix)
    }
    unsafe length?.pointee = prefix?.count ?? 0
    return unsafe prefix.map { unsafe UnsafeRawPointer($0.pointer) }
}

@_cdecl("sdimage_cache_query_set_used_until") @implementation
public func sdimage_cache_query_set_used_until(_ query: Object, _ date: UInt64) {
    unsafe change(query, CacheQueryObject.self) { $0.accessedUntil = date == 0 ? .max : date }
}

@_cdecl("sdimage_cache_query_used_until") @implementation
public func sdimage_cache_query_used_until(_ query: Object) -> UInt64 {
    unsafe read(query, CacheQueryObject.self, 0) { $0.value.accessedUntil == .max ? 0 : $0.value.accessedUntil }
}

@_cdecl("sdimage_cache_query_set_lengths") @implementation
public func sdimage_cache_query_set_lengths(_ query: Object, _ least: UInt64, _ most: UInt64) {
    unsafe change(query, CacheQueryObject.self) {
        $0.lengths = Int(clamping: min(least, most))...Int(clamping: max(least, most))
    }
}

@_cdecl("sdimage_cache_query_get_lengths") @implementation
public func sdimage_cache_query_get_lengths(
    _ query: Object, _ least: UnsafeMutablePointer<UInt64>?, _ most: UnsafeMutablePointer<UInt64>?
) {
    let value = unsafe Handle.find(query, as: CacheQueryObject.self)?.value
    unsafe least?.pointee = value.map { UInt64($0.lengths.lowerBound) } ?? 0
    unsafe most?.pointee = value.map { $0.lengths.upperBound == .max ? .max : UInt64($0.lengths.upperBound) } ?? 0
}

@_cdecl("sdimage_cache_list") @implementation
public func sdimage_cache_list(
    _ cache: Object, _ query: Object, _ after: Object, _ limit: Int, _ page: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(page)
        let disk = unsafe try Input.disk(cache)
        let query = unsafe query == nil ? CacheQuery() : try Handle.borrow(query, as: CacheQueryObject.self).value
        let before = unsafe after == nil ? nil : try Handle.borrow(after, as: CachePageObject.self)
        unsafe try give(try CachePageObject.page(of: disk, query, after: before, limit: Input.size(limit)), page)
    }
}

@_cdecl("sdimage_cache_page_ref") @implementation
public func sdimage_cache_page_ref(_ page: Object) -> Object { unsafe Handle.ref(page, as: CachePageObject.self) }

@_cdecl("sdimage_cache_page_unref") @implementation
public func sdimage_cache_page_unref(_ page: Object) { unsafe Handle.unref(page, as: CachePageObject.self) }

@_cdecl("sdimage_cache_page_count") @implementation
public func sdimage_cache_page_count(_ page: Object) -> Int {
    unsafe read(page, CachePageObject.self, 0) { $0.page.entries.count }
}

@_cdecl("sdimage_cache_page_is_last") @implementation
public func sdimage_cache_page_is_last(_ page: Object) -> Bool {
    unsafe read(page, CachePageObject.self, true) { $0.page.next == nil }
}

@_cdecl("sdimage_cache_page_key") @implementation
public func sdimage_cache_page_key(_ page: Object, _ index: Int, _ length: UnsafeMutablePointer<Int>?) -> UnsafeRawPointer? {
    guard let page = unsafe Handle.find(page, as: CachePageObject.self), let key = page.key(index) else { return nil }
    unsafe length?.pointee = key.count
    return unsafe key.pointer
}

@_cdecl("sdimage_cache_page_length") @implementation
public func sdimage_cache_page_length(_ page: Object, _ index: Int) -> UInt64 {
    unsafe read(page, CachePageObject.self, 0) { UInt64(clamping: $0.entry(index)?.length ?? 0) }
}

@_cdecl("sdimage_cache_page_stored_ns") @implementation
public func sdimage_cache_page_stored_ns(_ page: Object, _ index: Int) -> UInt64 {
    unsafe read(page, CachePageObject.self, 0) { $0.entry(index)?.created ?? 0 }
}

@_cdecl("sdimage_cache_page_used_ns") @implementation
public func sdimage_cache_page_used_ns(_ page: Object, _ index: Int) -> UInt64 {
    unsafe read(page, CachePageObject.self, 0) { $0.entry(index)?.accessed ?? 0 }
}

@_cdecl("sdimage_cache_page_expires_ns") @implementation
public func sdimage_cache_page_expires_ns(_ page: Object, _ index: Int) -> UInt64 {
    unsafe read(page, CachePageObject.self, 0) { $0.entry(index)?.expires ?? 0 }
}

@_cdecl("sdimage_cache_page_is_file") @implementation
public func sdimage_cache_page_is_file(_ page: Object, _ index: Int) -> Bool {
    unsafe read(page, CachePageObject.self, false) { $0.entry(index)?.isFile ?? false }
}

@_cdecl("sdimage_cache_verify") @implementation
public func sdimage_cache_verify(
    _ cache: Object, _ repair: Bool, _ verification: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(verification)
        unsafe try give(VerificationObject(try Input.disk(cache).verifyNow(repairs: repair)), verification)
    }
}

@_cdecl("sdimage_cache_verification_ref") @implementation
public func sdimage_cache_verification_ref(_ verification: Object) -> Object {
    unsafe Handle.ref(verification, as: VerificationObject.self)
}

@_cdecl("sdimage_cache_verification_unref") @implementation
public func sdimage_cache_verification_unref(_ verification: Object) {
    unsafe Handle.unref(verification, as: VerificationObject.self)
}

@_cdecl("sdimage_cache_verification_is_sound") @implementation
public func sdimage_cache_verification_is_sound(_ verification: Object) -> Bool {
    unsafe read(verification, VerificationObject.self, false) { $0.report.isSound }
}

@_cdecl("sdimage_cache_verification_entry_count") @implementation
public func sdimage_cache_verification_entry_count(_ verification: Object) -> UInt64 {
    unsafe read(verification, VerificationObject.self, 0) { UInt64(clamping: $0.report.entries) }
}

@_cdecl("sdimage_cache_verification_byte_count") @implementation
public func sdimage_cache_verification_byte_count(_ verification: Object) -> UInt64 {
    unsafe read(verification, VerificationObject.self, 0) { UInt64(clamping: $0.report.bytes) }
}

@_cdecl("sdimage_cache_verification_damaged_count") @implementation
public func sdimage_cache_verification_damaged_count(_ verification: Object) -> UInt64 {
    unsafe read(verification, VerificationObject.self, 0) { UInt64(clamping: $0.report.damaged) }
}

@_cdecl("sdimage_cache_verification_missing_count") @implementation
public func sdimage_cache_verification_missing_count(_ verification: Object) -> UInt64 {
    unsafe read(verification, VerificationObject.self, 0) { UInt64(clamping: $0.report.missing) }
}

@_cdecl("sdimage_cache_verification_stray_count") @implementation
public func sdimage_cache_verification_stray_count(_ verification: Object) -> UInt64 {
    unsafe read(verification, VerificationObject.self, 0) { UInt64(clamping: $0.report.strays) }
}

@_cdecl("sdimage_cache_verification_is_index_damaged") @implementation
public func sdimage_cache_verification_is_index_damaged(_ verification: Object) -> Bool {
    unsafe read(verification, VerificationObject.self, false) { $0.report.isIndexDamaged }
}

@_cdecl("sdimage_cache_verification_has_wrong_totals") @implementation
public func sdimage_cache_verification_has_wrong_totals(_ verification: Object) -> Bool {
    unsafe read(verification, VerificationObject.self, false) { $0.report.areTotalsWrong }
}

@_cdecl("sdimage_cache_verification_is_repaired") @implementation
public func sdimage_cache_verification_is_repaired(_ verification: Object) -> Bool {
    unsafe read(verification, VerificationObject.self, false) { $0.report.isRepaired }
}

@_cdecl("sdimage_cache_verification_key_count") @implementation
public func sdimage_cache_verification_key_count(_ verification: Object) -> Int {
    unsafe read(verification, VerificationObject.self, 0) { $0.keys.count }
}

@_cdecl("sdimage_cache_verification_key") @implementation
public func sdimage_cache_verification_key(
    _ verification: Object, _ index: Int, _ length: UnsafeMutablePointer<Int>?
) -> UnsafeRawPointer? {
    unsafe read(verification, VerificationObject.self, nil) { verification in
        let key = verification.keys.indices ~= index ? verification.keys[index] : nil
        unsafe length?.pointee = key?.count ?? 0
        return unsafe key.map { unsafe UnsafeRawPointer($0.pointer) } ?? nil
    }
}

@_cdecl("sdimage_cache_verification_to_json") @implementation
public func sdimage_cache_verification_to_json(_ verification: Object, _ json: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let verification = unsafe try Handle.borrow(verification, as: VerificationObject.self)
        unsafe try give(try Report.verification(verification.report).bytes(), json)
    }
}
