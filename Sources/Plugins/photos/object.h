/* object.h: reference-counted public objects, and function tables of the host. */
#ifndef SDPHOTO_OBJECT_H
#define SDPHOTO_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of public objects. Their functions check the kind, so that an object of another class is refused. */
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

/* The first member of every public object. */
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
/* Reports that an object is of a kind; false for NULL. */
bool sdphoto_is(const void *object, sdphoto_kind kind);

/* Copies a function table of the host as far as the host's version defines it. The rest of `to` is unchanged; partial
 * pointers are ignored. */
void sdphoto_copy_table(void *to, size_t room, const void *from, size_t size);

#endif
