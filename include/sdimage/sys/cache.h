/* sys/cache.h: custom caches, and entries with bytes and metadata for those that store more than bytes.
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
 * Class: sdimage_cache_entry immutable. */
#ifndef SDIMAGE_SYS_CACHE_H
#define SDIMAGE_SYS_CACHE_H

#include "../base.h"
#include "../cache.h"
#include "../data.h"
#include "../error.h"
#include "../options.h"
#include "../task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates an entry from its bytes and the metadata that sdimage_cache_entry_metadata returned for them when they were
 * stored; NULL: bytes without metadata. Both are referenced. Errors: BAD_DATA (metadata that is damaged, or of another
 * version), INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_cache_entry_new(sdimage_data *data, sdimage_data *metadata,
                                                   sdimage_cache_entry **entry, sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_cache_entry *sdimage_cache_entry_ref(const sdimage_cache_entry *entry);
/* Releases a reference; NULL has no effect. */
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

/* --- Custom caches. */

/* The functions of a cache. Memory functions are called inline on any thread, must not block, and may be NULL for a
 * cache without a memory part. The others start an operation and return; they complete it through the reply, whose
 * reference they own. `query` and `store` may both be NULL for a cache without a disk part. */
typedef struct sdimage_cache_vtable {
    size_t size;
    /* Returns the image, with a reference for the caller; NULL when there is none. */
    sdimage_image *(*memory_image)(void *user_data, const void *key, size_t length);
    /* Stores an image, with a reference of its own, or ignores it. */
    void (*set_memory_image)(void *user_data, const void *key, size_t length, sdimage_image *image);
    /* Looks up an entry. Complete with its data, or without data when there is no such entry. For a load, an error of
     * any status is a miss. `options` are those of the request, or NULL; they are valid until the reply is complete. */
    void (*query)(void *user_data, const void *key, size_t length, const sdimage_options *options,
                  sdimage_reply *reply);
    /* Stores bytes. Reference `data` to hold it; `options` as above. Complete when it is stored. */
    void (*store)(void *user_data, const void *key, size_t length, sdimage_data *data, const sdimage_options *options,
                  sdimage_reply *reply);
    /* Removes an entry from the layers; a missing entry is no error. Required. */
    void (*remove)(void *user_data, const void *key, size_t length, sdimage_cache_layers layers, sdimage_reply *reply);
    /* Checks for an entry beyond memory. Complete with any data when it exists, otherwise without data. NULL: `query`
     * is called instead. */
    void (*contains)(void *user_data, const void *key, size_t length, sdimage_reply *reply);
    /* Removes all entries of the layers. NULL: clearing is UNSUPPORTED. */
    void (*clear)(void *user_data, sdimage_cache_layers layers, sdimage_reply *reply);
    /* Replaces `store`, which may then be NULL. Receives the entry with all its metadata (sys/cache.h), which `query`
     * returns with sdimage_reply_complete_with_entry. */
    void (*store_entry)(void *user_data, const void *key, size_t length, sdimage_cache_entry *entry,
                        const sdimage_options *options, sdimage_reply *reply);
    /* Requests the lease of an entry, for a cache shared by several processes, before a load contacts the origin.
     * Complete without data to grant it: the load contacts the origin, and `end_lease` reports that it has stored the
     * entry or failed. Complete with an entry whose date is after `newer_than_ns` (0: any) when another process has
     * stored it meanwhile. Complete with an error when the state is unknown: the load contacts the origin. The cache
     * limits the time of waiting for another process. NULL: loads do not wait for other processes. */
    void (*lease)(void *user_data, const void *key, size_t length, uint64_t newer_than_ns,
                  const sdimage_options *options, sdimage_reply *reply);
    /* Ends a lease. Called once for each `lease` that was completed without data; may be NULL. */
    void (*end_lease)(void *user_data, const void *key, size_t length);
    /* Replaces a revalidated entry (compare-and-swap). Stores `entry` in place of `old`, which `query` returned a
     * moment ago, if the cache still has the same data and metadata; changes nothing otherwise. Complete without data
     * in both cases. Reference the entries to hold them. NULL: revalidation does not update the entries of a shared
     * cache. */
    void (*replace_entry)(void *user_data, const void *key, size_t length, sdimage_cache_entry *old,
                          sdimage_cache_entry *entry, sdimage_reply *reply);
    /* True for a shared cache (RFC 9111): one whose entries other users or machines read. A cache with `lease` is
     * always shared. It receives no images and entries of private responses, even when the program stores such an image
     * itself. Private are responses with Cache-Control private or no-store; responses to requests with Authorization,
     * or with user and password in the URL, unless the response has public, s-maxage or must-revalidate; responses to
     * requests with cookies, unless the response has public; and responses whose Vary names Authorization,
     * Proxy-Authorization or Cookie. */
    bool is_shared;
} sdimage_cache_vtable;

/* Creates a cache from functions of the host, usable in place of a built-in one. `destroy(user_data)` is called once,
 * also when this call fails. Errors: INVALID_ARGUMENT, NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_custom(const sdimage_cache_vtable *vtable, void *user_data,
                                                    sdimage_destroy_fn destroy, sdimage_cache **cache,
                                                    sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
