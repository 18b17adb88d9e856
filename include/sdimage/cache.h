/* cache.h: images in memory, encoded bytes on disk.
 *
 * The disk part survives the end of a process at any instruction and may be shared by several processes. Its errors
 * never fail a load: they are counted (sdimage_cache_statistics) and returned by stores. Keys are UTF-8 of at least one
 * byte, may contain NUL bytes, and are compared bytewise; other keys are INVALID_ARGUMENT, or not found.
 *
 * The key of a thumbnail or of a transformed image is the key of its original, the byte 0x1F and the variant
 * (sdimage_manager_get_entry_key). Its printed form (sdimage_result_cache_key) has the variant before the extension.
 * Look-ups and removals accept both forms: a printed form is first the key of an original, and, without such an entry,
 * that of the variant with this printed form. Removals remove both. Stores take every key literally: the printed form
 * names an original.
 *
 * Classes: sdimage_cache synchronised, sdimage_cache_config single-owner.
 *
 * Functions on bytes block on the disk; memory functions never block. cache_async.h has the same functions without
 * blocking, disk.h the other functions of the disk part. For caches of the host and for chains of caches
 * (cache_chain.h), the functions that the members support block until these have completed; on a thread of the library
 * they return WOULD_DEADLOCK. Functions that are not supported return UNSUPPORTED or have no effect. */
#ifndef SDIMAGE_CACHE_H
#define SDIMAGE_CACHE_H

#include "base.h"
#include "cache_entry.h"
#include "coder.h"
#include "data.h"
#include "encoder.h"
#include "error.h"
#include "image.h"
#include "request.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The eviction policy of a full memory part. */
typedef enum SDIMAGE_ENUM sdimage_eviction {
    /* evicts images used once before images used repeatedly: a scan displaces little */
    SDIMAGE_EVICTION_ADAPTIVE = 0,
    SDIMAGE_EVICTION_LRU = 1 /* evicts exactly the least recently used image */
} sdimage_eviction;

/* Creates a configuration with the defaults; the caller owns it. NULL when memory is refused. */
SDIMAGE_API sdimage_cache_config *sdimage_cache_config_new(void);
SDIMAGE_API sdimage_cache_config *sdimage_cache_config_ref(sdimage_cache_config *config);
SDIMAGE_API void sdimage_cache_config_unref(sdimage_cache_config *config);

/* Sets the folder of the disk part; copied. NULL, the default, is $XDG_CACHE_HOME/sdimage if that variable is an
 * absolute path, else $HOME/.cache/sdimage, else the same in the home directory of the password database. Without any
 * of them the cache is in memory only, which sdimage_doctor reports. Missing folders are created with mode 0700.
 *
 * Every folder on the path must belong to this user or to root and must not be writable by group or others; a sticky
 * folder of root, such as /tmp, may be on the path but not at its end. Symbolic links are followed if this user or root
 * owns them. The path is checked component by component, and files are opened relative to the resulting folder.
 * Otherwise: CACHE_UNUSABLE. */
SDIMAGE_API void sdimage_cache_config_set_directory(sdimage_cache_config *config, const char *path);

/* Sets the name of a sub-folder, which separates the entries of the parts of a program. Default "default". */
SDIMAGE_API void sdimage_cache_config_set_namespace(sdimage_cache_config *config, const char *name);

/* Disables the disk part. Default false. */
SDIMAGE_API void sdimage_cache_config_set_memory_only(sdimage_cache_config *config, bool memory_only);

/* Set strict limits of the memory part: bytes of pixels, and number of images. Default 0 = none. */
SDIMAGE_API void sdimage_cache_config_set_max_memory_cost(sdimage_cache_config *config, size_t bytes);
SDIMAGE_API void sdimage_cache_config_set_max_memory_count(sdimage_cache_config *config, size_t count);

/* Sets the eviction policy of the memory part. Default ADAPTIVE. */
SDIMAGE_API void sdimage_cache_config_set_eviction(sdimage_cache_config *config, sdimage_eviction eviction);

/* Makes loads and disk look-ups store their images in memory. Default true. When false only
 * sdimage_cache_set_memory_image does. */
SDIMAGE_API void sdimage_cache_config_set_keep_in_memory(sdimage_cache_config *config, bool keep);

/* Finds and restores an image that was evicted from memory but is still referenced elsewhere. Default false. */
SDIMAGE_API void sdimage_cache_config_set_keep_weakly(sdimage_cache_config *config, bool keep);

/* Sets the limit of bytes on disk: a store that exceeds it evicts the least recently used entries until half is left.
 * Default 0 = none. */
