/* cache.h: images in memory, encoded bytes on disk.
 *
 * The disk part survives the end of a process at any instruction and may be shared by several processes. Its errors
 * never fail a load: they are counted (sdimage_cache_get_statistics) and returned by stores. Keys are UTF-8 of at least
 * one byte, may contain NUL bytes, and are compared bytewise; other keys are INVALID_ARGUMENT, or not found.
 *
 * The key of a thumbnail or of a transformed image is the key of its original, the byte 0x1F and the variant
 * (sdimage_manager_get_entry_key). Its printed form (sdimage_result_cache_key) has the variant before the extension.
 * Look-ups and removals accept both forms: a printed form is first the key of an original, and, without such an entry,
 * that of the variant with this printed form. Removals remove both. Stores take every key literally: the printed form
 * names an original.
 *
 * Classes: sdimage_cache synchronized, sdimage_cache_config single-owner.
 *
 * Functions on bytes block on the disk; memory functions never block. The `_async` functions are the same without
 * blocking. disk_cache.h has the other functions of the disk part. For caches of the host (sys/cache.h) and for chains
 * of caches, the functions that the members support block until these have completed; on a thread of the library they
 * return WOULD_DEADLOCK. Functions that are not supported return UNSUPPORTED or have no effect. */
#ifndef SDIMAGE_CACHE_H
#define SDIMAGE_CACHE_H

#include "base.h"
#include "data.h"
#include "decode.h"
#include "encode.h"
#include "error.h"
#include "image.h"
#include "request.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The eviction policy of a full memory part. */
typedef enum SDIMAGE_ENUM sdimage_eviction {
    /* the default: evicts images used once before images used repeatedly, so that a scan displaces little */
    SDIMAGE_EVICTION_ADAPTIVE = 0,
    SDIMAGE_EVICTION_LRU = 1 /* evicts exactly the least recently used image */
} sdimage_eviction;

/* Creates a configuration with the defaults; the caller owns it. NULL when memory is refused. */
SDIMAGE_API sdimage_cache_config *sdimage_cache_config_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_cache_config *sdimage_cache_config_ref(const sdimage_cache_config *config);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_cache_config_unref(sdimage_cache_config *config);

/* Sets the folder of the disk part; copied. NULL, the default, is $XDG_CACHE_HOME/sdimage if that variable is an
 * absolute path, else $HOME/.cache/sdimage, else the same in the home directory of the password database. Without any
 * of them the cache is in memory only, which sdimage_diagnosis_cache_path reports. Missing folders are created with
 * mode 0700.
 *
 * Every folder on the path must belong to this user or to root and must not be writable by group or others; a sticky
 * folder of root, such as /tmp, may be on the path but not at its end. Symbolic links are followed if this user or root
 * owns them. The path is checked component by component, and files are opened relative to the resulting folder.
 * Otherwise: CACHE_UNUSABLE. */
SDIMAGE_API void sdimage_cache_config_set_directory(sdimage_cache_config *config, const char *path);
/* Returns the folder of the disk part; NULL if there is no default. Borrowed until it is set again or the
 * configuration is freed. */
SDIMAGE_API const char *sdimage_cache_config_directory(const sdimage_cache_config *config);

/* Sets the name of a sub-folder, which separates the entries of the parts of a program. Default "default". Opening a
 * cache with an empty name, a name that begins with a dot, or one with a slash, is INVALID_ARGUMENT. */
SDIMAGE_API void sdimage_cache_config_set_namespace(sdimage_cache_config *config, const char *name);
/* Returns the name of the sub-folder. Borrowed until it is set again or the configuration is freed. */
SDIMAGE_API const char *sdimage_cache_config_namespace(const sdimage_cache_config *config);

/* Disables the disk part. Default false. */
SDIMAGE_API void sdimage_cache_config_set_memory_only(sdimage_cache_config *config, bool memory_only);
/* Returns true if the disk part is disabled. */
SDIMAGE_API bool sdimage_cache_config_is_memory_only(const sdimage_cache_config *config);

/* Sets the strict limit of the memory part in bytes of pixels. Keys count, too, as far as they exceed 4 KiB: those of
 * data: URLs contain the image. Default 0 = none. */
