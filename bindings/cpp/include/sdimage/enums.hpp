// enums.hpp: the enums of loads and caches; the C headers document each value.
#ifndef SDIMAGE_ENUMS_HPP
#define SDIMAGE_ENUMS_HPP

#include "image_enums.hpp"

namespace sdimage {

enum class eviction : int { // cache.h
    adaptive = SDIMAGE_EVICTION_ADAPTIVE,
    lru = SDIMAGE_EVICTION_LRU,
};

enum class cache_policy : int { // cache_chain.h
    serial = SDIMAGE_CACHE_POLICY_SERIAL,
    concurrent = SDIMAGE_CACHE_POLICY_CONCURRENT,
    highest_only = SDIMAGE_CACHE_POLICY_HIGHEST_ONLY,
    lowest_only = SDIMAGE_CACHE_POLICY_LOWEST_ONLY,
};

enum class cache_operation : int { // cache_chain.h
    query = SDIMAGE_CACHE_OPERATION_QUERY,
    store = SDIMAGE_CACHE_OPERATION_STORE,
    remove = SDIMAGE_CACHE_OPERATION_REMOVE,
    contains = SDIMAGE_CACHE_OPERATION_CONTAINS,
    clear = SDIMAGE_CACHE_OPERATION_CLEAR,
};

enum class expire_rule : int { // disk.h
    access = SDIMAGE_EXPIRE_RULE_ACCESS,
    modification = SDIMAGE_EXPIRE_RULE_MODIFICATION,
    creation = SDIMAGE_EXPIRE_RULE_CREATION,
};

enum class cache_order : int { // disk.h
    stored = SDIMAGE_CACHE_ORDER_STORED,
    used = SDIMAGE_CACHE_ORDER_USED,
};

enum class event_type : int { // dispatcher.h
    result = SDIMAGE_EVENT_TYPE_RESULT,
    progress = SDIMAGE_EVENT_TYPE_PROGRESS,
};

enum class address_policy : int { // downloader.h
    any = SDIMAGE_ADDRESS_POLICY_ANY,
    public_only = SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY,
};

enum class execution_order : int { // downloader.h
    fifo = SDIMAGE_EXECUTION_ORDER_FIFO,
    lifo = SDIMAGE_EXECUTION_ORDER_LIFO,
};

enum class http_version : int { // downloader.h
    automatic = SDIMAGE_HTTP_VERSION_AUTOMATIC,
    http_1_1 = SDIMAGE_HTTP_VERSION_1_1,
};

enum class download_event_type : int { // hooks.h
    started = SDIMAGE_DOWNLOAD_EVENT_TYPE_STARTED,
    responded = SDIMAGE_DOWNLOAD_EVENT_TYPE_RESPONDED,
    stopped = SDIMAGE_DOWNLOAD_EVENT_TYPE_STOPPED,
    finished = SDIMAGE_DOWNLOAD_EVENT_TYPE_FINISHED,
};

enum class log_level : int { // log.h
    off = SDIMAGE_LOG_LEVEL_OFF,
    error = SDIMAGE_LOG_LEVEL_ERROR,
    warning = SDIMAGE_LOG_LEVEL_WARNING,
    info = SDIMAGE_LOG_LEVEL_INFO,
    debug = SDIMAGE_LOG_LEVEL_DEBUG,
};

enum class playback_mode : int { // player.h
    normal = SDIMAGE_PLAYBACK_MODE_NORMAL,
    reverse = SDIMAGE_PLAYBACK_MODE_REVERSE,
    bounce = SDIMAGE_PLAYBACK_MODE_BOUNCE,
    reversed_bounce = SDIMAGE_PLAYBACK_MODE_REVERSED_BOUNCE,
};

enum class player_clock : int { // player.h
    host = SDIMAGE_PLAYER_CLOCK_HOST,
    descriptor = SDIMAGE_PLAYER_CLOCK_DESCRIPTOR,
    library = SDIMAGE_PLAYER_CLOCK_LIBRARY,
};

enum class priority : int { // task.h
    low = SDIMAGE_PRIORITY_LOW,
    normal = SDIMAGE_PRIORITY_NORMAL,
    high = SDIMAGE_PRIORITY_HIGH,
};

enum class source_policy : int { // request.h
    any = SDIMAGE_SOURCE_POLICY_ANY,
    cache_only = SDIMAGE_SOURCE_POLICY_CACHE_ONLY,
    loader_only = SDIMAGE_SOURCE_POLICY_LOADER_ONLY,
};

enum class cache_layers : int { // request.h
    none = SDIMAGE_CACHE_LAYERS_NONE,
    disk = SDIMAGE_CACHE_LAYERS_DISK,
    memory = SDIMAGE_CACHE_LAYERS_MEMORY,
    all = SDIMAGE_CACHE_LAYERS_ALL,
};

enum class blocking_reads : int { // request.h
    none = SDIMAGE_BLOCKING_READS_NONE,
    memory_data = SDIMAGE_BLOCKING_READS_MEMORY_DATA,
    disk = SDIMAGE_BLOCKING_READS_DISK,
    all = SDIMAGE_BLOCKING_READS_ALL,
};

enum class freshness : int { // request.h
    ignore = SDIMAGE_FRESHNESS_IGNORE,
    respect = SDIMAGE_FRESHNESS_RESPECT,
    refresh = SDIMAGE_FRESHNESS_REFRESH,
};

enum class delivery_kind : int { // result.h
    partial = SDIMAGE_DELIVERY_KIND_PARTIAL,
    cached = SDIMAGE_DELIVERY_KIND_CACHED,
    final = SDIMAGE_DELIVERY_KIND_FINAL,
};

enum class image_source : int { // result.h
    none = SDIMAGE_IMAGE_SOURCE_NONE,
    memory = SDIMAGE_IMAGE_SOURCE_MEMORY,
    disk = SDIMAGE_IMAGE_SOURCE_DISK,
    remote = SDIMAGE_IMAGE_SOURCE_REMOTE,
    network = SDIMAGE_IMAGE_SOURCE_NETWORK,
    loader = SDIMAGE_IMAGE_SOURCE_LOADER,
};

enum class freshness_rule : int { // result.h
    none = SDIMAGE_FRESHNESS_RULE_NONE,
    max_age = SDIMAGE_FRESHNESS_RULE_MAX_AGE,
    expires = SDIMAGE_FRESHNESS_RULE_EXPIRES,
    heuristic = SDIMAGE_FRESHNESS_RULE_HEURISTIC,
    immutable = SDIMAGE_FRESHNESS_RULE_IMMUTABLE,
    stale_while_revalidate = SDIMAGE_FRESHNESS_RULE_STALE_WHILE_REVALIDATE,
    max_stale = SDIMAGE_FRESHNESS_RULE_MAX_STALE,
    expired = SDIMAGE_FRESHNESS_RULE_EXPIRED,
    no_lifetime = SDIMAGE_FRESHNESS_RULE_NO_LIFETIME,
    no_cache = SDIMAGE_FRESHNESS_RULE_NO_CACHE,
    must_revalidate = SDIMAGE_FRESHNESS_RULE_MUST_REVALIDATE,
    no_store = SDIMAGE_FRESHNESS_RULE_NO_STORE,
    vary = SDIMAGE_FRESHNESS_RULE_VARY,
    request = SDIMAGE_FRESHNESS_RULE_REQUEST,
    clock = SDIMAGE_FRESHNESS_RULE_CLOCK,
    refresh = SDIMAGE_FRESHNESS_RULE_REFRESH,
    stale_if_error = SDIMAGE_FRESHNESS_RULE_STALE_IF_ERROR,
    unreachable = SDIMAGE_FRESHNESS_RULE_UNREACHABLE,
    offline = SDIMAGE_FRESHNESS_RULE_OFFLINE,
};

enum class stage : int { // result.h
    total = SDIMAGE_STAGE_TOTAL,
    queued = SDIMAGE_STAGE_QUEUED,
    disk = SDIMAGE_STAGE_DISK,
    load = SDIMAGE_STAGE_LOAD,
    decode = SDIMAGE_STAGE_DECODE,
    store = SDIMAGE_STAGE_STORE,
};

enum class transaction_phase : int { // result.h
    name_lookup = SDIMAGE_TRANSACTION_PHASE_NAME_LOOKUP,
    connect = SDIMAGE_TRANSACTION_PHASE_CONNECT,
    tls = SDIMAGE_TRANSACTION_PHASE_TLS,
    first_byte = SDIMAGE_TRANSACTION_PHASE_FIRST_BYTE,
    total = SDIMAGE_TRANSACTION_PHASE_TOTAL,
};

enum class placeholder_time : int { // target.h
    now = SDIMAGE_PLACEHOLDER_TIME_NOW,
    on_failure = SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE,
};

enum class cached_placeholder : int { // target.h
    none = SDIMAGE_CACHED_PLACEHOLDER_NONE,
    memory = SDIMAGE_CACHED_PLACEHOLDER_MEMORY,
    memory_and_disk = SDIMAGE_CACHED_PLACEHOLDER_MEMORY_AND_DISK,
};

enum class previous_load : int { // target.h
    cancel = SDIMAGE_PREVIOUS_LOAD_CANCEL,
    keep = SDIMAGE_PREVIOUS_LOAD_KEEP,
};

enum class image_setting : int { // target.h
    automatic = SDIMAGE_IMAGE_SETTING_AUTOMATIC,
    manual = SDIMAGE_IMAGE_SETTING_MANUAL,
};

enum class transition_rule : int { // target.h
    waited = SDIMAGE_TRANSITION_RULE_WAITED,
    always = SDIMAGE_TRANSITION_RULE_ALWAYS,
};

namespace detail {

template <> struct c_enum<eviction> { using type = sdimage_eviction; };
template <> struct c_enum<cache_policy> { using type = sdimage_cache_policy; };
template <> struct c_enum<cache_operation> { using type = sdimage_cache_operation; };
template <> struct c_enum<expire_rule> { using type = sdimage_expire_rule; };
template <> struct c_enum<cache_order> { using type = sdimage_cache_order; };
template <> struct c_enum<event_type> { using type = sdimage_event_type; };
template <> struct c_enum<address_policy> { using type = sdimage_address_policy; };
template <> struct c_enum<execution_order> { using type = sdimage_execution_order; };
template <> struct c_enum<http_version> { using type = sdimage_http_version; };
template <> struct c_enum<download_event_type> { using type = sdimage_download_event_type; };
template <> struct c_enum<log_level> { using type = sdimage_log_level; };
template <> struct c_enum<playback_mode> { using type = sdimage_playback_mode; };
template <> struct c_enum<player_clock> { using type = sdimage_player_clock; };
template <> struct c_enum<priority> { using type = sdimage_priority; };
template <> struct c_enum<source_policy> { using type = sdimage_source_policy; };
template <> struct c_enum<cache_layers> { using type = sdimage_cache_layers; };
template <> struct c_enum<blocking_reads> { using type = sdimage_blocking_reads; };
template <> struct c_enum<freshness> { using type = sdimage_freshness; };
template <> struct c_enum<delivery_kind> { using type = sdimage_delivery_kind; };
template <> struct c_enum<image_source> { using type = sdimage_image_source; };
template <> struct c_enum<freshness_rule> { using type = sdimage_freshness_rule; };
template <> struct c_enum<stage> { using type = sdimage_stage; };
template <> struct c_enum<transaction_phase> { using type = sdimage_transaction_phase; };
template <> struct c_enum<placeholder_time> { using type = sdimage_placeholder_time; };
template <> struct c_enum<cached_placeholder> { using type = sdimage_cached_placeholder; };
template <> struct c_enum<previous_load> { using type = sdimage_previous_load; };
template <> struct c_enum<image_setting> { using type = sdimage_image_setting; };
template <> struct c_enum<transition_rule> { using type = sdimage_transition_rule; };

template <> inline constexpr bool is_set_of_bits<cache_layers> = true;
template <> inline constexpr bool is_set_of_bits<blocking_reads> = true;

} // namespace detail

} // namespace sdimage

#endif
