/* observer.c: reference counting of an observer, and its batches of events (see observer.h). */
#include "observer.h"

#include <stdlib.h>

#include "object.h"
#include "support.h"

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

void sdphoto_batch_add(sdphoto_batch *batch, sdphoto_event_kind kind, const sdimage_photos_asset *asset) {
    if (sdphoto_grow(&batch->events, batch->count, &batch->capacity, sizeof *batch->events))
        batch->events[batch->count++] = (sdphoto_event){kind, sdimage_photos_asset_ref(asset)};
}

void sdphoto_batch_deliver(const sdphoto_batch *batch, size_t index) {
    const sdphoto_event *event = &batch->events[index];
    const sdimage_photos_library_handler *table = &batch->observer->table;
    void (*call)(void *, sdimage_photos_asset *) = event->kind == SDPHOTO_INSERTED  ? table->inserted
                                                   : event->kind == SDPHOTO_REMOVED ? table->removed
                                                                                    : table->changed;
    if (call)
        call(batch->observer->user_data, event->asset);
}

void sdphoto_batch_free(sdphoto_batch *batch) {
    if (!batch)
        return;
    for (size_t i = 0; i < batch->count; i++)
        sdimage_photos_asset_unref(batch->events[i].asset);
    sdphoto_observer_drop(batch->observer);
    free(batch->events);
    free(batch);
}
