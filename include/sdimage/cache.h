/* cache.h: pictures in memory, encoded bytes on disk.
 *
 * The disk part survives the end of a process at any instruction and may be shared by several processes. Nothing that
 * happens to it fails a load: its errors are counted (sdimage_cache_statistics) and told by stores. Keys are UTF-8 of
 * at least one byte, NUL bytes included, compared bytewise; others are INVALID_ARGUMENT, or not found.
 *
 * The key of a thumbnail or of a transformed image is the key of its original, the byte 0x1F and the variant
 * (sdimage_manager_entry_key). Its printed form (sdimage_result_cache_key) has the variant before the extension.
 * Look-ups and removals take both: a text is the original of that name first, and, where there is none, the variant
 * that prints so; removals remove both. Stores take a text as it is: the printed form names an original.
 *
 * Classes: sdimage_cache synchronised, sdimage_cache_config single-owner.
 *
 * Functions on bytes block on the disk; memory functions never do. The same without blocking: cache_async.h. What else
 * the disk part can do: disk.h. For caches of the host and chains of caches (cache_chain.h) those functions work that
 * their parts can answer, and block until these have; on a thread of the library they answer WOULD_DEADLOCK. The others
 * answer UNSUPPORTED, or do nothing. */
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

/* What leaves a memory part that is full. */
typedef enum SDIMAGE_ENUM sdimage_eviction {
    /* what is asked for once makes way for what is asked for again: a scan displaces little */
    SDIMAGE_EVICTION_ADAPTIVE = 0,
    SDIMAGE_EVICTION_LRU = 1 /* what was not used for the longest time, exactly */
} sdimage_eviction;

/* A configuration with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_cache_config *sdimage_cache_config_new(void);
SDIMAGE_API sdimage_cache_config *sdimage_cache_config_ref(sdimage_cache_config *config);
SDIMAGE_API void sdimage_cache_config_unref(sdimage_cache_config *config);

/* Folder of the disk part, copied. NULL, the default, is $XDG_CACHE_HOME/sdimage where that variable is an absolute
 * path, else $HOME/.cache/sdimage, else the same in the home directory of the password database; without any of them
 * the cache is in memory only, and sdimage_doctor says so. Missing folders are made with mode 0700.
 *
 * Every folder on the path must belong to this user or to root and must not be writable by group or others; a sticky
 * folder of root, such as /tmp, may lie on the path but not be its end. Symbolic links are followed where this user or
 * root owns them. The path is walked name by name and checked on the way, and files are opened under the folder found.
 * Otherwise: CACHE_UNUSABLE. */
SDIMAGE_API void sdimage_cache_config_set_directory(sdimage_cache_config *config, const char *path);

/* Name of a sub-folder, so that parts of a program do not see each other's entries. Default "default". */
SDIMAGE_API void sdimage_cache_config_set_namespace(sdimage_cache_config *config, const char *name);

/* No disk part at all. Default false. */
SDIMAGE_API void sdimage_cache_config_set_memory_only(sdimage_cache_config *config, bool memory_only);

/* Strict limits of the memory part: bytes of pixels, and pictures. Default 0 = none. */
SDIMAGE_API void sdimage_cache_config_set_max_memory_cost(sdimage_cache_config *config, size_t bytes);
SDIMAGE_API void sdimage_cache_config_set_max_memory_count(sdimage_cache_config *config, size_t count);

/* What leaves memory when it is full. Default ADAPTIVE. */
SDIMAGE_API void sdimage_cache_config_set_eviction(sdimage_cache_config *config, sdimage_eviction eviction);

/* Whether loads and look-ups on disk keep their pictures in memory. Default true. With false only
 * sdimage_cache_set_memory_image does. */
SDIMAGE_API void sdimage_cache_config_set_keep_in_memory(sdimage_cache_config *config, bool keep);

/* Whether a picture that left memory, but is still held by somebody, is found and put back. Default false. */
SDIMAGE_API void sdimage_cache_config_set_keep_weakly(sdimage_cache_config *config, bool keep);

