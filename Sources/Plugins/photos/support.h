/* support.h: common functions of the plug-in: errors, reference-counted objects, text, a hash table. */
#ifndef SDPHOTO_SUPPORT_H
#define SDPHOTO_SUPPORT_H

#include <sdimage/error.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "fail.h"

/* Return the status for the errno of a file, and the same with an error. */
sdimage_status sdphoto_status_of(int number);
sdimage_status sdphoto_fail_file(sdimage_error **error, int number);

/* The header of every public object: a word that identifies its kind. */
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

/* Makes a zeroed object with one reference; NULL if memory is exhausted. */
void *sdphoto_new(sdphoto_kind kind, size_t size);
/* References the object and returns it; NULL if it is of another kind. */
void *sdphoto_ref(const void *object, sdphoto_kind kind);
/* Returns true for the last reference: the caller then releases the members and frees the object. */
bool sdphoto_unref(void *object, sdphoto_kind kind);
bool sdphoto_is(const void *object, sdphoto_kind kind);

/* Concatenates up to three texts. NULL if memory is exhausted or the length overflows. A NULL argument counts as "". */
char *sdphoto_join(const char *a, const char *b, const char *c);

/* Reports that a path is in a folder, at any depth; everything is below "". */
bool sdphoto_is_below(const char *path, const char *folder);

/* Makes room for one more element of `size` bytes; false if memory is exhausted. */
bool sdphoto_grow(void *array, size_t count, size_t *capacity, size_t size);

/* Copies a function table of the host as far as the host's version defines it. The rest of `to` is unchanged; partial
 * pointers are ignored. */
void sdphoto_copy_table(void *to, size_t room, const void *from, size_t size);

int64_t sdphoto_now_ns(void);
/* Converts a time since 1970 to nanoseconds, clamped to the range (a file may have any year). */
int64_t sdphoto_nanoseconds(struct timespec time);

/* --- A hash table. The keys are bytes that belong to the values. */

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
/* Replaces the value of a key. False if memory is exhausted. */
bool sdphoto_map_set(sdphoto_map *map, const void *key, size_t length, void *value);
void *sdphoto_map_remove(sdphoto_map *map, const void *key, size_t length);
void sdphoto_map_clear(sdphoto_map *map);

#endif
