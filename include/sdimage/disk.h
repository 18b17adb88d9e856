/* disk.h: the disk part of a cache in detail: limits, pins, extended data, lists, checking.
 *
 * All functions on a cache block on the disk and answer UNSUPPORTED for one in memory only or of the host's own. Their
 * errors are those of sdimage_cache_store_data; further ones are named. Dates are nanoseconds since 1970. Classes:
 * sdimage_cache_query single-owner, sdimage_cache_page immutable. */
#ifndef SDIMAGE_DISK_H
#define SDIMAGE_DISK_H

#include "base.h"
#include "cache.h"
#include "data.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Limits. */

/* The date by which an entry ages, and by which the oldest go first. An entry is replaced, never changed: it was
 * modified and created when it was stored. */
typedef enum SDIMAGE_ENUM sdimage_expire_rule {
    SDIMAGE_EXPIRE_RULE_ACCESS = 0,       /* when it was last read */
    SDIMAGE_EXPIRE_RULE_MODIFICATION = 1, /* when it was stored */
    SDIMAGE_EXPIRE_RULE_CREATION = 2      /* the same */
} sdimage_expire_rule;

/* By which date entries age. Default SDIMAGE_EXPIRE_RULE_ACCESS: to the minute, when an entry was last read. */
SDIMAGE_API void sdimage_cache_config_set_expire_rule(sdimage_cache_config *config, sdimage_expire_rule rule);

/* Rights of the folders and files that the cache makes, e.g. 0750 and 0640 for a web server of the same group. The
 * owner has all that are needed; rights to write are given to nobody else. Default 0700 and 0600. */
SDIMAGE_API void sdimage_cache_config_set_modes(sdimage_cache_config *config, uint32_t folder, uint32_t file);

/* Changes the limits of a running cache, as in sdimage_cache_config; what no longer fits goes in the background. */
SDIMAGE_API void sdimage_cache_set_disk_limits(sdimage_cache *cache, uint64_t max_bytes, int64_t max_age_seconds,
                                               sdimage_expire_rule rule);

/* Removes the oldest entries, whatever the limits, until fewer bytes of disk than these are used. */
SDIMAGE_API sdimage_status sdimage_cache_trim(sdimage_cache *cache, uint64_t bytes, sdimage_error **error);

/* --- Paths. */

/* The folder of the cache's namespace, as a NUL-terminated text in *path (the length does not count the NUL); it may
 * not exist. Does not block. */
SDIMAGE_API sdimage_status sdimage_cache_directory(const sdimage_cache *cache, sdimage_data **path,
                                                   sdimage_error **error);

/* Gives up a path that sdimage_cache_path told: it stays readable until this was called as often as that, or the cache
 * is closed. NOT_FOUND for any other path. */
SDIMAGE_API sdimage_status sdimage_cache_unpin(sdimage_cache *cache, const char *path, sdimage_error **error);

/* --- Beside the bytes. */

/* Bytes of the caller's own beside an entry; *data is the caller's. NOT_FOUND when there are none, or no such entry. */
SDIMAGE_API sdimage_status sdimage_cache_extended_data(const sdimage_cache *cache, const void *key, size_t length,
                                                       sdimage_data **data, sdimage_error **error);

/* Keeps bytes beside an entry until it is replaced or removed; NULL removes them. NOT_FOUND when there is no entry. */
SDIMAGE_API sdimage_status sdimage_cache_set_extended_data(sdimage_cache *cache, const void *key, size_t length,
                                                           sdimage_data *data, sdimage_error **error);

/* From that date on the entry is gone, and not before, whatever max_disk_age says; 0: by max_disk_age again. NOT_FOUND
 * when there is no entry. */
SDIMAGE_API sdimage_status sdimage_cache_set_expiry(sdimage_cache *cache, const void *key, size_t length,
                                                    uint64_t date_ns, sdimage_error **error);

/* --- Lists. */

/* Both read as much of the index as a page needs, however many entries there are. */
typedef enum SDIMAGE_ENUM sdimage_cache_order {
    /* The oldest store first. */
    SDIMAGE_CACHE_ORDER_STORED = 0,
    /* The least recently used first. */
    SDIMAGE_CACHE_ORDER_USED = 1
} sdimage_cache_order;

