import CSDImage
import Foundation
import TestSupport
import Testing

@Suite struct DiskTests {
    private func data(_ text: String) throws -> Owned {
        try make(sdimage_data_unref) { sdimage_data_new(text, text.utf8.count, $0, $1) }
    }

    private func text(_ data: Owned) -> String {
        String(
            decoding: UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)),
            as: UTF8.self)
    }

    private func store(_ cache: Owned, _ key: String, _ text: String) throws {
        let bytes = try data(text)
        let status = sdimage_cache_store_data(cache.pointer, key, -1, bytes.pointer, nil)
        if status != .SDIMAGE_STATUS_OK { throw CallFailure(status, nil) }
    }

    private func page(_ cache: Owned, _ query: Owned?, after: Owned? = nil, limit: Int) throws -> Owned {
        try make({ sdimage_cache_page_unref($0) }) {
            sdimage_cache_list(cache.pointer, query?.pointer, after?.pointer, limit, $0, $1)
        }
    }

    private func keys(_ page: Owned) -> [String] {
        (0..<sdimage_cache_page_count(page.pointer)).map { index in
            var length = 0
            let key = sdimage_cache_page_key(page.pointer, index, &length)
            return String(decoding: UnsafeRawBufferPointer(start: key, count: length), as: UTF8.self)
        }
    }

    @Test func aLimitBeyondAllDisksIsNone() throws {
        let config = Owned(sdimage_cache_config_new()) { sdimage_cache_config_unref($0) }
        let folder = TemporaryDirectory()
        sdimage_cache_config_set_directory(config.pointer, folder.path)
        sdimage_cache_config_set_max_disk_size(config.pointer, .max)
        let cache = try make(sdimage_cache_unref) { sdimage_cache_new(config.pointer, $0, $1) }
        for index in 0..<3 { try store(cache, "\(index)", "x") }
        #expect(keys(try page(cache, nil, limit: 9)).count == 3)
    }

    @Test func aFullPageIsTheLastIfNoEntryIsLeft() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        for index in 0..<4 { try store(cache, "\(index)", "x") }
        let first = try page(cache, nil, limit: 2)
        #expect(keys(first) == ["0", "1"] && !sdimage_cache_page_is_last(first.pointer))
        let second = try page(cache, nil, after: first, limit: 2)
        #expect(keys(second) == ["2", "3"] && sdimage_cache_page_is_last(second.pointer))
    }

    @Test func aListIsReadPageByPageAndFiltered() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        for index in 0..<25 {
            try store(cache, "\(index % 2 == 0 ? "even" : "odd")/\(index)", String(repeating: "x", count: index))
        }
        var found: [String] = []
        var last: Owned?
        repeat {
            let next = try page(cache, nil, after: last, limit: 10)
            found += keys(next)
            last = next
        } while !sdimage_cache_page_is_last(last?.pointer)
        #expect(found.count == 25 && found[3] == "odd/3")
        #expect(keys(try page(cache, nil, after: last, limit: 10)).isEmpty)
        let query = Owned(sdimage_cache_query_new()) { sdimage_cache_query_unref($0) }
        sdimage_cache_query_set_prefix(query.pointer, "odd/", -1)
        sdimage_cache_query_set_lengths(query.pointer, 10, 15)
        sdimage_cache_query_set_order(query.pointer, .SDIMAGE_CACHE_ORDER_USED)
        let odd = try page(cache, query, limit: 100)
        #expect(keys(odd) == ["odd/11", "odd/13", "odd/15"])
        #expect(sdimage_cache_page_length(odd.pointer, 1) == 13)
        #expect(sdimage_cache_page_stored_ns(odd.pointer, 1) > 0)
        #expect(sdimage_cache_page_used_ns(odd.pointer, 1) >= sdimage_cache_page_stored_ns(odd.pointer, 1))
        #expect(sdimage_cache_page_expires_ns(odd.pointer, 1) == 0)
        #expect(!sdimage_cache_page_is_file(odd.pointer, 1))
        #expect(sdimage_cache_page_key(odd.pointer, 3, nil) == nil)
        #expect(sdimage_cache_page_length(odd.pointer, 3) == 0)
        sdimage_cache_query_set_used_until(query.pointer, 1)
        #expect(keys(try page(cache, query, limit: 100)).isEmpty)
    }

    @Test func extendedDataIsKeptBesideAnEntry() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        try store(cache, "a", "bytes")
        let extra = try data("extra")
        func read() throws -> String {
            text(try make(sdimage_data_unref) { sdimage_cache_get_extended_data(cache.pointer, "a", 1, $0, $1) })
        }
        let missing = #expect(throws: CallFailure.self) { try read() }
        #expect(missing?.status == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(sdimage_cache_set_extended_data(cache.pointer, "a", 1, extra.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(try read() == "extra")
        #expect(sdimage_cache_set_extended_data(cache.pointer, "a", 1, nil, nil) == .SDIMAGE_STATUS_OK)
        #expect(throws: CallFailure.self) { try read() }
        #expect(sdimage_cache_set_extended_data(cache.pointer, "b", 1, extra.pointer, nil) == .SDIMAGE_STATUS_NOT_FOUND)
    }

    @Test func anEntryIsGoneAfterItsExpiry() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        try store(cache, "a", "bytes")
        #expect(sdimage_cache_set_expiry(cache.pointer, "a", 1, .max, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "a", 1) == .SDIMAGE_CACHE_LAYERS_DISK)
        #expect(sdimage_cache_set_expiry(cache.pointer, "a", 1, 1, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "a", 1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(sdimage_cache_set_expiry(cache.pointer, "a", 1, 0, nil) == .SDIMAGE_STATUS_NOT_FOUND)
    }

    @Test func aPathIsFoundWhileTheEntryIsReplaced() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        try store(cache, "a", "bytes")
        let bytes = try data("bytes"), statuses = Locked([sdimage_status]()), stalled = Locked(Set<Int>())
        // A thread without a processor, with a lock of the index, makes the other one fail after two seconds; the cache leaves the
        // index alone for as long afterwards.
        let note: @Sendable (Int, Date) -> Void = { round, start in
            if Date().timeIntervalSince(start) > 1 { stalled.change { $0.insert(round) } }
        }
        Race.run(rounds: 200) { round in
            if stalled.get().contains(round - 1) { sleep(3) }
            let start = Date()
            var path: OpaquePointer?
            let status = sdimage_cache_get_path(cache.pointer, "a", 1, &path, nil)
            note(round, start)
            statuses.change { $0.append(status) }
            guard status == .SDIMAGE_STATUS_OK else { return }
            sdimage_cache_unpin(cache.pointer, sdimage_data_bytes(path)?.assumingMemoryBound(to: CChar.self), nil)
            sdimage_data_unref(path)
        } against: { round in
            let start = Date()
            sdimage_cache_store_data(cache.pointer, "a", 1, bytes.pointer, nil)
            note(round, start)
        }
        let failed = statuses.get().indices.filter { statuses.get()[$0] != .SDIMAGE_STATUS_OK }
        #expect(stalled.get().isSuperset(of: failed))
    }

    @Test func aPathIsReadableUntilItIsUnpinned() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        try store(cache, "a", "bytes")
        let pin = try make(sdimage_data_unref) { sdimage_cache_get_path(cache.pointer, "a", 1, $0, $1) }
        let folder = try make(sdimage_data_unref) { sdimage_cache_get_directory(cache.pointer, $0, $1) }
        #expect(text(pin).hasPrefix(text(folder)))
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_ALL, nil) == .SDIMAGE_STATUS_OK)
        #expect(try String(contentsOfFile: text(pin), encoding: .utf8) == "bytes")
        #expect(sdimage_cache_unpin(cache.pointer, text(pin), nil) == .SDIMAGE_STATUS_OK)
        #expect(!FileManager.default.fileExists(atPath: text(pin)))
        #expect(sdimage_cache_unpin(cache.pointer, text(pin), nil) == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(sdimage_cache_unpin(cache.pointer, nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func limitsOfARunningCacheCanBeChanged() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        for index in 0..<10 { try store(cache, "\(index)", String(repeating: "x", count: 100_000)) }
        #expect(sdimage_cache_trim(cache.pointer, 600_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "0", 1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(sdimage_cache_contains(cache.pointer, "9", 1) == .SDIMAGE_CACHE_LAYERS_DISK)
        sdimage_cache_set_disk_limits(cache.pointer, 0, 0, .SDIMAGE_EXPIRE_RULE_MODIFICATION)
        #expect(sdimage_cache_contains(cache.pointer, "9", 1) == .SDIMAGE_CACHE_LAYERS_NONE)
        sdimage_cache_set_disk_limits(cache.pointer, 0, -1, .SDIMAGE_EXPIRE_RULE_ACCESS)
    }

    @Test func verifyingTellsWhatItRead() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        for index in 0..<10 { try store(cache, "\(index)", "bytes") }
        let found = try make(sdimage_cache_verification_unref) { sdimage_cache_verify(cache.pointer, false, $0, $1) }
        #expect(sdimage_cache_verification_is_sound(found.pointer))
        #expect(sdimage_cache_verification_entry_count(found.pointer) == 10)
        #expect(sdimage_cache_verification_byte_count(found.pointer) == 50)
        #expect(sdimage_cache_verification_key_count(found.pointer) == 0)
        let report = try make(sdimage_data_unref) { sdimage_cache_verification_to_json(found.pointer, $0, $1) }
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text(report).utf8)) as? [String: Any])
        #expect(json["sound"] as? Bool == true)
        #expect(json["entries"] as? Int == 10)
        #expect(json["bytes"] as? Int == 50)
    }

    @Test func keysAreUTF8WithAnyBytesOfIt() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        let bytes = try data("bytes")
        for key in [[0xff], [0x61, 0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80]] as [[UInt8]] {
            let status = sdimage_cache_store_data(cache.pointer, key, key.count, bytes.pointer, nil)
            #expect(status == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        }
        for key in [[0], [0x61, 0, 0x62], [0x61, 0, 0x63], [0xc3, 0xa9], [0x65, 0xcc, 0x81]] as [[UInt8]] {
            #expect(sdimage_cache_contains(cache.pointer, key, key.count) == .SDIMAGE_CACHE_LAYERS_NONE)
            #expect(sdimage_cache_store_data(cache.pointer, key, key.count, bytes.pointer, nil) == .SDIMAGE_STATUS_OK)
            #expect(sdimage_cache_contains(cache.pointer, key, key.count) == .SDIMAGE_CACHE_LAYERS_DISK)
        }
    }

    @Test func aCacheInMemoryHasNoDiskPart() throws {
        let cache = try makeCache(in: nil)
        var page: OpaquePointer?
        #expect(sdimage_cache_list(cache.pointer, nil, nil, 1, &page, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(sdimage_cache_trim(cache.pointer, 0, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
        sdimage_cache_set_disk_limits(cache.pointer, 1, 1, .SDIMAGE_EXPIRE_RULE_ACCESS)
    }

    @Test func filesHaveTheModesAskedFor() throws {
        let folder = TemporaryDirectory()
        let config = sdimage_cache_config_new()
        defer { sdimage_cache_config_unref(config) }
        sdimage_cache_config_set_directory(config, folder.path)
        sdimage_cache_config_set_modes(config, 0o750, 0o640)
        sdimage_cache_config_set_expire_rule(config, .SDIMAGE_EXPIRE_RULE_MODIFICATION)
        let cache = try make(sdimage_cache_unref) { sdimage_cache_new(config, $0, $1) }
        try store(cache, "a", "bytes")
        let path = text(try make(sdimage_data_unref) { sdimage_cache_get_path(cache.pointer, "a", 1, $0, $1) })
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o640)
    }
}
