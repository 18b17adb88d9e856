/* map.h: a hash table. The keys are bytes that belong to the values. */
#ifndef SDPHOTO_MAP_H
#define SDPHOTO_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