/* Bytes on disk: when a store goes beyond, the least recently used entries go until half is left. Default 0 = none. */
SDIMAGE_API void sdimage_cache_config_set_max_disk_size(sdimage_cache_config *config, uint64_t bytes);

/* Seconds after the last access for which an entry is kept. Default 604800 (a week); negative = for ever. */
SDIMAGE_API void sdimage_cache_config_set_max_disk_age(sdimage_cache_config *config, int64_t seconds);

/* Entries up to this many bytes lie inside the index, larger ones in files. Default 65536. */
SDIMAGE_API void sdimage_cache_config_set_inline_entry_limit(sdimage_cache_config *config, size_t bytes);

/* Stores are complete only when they would survive a power cut. Default false: after a power cut the last entries may
 * be missing, never wrong. */
SDIMAGE_API void sdimage_cache_config_set_durable(sdimage_cache_config *config, bool durable);

/* Where else the bytes of an entry may lie, such as pictures that came with the program: writes a path without NUL into
 * `path` and returns its length; 0, or more than `capacity`, for none. Any thread; must not block. */
typedef size_t (*sdimage_cache_path_fn)(void *user_data, const void *key, size_t length, char *path, size_t capacity);

/* Asked when the disk part has nothing for a key whose bytes are wanted, never to know whether an entry exists. The
 * file is read, never written, and not kept on disk a second time. NULL, the default: nobody. `destroy(user_data)` is
 * called once, when the last cache and configuration with it have gone. */
SDIMAGE_API void sdimage_cache_config_set_additional_path(sdimage_cache_config *config, sdimage_cache_path_fn path,
                                                          void *user_data, sdimage_destroy_fn destroy);

/* Opens a cache; NULL for the default configuration. A folder that cannot be used is no error here: the cache then
 * works in memory, and stores tell why. Errors: FORKED, NO_MEMORY, INVALID_ARGUMENT (a name with a slash). */
SDIMAGE_API sdimage_status sdimage_cache_new(const sdimage_cache_config *config, sdimage_cache **cache,
                                             sdimage_error **error);
SDIMAGE_API sdimage_cache *sdimage_cache_ref(sdimage_cache *cache);
SDIMAGE_API void sdimage_cache_unref(sdimage_cache *cache);

/* Commits what is pending and closes the disk part; every later call answers SHUTDOWN. Called by the last unref. */
SDIMAGE_API sdimage_status sdimage_cache_close(sdimage_cache *cache, sdimage_error **error);

/* --- Memory. */

/* The picture kept in memory, the caller's to unref; NULL when there is none. Well under a microsecond. */
SDIMAGE_API sdimage_image *sdimage_cache_memory_image(const sdimage_cache *cache, const void *key, size_t length);

/* Keeps a picture in memory under its memory cost; never one that costs more than the limit. No limit is exceeded at
 * any moment, whoever else stores. */
SDIMAGE_API sdimage_status sdimage_cache_set_memory_image(sdimage_cache *cache, const void *key, size_t length,
                                                          sdimage_image *image, sdimage_error **error);

/* Changes the memory limits at once; 0 = none. */
SDIMAGE_API void sdimage_cache_set_memory_limits(sdimage_cache *cache, size_t bytes, size_t count);

/* Change what the configuration said, at once. */
SDIMAGE_API void sdimage_cache_set_keep_in_memory(sdimage_cache *cache, bool keep);
SDIMAGE_API void sdimage_cache_set_keep_weakly(sdimage_cache *cache, bool keep);

/* Looks once a second, on a thread that the library has anyway, whether the system or the control group of this process
 * is short of memory, and then does as sdimage_trim_memory(true), at most every ten seconds. Default false. Starts no
 * thread: nothing is looked at while the process has neither a manager nor a cache with a disk part. */
SDIMAGE_API void sdimage_watch_memory_pressure(bool watch);

/* --- Bytes. */

/* The bytes of an entry: *data is the caller's. They are a copy in memory: what happens to the file later does not
 * change them. NOT_FOUND when there is none, or when its file was changed. */
SDIMAGE_API sdimage_status sdimage_cache_data(const sdimage_cache *cache, const void *key, size_t length,
                                              sdimage_data **data, sdimage_error **error);

