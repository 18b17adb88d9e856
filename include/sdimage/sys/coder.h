/* sys/coder.h: custom coders, which decode and encode formats of the host.
 *
 * Class: sdimage_work_budget synchronized. */
#ifndef SDIMAGE_SYS_CODER_H
#define SDIMAGE_SYS_CODER_H

#include "../base.h"
#include "../coder.h"
#include "../data.h"
#include "../decode.h"
#include "../encode.h"
#include "../error.h"
#include "../image.h"
#include "../metadata.h"
#include "../options.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Work budget of an operation. */

/* A work budget (sdimage_work_budget) holds the cancellation, the time limit and the amount of work of a decode, an
 * encode or the reading of a header. It is borrowed from the options passed to a coder and valid as long as these: for
 * the duration of the call, or, for options passed to `open` or `open_source`, until the instance is destroyed. Between
 * the calls of an instance it has no limit. All functions may be called from any thread. NULL means a budget without
 * limits. */
/* Returns OK while the operation may continue, CANCELLED after its cancellation, and TIMEOUT after its time limit. In
 * the latter two cases the coder must return this status within 50 ms. Cheap: reads the clock. */
SDIMAGE_API sdimage_status sdimage_work_budget_check(const sdimage_work_budget *budget);

/* Counts bytes of input that are read, skipped or decompressed, for input that a file can cause a coder to read
 * repeatedly. Returns the same statuses as sdimage_work_budget_check, and TOO_LARGE once all calls of the operation
 * exceed an amount proportional to the length of the input. */
SDIMAGE_API sdimage_status sdimage_work_budget_spend(const sdimage_work_budget *budget, size_t bytes);

/* Returns the milliseconds until the time limit, 0 after it, and UINT32_MAX without a limit. */
SDIMAGE_API uint32_t sdimage_work_budget_remaining_ms(const sdimage_work_budget *budget);

/* Returns the budget of the operation for which the options were created; NULL for options created by the host. */
SDIMAGE_API const sdimage_work_budget *sdimage_decode_options_work_budget(const sdimage_decode_options *options);

/* Returns the work budget of the encode for which the options were created, valid as long as they are; NULL
 * for options created by the host. */
SDIMAGE_API const sdimage_work_budget *sdimage_encode_options_work_budget(const sdimage_encode_options *options);

/* --- Custom coders. */

/* The functions of a coder. They are called on worker threads, concurrently, and must return without waiting. A
 * function that receives options checks their work budget (sdimage_decode_options_work_budget) at least every 50 ms;
 * the result of a function that returns after the end of its budget is discarded. can_decode and decode are required;
 * every other function may be NULL. The table may grow at its end: `size` is the sizeof of the caller's table.
 *
 * The library shrinks the returned image into the requested box, rotates it upright according to its orientation,
 * converts it from its color profile to sRGB, and changes its pixel format. A coder need not do this; one that can do
 * so more efficiently during decoding reads the options. With `open`, `instance_update` and `instance_image`, images
 * are decoded progressively; with `instance_frame_count` and `instance_frame` too, they are animated.
 * examples/c/custom_coder.c is a complete coder in less than 100 lines. */
