/* cache_entry.h: an entry of a cache with all that belongs to it, for caches of the host that keep more than bytes.
 *
 *   static void store_entry(void *user_data, const void *key, size_t length, sdimage_cache_entry *entry,
 *                           const sdimage_options *options, sdimage_reply *reply) {
 *       put(user_data, key, length, sdimage_cache_entry_data(entry), sdimage_cache_entry_metadata(entry));
 *       sdimage_reply_complete(reply);
 *       sdimage_reply_unref(reply);
 *   }
 *
 * Without validators and dates a picture cannot be asked for again under conditions, and nobody knows how long it is
 * fresh.
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

/* An entry made of its bytes, and of what sdimage_cache_entry_metadata told of them when they were stored; NULL: of
 * bytes about which nothing is known. Both are referenced. Errors: BAD_DATA (metadata that is damaged, or of another
 * version), INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_cache_entry_new(sdimage_data *data, sdimage_data *metadata,
                                                   sdimage_cache_entry **entry, sdimage_error **error);
SDIMAGE_API sdimage_cache_entry *sdimage_cache_entry_ref(sdimage_cache_entry *entry);
SDIMAGE_API void sdimage_cache_entry_unref(sdimage_cache_entry *entry);

/* The encoded picture. Borrowed. */
SDIMAGE_API sdimage_data *sdimage_cache_entry_data(const sdimage_cache_entry *entry);

/* All else: validators, what the answer said of its freshness, extended data, dates; in a form of the library's own,
 * the same on every machine. NULL when memory is refused. Borrowed. */
SDIMAGE_API sdimage_data *sdimage_cache_entry_metadata(const sdimage_cache_entry *entry);

/* When the origin gave its answer, or else when the entry was made; 0 = unknown. Nanoseconds since 1970. */
SDIMAGE_API uint64_t sdimage_cache_entry_date_ns(const sdimage_cache_entry *entry);

/* From that date on the entry is gone; 0 = whenever the cache likes. Nanoseconds since 1970. */
SDIMAGE_API uint64_t sdimage_cache_entry_expiry_ns(const sdimage_cache_entry *entry);

#ifdef __cplusplus
}
#endif

#endif
