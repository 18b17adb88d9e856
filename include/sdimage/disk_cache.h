/* disk_cache.h: further functions of the disk part of a cache: limits, pins, extended data, lists, verification.
 *
 * All functions on a cache block on the disk and return UNSUPPORTED for one in memory only or of the host. Their
 * errors are those of sdimage_cache_store_data; further ones are listed. Dates are nanoseconds since 1970. Classes:
 * sdimage_cache_query single-owner, sdimage_cache_page and sdimage_cache_verification immutable. */
#ifndef SDIMAGE_DISK_CACHE_H
#define SDIMAGE_DISK_CACHE_H

#include "base.h"
#include "cache.h"
#include "data.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Limits. */

/* The date that determines the age of an entry, and the order of eviction. Entries are replaced, never changed: the
 * date of the store is that of creation and of the last modification. */
typedef enum SDIMAGE_ENUM sdimage_expire_rule {
    SDIMAGE_EXPIRE_RULE_ACCESS = 0,      /* the last read, the default */
    SDIMAGE_EXPIRE_RULE_MODIFICATION = 1 /* the store */
} sdimage_expire_rule;

/* Sets the date that determines the age of entries. Default SDIMAGE_EXPIRE_RULE_ACCESS: the last read, to the
 * hour; for a maximum age below 60 hours, to a sixtieth of it or to the minute. */
SDIMAGE_API void sdimage_cache_config_set_expire_rule(sdimage_cache_config *config, sdimage_expire_rule rule);
/* Returns the date that determines the age of entries: ACCESS by default. */
SDIMAGE_API sdimage_expire_rule sdimage_cache_config_expire_rule(const sdimage_cache_config *config);

/* Sets the permissions of the folders and files that the cache creates, such as 0750 and 0640 for a web server of the
 * same group. The owner always has all necessary permissions; write permission is given to no one else. Default 0700
 * and 0600. */
SDIMAGE_API void sdimage_cache_config_set_modes(sdimage_cache_config *config, uint32_t folder, uint32_t file);
/* Returns the permissions in force through pointers that may be NULL. */
SDIMAGE_API void sdimage_cache_config_get_modes(const sdimage_cache_config *config, uint32_t *folder, uint32_t *file);

/* Changes the limits of a running cache, as in sdimage_cache_config; excess entries are removed in the background. */
SDIMAGE_API void sdimage_cache_set_disk_limits(sdimage_cache *cache, uint64_t max_bytes, int64_t max_age_seconds,
                                               sdimage_expire_rule rule);
/* Returns the limits of a running cache through pointers that may be NULL; 0 and ACCESS without a disk part. */
SDIMAGE_API void sdimage_cache_get_disk_limits(const sdimage_cache *cache, uint64_t *max_bytes,
                                               int64_t *max_age_seconds, sdimage_expire_rule *rule);

/* Removes the oldest entries, regardless of the limits, until fewer than `bytes` bytes of disk are used. */
SDIMAGE_API sdimage_status sdimage_cache_trim(sdimage_cache *cache, uint64_t bytes, sdimage_error **error);

/* --- Paths. */

/* Returns the folder of the cache's namespace, as a NUL-terminated text in *path (the length does not count the NUL);
 * the folder may not exist. Does not block. */
SDIMAGE_API sdimage_status sdimage_cache_get_directory(const sdimage_cache *cache, sdimage_data **path,
                                                       sdimage_error **error);

/* Releases a path returned by sdimage_cache_get_path. It stays readable until each such call has been matched by one of
 * this function, or the cache is closed. NOT_FOUND for any other path. */
SDIMAGE_API sdimage_status sdimage_cache_unpin(sdimage_cache *cache, const char *path, sdimage_error **error);

/* --- Metadata of entries. */

/* Returns the extended data of an entry: bytes of the caller stored with it. The caller owns *data. NOT_FOUND when
 * there are none, or no such entry. */
SDIMAGE_API sdimage_status sdimage_cache_get_extended_data(const sdimage_cache *cache, const void *key, size_t length,
                                                           sdimage_data **data, sdimage_error **error);

/* Sets the extended data of an entry, stored until it is replaced or removed; NULL removes the data. NOT_FOUND when
 * there is no entry. */
