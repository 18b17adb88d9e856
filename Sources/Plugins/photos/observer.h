/* observer.h: the observer of a library, and events for it. Library and batches of events share the observer, which can
 * therefore be replaced while it is called. */
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

/* Kinds of events. */
typedef enum sdphoto_event_kind { SDPHOTO_INSERTED, SDPHOTO_REMOVED, SDPHOTO_CHANGED } sdphoto_event_kind;

/* An event, recorded during a scan and delivered after it. */
typedef struct sdphoto_event {
    sdphoto_event_kind kind;
    sdimage_photos_asset *asset; /* referenced; of a removed file the last state */
} sdphoto_event;

/* The events of a scan, in their order. */
typedef struct sdphoto_batch {
    struct sdphoto_batch *next;
    sdphoto_observer *observer; /* referenced */
    sdphoto_event *events;
    size_t count, capacity;
} sdphoto_batch;

/* Adds an event and references the asset. An event that finds no memory is lost. */
void sdphoto_batch_add(sdphoto_batch *batch, sdphoto_event_kind kind, const sdimage_photos_asset *asset);
/* Calls the observer for an event. Requires no lock. */
void sdphoto_batch_deliver(const sdphoto_batch *batch, size_t index);
/* Frees a batch and releases its observer; NULL is ignored. Requires no lock. */
void sdphoto_batch_free(sdphoto_batch *batch);

#endif