SDIMAGE_API void sdimage_cache_config_set_max_memory_cost(sdimage_cache_config *config, size_t bytes);
/* Returns the limit of the memory part in bytes; 0 = none. */
SDIMAGE_API size_t sdimage_cache_config_max_memory_cost(const sdimage_cache_config *config);

/* Sets the strict limit of the number of images in memory. Default 0 = none. */
SDIMAGE_API void sdimage_cache_config_set_max_memory_count(sdimage_cache_config *config, size_t count);
/* Returns the limit of the number of images in memory; 0 = none. */
SDIMAGE_API size_t sdimage_cache_config_max_memory_count(const sdimage_cache_config *config);

/* Sets the eviction policy of the memory part. Default ADAPTIVE. */
SDIMAGE_API void sdimage_cache_config_set_eviction(sdimage_cache_config *config, sdimage_eviction eviction);
/* Returns the eviction policy of the memory part. */
SDIMAGE_API sdimage_eviction sdimage_cache_config_eviction(const sdimage_cache_config *config);

/* Makes loads and disk look-ups store their images in memory. Default true. When false only
 * sdimage_cache_set_memory_image does. */
SDIMAGE_API void sdimage_cache_config_set_keep_in_memory(sdimage_cache_config *config, bool keep);
/* Returns true if loads and disk look-ups store their images in memory. */
SDIMAGE_API bool sdimage_cache_config_should_keep_in_memory(const sdimage_cache_config *config);

/* Finds and restores an image that was evicted from memory but is still referenced elsewhere. Default false. */
SDIMAGE_API void sdimage_cache_config_set_keep_weakly(sdimage_cache_config *config, bool keep);
/* Returns true if evicted images that are referenced elsewhere are found. */
SDIMAGE_API bool sdimage_cache_config_should_keep_weakly(const sdimage_cache_config *config);

/* Sets the limit of bytes on disk, as the file system allocates them: a store that exceeds it evicts the least recently
 * used entries until half is left. An empty cache takes about 112 KiB; below that no entry stays. Default 0 = none. */
SDIMAGE_API void sdimage_cache_config_set_max_disk_size(sdimage_cache_config *config, uint64_t bytes);
/* Returns the limit of bytes on disk; 0 = none. */
SDIMAGE_API uint64_t sdimage_cache_config_max_disk_size(const sdimage_cache_config *config);

/* Sets the seconds after the last access until an entry expires. Default 604800 (a week); negative = never. */
SDIMAGE_API void sdimage_cache_config_set_max_disk_age(sdimage_cache_config *config, int64_t seconds);
/* Returns the seconds after the last access until an entry expires; negative = never. */
SDIMAGE_API int64_t sdimage_cache_config_max_disk_age(const sdimage_cache_config *config);

/* Sets the largest size in bytes of entries stored inside the index; larger ones are stored in files. Default 65536. */
SDIMAGE_API void sdimage_cache_config_set_inline_entry_limit(sdimage_cache_config *config, size_t bytes);
/* Returns the largest size in bytes of entries stored inside the index. */
SDIMAGE_API size_t sdimage_cache_config_inline_entry_limit(const sdimage_cache_config *config);

/* Completes a store only when it would survive a power failure. Default false: after a power failure the last entries
 * may be missing, but are never wrong. */
SDIMAGE_API void sdimage_cache_config_set_durable(sdimage_cache_config *config, bool durable);
/* Returns true if a completed store survives a power failure. */
SDIMAGE_API bool sdimage_cache_config_is_durable(const sdimage_cache_config *config);

/* Locates the bytes of entries outside the cache, such as images installed with the program. */
typedef struct sdimage_cache_path_vtable {
    size_t size;
    /* Writes a path without NUL into `path` and returns its length; 0, or more than `capacity`, means none. Called on
     * any thread; must not block. */
    size_t (*path)(void *user_data, const void *key, size_t length, char *path, size_t capacity);
} sdimage_cache_path_vtable;

/* Sets the function that locates bytes missing from the disk part. It is called when the bytes of a key are needed, not
 * to check the existence of an entry. The file is read, never written, and not stored on disk again. A file of more
 * than 64 MiB counts as missing. NULL, the default: none. `destroy(user_data)` is called once, when the last cache and
 * configuration with the function have been freed, also when this call fails. Errors: INVALID_ARGUMENT (a table without
 * `path`). */