SDIMAGE_API sdimage_status sdimage_cache_set_extended_data(sdimage_cache *cache, const void *key, size_t length,
                                                           sdimage_data *data, sdimage_error **error);

/* Sets the exact expiry date of an entry in place of max_disk_age; 0 restores max_disk_age. NOT_FOUND when there is no
 * entry. */
SDIMAGE_API sdimage_status sdimage_cache_set_expiry(sdimage_cache *cache, const void *key, size_t length,
                                                    uint64_t date_ns, sdimage_error **error);
/* Returns the exact expiry date of an entry; 0 when max_disk_age decides. NOT_FOUND when there is no entry. */
SDIMAGE_API sdimage_status sdimage_cache_get_expiry(const sdimage_cache *cache, const void *key, size_t length,
                                                    uint64_t *date_ns, sdimage_error **error);

/* --- Lists. */

/* The order of a list. Both orders read only the part of the index that a page needs, however many entries there
 * are. */
typedef enum SDIMAGE_ENUM sdimage_cache_order {
    /* The oldest store first, the default. */
    SDIMAGE_CACHE_ORDER_STORED = 0,
    /* The least recently used first. */
    SDIMAGE_CACHE_ORDER_USED = 1
} sdimage_cache_order;

/* Creates a query, initially for all entries. */
SDIMAGE_API sdimage_cache_query *sdimage_cache_query_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_cache_query *sdimage_cache_query_ref(const sdimage_cache_query *query);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_cache_query_unref(sdimage_cache_query *query);

/* Sets the order of the entries. Default SDIMAGE_CACHE_ORDER_STORED. */
SDIMAGE_API void sdimage_cache_query_set_order(sdimage_cache_query *query, sdimage_cache_order order);
/* Returns the order of the entries. */
SDIMAGE_API sdimage_cache_order sdimage_cache_query_order(const sdimage_cache_query *query);

/* Selects keys that begin with these bytes, copied. Default none. */
SDIMAGE_API void sdimage_cache_query_set_prefix(sdimage_cache_query *query, const void *prefix, size_t length);
/* Returns the bytes with which the keys begin and their length; NULL for none. `length` may be NULL. Borrowed until
 * they are set again or the query is freed. */
SDIMAGE_API const void *sdimage_cache_query_prefix(const sdimage_cache_query *query, size_t *length);

/* Selects entries last used at this date or before; 0, the default, for all. */
SDIMAGE_API void sdimage_cache_query_set_used_until(sdimage_cache_query *query, uint64_t date_ns);
/* Returns the latest date of the last use; 0 for all. */
SDIMAGE_API uint64_t sdimage_cache_query_used_until(const sdimage_cache_query *query);

/* Selects entries of `least` to `most` bytes; the two are exchanged if `least` is larger. Default 0 and UINT64_MAX. */
SDIMAGE_API void sdimage_cache_query_set_lengths(sdimage_cache_query *query, uint64_t least, uint64_t most);
/* Returns the smallest and the largest size in bytes through pointers that may be NULL. */
SDIMAGE_API void sdimage_cache_query_get_lengths(const sdimage_cache_query *query, uint64_t *least, uint64_t *most);

/* Returns a page of at most `limit` entries; 0 counts as 1. The caller owns *page. `query` NULL for all; `after` is the
 * previous page, NULL for the first. Each call examines at most some thousand entries, so a page before the last may be
 * short, or even empty:
 *
 *   sdimage_cache_page *page = NULL, *next = NULL;
 *   while (sdimage_cache_list(cache, query, page, 100, &next, NULL) >= 0) {
 *       sdimage_cache_page_unref(page);
 *       page = next;
 *       ... sdimage_cache_page_count(page) entries ...
 *       if (sdimage_cache_page_is_last(page)) break;
 *   }
 *   sdimage_cache_page_unref(page); */
