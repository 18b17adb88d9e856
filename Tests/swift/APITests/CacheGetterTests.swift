import CSDImage
import Foundation
import TestSupport
import Testing

/// Every property of a cache, of its configuration, of a query and of a chain can be read.
@Suite struct CacheGetterTests {
    private let config = Owned(sdimage_cache_config_new()) { sdimage_cache_config_unref($0) }

    @Test func theConfiguration() {
        let standard = text(sdimage_cache_config_directory(config.pointer))
        expectText(config, sdimage_cache_config_set_directory, sdimage_cache_config_directory, standard)
        expectText(config, sdimage_cache_config_set_namespace, sdimage_cache_config_namespace, "default")
        expectProperty(config, sdimage_cache_config_set_memory_only, sdimage_cache_config_is_memory_only, false, true)
        expectProperty(config, sdimage_cache_config_set_max_memory_cost, sdimage_cache_config_max_memory_cost, 0, 7)
        expectProperty(config, sdimage_cache_config_set_max_memory_count, sdimage_cache_config_max_memory_count, 0, 7)
        expectProperty(
            config, sdimage_cache_config_set_eviction, sdimage_cache_config_eviction, .SDIMAGE_EVICTION_ADAPTIVE,
            .SDIMAGE_EVICTION_LRU)
        expectProperty(config, sdimage_cache_config_set_keep_in_memory, sdimage_cache_config_should_keep_in_memory, true, false)
        expectProperty(config, sdimage_cache_config_set_keep_weakly, sdimage_cache_config_should_keep_weakly, false, true)
        expectProperty(config, sdimage_cache_config_set_max_disk_size, sdimage_cache_config_max_disk_size, 0, 1 << 40)
        expectProperty(config, sdimage_cache_config_set_max_disk_age, sdimage_cache_config_max_disk_age, 604_800, -1, 0)
        expectProperty(config, sdimage_cache_config_set_inline_entry_limit, sdimage_cache_config_inline_entry_limit, 65536, 9)
        expectProperty(config, sdimage_cache_config_set_durable, sdimage_cache_config_is_durable, false, true)
        expectProperty(
            config, sdimage_cache_config_set_expire_rule, sdimage_cache_config_expire_rule, .SDIMAGE_EXPIRE_RULE_ACCESS,
            .SDIMAGE_EXPIRE_RULE_MODIFICATION)
        var (folder, file): (UInt32, UInt32) = (0, 0)
        sdimage_cache_config_get_modes(config.pointer, &folder, &file)
        #expect(folder == 0o700 && file == 0o600)
        sdimage_cache_config_set_modes(config.pointer, 0o777, 0o666)
        sdimage_cache_config_get_modes(config.pointer, &folder, &file)
        #expect(folder == 0o755 && file == 0o644, "the permissions in force")
        sdimage_cache_config_get_modes(config.pointer, nil, nil)
    }