SDIMAGE_API sdimage_status sdimage_cache_config_set_additional_path(sdimage_cache_config *config,
                                                                    const sdimage_cache_path_vtable *vtable,
                                                                    void *user_data, sdimage_destroy_fn destroy,
                                                                    sdimage_error **error);

/* Opens a cache; NULL for the default configuration. An unusable folder is no error here: the cache then works in
 * memory, stores and sdimage_cache_check return the reason, and it is logged once as an ERROR. Errors: FORKED,
 * NO_MEMORY, INVALID_ARGUMENT (sdimage_cache_config_set_namespace). */
SDIMAGE_API sdimage_status sdimage_cache_new(const sdimage_cache_config *config, sdimage_cache **cache,
                                             sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_cache *sdimage_cache_ref(const sdimage_cache *cache);
/* Releases a reference; NULL has no effect. The last one closes the cache. */
SDIMAGE_API void sdimage_cache_unref(sdimage_cache *cache);

/* Commits pending stores and closes the disk part; every later call returns SHUTDOWN, except for another one of this
 * function, which returns OK. Called by the last unref; that of a log function does not wait for it. Errors:
 * UNSUPPORTED (not a built-in cache), WOULD_DEADLOCK (in a log function). */
SDIMAGE_API sdimage_status sdimage_cache_close(sdimage_cache *cache, sdimage_error **error);

/* Returns OK if the disk part works now: opens its folder if it is not open, reads the index, and writes and removes a
 * file. Otherwise the error has the path of the folder in its message, and the errno (sdimage_error_system_error).
 * Checks all built-in members of a chain or layered cache. Loads do not fail for an unusable folder, even if they wait
 * for the store. Errors: CACHE_UNUSABLE, PERMISSION_DENIED, DISK_FULL, IO_ERROR, BUSY, SHUTDOWN, WOULD_DEADLOCK (in a
 * log function), UNSUPPORTED (no built-in disk part). */
SDIMAGE_API sdimage_status sdimage_cache_check(const sdimage_cache *cache, sdimage_error **error);

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
/* Returns the memory limits through pointers that may be NULL; 0 = none, and for a cache of the host. */
SDIMAGE_API void sdimage_cache_get_memory_limits(const sdimage_cache *cache, size_t *bytes, size_t *count);

/* Changes at once if loads and disk look-ups store their images in memory. */
SDIMAGE_API void sdimage_cache_set_keep_in_memory(sdimage_cache *cache, bool keep);
/* Returns true if loads and disk look-ups store their images in memory. */
SDIMAGE_API bool sdimage_cache_should_keep_in_memory(const sdimage_cache *cache);

/* Changes if evicted images that are referenced elsewhere are found. False takes effect at once, true for images that
 * are stored from now on. */
SDIMAGE_API void sdimage_cache_set_keep_weakly(sdimage_cache *cache, bool keep);
/* Returns true if evicted images that are referenced elsewhere are found. */
SDIMAGE_API bool sdimage_cache_should_keep_weakly(const sdimage_cache *cache);

/* --- Bytes. */

/* Returns the bytes of an entry; the caller owns *data. It is a copy in memory, independent of later changes to the
 * file. NOT_FOUND when there is no entry, or when its file was changed. */
SDIMAGE_API sdimage_status sdimage_cache_get_data(const sdimage_cache *cache, const void *key, size_t length,
                                                  sdimage_data **data, sdimage_error **error);

/* Stores bytes and returns when they are committed. Errors: CACHE_UNUSABLE, PERMISSION_DENIED, DISK_FULL, IO_ERROR,
 * BUSY, SHUTDOWN, WOULD_DEADLOCK, TOO_LARGE (an entry of more than 1 GiB; inside the index, of about 256 MiB),
 * UNSUPPORTED (a cache in memory only). */
SDIMAGE_API sdimage_status sdimage_cache_store_data(sdimage_cache *cache, const void *key, size_t length,
                                                    sdimage_data *data, sdimage_error **error);

/* Stores an image in the given layers: first in memory, then on disk, and returns when it is committed. The bytes on
 * disk are `data`. Without `data` the image is encoded: in its own format if that can be written and keeps the alpha
 * channel of a still, else as GIF if it is animated, PNG if it has an alpha channel, and JPEG otherwise. `options`, of
 * the encoder, may be NULL. Extended data of the image (image.h) is stored with the bytes. Without an image this is
 * sdimage_cache_store_data. Further errors: INVALID_ARGUMENT (neither image nor data), those of sdimage_encode. Memory
 * holds the image even if the disk store fails. */
SDIMAGE_API sdimage_status sdimage_cache_store(sdimage_cache *cache, const void *key, size_t length,
                                               sdimage_image *image, sdimage_data *data, sdimage_cache_layers layers,
                                               const sdimage_encode_options *options, sdimage_error **error);

/* Returns the image of an entry: from memory, or decoded from the bytes on disk and stored in memory under the same
 * key, to which options that change the image are added (sdimage_request_set_decode_options). Blocks. `options` may be
 * NULL. NOT_FOUND when there is none. */
SDIMAGE_API sdimage_status sdimage_cache_get_image(sdimage_cache *cache, const void *key, size_t length,
                                                   const sdimage_decode_options *options, sdimage_image **image,
                                                   sdimage_error **error);

/* --- Both layers. */

/* Returns the layers that hold an entry. */
SDIMAGE_API sdimage_cache_layers sdimage_cache_contains(const sdimage_cache *cache, const void *key, size_t length);

/* Removes an entry from the given layers. Removing a missing entry is no error. A thumbnail or transformed image of a
 * load that is still being encoded for the entry is not stored on disk. */
SDIMAGE_API sdimage_status sdimage_cache_remove(sdimage_cache *cache, const void *key, size_t length,
                                                sdimage_cache_layers layers, sdimage_error **error);

/* Removes everything from the given layers. Thumbnails and transformed images of loads that are still being encoded
 * for the disk are not stored there. Loads under way store their images later. */
SDIMAGE_API sdimage_status sdimage_cache_clear(sdimage_cache *cache, sdimage_cache_layers layers,
                                               sdimage_error **error);

/* Waits until all stores so far are committed, images that are still being encoded for a cache included; on a thread
 * of the library without these, because it may be the one that encodes. Returns the first failure of a store on disk
 * since the last flush, also if the store has returned it. Errors: those of sdimage_cache_store_data. */
SDIMAGE_API sdimage_status sdimage_cache_flush(sdimage_cache *cache, sdimage_error **error);

/* Removes expired entries, and the oldest ones while the size exceeds its limit. */
SDIMAGE_API sdimage_status sdimage_cache_remove_expired(sdimage_cache *cache, sdimage_error **error);

/* Returns a path at which the bytes of an entry can be read, even after eviction, until sdimage_cache_unpin
 * (disk_cache.h) or the end of the cache. *path is a NUL-terminated text (the length does not count the NUL). NOT_FOUND
 * when there is none. */
SDIMAGE_API sdimage_status sdimage_cache_get_path(sdimage_cache *cache, const void *key, size_t length,
                                                  sdimage_data **path, sdimage_error **error);

/* Returns the number of bytes and entries on disk, as recorded in the index. */
SDIMAGE_API sdimage_status sdimage_cache_get_disk_totals(const sdimage_cache *cache, uint64_t *bytes, uint64_t *count,
                                                         sdimage_error **error);

/* Counters since a cache was opened, and its present contents. */
typedef struct sdimage_cache_statistics {
    size_t size;                   /* sizeof this structure; set by the caller */
    uint64_t memory_hits;          /* images found in memory */
    uint64_t memory_misses;        /* look-ups in memory without a result */
    uint64_t memory_evictions;     /* images evicted because of a limit */
    uint64_t memory_ghost_hits;    /* misses of recently evicted images; many mean that the limit is too low */
    uint64_t memory_bytes;         /* present memory cost of all images */
    uint64_t memory_count;         /* present number of images */
    uint64_t disk_hits;            /* entries found on disk */
    uint64_t disk_misses;          /* look-ups on disk without a result */
    uint64_t disk_stores;          /* committed entries */
    uint64_t disk_dropped_stores;  /* stores that failed for any reason */
    uint64_t disk_damaged_entries; /* entries whose bytes differ from the stored ones, removed */
    uint64_t disk_damaged_indexes; /* damaged indexes, replaced */
    uint64_t disk_missing_files;   /* entries whose file was missing, removed */
    uint64_t disk_evictions;       /* entries removed because of size or age */
    uint64_t disk_pending_bytes;   /* present bytes that wait for a commit */
    uint64_t disk_bytes;           /* present bytes of all entries */
    uint64_t disk_count;           /* present number of entries */
    uint64_t disk_allocated_bytes; /* present size of the index and all files */
} sdimage_cache_statistics;

/* Fills in the counters of a built-in cache, as far as the structure of the caller reaches; those of a missing part are
 * 0. Errors: UNSUPPORTED (any other cache), SHUTDOWN, WOULD_DEADLOCK (in a log function), INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_cache_get_statistics(const sdimage_cache *cache,
                                                        sdimage_cache_statistics *statistics, sdimage_error **error);
/* Returns the latest error of the disk part; NULL if there was none. The caller owns *last_error. */
SDIMAGE_API void sdimage_cache_get_last_error(const sdimage_cache *cache, sdimage_error **last_error);
/* Returns the counters as a JSON object in UTF-8: "memory" and "disk" (null without a disk part), with the fields above
 * without these words, and "last_error". The caller owns *json. Errors as for sdimage_cache_get_statistics. */
SDIMAGE_API sdimage_status sdimage_cache_statistics_to_json(const sdimage_cache *cache, sdimage_data **json,
                                                            sdimage_error **error);

/* Creates a cache with images in the memory part of `memory` and bytes in the disk part of `disk`. For example, one
 * part belongs to the host and the other is built in. The other parts of both are not used. Errors: NO_MEMORY,
 * FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_layered(sdimage_cache *memory, sdimage_cache *disk, sdimage_cache **cache,
                                                     sdimage_error **error);

/* --- Without blocking, for every kind of cache.
 *
 * Returned without a callback: errors in the arguments, SHUTDOWN of a closed built-in cache, FORKED, and UNSUPPORTED of
 * sdimage_cache_remove_expired_async and sdimage_cache_get_disk_totals_async. Everything else is reported by the
 * callback, once, on the library's callback thread; its arguments are borrowed for the call. `destroy(user_data)` is
 * called once, after the callback, also when the call fails. The handler may be NULL. On a built-in cache stores of
 * bytes and removals take effect in the order of the calls; an image without bytes is stored after its encoding. A
 * look-up sees the changes of earlier calls, and may see those of later ones. */

/* The callbacks of an operation; an operation calls the one that its description names. Each may be NULL. */
typedef struct sdimage_cache_handler {
    size_t size;
    /* Reports that a change has completed; `error` is NULL on success. */
    void (*completed)(void *user_data, sdimage_error *error);
    /* Receives the bytes of an entry; `data` is NULL when there is none, or with an error. */
    void (*data)(void *user_data, sdimage_data *data, sdimage_error *error);
    /* Receives the layers that hold an entry; `error` is NULL on success. */
    void (*layers)(void *user_data, sdimage_cache_layers layers, sdimage_error *error);
    /* Receives the number of bytes and entries on disk; `error` is NULL on success. */
    void (*disk_totals)(void *user_data, uint64_t bytes, uint64_t count, sdimage_error *error);
} sdimage_cache_handler;

/* Looks up the image of a request in this cache alone, like sdimage_manager_load: with thumbnail size, layers,
 * dispatcher, cancellation, and everything of request.h but loaders and transformers. The URL is only a key: any text.
 * The FINAL of a miss has neither image nor error. Thumbnails are stored in memory, never on disk.
 *
 * The table shows which calls return bytes (sdimage_result_data), and when, for a request of the image as stored:
 *
 *   include_data    blocking_reads         in memory               on disk only
 *   false           NONE or MEMORY_DATA    no bytes                later
 *   false           DISK or ALL            no bytes                before this returns
 *   true            NONE                   later                   later
 *   true            MEMORY_DATA            before this returns     later
 *   true            DISK                   later                   before this returns
 *   true            ALL                    before this returns     before this returns
 *
 * "Before this returns" is the time when the task has its result; an immediate dispatcher, or one of this thread, also
 * delivers it then. */
SDIMAGE_API sdimage_status sdimage_cache_load(sdimage_cache *cache, const sdimage_request *request,
                                              const sdimage_load_handler *handler, void *user_data,
                                              sdimage_destroy_fn destroy, sdimage_task **task, sdimage_error **error);

/* Reads the bytes of an entry and calls `data`. A missing entry is no error. */
SDIMAGE_API sdimage_status sdimage_cache_get_data_async(sdimage_cache *cache, const void *key, size_t length,
                                                        const sdimage_cache_handler *handler, void *user_data,
                                                        sdimage_destroy_fn destroy, sdimage_error **error);

/* Finds the layers that hold an entry and calls `layers`; if memory holds it, the disk is not checked. */
SDIMAGE_API sdimage_status sdimage_cache_contains_async(sdimage_cache *cache, const void *key, size_t length,
                                                        const sdimage_cache_handler *handler, void *user_data,
                                                        sdimage_destroy_fn destroy, sdimage_error **error);

/* Stores an image. Memory holds it before this returns; encoding and committing follow, and then `completed`. If
 * bytes are given, a look-up after this returned finds them. */
SDIMAGE_API sdimage_status sdimage_cache_store_async(sdimage_cache *cache, const void *key, size_t length,
                                                     sdimage_image *image, sdimage_data *data,
                                                     sdimage_cache_layers layers, const sdimage_encode_options *options,
                                                     const sdimage_cache_handler *handler, void *user_data,
                                                     sdimage_destroy_fn destroy, sdimage_error **error);

/* Stores bytes without an image and calls `completed`. */
SDIMAGE_API sdimage_status sdimage_cache_store_data_async(sdimage_cache *cache, const void *key, size_t length,
                                                          sdimage_data *data, const sdimage_cache_handler *handler,
                                                          void *user_data, sdimage_destroy_fn destroy,
                                                          sdimage_error **error);

/* Removes an entry from the given layers (sdimage_cache_remove) and calls `completed`. Removing a missing entry is no
 * error. */
SDIMAGE_API sdimage_status sdimage_cache_remove_async(sdimage_cache *cache, const void *key, size_t length,
                                                      sdimage_cache_layers layers, const sdimage_cache_handler *handler,
                                                      void *user_data, sdimage_destroy_fn destroy,
                                                      sdimage_error **error);
/* Removes everything from the given layers (sdimage_cache_clear) and calls `completed`. UNSUPPORTED if a part of the
 * cache cannot be cleared. */
SDIMAGE_API sdimage_status sdimage_cache_clear_async(sdimage_cache *cache, sdimage_cache_layers layers,
                                                     const sdimage_cache_handler *handler, void *user_data,
                                                     sdimage_destroy_fn destroy, sdimage_error **error);
/* Removes expired entries (sdimage_cache_remove_expired) and calls `completed`. UNSUPPORTED except for a built-in cache
 * with a disk part. */
SDIMAGE_API sdimage_status sdimage_cache_remove_expired_async(sdimage_cache *cache,
                                                              const sdimage_cache_handler *handler, void *user_data,
                                                              sdimage_destroy_fn destroy, sdimage_error **error);
/* Counts the bytes and entries on disk (sdimage_cache_get_disk_totals) and calls `disk_totals`. UNSUPPORTED except for
 * a built-in cache with a disk part. */
SDIMAGE_API sdimage_status sdimage_cache_get_disk_totals_async(sdimage_cache *cache,
                                                               const sdimage_cache_handler *handler, void *user_data,
                                                               sdimage_destroy_fn destroy, sdimage_error **error);

/* --- Chains of caches that act as one cache, such as a small fast one over a large shared one.
 *
 * A chain is an sdimage_cache for managers and requests, and may be a member of another chain. Its members may be
 * built-in caches, caches of the host and chains; the one added last is the highest. */

/* The members used by an operation, and their order. */
typedef enum SDIMAGE_ENUM sdimage_cache_chain_policy {
    SDIMAGE_CACHE_CHAIN_POLICY_SERIAL = 0, /* the default: the highest first; a query ends with the first hit */
    /* all at once; a query ends with the first hit of any, CONTAINS returns the layers of all */
    SDIMAGE_CACHE_CHAIN_POLICY_CONCURRENT = 1,
    SDIMAGE_CACHE_CHAIN_POLICY_HIGHEST_ONLY = 2, /* the one added last */
    SDIMAGE_CACHE_CHAIN_POLICY_LOWEST_ONLY = 3   /* the one added first */
} sdimage_cache_chain_policy;

/* The operations of a chain. */
typedef enum SDIMAGE_ENUM sdimage_cache_chain_operation {
    SDIMAGE_CACHE_CHAIN_OPERATION_ALL = 0,      /* every operation */
    SDIMAGE_CACHE_CHAIN_OPERATION_QUERY = 1,    /* default SERIAL */
    SDIMAGE_CACHE_CHAIN_OPERATION_STORE = 2,    /* default HIGHEST_ONLY */
    SDIMAGE_CACHE_CHAIN_OPERATION_REMOVE = 3,   /* default CONCURRENT */
    SDIMAGE_CACHE_CHAIN_OPERATION_CONTAINS = 4, /* default SERIAL */
    SDIMAGE_CACHE_CHAIN_OPERATION_CLEAR = 5     /* default CONCURRENT */
} sdimage_cache_chain_operation;

/* Creates a chain without members, which finds nothing and stores nothing. Errors: NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_chain(sdimage_cache **chain, sdimage_error **error);

/* Creates a chain for a fleet of processes: `local`, memory over disk, on top of `shared`, such as one of the remote
 * caches of the plug-ins. Hits of `shared` alone are also stored in `local`, and both members store; otherwise it is a
 * chain like any other. Errors: NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_tiered(sdimage_cache *local, sdimage_cache *shared, sdimage_cache **cache,
                                                    sdimage_error **error);

/* Adds a member as the highest; an existing member moves there. Errors: INVALID_ARGUMENT (`chain` is not a chain, or
 * would contain itself). */
SDIMAGE_API sdimage_status sdimage_cache_chain_add(sdimage_cache *chain, sdimage_cache *member, sdimage_error **error);
/* Removes a member. NOT_FOUND when it is not in the chain. */
SDIMAGE_API sdimage_status sdimage_cache_chain_remove(sdimage_cache *chain, const sdimage_cache *member,
                                                      sdimage_error **error);
/* Returns the number of members; 0 for a cache that is not a chain. */
SDIMAGE_API size_t sdimage_cache_chain_count(const sdimage_cache *chain);
/* Returns a member; the caller owns *member. Index 0 is the highest. Errors: NOT_FOUND beyond the last,
 * INVALID_ARGUMENT (`chain` is not a chain). */
SDIMAGE_API sdimage_status sdimage_cache_chain_get_member(const sdimage_cache *chain, size_t index,
                                                          sdimage_cache **member, sdimage_error **error);

/* Sets the policy of an operation, from the next one on. Memory parts are always queried one after the other, because
 * they return at once. */
SDIMAGE_API sdimage_status sdimage_cache_chain_set_policy(sdimage_cache *chain, sdimage_cache_chain_operation operation,
                                                          sdimage_cache_chain_policy policy, sdimage_error **error);
/* Returns the policy of one operation. Errors: INVALID_ARGUMENT (ALL, or `chain` is not a chain). */
SDIMAGE_API sdimage_status sdimage_cache_chain_get_policy(const sdimage_cache *chain,
                                                          sdimage_cache_chain_operation operation,
                                                          sdimage_cache_chain_policy *policy, sdimage_error **error);

/* Stores hits of a lower member in the members above it. Default false. */
SDIMAGE_API sdimage_status sdimage_cache_chain_set_promote(sdimage_cache *chain, bool promote, sdimage_error **error);
/* Returns true if hits of a lower member are stored in the members above it. */
SDIMAGE_API bool sdimage_cache_chain_should_promote(const sdimage_cache *chain);

#ifdef __cplusplus
}
#endif

#endif
