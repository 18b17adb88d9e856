/* settings.c: reading of options, whose names, defaults and limits remote.h documents (see settings.h). */
#include "settings.h"

#include <sdimage/plugins/remote.h>
#include <string.h>

#include "engine.h"

/* Returns a number of the bag, clamped to its limits; `fallback` if it is missing. */
static uint64_t number(const sdimage_options *bag, const char *name, int64_t fallback, int64_t least, int64_t most) {
    int64_t value = bag ? sdimage_options_int64(bag, name, fallback) : fallback;
    return (uint64_t)(value < least ? least : value > most ? most : value);
}

sdimage_status sdremote_options_read(sdremote_options *options, const sdimage_options *bag, sdimage_error **error) {
    const char *prefix = bag ? sdimage_options_string(bag, SDIMAGE_REMOTE_NAMESPACE, "sdimage") : "sdimage";
    size_t length = strlen(prefix);
    if (!length || length > SDREMOTE_NAMESPACE_MAX)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "remote cache: namespace is not 1 to 64 bytes long");
    for (size_t i = 0; i < length; i++) {
        /* Spaces and control characters would end a key in memcached's protocol. */
        if (prefix[i] <= ' ' || prefix[i] >= 127)
            return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT,
                             "remote cache: namespace contains a character other than visible ASCII");
    }
    memcpy(options->prefix, prefix, length + 1);
    options->ttl_s = number(bag, SDIMAGE_REMOTE_TTL_S, 604800, 1, 10 * 366 * 86400LL);
    options->max_entry = number(bag, SDIMAGE_REMOTE_MAX_ENTRY, 1000000, 1024, 512 << 20);
    options->queue_bytes = number(bag, SDIMAGE_REMOTE_QUEUE_BYTES, 32 << 20, 0, (int64_t)1 << 40);
    options->budget_ms = (uint32_t)number(bag, SDIMAGE_REMOTE_BUDGET_MS, 50, 1, 60000);
    options->store_timeout_ms = (uint32_t)number(bag, SDIMAGE_REMOTE_STORE_TIMEOUT_MS, 1000, 1, 60000);
    options->connections = (uint32_t)number(bag, SDIMAGE_REMOTE_CONNECTIONS, 2, 1, 16);
    options->failures = (uint32_t)number(bag, SDIMAGE_REMOTE_BREAKER_FAILURES, 3, 1, 1000);
    options->pause_ms = (uint32_t)number(bag, SDIMAGE_REMOTE_BREAKER_PAUSE_MS, 1000, 1, 30000);
    options->lease_ms = (uint32_t)number(bag, SDIMAGE_REMOTE_LEASE_MS, 5000, 0, 600000);
    options->lease_wait_ms = (uint32_t)number(bag, SDIMAGE_REMOTE_LEASE_WAIT_MS, 5000, 0, 600000);
    return SDIMAGE_STATUS_OK;
}