SDIMAGE_API void sdimage_cache_config_set_max_disk_size(sdimage_cache_config *config, uint64_t bytes);

/* Sets the seconds after the last access until an entry expires. Default 604800 (a week); negative = never. */
SDIMAGE_API void sdimage_cache_config_set_max_disk_age(sdimage_cache_config *config, int64_t seconds);

/* Sets the largest size in bytes of entries stored inside the index; larger ones are stored in files. Default 65536. */
SDIMAGE_API void sdimage_cache_config_set_inline_entry_limit(sdimage_cache_config *config, size_t bytes);

/* Completes a store only when it would survive a power failure. Default false: after a power failure the last entries
 * may be missing, but are never wrong. */
SDIMAGE_API void sdimage_cache_config_set_durable(sdimage_cache_config *config, bool durable);

/* Locates the bytes of entries outside the cache, such as images installed with the program. */
typedef struct sdimage_cache_path_vtable {
    size_t size;
    /* Writes a path without NUL into `path` and returns its length; 0, or more than `capacity`, means none. Called on
     * any thread; must not block. */
    size_t (*path)(void *user_data, const void *key, size_t length, char *path, size_t capacity);
} sdimage_cache_path_vtable;

/* Sets the function that locates bytes missing from the disk part. It is called when the bytes of a key are needed, not
 * to check the existence of an entry. The file is read, never written, and not stored on disk again. NULL, the default:
 * none. `destroy(user_data)` is called once, when the last cache and configuration with the function have been freed,
 * also when this call fails. Errors: INVALID_ARGUMENT (a table without `path`). */
SDIMAGE_API sdimage_status sdimage_cache_config_set_additional_path(sdimage_cache_config *config,
                                                                    const sdimage_cache_path_vtable *vtable,
                                                                    void *user_data, sdimage_destroy_fn destroy,
                                                                    sdimage_error **error);

/* Opens a cache; NULL for the default configuration. An unusable folder is no error here: the cache then works in
 * memory, and stores return the reason. Errors: FORKED, NO_MEMORY, INVALID_ARGUMENT (a name with a slash). */
SDIMAGE_API sdimage_status sdimage_cache_new(const sdimage_cache_config *config, sdimage_cache **cache,
                                             sdimage_error **error);
SDIMAGE_API sdimage_cache *sdimage_cache_ref(sdimage_cache *cache);
SDIMAGE_API void sdimage_cache_unref(sdimage_cache *cache);

/* Commits pending stores and closes the disk part; every later call returns SHUTDOWN. Called by the last unref. */
SDIMAGE_API sdimage_status sdimage_cache_close(sdimage_cache *cache, sdimage_error **error);

/* --- Memory. */

/* Returns the image in memory; NULL when there is none. The caller owns *image. Takes well under a microsecond. */
SDIMAGE_API void sdimage_cache_get_memory_image(const sdimage_cache *cache, const void *key, size_t length,
                                                sdimage_image **image);

/* Stores an image in memory under its memory cost, unless the cost exceeds the limit. No limit is exceeded at any
 * moment, even during concurrent stores. */
SDIMAGE_API sdimage_status sdimage_cache_set_memory_image(sdimage_cache *cache, const void *key, size_t length,
                                                          sdimage_image *image, sdimage_error **error);

/* Changes the memory limits at once; 0 = none. */
SDIMAGE_API void sdimage_cache_set_memory_limits(sdimage_cache *cache, size_t bytes, size_t count);

/* Change the settings of the configuration at once. */
SDIMAGE_API void sdimage_cache_set_keep_in_memory(sdimage_cache *cache, bool keep);
SDIMAGE_API void sdimage_cache_set_keep_weakly(sdimage_cache *cache, bool keep);

/* Monitors the memory pressure of the system and of the control group of this process once a second. When memory is
 * short it acts as sdimage_trim_memory(true), at most every ten seconds. Default false. Uses an existing thread of the
 * library and starts none: while the process has neither a manager nor a cache with a disk part, nothing is checked. */
SDIMAGE_API void sdimage_watch_memory_pressure(bool watch);

/* --- Bytes. */

/* Returns the bytes of an entry; the caller owns *data. It is a copy in memory, independent of later changes to the
 * file. NOT_FOUND when there is no entry, or when its file was changed. */
SDIMAGE_API sdimage_status sdimage_cache_get_data(const sdimage_cache *cache, const void *key, size_t length,
                                              sdimage_data **data, sdimage_error **error);

