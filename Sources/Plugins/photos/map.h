/* map.h: a hash table. The keys are bytes that belong to the values: they must stay valid and unchanged while in the
 * table. Not synchronized. */
#ifndef SDPHOTO_MAP_H
#define SDPHOTO_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A slot; free if its value is NULL. */
typedef struct sdphoto_slot {
    uint64_t hash;
    const void *key;
    size_t length;
    void *value;
} sdphoto_slot;

/* A table; all zero when empty. */
typedef struct sdphoto_map {
    sdphoto_slot *slots;
    size_t count, capacity;
} sdphoto_map;

/* Returns the value of a key; NULL for none. */
void *sdphoto_map_find(const sdphoto_map *map, const void *key, size_t length);
/* Replaces the value of a key. False if memory is exhausted. */
bool sdphoto_map_set(sdphoto_map *map, const void *key, size_t length, void *value);
/* Removes a key and returns its value; NULL for none. */
void *sdphoto_map_remove(sdphoto_map *map, const void *key, size_t length);
/* Frees the table, not the values. */
void sdphoto_map_clear(sdphoto_map *map);

#endif
