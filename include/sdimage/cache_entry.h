/* cache_entry.h: cache entries with bytes and metadata, for caches of the host that store more than bytes.
 *
 *   static void store_entry(void *user_data, const void *key, size_t length, sdimage_cache_entry *entry,
 *                           const sdimage_options *options, sdimage_reply *reply) {
 *       put(user_data, key, length, sdimage_cache_entry_data(entry), sdimage_cache_entry_metadata(entry));
 *       sdimage_reply_complete(reply);
 *       sdimage_reply_unref(reply);
 *   }
 *
 * Without validators and dates, a cached image cannot be revalidated with a conditional request, and its freshness
 * lifetime is unknown.
 *
 * Class: immutable. */
#ifndef SDIMAGE_CACHE_ENTRY_H
#define SDIMAGE_CACHE_ENTRY_H

#include "base.h"
#include "data.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates an entry from its bytes and the metadata that sdimage_cache_entry_metadata returned for them when they were
 * stored; NULL: bytes without metadata. Both are referenced. Errors: BAD_DATA (metadata that is damaged, or of another
 * version), INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_cache_entry_new(sdimage_data *data, sdimage_data *metadata,
                                                   sdimage_cache_entry **entry, sdimage_error **error);
SDIMAGE_API sdimage_cache_entry *sdimage_cache_entry_ref(sdimage_cache_entry *entry);
SDIMAGE_API void sdimage_cache_entry_unref(sdimage_cache_entry *entry);

/* Returns the encoded image. Borrowed. */
SDIMAGE_API sdimage_data *sdimage_cache_entry_data(const sdimage_cache_entry *entry);

/* Returns the metadata: validators, freshness information of the response, extended data, dates. The format belongs to
 * the library and is the same on every machine. NULL when memory is refused. Borrowed. */
SDIMAGE_API sdimage_data *sdimage_cache_entry_metadata(const sdimage_cache_entry *entry);

/* Returns the time when the origin sent the response, or else when the entry was created; 0 = unknown. Nanoseconds
 * since 1970. */
SDIMAGE_API uint64_t sdimage_cache_entry_date_ns(const sdimage_cache_entry *entry);

/* Returns the time when the entry expires; 0 = decided by the cache. Nanoseconds since 1970. */
SDIMAGE_API uint64_t sdimage_cache_entry_expiry_ns(const sdimage_cache_entry *entry);

#ifdef __cplusplus
}
#endif

#endif
