/* observer.h: the observer of a library, which the library and its scans share. A scan holds a reference while it
 * notifies, without a lock; so the observer can be replaced meanwhile. */
#ifndef SDPHOTO_OBSERVER_H
#define SDPHOTO_OBSERVER_H

#include <sdimage/plugins/photos.h>
#include <stdatomic.h>

/* The functions of the host; those it does not define are NULL. */
typedef struct sdphoto_observer {
    atomic_uint references;
    sdimage_photos_library_handler table;
    void *user_data;
    sdimage_destroy_fn destroy;
} sdphoto_observer;

/* Makes an observer with one reference; NULL if memory is exhausted, and then nothing is taken over. */
sdphoto_observer *sdphoto_observer_new(const sdimage_photos_library_handler *vtable, void *user_data,
                                       sdimage_destroy_fn destroy);

/* Releases a reference; NULL is ignored. The last one destroys the observer. */
void sdphoto_observer_drop(sdphoto_observer *observer);

#endif