/* Stores bytes and returns when they are committed. Errors: CACHE_UNUSABLE, PERMISSION_DENIED, DISK_FULL,
 * IO_ERROR, BUSY, SHUTDOWN, WOULD_DEADLOCK, UNSUPPORTED (a cache in memory only). */
SDIMAGE_API sdimage_status sdimage_cache_store_data(sdimage_cache *cache, const void *key, size_t length,
                                                    sdimage_data *data, sdimage_error **error);

/* Keeps a picture in the layers named: in memory before anything else, then on disk, and returns when it is committed.
 * The bytes on disk are `data`; without, the picture encoded: in its own format where that can be written, else GIF
 * when it moves, PNG when it has an alpha channel, JPEG otherwise. `options`, of the encoder, may be NULL. Extended
 * data of the picture (image.h) is kept beside the bytes. Without a picture this is sdimage_cache_store_data. Errors
 * further: INVALID_ARGUMENT (neither picture nor data), those of sdimage_encode. Memory keeps the picture whatever
 * fails on disk. */
SDIMAGE_API sdimage_status sdimage_cache_store(sdimage_cache *cache, const void *key, size_t length,
                                               sdimage_image *image, sdimage_data *data, sdimage_cache_layers layers,
                                               const sdimage_encode_options *options, sdimage_error **error);

/* The picture of an entry: from memory, or decoded from the disk bytes and kept in memory under the same key (under the
 * thumbnail's own key when `options` ask for one). Blocks. `options` may be NULL. NOT_FOUND when there is none. */
SDIMAGE_API sdimage_status sdimage_cache_image(sdimage_cache *cache, const void *key, size_t length,
                                               const sdimage_decode_options *options, sdimage_image **image,
                                               sdimage_error **error);

/* --- Both layers. */

/* The layers that hold an entry. */
SDIMAGE_API sdimage_cache_layers sdimage_cache_contains(const sdimage_cache *cache, const void *key, size_t length);

/* Removes an entry from the named layers. Removing what is not there is no error. */
SDIMAGE_API sdimage_status sdimage_cache_remove(sdimage_cache *cache, const void *key, size_t length,
                                                sdimage_cache_layers layers, sdimage_error **error);

/* Removes everything from the named layers. */
SDIMAGE_API sdimage_status sdimage_cache_clear(sdimage_cache *cache, sdimage_cache_layers layers,
                                               sdimage_error **error);

/* Waits until everything stored so far is committed. */
SDIMAGE_API sdimage_status sdimage_cache_flush(sdimage_cache *cache, sdimage_error **error);

/* Removes entries past their age, and the oldest ones while the size is over its limit. */
SDIMAGE_API sdimage_status sdimage_cache_remove_expired(sdimage_cache *cache, sdimage_error **error);

/* A path at which the bytes of an entry can be read, whatever is evicted, until sdimage_cache_unpin (disk.h) or the end
 * of the cache; as a NUL-terminated text in *path (the length does not count the NUL). NOT_FOUND when there is none. */
SDIMAGE_API sdimage_status sdimage_cache_path(sdimage_cache *cache, const void *key, size_t length, sdimage_data **path,
                                              sdimage_error **error);

/* Bytes and entries on disk, by the index. */
SDIMAGE_API sdimage_status sdimage_cache_disk_totals(const sdimage_cache *cache, uint64_t *bytes, uint64_t *count,
                                                     sdimage_error **error);

/* Counters since the cache was opened, as a JSON object in UTF-8: "memory" {hits, misses, evictions, ghost_hits (misses
 * of what was evicted not long before: many mean that the limit is too low), bytes, count} and
 * "disk" {hits, misses, stores, dropped_stores, damaged, bytes, count, last_error}. */
SDIMAGE_API sdimage_status sdimage_cache_statistics(const sdimage_cache *cache, sdimage_data **json,
                                                    sdimage_error **error);

/* --- Caches of one's own. */

