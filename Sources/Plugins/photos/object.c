/* object.c: reference counts and kinds of the public objects of the plug-in (see object.h). */
#include "object.h"

#include <stdlib.h>
#include <string.h>

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
    /* A use after the last release is then often refused. */
    counted->kind = 0;
    return true;
}

void sdphoto_copy_table(void *to, size_t room, const void *from, size_t size) {
    /* Tables consist of a size and pointers. */
    size_t whole = size / sizeof(void *) * sizeof(void *);
    memcpy(to, from, whole < room ? whole : room);
}
