/* map.c: a hash table with linear probing; removal leaves no tombstones (see map.h). Keys are names from files and
 * databases, which may be hostile. */
#include "map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sdpx_hash.h"

/* The key of all tables: keys in one slot after the other would make each search linear. Without random numbers of the
 * system it stays as it is. */
static uint64_t secret[2] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u};

static void make_secret(void) {
    uint64_t made[2];
    if (getrandom(made, sizeof made, GRND_NONBLOCK) == sizeof made)
        memcpy(secret, made, sizeof made);
}

static uint64_t hash_of(const void *key, size_t length) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_secret);
    return sdpx_sip_hash(key, length, secret[0], secret[1]);
}

/* Returns the slot of a key, or the free slot where it would be stored. There is always a free one. */
static sdphoto_slot *slot_of(const sdphoto_map *map, uint64_t hash, const void *key, size_t length) {
    size_t mask = map->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        sdphoto_slot *slot = &map->slots[i];
        if (!slot->value)
            return slot;
        if (slot->hash == hash && slot->length == length && memcmp(slot->key, key, length) == 0)
            return slot;
    }
}

void *sdphoto_map_find(const sdphoto_map *map, const void *key, size_t length) {
    return map->capacity ? slot_of(map, hash_of(key, length), key, length)->value : NULL;
}

/* Keeps at least a quarter of the slots free; the capacity is a power of two. */
static bool make_room(sdphoto_map *map) {
    if ((map->count + 1) * 4 <= map->capacity * 3)
        return true;
    size_t capacity = map->capacity ? map->capacity * 2 : 64;
    if (capacity < map->capacity || capacity > SIZE_MAX / sizeof(sdphoto_slot))
        return false;
    /* Entries are stored again, because their slots depend on the capacity. */
    sdphoto_map wider = {calloc(capacity, sizeof(sdphoto_slot)), map->count, capacity};
    if (!wider.slots)
        return false;
    for (size_t i = 0; i < map->capacity; i++) {
        const sdphoto_slot *slot = &map->slots[i];
        if (slot->value)
            *slot_of(&wider, slot->hash, slot->key, slot->length) = *slot;
    }
    free(map->slots);
    *map = wider;
    return true;
}

bool sdphoto_map_set(sdphoto_map *map, const void *key, size_t length, void *value) {
    if (!value || !make_room(map))
        return false;
    uint64_t hash = hash_of(key, length);
    sdphoto_slot *slot = slot_of(map, hash, key, length);
    if (!slot->value)
        map->count++;
    *slot = (sdphoto_slot){hash, key, length, value};
    return true;
}

void *sdphoto_map_remove(sdphoto_map *map, const void *key, size_t length) {
    if (!map->capacity)
        return NULL;
    sdphoto_slot *slot = slot_of(map, hash_of(key, length), key, length);
    void *value = slot->value;
    if (!value)
        return NULL;
    size_t mask = map->capacity - 1, hole = (size_t)(slot - map->slots);
    map->slots[hole].value = NULL;
    map->count--;
    /* Moves up the following values that are not in their home slot. */
    for (size_t i = (hole + 1) & mask; map->slots[i].value; i = (i + 1) & mask) {
        size_t home = map->slots[i].hash & mask;
        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        map->slots[hole] = map->slots[i];
        map->slots[i].value = NULL;
        hole = i;
    }
    return value;
}

void sdphoto_map_clear(sdphoto_map *map) {
    free(map->slots);
    *map = (sdphoto_map){NULL, 0, 0};
}
