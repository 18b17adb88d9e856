/* coder_instance.c: locking and opening, the same for every coder with frames (docs/decisions.md, "Coders share one
 * instance"). The library calls the entries on its threads: updates, images and frames one after the other, counts and
 * durations at any time.
 *
 * There are two ways to give an instance its file. With instance_update, bytes arrive until the file is complete; with
 * open_source, the coder reads from a source as needed. */
#include "coder_instance.h"

#include <stdlib.h>

sdcs_deadline sdcs_instance_deadline(const sdcs_instance *self) {
    return sdcs_deadline_after(self->work_ms, self->request.budget);
}

sdimage_status sdcs_instance_open(void *pointer, const sdimage_decode_options *options, void **instance,
                                  sdimage_error **error) {
    const sdcs_instance_kind *kind = pointer;
    sdcs_instance *self = calloc(1, kind->size);
    if (!self)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, kind->no_memory);
    pthread_mutex_init(&self->lock, NULL);
    self->request = sdcs_request_of(options);
    self->work_ms = sdimage_decode_options_max_work_ms(options);
    self->accepts_partial = sdimage_decode_options_should_accept_partial(options);
    if (kind->configure)
        kind->configure(self, options);
    *instance = self;
    return SDIMAGE_STATUS_OK;
}

/* Calls `start` of the coder, if it has one. From then on frames may be requested. */
static sdimage_status start(const sdcs_instance_kind *kind, sdcs_instance *self, sdimage_error **error) {
    sdimage_status status = kind->start ? kind->start(self, error) : SDIMAGE_STATUS_OK;
    self->is_open = status >= 0;
    return status;
}

sdimage_status sdcs_instance_open_source(void *pointer, const sdimage_source *source,
                                         const sdimage_decode_options *options, void **instance,
                                         sdimage_error **error) {
    void *made = NULL;
    sdimage_status status = sdcs_instance_open(pointer, options, &made, error);
    if (status < 0)
        return status;
    sdcs_instance *self = made;
    /* Only the reference count changes. */
    self->source = sdimage_source_ref((sdimage_source *)(uintptr_t)source);
    /* No lock: no other thread knows the instance before the return. */
    status = start(pointer, self, error);
    if (status < 0)
        sdcs_instance_destroy(pointer, self);
    else
        *instance = self;
    return status;
}

/* Waits for the complete file: its tables may follow the samples. */
static sdimage_status start_when_complete(const sdcs_instance_kind *kind, sdcs_instance *self, const void *bytes,
                                          size_t length, bool finished, sdimage_error **error) {
    /* A second call after the end changes nothing: `data` is in use. */
    if (!finished || self->data)
        return SDIMAGE_STATUS_OK;
    sdimage_status status = sdimage_data_new(bytes, length, &self->data, error);
    return status < 0 ? status : start(kind, self, error);
}

sdimage_status sdcs_instance_update(void *pointer, void *instance, const void *bytes, size_t length, bool finished,
                                    sdimage_error **error) {
    const sdcs_instance_kind *kind = pointer;
    sdcs_instance *self = instance;
    pthread_mutex_lock(&self->lock);
    sdimage_status status = kind->update ? kind->update(self, bytes, length, finished, error)
                                         : start_when_complete(kind, self, bytes, length, finished, error);
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* The lock is held while a frame is decoded: decoders of frames are stateful. */
sdimage_status sdcs_instance_frame(void *pointer, void *instance, uint32_t index, sdimage_image **image,
                                   sdimage_error **error) {
    const sdcs_instance_kind *kind = pointer;
    sdcs_instance *self = instance;
    pthread_mutex_lock(&self->lock);
    sdimage_status status = self->is_open ? kind->frame(self, index, image, error) : SDIMAGE_STATUS_NEED_MORE_DATA;
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* The image of an animation is its first frame. */
sdimage_status sdcs_instance_image(void *kind, void *instance, sdimage_image **image, sdimage_error **error) {
    return sdcs_instance_frame(kind, instance, 0, image, error);
}

uint32_t sdcs_instance_frame_count(void *pointer, void *instance) {
    const sdcs_instance_kind *kind = pointer;
    sdcs_instance *self = instance;
    pthread_mutex_lock(&self->lock);
    uint32_t count = self->is_open ? kind->frame_count(self) : 0;
    pthread_mutex_unlock(&self->lock);
    return count;
}

uint32_t sdcs_instance_loop_count(void *pointer, void *instance) {
    const sdcs_instance_kind *kind = pointer;
    sdcs_instance *self = instance;
    pthread_mutex_lock(&self->lock);
    uint32_t count = self->is_open ? kind->loop_count(self) : 0;
    pthread_mutex_unlock(&self->lock);
    return count;
}

uint32_t sdcs_instance_duration_ms(void *pointer, void *instance, uint32_t index) {
    const sdcs_instance_kind *kind = pointer;
    sdcs_instance *self = instance;
    pthread_mutex_lock(&self->lock);
    uint32_t duration = self->is_open ? kind->duration_ms(self, index) : 0;
    pthread_mutex_unlock(&self->lock);
    return duration;
}

/* No lock: the last call. `close` comes first, because decoders read from `data` and `source`. */
void sdcs_instance_destroy(void *pointer, void *instance) {
    const sdcs_instance_kind *kind = pointer;
    sdcs_instance *self = instance;
    if (kind->close)
        kind->close(self);
    sdimage_data_unref(self->data);
    sdimage_source_unref(self->source);
    pthread_mutex_destroy(&self->lock);
    free(self);
}
