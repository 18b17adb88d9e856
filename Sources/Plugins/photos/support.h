/* support.h: what all files of the plug-in need: errors, objects that are counted, text, a table by bytes. */
#ifndef SDPHOTO_SUPPORT_H
#define SDPHOTO_SUPPORT_H

#include <sdimage/error.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Stores an error where the caller wants one, and returns its status. */
sdimage_status sdphoto_fail(sdimage_error **error, sdimage_status status, const char *message);

/* The status for an errno of a file, and the same with an error. */
sdimage_status sdphoto_status_of(int number);
sdimage_status sdphoto_fail_file(sdimage_error **error, int number);

/* What every public object begins with. The word tells its kind; another one is a handle of another kind. */
typedef enum sdphoto_kind {
    SDPHOTO_ASSET = 0x70680001,
    SDPHOTO_ASSET_CONFIG,
    SDPHOTO_FETCH_OPTIONS,
    SDPHOTO_LIBRARY,
    SDPHOTO_LIBRARY_CONFIG,
    SDPHOTO_LIST,
    SDPHOTO_LOADER_CONFIG,
    SDPHOTO_REPLY,
    SDPHOTO_REQUEST_OPTIONS
} sdphoto_kind;

typedef struct sdphoto_object {
    uint32_t kind;
    atomic_uint references;
} sdphoto_object;

/* A zeroed object with one reference; NULL when memory is refused. */
void *sdphoto_new(sdphoto_kind kind, size_t size);
/* The object again; NULL where it is none of this kind. */
void *sdphoto_ref(const void *object, sdphoto_kind kind);
/* True for the last reference: then the caller releases what it holds, and frees it. */
bool sdphoto_unref(void *object, sdphoto_kind kind);
bool sdphoto_is(const void *object, sdphoto_kind kind);

/* a + b, or NULL where memory is refused or the length does not fit. NULL counts as "". */
char *sdphoto_join(const char *a, const char *b, const char *c);

/* Whether a path is in a folder, or deeper; all is below "". */
bool sdphoto_is_below(const char *path, const char *folder);

/* Room for one more of `size` bytes each; false when memory is refused. */
bool sdphoto_grow(void *array, size_t count, size_t *capacity, size_t size);

/* A table of functions of the host: what of it the host's version has; the rest of `to` stays. Half a pointer is none.
 */
void sdphoto_copy_table(void *to, size_t room, const void *from, size_t size);

int64_t sdphoto_now_ns(void);
/* A time since 1970 in nanoseconds; the nearest that fits for one that does not (a file may be of any year). */
int64_t sdphoto_nanoseconds(struct timespec time);

/* --- A table by bytes, which belong to the values. */

typedef struct sdphoto_slot {
    uint64_t hash;
    const void *key;
    size_t length;
    void *value;
} sdphoto_slot;

typedef struct sdphoto_map {
    sdphoto_slot *slots;
    size_t count, capacity;
} sdphoto_map;

void *sdphoto_map_find(const sdphoto_map *map, const void *key, size_t length);
/* In place of the value before. False when memory is refused. */
bool sdphoto_map_set(sdphoto_map *map, const void *key, size_t length, void *value);
void *sdphoto_map_remove(sdphoto_map *map, const void *key, size_t length);
void sdphoto_map_clear(sdphoto_map *map);

#endif