/* Stores bytes and returns when they are committed. Errors: CACHE_UNUSABLE, PERMISSION_DENIED, DISK_FULL,
 * IO_ERROR, BUSY, SHUTDOWN, WOULD_DEADLOCK, UNSUPPORTED (a cache in memory only). */
SDIMAGE_API sdimage_status sdimage_cache_store_data(sdimage_cache *cache, const void *key, size_t length,
                                                    sdimage_data *data, sdimage_error **error);

/* Stores an image in the given layers: first in memory, then on disk, and returns when it is committed. The bytes on
 * disk are `data`. Without `data` the image is encoded: in its own format if that can be written, else as GIF if it is
 * animated, PNG if it has an alpha channel, and JPEG otherwise. `options`, of the encoder, may be NULL. Extended data
 * of the image (image.h) is stored with the bytes. Without an image this is sdimage_cache_store_data. Further errors:
 * INVALID_ARGUMENT (neither image nor data), those of sdimage_encode. Memory holds the image even if the disk store
 * fails. */
SDIMAGE_API sdimage_status sdimage_cache_store(sdimage_cache *cache, const void *key, size_t length,
                                               sdimage_image *image, sdimage_data *data, sdimage_cache_layers layers,
                                               const sdimage_encode_options *options, sdimage_error **error);

/* Returns the image of an entry: from memory, or decoded from the bytes on disk and stored in memory under the same key
 * (under the thumbnail's own key if `options` request one). Blocks. `options` may be NULL. NOT_FOUND when there is
 * none. */
SDIMAGE_API sdimage_status sdimage_cache_get_image(sdimage_cache *cache, const void *key, size_t length,
                                               const sdimage_decode_options *options, sdimage_image **image,
                                               sdimage_error **error);

/* --- Both layers. */

/* Returns the layers that hold an entry. */
SDIMAGE_API sdimage_cache_layers sdimage_cache_contains(const sdimage_cache *cache, const void *key, size_t length);

/* Removes an entry from the given layers. Removing a missing entry is no error. */
SDIMAGE_API sdimage_status sdimage_cache_remove(sdimage_cache *cache, const void *key, size_t length,
                                                sdimage_cache_layers layers, sdimage_error **error);

/* Removes everything from the given layers. */
SDIMAGE_API sdimage_status sdimage_cache_clear(sdimage_cache *cache, sdimage_cache_layers layers,
                                               sdimage_error **error);

/* Waits until all stores so far are committed, images that are still being encoded for a cache included. */
SDIMAGE_API sdimage_status sdimage_cache_flush(sdimage_cache *cache, sdimage_error **error);

/* Removes expired entries, and the oldest ones while the size exceeds its limit. */
SDIMAGE_API sdimage_status sdimage_cache_remove_expired(sdimage_cache *cache, sdimage_error **error);

/* Returns a path at which the bytes of an entry can be read, even after eviction, until sdimage_cache_unpin (disk.h) or
 * the end of the cache. *path is a NUL-terminated text (the length does not count the NUL). NOT_FOUND when there is
 * none. */
SDIMAGE_API sdimage_status sdimage_cache_get_path(sdimage_cache *cache, const void *key, size_t length, sdimage_data **path,
                                              sdimage_error **error);

/* Returns the number of bytes and entries on disk, as recorded in the index. */
SDIMAGE_API sdimage_status sdimage_cache_get_disk_totals(const sdimage_cache *cache, uint64_t *bytes, uint64_t *count,
                                                     sdimage_error **error);

/* Returns counters since the cache was opened, as a JSON object in UTF-8: "memory" {hits, misses, evictions, ghost_hits
 * (misses of recently evicted images: a high count means that the limit is too low), bytes, count} and "disk" {hits,
 * misses, stores, dropped_stores, damaged, bytes, count, last_error}. */
SDIMAGE_API sdimage_status sdimage_cache_statistics(const sdimage_cache *cache, sdimage_data **json,
                                                    sdimage_error **error);

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
    /* Looks up an entry. Complete with its data, or without data when there is no such entry. `options` are those of
     * the request, or NULL; they are valid until the reply is complete. */
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
    /* Replaces `store`, which may then be NULL. Receives the entry with all its metadata (cache_entry.h), which `query`
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

/* Creates a cache with images in the memory part of `memory` and bytes in the disk part of `disk`. For example, one
 * part belongs to the host and the other is built in. The other parts of both are not used. Errors: NO_MEMORY,
 * FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_layered(sdimage_cache *memory, sdimage_cache *disk, sdimage_cache **cache,
                                                     sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
