#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fnv.h"

sdimage_status sdphoto_status_of(int number) {
    switch (number) {
    case ENOENT:
    case ENOTDIR: return SDIMAGE_STATUS_NOT_FOUND;
    case EACCES:
    case EPERM: return SDIMAGE_STATUS_PERMISSION_DENIED;
    case EISDIR:
    case ELOOP:
    case ENXIO: return SDIMAGE_STATUS_NOT_A_FILE;
    case ENOMEM: return SDIMAGE_STATUS_NO_MEMORY;
    case ENOSPC:
    case EDQUOT: return SDIMAGE_STATUS_DISK_FULL;
    default: return SDIMAGE_STATUS_IO_ERROR;
    }
}

sdimage_status sdphoto_fail_file(sdimage_error **error, int number) {
    char message[128];
    return sdcs_fail(error, sdphoto_status_of(number), strerror_r(number, message, sizeof message));
}

void *sdphoto_new(sdphoto_kind kind, size_t size) {
    sdphoto_object *object = calloc(1, size);
    if (!object)
        return NULL;
    object->kind = (uint32_t)kind;
    atomic_init(&object->references, 1);
    return object;
}

bool sdphoto_is(const void *object, sdphoto_kind kind) {
    return object && ((const sdphoto_object *)object)->kind == (uint32_t)kind;
}

void *sdphoto_ref(const void *object, sdphoto_kind kind) {
    if (!sdphoto_is(object, kind))
        return NULL;
    /* The reference count is not part of the visible state. */
    sdphoto_object *counted = (sdphoto_object *)(uintptr_t)object;
    atomic_fetch_add_explicit(&counted->references, 1, memory_order_relaxed);
    return counted;
}

bool sdphoto_unref(void *object, sdphoto_kind kind) {
    if (!sdphoto_is(object, kind))
        return false;
    sdphoto_object *counted = object;
    if (atomic_fetch_sub_explicit(&counted->references, 1, memory_order_acq_rel) != 1)
        return false;
    counted->kind = 0;
    return true;
}

char *sdphoto_join(const char *a, const char *b, const char *c) {
    size_t lengths[3] = {a ? strlen(a) : 0, b ? strlen(b) : 0, c ? strlen(c) : 0}, total = 1;
    for (int i = 0; i < 3; i++)
        if (__builtin_add_overflow(total, lengths[i], &total))
            return NULL;
    char *joined = malloc(total);
    if (!joined)
        return NULL;
    memcpy(joined, a ? a : "", lengths[0]);
    memcpy(joined + lengths[0], b ? b : "", lengths[1]);
    memcpy(joined + lengths[0] + lengths[1], c ? c : "", lengths[2]);
    joined[total - 1] = 0;
    return joined;
}

bool sdphoto_grow(void *array, size_t count, size_t *capacity, size_t size) {
    void **pointer = array;
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? *capacity : 8, bytes;
    if (__builtin_mul_overflow(wanted, 2, &wanted) || __builtin_mul_overflow(wanted, size, &bytes))
        return false;
    void *grown = realloc(*pointer, bytes);
    if (!grown)
        return false;
    *pointer = grown;
    *capacity = wanted;
    return true;
}

void sdphoto_copy_table(void *to, size_t room, const void *from, size_t size) {
    size_t whole = size / sizeof(void *) * sizeof(void *);
    memcpy(to, from, whole < room ? whole : room);
}

int64_t sdphoto_nanoseconds(struct timespec time) {
    int64_t nanoseconds;
    if (__builtin_mul_overflow((int64_t)time.tv_sec, (int64_t)1000000000, &nanoseconds) ||
        __builtin_add_overflow(nanoseconds, (int64_t)time.tv_nsec, &nanoseconds))
        return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return nanoseconds;
}

int64_t sdphoto_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return sdphoto_nanoseconds(now);
}

bool sdphoto_is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return length == 0 || (strncmp(path, folder, length) == 0 && path[length] == '/');
}

/* --- The table: linear probing; removal leaves no tombstones. */

/* Mixed, because the lower bits choose the slot. */
static uint64_t hash_of(const void *key, size_t length) {
    uint64_t hash = sdcs_fnv1a(key, length);
    return hash ^ hash >> 32;
}

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

static bool make_room(sdphoto_map *map) {
    if ((map->count + 1) * 4 <= map->capacity * 3)
        return true;
    size_t capacity = map->capacity ? map->capacity * 2 : 64;
    if (capacity < map->capacity || capacity > SIZE_MAX / sizeof(sdphoto_slot))
        return false;
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
