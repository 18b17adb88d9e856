/* coder_instance.h: the instances of a coder, for progressive images, animations and files that are read as needed
 * (coder.h). One lock serializes all calls. A coder has the functions that differ.
 *
 * A coder passes its sdcs_instance_kind as user data, sets SDCS_INSTANCE_ENTRIES in its table, and begins its own
 * instance with an sdcs_instance. AVIF, JPEG XL, TIFF and video use it. */
#ifndef SDCS_CODER_INSTANCE_H
#define SDCS_CODER_INSTANCE_H

#include <pthread.h>
#include <sdimage/sys/source.h>

#include "deadline.h"
#include "image.h"

/* The first member of a coder's instance. */
typedef struct sdcs_instance {
    pthread_mutex_t lock; /* held in all calls but the first and the last */
    /* The options, copied when the instance is opened: `request`, the milliseconds of one call, partial images. */
    sdcs_request request;
    uint32_t work_ms; /* the time limit of a call */
    bool accepts_partial;
    /* The input when it is complete: a copy, because the bytes of an update are borrowed, or a source. */
    sdimage_data *data;
    sdimage_source *source;
    bool is_open; /* there is something to decode: `frame` and the counts are called */
} sdcs_instance;

/* The user data of a coder. `configure`, `start`, `update` and `close` may be NULL. All functions are called under the
 * lock, except `configure`, `start` for a source and `close`, for which only one thread knows the instance. */
typedef struct sdcs_instance_kind {
    size_t size;           /* bytes of the instance, which is zeroed first */
    const char *no_memory; /* the message if there is no memory for it */
    /* Reads options of the coder's own. */
    void (*configure)(void *instance, const sdimage_decode_options *options);
    /* Opens `data` or `source`; the instance is open if it succeeds. */
    sdimage_status (*start)(void *instance, sdimage_error **error);
    /* Replaces `start` for a coder that decodes while data arrives; it sets `is_open` and, if needed, `data`. */
    sdimage_status (*update)(void *instance, const void *bytes, size_t length, bool finished, sdimage_error **error);
    /* Decodes a frame, composed to the whole canvas. The index may be out of range. */
    sdimage_status (*frame)(void *instance, uint32_t index, sdimage_image **image, sdimage_error **error);
    uint32_t (*frame_count)(const void *instance);
    /* 0 = infinite. */
    uint32_t (*loop_count)(const void *instance);
    uint32_t (*duration_ms)(const void *instance, uint32_t index);
    /* Releases the members of the coder, also after a failure of `start`. */
    void (*close)(void *instance);
} sdcs_instance_kind;

/* Returns the deadline of a call that begins now. */
sdcs_deadline sdcs_instance_deadline(const sdcs_instance *self);

/* Entries of the coder's function table, documented in coder.h. `kind` is the sdcs_instance_kind. Before the instance
 * is open, frames are NEED_MORE_DATA and counts are 0. */
sdimage_status sdcs_instance_open(void *kind, const sdimage_decode_options *options, void **instance,
                                  sdimage_error **error);
sdimage_status sdcs_instance_open_source(void *kind, const sdimage_source *source,
                                         const sdimage_decode_options *options, void **instance, sdimage_error **error);
sdimage_status sdcs_instance_update(void *kind, void *instance, const void *bytes, size_t length, bool finished,
                                    sdimage_error **error);
sdimage_status sdcs_instance_frame(void *kind, void *instance, uint32_t index, sdimage_image **image,
                                   sdimage_error **error);
sdimage_status sdcs_instance_image(void *kind, void *instance, sdimage_image **image, sdimage_error **error);
uint32_t sdcs_instance_frame_count(void *kind, void *instance);
uint32_t sdcs_instance_loop_count(void *kind, void *instance);
uint32_t sdcs_instance_duration_ms(void *kind, void *instance, uint32_t index);
void sdcs_instance_destroy(void *kind, void *instance);

/* The entries of a coder with frames, for the initializer of its table. A coder that reads as needed adds
 * sdcs_instance_open_source. */
#define SDCS_INSTANCE_ENTRIES                                                                                          \
    .open = sdcs_instance_open, .instance_update = sdcs_instance_update, .instance_image = sdcs_instance_image,        \
    .instance_frame_count = sdcs_instance_frame_count, .instance_loop_count = sdcs_instance_loop_count,                \
    .instance_duration_ms = sdcs_instance_duration_ms, .instance_frame = sdcs_instance_frame,                          \
    .instance_destroy = sdcs_instance_destroy

#endif
