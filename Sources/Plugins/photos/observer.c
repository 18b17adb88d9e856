/* observer.c: reference counting of an observer (see observer.h). */
#include "observer.h"

#include <stdlib.h>

#include "object.h"

sdphoto_observer *sdphoto_observer_new(const sdimage_photos_library_handler *vtable, void *user_data,
                                       sdimage_destroy_fn destroy) {
    sdphoto_observer *observer = calloc(1, sizeof *observer);
    if (!observer)
        return NULL;
    atomic_init(&observer->references, 1);
    /* Functions that a shorter table lacks stay NULL. */
    sdphoto_copy_table(&observer->table, sizeof observer->table, vtable, vtable->size);
    observer->user_data = user_data;
    observer->destroy = destroy;
    return observer;
}

void sdphoto_observer_drop(sdphoto_observer *observer) {
    if (!observer || atomic_fetch_sub(&observer->references, 1) != 1)
        return;
    if (observer->destroy)
        observer->destroy(observer->user_data);
    free(observer);
}