SDIMAGE_API sdimage_status sdimage_cache_list(const sdimage_cache *cache, const sdimage_cache_query *query,
                                              const sdimage_cache_page *after, size_t limit, sdimage_cache_page **page,
                                              sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_cache_page *sdimage_cache_page_ref(const sdimage_cache_page *page);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_cache_page_unref(sdimage_cache_page *page);
/* Returns the number of entries of the page. */
SDIMAGE_API size_t sdimage_cache_page_count(const sdimage_cache_page *page);

/* Returns true for the last page; when false there may be more entries. */
SDIMAGE_API bool sdimage_cache_page_is_last(const sdimage_cache_page *page);

/* Returns the key of entry `index`, borrowed, followed by a NUL that does not count; NULL beyond the last entry.
 * `length` may be NULL. */
SDIMAGE_API const void *sdimage_cache_page_key(const sdimage_cache_page *page, size_t index, size_t *length);

/* Returns the size of the entry in bytes; 0 beyond the last entry. */
SDIMAGE_API uint64_t sdimage_cache_page_length(const sdimage_cache_page *page, size_t index);
/* Returns the date of the store; 0 beyond the last entry. */
SDIMAGE_API uint64_t sdimage_cache_page_stored_ns(const sdimage_cache_page *page, size_t index);
/* Returns the date of the last use; 0 beyond the last entry. */
SDIMAGE_API uint64_t sdimage_cache_page_used_ns(const sdimage_cache_page *page, size_t index);
/* Returns the exact expiry date; 0 when max_disk_age decides, and beyond the last entry. */
SDIMAGE_API uint64_t sdimage_cache_page_expires_ns(const sdimage_cache_page *page, size_t index);

/* Returns true if the entry has a file of its own. */
SDIMAGE_API bool sdimage_cache_page_is_file(const sdimage_cache_page *page, size_t index);

/* --- Verification. */

/* Reads all entries and compares all checksums; other calls proceed meanwhile. `repair` removes damaged entries and
 * files without an entry, and rebuilds or discards a damaged index. The caller owns *verification. */
SDIMAGE_API sdimage_status sdimage_cache_verify(sdimage_cache *cache, bool repair,
                                                sdimage_cache_verification **verification, sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_cache_verification *sdimage_cache_verification_ref(const sdimage_cache_verification *verification);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_cache_verification_unref(sdimage_cache_verification *verification);
/* Returns true if no problem was found. */
SDIMAGE_API bool sdimage_cache_verification_is_sound(const sdimage_cache_verification *verification);
/* Returns the number of entries read. */
SDIMAGE_API uint64_t sdimage_cache_verification_entry_count(const sdimage_cache_verification *verification);
/* Returns the number of bytes read. */
SDIMAGE_API uint64_t sdimage_cache_verification_byte_count(const sdimage_cache_verification *verification);
/* Returns the number of entries whose bytes differ from the stored ones. */
SDIMAGE_API uint64_t sdimage_cache_verification_damaged_count(const sdimage_cache_verification *verification);
/* Returns the number of entries whose file is missing. */
SDIMAGE_API uint64_t sdimage_cache_verification_missing_count(const sdimage_cache_verification *verification);
/* Returns the number of files without an entry, left by killed processes. */
SDIMAGE_API uint64_t sdimage_cache_verification_stray_count(const sdimage_cache_verification *verification);
/* Returns true if the index is damaged. */
SDIMAGE_API bool sdimage_cache_verification_is_index_damaged(const sdimage_cache_verification *verification);
/* Returns true if the recorded number of entries or their total size is wrong. */
SDIMAGE_API bool sdimage_cache_verification_has_wrong_totals(const sdimage_cache_verification *verification);
/* Returns true if the problems were repaired. */
SDIMAGE_API bool sdimage_cache_verification_is_repaired(const sdimage_cache_verification *verification);
/* Returns the number of keys of damaged and missing entries: at most the first thousand. */
SDIMAGE_API size_t sdimage_cache_verification_key_count(const sdimage_cache_verification *verification);
/* Returns a key and its length in bytes, followed by a NUL that does not count; NULL beyond the last. `length` may be
 * NULL. Borrowed. */
SDIMAGE_API const void *sdimage_cache_verification_key(const sdimage_cache_verification *verification, size_t index,
                                                       size_t *length);
/* Returns all of it as a JSON object in UTF-8: "sound", "entries", "bytes", "damaged", "missing", "strays",
 * "index_damaged", "totals_wrong", "repaired" and "keys". The caller owns *json. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_cache_verification_to_json(const sdimage_cache_verification *verification,
                                                              sdimage_data **json, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
