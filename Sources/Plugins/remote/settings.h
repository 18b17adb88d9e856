/* settings.h: the options of a remote cache, clamped to their limits. */
#ifndef SDREMOTE_SETTINGS_H
#define SDREMOTE_SETTINGS_H

#include <sdimage/error.h>
#include <sdimage/options.h>
#include <stdint.h>

#define SDREMOTE_NAMESPACE_MAX 64u

/* The options of one cache. Names end with the unit; `max_entry` and `queue_bytes` are bytes. */
typedef struct sdremote_options {
    char prefix[SDREMOTE_NAMESPACE_MAX + 1]; /* the namespace */
    uint64_t ttl_s;
    size_t max_entry, queue_bytes;
    uint32_t budget_ms, store_timeout_ms, connections, failures, pause_ms, lease_ms, lease_wait_ms;
} sdremote_options;

/* Reads the options. `bag` may be NULL. Errors: INVALID_ARGUMENT for a namespace that is invalid in keys. */
sdimage_status sdremote_options_read(sdremote_options *options, const sdimage_options *bag, sdimage_error **error);

#endif