/* The functions of a cache. Memory functions are inline: called on any thread, must not block, and may be NULL for a
 * cache without a memory part. The others start work and return; they answer through the reply, which they own. `query`
 * and `store` may both be NULL for a cache without a disk part. */
typedef struct sdimage_cache_vtable {
    size_t size;
    /* The picture, with a reference for the caller; NULL when there is none. */
    sdimage_image *(*memory_image)(void *user_data, const void *key, size_t length);
    /* Keeps a picture, by a reference of its own, or does not. */
    void (*set_memory_image)(void *user_data, const void *key, size_t length, sdimage_image *image);
    /* Complete with data, or plainly when there is no such entry. `options` are those of the request that asks, or
     * NULL; they live until the reply is complete. */
    void (*query)(void *user_data, const void *key, size_t length, const sdimage_options *options,
                  sdimage_reply *reply);
    /* Reference `data` to keep it; `options` as above. Complete when it is stored. */
    void (*store)(void *user_data, const void *key, size_t length, sdimage_data *data, const sdimage_options *options,
                  sdimage_reply *reply);
    /* Removes an entry from the layers; no entry is no error. Required. */
    void (*remove)(void *user_data, const void *key, size_t length, sdimage_cache_layers layers, sdimage_reply *reply);
    /* Complete with any data when the entry is there beyond memory, else plainly. NULL: it is queried to know. */
    void (*contains)(void *user_data, const void *key, size_t length, sdimage_reply *reply);
    /* Removes all entries of the layers. NULL: clearing is UNSUPPORTED. */
    void (*clear)(void *user_data, sdimage_cache_layers layers, sdimage_reply *reply);
    /* In place of `store`, which may then be NULL: the entry with all that belongs to it (cache_entry.h), to be given
     * back by `query` with sdimage_reply_complete_with_entry. */
    void (*store_entry)(void *user_data, const void *key, size_t length, sdimage_cache_entry *entry,
                        const sdimage_options *options, sdimage_reply *reply);
    /* For a cache that several processes share: a load is about to ask the origin. Complete plainly: it is to ask, and
     * `end_lease` tells when it has stored the entry or failed; with an entry whose date is after `newer_than_ns` (0:
     * any): another process has asked meanwhile; with an error: unknown, the load asks. How long to wait for another
     * process is the cache's to limit. NULL: loads do not wait for other processes. */
    void (*lease)(void *user_data, const void *key, size_t length, uint64_t newer_than_ns,
                  const sdimage_options *options, sdimage_reply *reply);
    /* Once for each `lease` that was completed plainly; may be NULL. */
    void (*end_lease)(void *user_data, const void *key, size_t length);
    /* Compare-and-swap, for revalidated entries: stores `entry` in place of `old`, which `query` returned a moment ago,
     * where the cache still has the same data and metadata; changes nothing otherwise. Complete plainly in both cases.
     * Reference the entries to keep them. NULL: a shared cache does not renew its entries. */
    void (*replace_entry)(void *user_data, const void *key, size_t length, sdimage_cache_entry *old,
                          sdimage_cache_entry *entry, sdimage_reply *reply);
    /* True for a shared cache (RFC 9111): one whose entries other users or machines read. A cache with `lease` always
     * is. It is not given images and entries of private responses, also when the program stores such an image itself:
     * Cache-Control private or no-store; requests with Authorization, or with user and password in the URL, unless the
     * response says public, s-maxage or must-revalidate; requests with cookies, unless it says public; Vary with such a
     * field. */
    bool is_shared;
} sdimage_cache_vtable;

/* A cache made of the host's functions, usable wherever a built-in one is. `destroy(user_data)` is called once, also
 * when this call fails. Errors: INVALID_ARGUMENT, NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_custom(const sdimage_cache_vtable *vtable, void *user_data,
                                                    sdimage_destroy_fn destroy, sdimage_cache **cache,
                                                    sdimage_error **error);

/* A cache of two halves: pictures in the memory part of `memory`, bytes in the disk part of `disk`. So one half can be
 * the host's own and the other built in. The other parts of both are left alone. Errors: NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_layered(sdimage_cache *memory, sdimage_cache *disk, sdimage_cache **cache,
                                                     sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