/* Which entries to list: all, until told otherwise. */
SDIMAGE_API sdimage_cache_query *sdimage_cache_query_new(void);
SDIMAGE_API sdimage_cache_query *sdimage_cache_query_ref(sdimage_cache_query *query);
SDIMAGE_API void sdimage_cache_query_unref(sdimage_cache_query *query);

/* Which entries come first. Default SDIMAGE_CACHE_ORDER_STORED. */
SDIMAGE_API void sdimage_cache_query_set_order(sdimage_cache_query *query, sdimage_cache_order order);

/* Only keys that begin with these bytes, copied. Default none. */
SDIMAGE_API void sdimage_cache_query_set_prefix(sdimage_cache_query *query, const void *prefix, size_t length);

/* Only entries last used at this date or before; 0, the default, for all. */
SDIMAGE_API void sdimage_cache_query_set_used_until(sdimage_cache_query *query, uint64_t date_ns);

/* Only entries of at least and at most so many bytes. Default 0 and UINT64_MAX. */
SDIMAGE_API void sdimage_cache_query_set_lengths(sdimage_cache_query *query, uint64_t least, uint64_t most);

/* A page of at most `limit` entries; *page is the caller's. `query` NULL for all; `after` the page before, NULL to
 * begin. Each call looks at some thousand entries at most, so that a page may be short, even empty, before the last:
 *
 *   for (sdimage_cache_page *page = NULL, *next; sdimage_cache_list(cache, query, page, 100, &next, NULL) >= 0;) {
 *       sdimage_cache_page_unref(page);
 *       page = next;
 *       ... sdimage_cache_page_count(page) entries ...
 *       if (sdimage_cache_page_is_last(page)) break;
 *   } */
SDIMAGE_API sdimage_status sdimage_cache_list(const sdimage_cache *cache, const sdimage_cache_query *query,
                                              const sdimage_cache_page *after, size_t limit, sdimage_cache_page **page,
                                              sdimage_error **error);
SDIMAGE_API sdimage_cache_page *sdimage_cache_page_ref(const sdimage_cache_page *page);
SDIMAGE_API void sdimage_cache_page_unref(sdimage_cache_page *page);
/* How many entries the page has. */
SDIMAGE_API size_t sdimage_cache_page_count(const sdimage_cache_page *page);

/* Whether this was the last page; when false there may be more entries. */
SDIMAGE_API bool sdimage_cache_page_is_last(const sdimage_cache_page *page);

/* The key, borrowed, followed by a NUL that does not count; NULL beyond the last entry. `length` may be NULL. */
SDIMAGE_API const void *sdimage_cache_page_key(const sdimage_cache_page *page, size_t index, size_t *length);

/* Bytes of the entry, and its dates. The date of expiry is 0 when max_disk_age decides. 0 beyond the last entry. */
SDIMAGE_API uint64_t sdimage_cache_page_length(const sdimage_cache_page *page, size_t index);
SDIMAGE_API uint64_t sdimage_cache_page_stored_ns(const sdimage_cache_page *page, size_t index);
SDIMAGE_API uint64_t sdimage_cache_page_used_ns(const sdimage_cache_page *page, size_t index);
SDIMAGE_API uint64_t sdimage_cache_page_expires_ns(const sdimage_cache_page *page, size_t index);

/* Whether the entry has a file of its own. */
SDIMAGE_API bool sdimage_cache_page_is_file(const sdimage_cache_page *page, size_t index);

/* --- Checking. */

/* Reads everything and compares every checksum; other calls go on meanwhile. With `repair` damaged entries and files
 * without an entry are removed, a damaged index is made anew or given up. *json is a JSON object in UTF-8: "sound"
 * (nothing was found), "entries" and "bytes" (read), "damaged", "missing" (files), "strays" (files without an entry),
 * "index_damaged", "totals_wrong", "repaired", "keys" (of damaged and missing entries, the first thousand). */
SDIMAGE_API sdimage_status sdimage_cache_verify(sdimage_cache *cache, bool repair, sdimage_data **json,
                                                sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