typedef struct sdimage_coder_vtable {
    size_t size;

    /* Returns true if this coder decodes the bytes. */
    bool (*can_decode)(void *user_data, const void *bytes, size_t length);
    /* Decodes the first image; *image receives a reference, which the library releases. sdimage_decode_options_options
     * has the values of the request. */
    sdimage_status (*decode)(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error);

    /* Returns true if this coder encodes the format. Set with `encode`, or not at all. */
    bool (*can_encode)(void *user_data, sdimage_format format);
    /* Encodes the image; *data must not be empty. The library shrinks the image and reduces it to a still as the
     * options require; it meets a limit of the file size by calling `encode` with different qualities. The coder reads
     * the other options (encode.h), including the values of sdimage_encode_options_options. `options` is never NULL. */
    sdimage_status (*encode)(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error);

    /* Opens an instance for progressive images and animations; one instance serves both. Its update, image and frame
     * calls are serialized; the counts and durations may be requested concurrently from other threads. */
    sdimage_status (*open)(void *user_data, const sdimage_decode_options *options, void **instance,
                           sdimage_error **error);
    /* Receives all bytes so far. They are valid only during the call, and their address may differ in the next one. Not
     * called again after `finished`. */
    sdimage_status (*instance_update)(void *user_data, void *instance, const void *bytes, size_t length, bool finished,
                                      sdimage_error **error);
    /* Returns the best image so far, the first frame for an animation; NEED_MORE_DATA when there is none. */
    sdimage_status (*instance_image)(void *user_data, void *instance, sdimage_image **image, sdimage_error **error);
    /* Returns the number of frames so far. At most 10,000 are used. */
    uint32_t (*instance_frame_count)(void *user_data, void *instance);
    /* Returns the loop count; 0 = infinite. */
    uint32_t (*instance_loop_count)(void *user_data, void *instance);
    /* Returns the duration of a frame in milliseconds. */
    uint32_t (*instance_duration_ms)(void *user_data, void *instance, uint32_t index);
    /* Returns frame `index`, below the frame count, composed to the whole canvas. */
    sdimage_status (*instance_frame)(void *user_data, void *instance, uint32_t index, sdimage_image **image,
                                     sdimage_error **error);
    /* Frees the instance; the last call. */
    void (*instance_destroy)(void *user_data, void *instance);

    /* Draws a vector image at a size in pixels, smaller or larger than its own, within the limits in force. With this
     * function a thumbnail is drawn at its size, also enlarged, and the image can be redrawn (sdimage_image_render)
     * with the options of its decode. */
    sdimage_status (*render)(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_size size, sdimage_image **image, sdimage_error **error);
    /* Like `open`, for bytes that the coder reads as needed: `instance_update` is not called. The source may be read
     * until the instance is destroyed. */
    sdimage_status (*open_source)(void *user_data, const sdimage_source *source, const sdimage_decode_options *options,
                                  void **instance, sdimage_error **error);
    /* Stores header information with the setters of sdimage_metadata (metadata.h) without decoding pixels. Without this
     * function sdimage_info_new decodes the image. The reported frame count also applies to images returned by
     * `decode`: without one the image is a still, and no instance is opened for further frames. */
    sdimage_status (*info)(void *user_data, const void *bytes, size_t length, sdimage_metadata *metadata,
                           sdimage_error **error);
    /* Replaces `info` for coders whose header information depends on the options, such as the requested page or a
     * password. */
    sdimage_status (*describe)(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error);
    /* Returns true if the coder decodes a format. Called for the format hint of a decode
     * (sdimage_decode_options_set_format_hint) when no coder recognizes the bytes, and for the list of formats in
     * sdimage_diagnosis_new. NULL: the coder is never selected by a hint. Inline. */
    bool (*can_decode_format)(void *user_data, sdimage_format format);
    /* The stack size in bytes of separate threads for libraries that cannot be interrupted. 0, the default: all
     * functions run on the thread of the operation. Otherwise decode, encode, render, info, describe, open_source and
     * the update, image and frame calls of instances run on a separate thread with this stack size. The library waits
     * for such a call until its operation is cancelled or its time has passed, and then abandons it: its arguments stay
     * valid until it returns, and its result is discarded. At most four calls of a coder may be abandoned at a time;
     * while there are four, further calls fail with TIMEOUT after 500 ms. */
    size_t detached_stack;
    /* True for a coder whose library is to be isolated from this process (SDIMAGE_ISOLATION_RISKY, isolation.h). */
    bool is_risky;
    /* Returns the path of a shared object from which a worker process makes the same coder, by a function like
     * sdimage_heif_coder_new (plugins/heif.h) with the name of the coder in place of "heif". Called once, while the
     * coder is created; the path is copied. NULL, here or as a result: the coder exists in this process only, and
     * cannot be isolated. Of an isolated coder only can_decode, can_decode_format, can_encode and encode are called in
     * this process. */
    const char *(*module)(void *user_data);
} sdimage_coder_vtable;

/* Returns true in a worker process that has entered its sandbox (isolation.h). No library or file can be opened there:
 * a coder that needs one for few images fails with MODULE_MISSING. The image is then decoded in a worker that, before
 * its sandbox, has called can_encode for all formats of the coder, which opens its libraries. */
SDIMAGE_API bool sdimage_is_sandboxed(void);

/* Creates a coder from functions of the host. `name` is copied and used in messages. `destroy(user_data)` is called
 * once, also when this call fails. Errors: INVALID_ARGUMENT (a required function is NULL, or `size` is too small for
 * it), NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_coder_new_custom(const char *name, const sdimage_coder_vtable *vtable,
                                                    void *user_data, sdimage_destroy_fn destroy, sdimage_coder **coder,
                                                    sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