    @Test func aRunningCache() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        expectProperty(cache, sdimage_cache_set_keep_in_memory, sdimage_cache_should_keep_in_memory, true, false)
        expectProperty(cache, sdimage_cache_set_keep_weakly, sdimage_cache_should_keep_weakly, false, true)
        sdimage_cache_set_memory_limits(cache.pointer, 1000, 5)
        var (bytes, count) = (0, 0)
        sdimage_cache_get_memory_limits(cache.pointer, &bytes, &count)
        #expect(bytes == 1000 && count == 5)
        sdimage_cache_get_memory_limits(nil, &bytes, nil)
        #expect(bytes == 0)
        sdimage_cache_set_disk_limits(cache.pointer, 2000, 60, .SDIMAGE_EXPIRE_RULE_MODIFICATION)
        var (size, age): (UInt64, Int64) = (0, 0)
        var rule = sdimage_expire_rule.SDIMAGE_EXPIRE_RULE_ACCESS
        sdimage_cache_get_disk_limits(cache.pointer, &size, &age, &rule)
        #expect(size == 2000 && age == 60 && rule == .SDIMAGE_EXPIRE_RULE_MODIFICATION)
        let memory = try makeCache(in: nil)
        sdimage_cache_get_disk_limits(memory.pointer, &size, &age, &rule)
        #expect(size == 0 && age == 0 && rule == .SDIMAGE_EXPIRE_RULE_ACCESS)
    }

    @Test func theExpiryOfAnEntry() throws {
        let cache = try makeCache(in: TemporaryDirectory())
        var date: UInt64 = 5
        #expect(sdimage_cache_get_expiry(cache.pointer, "k", 1, &date, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        let data = try make(sdimage_data_unref) { sdimage_data_new("abc", 3, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, "k", 1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_get_expiry(cache.pointer, "k", 1, &date, nil) == .SDIMAGE_STATUS_OK && date == 0)
        #expect(sdimage_cache_set_expiry(cache.pointer, "k", 1, 1 << 62, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_get_expiry(cache.pointer, "k", 1, &date, nil) == .SDIMAGE_STATUS_OK && date == 1 << 62)
        #expect(sdimage_cache_get_expiry(cache.pointer, "k", 1, nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func aQuery() {
        let query = Owned(sdimage_cache_query_new()) { sdimage_cache_query_unref($0) }
        expectProperty(
            query, sdimage_cache_query_set_order, sdimage_cache_query_order, .SDIMAGE_CACHE_ORDER_STORED,
            .SDIMAGE_CACHE_ORDER_USED)
        expectRestorable(query, sdimage_cache_query_set_used_until, sdimage_cache_query_used_until, 0, 9)
        var length = 5
        #expect(sdimage_cache_query_prefix(query.pointer, &length) == nil && length == 0)
        sdimage_cache_query_set_prefix(query.pointer, "a\0b", 3)
        let prefix = sdimage_cache_query_prefix(query.pointer, &length)
        #expect(Data(bytes: prefix!, count: length) == Data([0x61, 0, 0x62]))
        #expect(sdimage_cache_query_prefix(query.pointer, nil) == prefix)
        var (least, most): (UInt64, UInt64) = (1, 1)
        sdimage_cache_query_get_lengths(query.pointer, &least, &most)
        #expect(least == 0 && most == .max)
        sdimage_cache_query_set_lengths(query.pointer, 3, 9)
        sdimage_cache_query_get_lengths(query.pointer, &least, &most)
        #expect(least == 3 && most == 9)
    }

    @Test func aChain() throws {
        let chain = try make(sdimage_cache_unref) { sdimage_cache_new_chain($0, $1) }
        let (low, high) = (try makeCache(in: nil), try makeCache(in: nil))
        #expect(!sdimage_cache_chain_should_promote(chain.pointer) && sdimage_cache_chain_count(chain.pointer) == 0)
        #expect(sdimage_cache_chain_set_promote(chain.pointer, true, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_chain_should_promote(chain.pointer) && !sdimage_cache_chain_should_promote(low.pointer))
        var policy = sdimage_cache_chain_policy.SDIMAGE_CACHE_CHAIN_POLICY_SERIAL
        let store = sdimage_cache_chain_operation.SDIMAGE_CACHE_CHAIN_OPERATION_STORE
        #expect(sdimage_cache_chain_get_policy(chain.pointer, store, &policy, nil) == .SDIMAGE_STATUS_OK)
        #expect(policy == .SDIMAGE_CACHE_CHAIN_POLICY_HIGHEST_ONLY)
        let lowest = sdimage_cache_chain_policy.SDIMAGE_CACHE_CHAIN_POLICY_LOWEST_ONLY
        #expect(sdimage_cache_chain_set_policy(chain.pointer, store, lowest, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_chain_get_policy(chain.pointer, store, &policy, nil) == .SDIMAGE_STATUS_OK && policy == lowest)
        let all = sdimage_cache_chain_operation.SDIMAGE_CACHE_CHAIN_OPERATION_ALL
        #expect(sdimage_cache_chain_get_policy(chain.pointer, all, &policy, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_cache_chain_get_policy(low.pointer, store, &policy, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        for member in [low, high] { #expect(sdimage_cache_chain_add(chain.pointer, member.pointer, nil) == .SDIMAGE_STATUS_OK) }
        #expect(sdimage_cache_chain_count(chain.pointer) == 2 && sdimage_cache_chain_count(low.pointer) == 0)
        let first = try make(sdimage_cache_unref) { sdimage_cache_chain_get_member(chain.pointer, 0, $0, $1) }
        sdimage_cache_set_memory_limits(high.pointer, 77, 0)
        var bytes = 0
        sdimage_cache_get_memory_limits(first.pointer, &bytes, nil)
        #expect(bytes == 77, "index 0 is the cache added last")
        #expect(sdimage_cache_chain_remove(chain.pointer, first.pointer, nil) == .SDIMAGE_STATUS_OK)
        var none: OpaquePointer?
        #expect(sdimage_cache_chain_get_member(chain.pointer, 1, &none, nil) == .SDIMAGE_STATUS_NOT_FOUND)
    }
}
