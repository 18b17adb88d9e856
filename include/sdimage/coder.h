/* coder.h: decoding of bytes without network and cache, and custom coders.
 *
 * The functions block, decode on the calling thread, and start no thread of the library. For the duration of a call,
 * libwebp may use one thread of its own if a processor is idle; HEIC and AVIF may use one for each processor.
 *
 * HEIC and AVIF are decoded by modules: files in sdimage/1/ next to the library, or in the folder named by the
 * environment variable SDIMAGE_MODULE_PATH. A module is opened when its format is first decoded; without it the format
 * is UNSUPPORTED. TIFF, JPEG XL, SVG, PDF, HEIC sequences and videos are decoded by plug-ins (plugins.h).
 *
 * The functions may be used in a forked child, unless another thread was making the very first use of them during the
 * fork. Classes: sdimage_coder immutable, sdimage_decode_options single-owner. */
#ifndef SDIMAGE_CODER_H
#define SDIMAGE_CODER_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Options. Defaults: full size, upright, sRGB, the smallest straight pixel format that holds the image. */

/* Creates options with the defaults; the caller owns them. NULL when memory is refused. */
SDIMAGE_API sdimage_decode_options *sdimage_decode_options_new(void);
SDIMAGE_API sdimage_decode_options *sdimage_decode_options_ref(sdimage_decode_options *options);
SDIMAGE_API void sdimage_decode_options_unref(sdimage_decode_options *options);

/* Sets the box in pixels into which the displayed image is shrunk during decoding, and how it fits. An image that fits
 * is decoded at full size; none is ever enlarged. A zero side, the default, means full size.
 *
 *   ASPECT_FIT    the result touches the box on one side and is smaller on the other
 *   FILL          the result has the size of the box
 *   ASPECT_FILL   the result covers the box and touches it on one side, for callers that crop the excess; an image that
 *                 does not cover the box is decoded at full size
 *
 * Unknown modes count as ASPECT_FIT. */
SDIMAGE_API void sdimage_decode_options_set_thumbnail_size(sdimage_decode_options *options, uint32_t width,
                                                           uint32_t height, sdimage_scale_mode mode);

/* Sets the pixel format. Default AUTOMATIC. RGBA_FLOAT requests high dynamic range: PQ and HLG become light relative to
 * a white of 203 cd/m2 (ITU-R BT.2408), and colours outside sRGB are preserved. For every other format such an image is
 * tone-mapped to sRGB: light below three quarters of white is unchanged, and a shoulder compresses the range from there
 * to the brightest value. Thumbnails are means of the encoded samples. */
SDIMAGE_API void sdimage_decode_options_set_pixel_format(sdimage_decode_options *options,
                                                         sdimage_pixel_format pixel_format);

/* Decodes only the first frame of an animation, as a still image. Default false: the image has the other frames too
 * (sdimage_image_get_frame). */
SDIMAGE_API void sdimage_decode_options_set_first_frame_only(sdimage_decode_options *options, bool first_frame_only);

/* Rotates the image upright. Default true. When false the pixels stay as stored, and sdimage_image_orientation returns
 * the orientation to apply. */
SDIMAGE_API void sdimage_decode_options_set_apply_orientation(sdimage_decode_options *options, bool apply);

/* Converts colours to sRGB. Default true: an embedded ICC profile or another description of the colour space is
 * applied. When false the samples are unchanged, and the image carries the profile and the code points. */
SDIMAGE_API void sdimage_decode_options_set_convert_to_srgb(sdimage_decode_options *options, bool convert);

/* Shrinks the image until its bitmap takes at most this many bytes; 0, the default, means no limit. Takes precedence
 * over the thumbnail size. */
SDIMAGE_API void sdimage_decode_options_set_limit_bytes(sdimage_decode_options *options, size_t limit_bytes);

/* Selects the coder to try first when the bytes have no signature of their own. Default UNKNOWN. */
SDIMAGE_API void sdimage_decode_options_set_format_hint(sdimage_decode_options *options, sdimage_format format);

/* Sets the pixels per point of the result. Numbers below 1 restore the default. The default is 1; for loads it is 2 if
 * the cache key contains "@2x.", and 3 for "@3x.". Cache keys of http and https URLs may have "%40" for "@". */
SDIMAGE_API void sdimage_decode_options_set_scale(sdimage_decode_options *options, double scale);

/* Accepts incomplete images. Default false: truncated or damaged bytes are an error. When true, decoding succeeds with
 * the rows that could be decoded. */
SDIMAGE_API void sdimage_decode_options_set_accept_partial(sdimage_decode_options *options, bool accept);

/* Decodes a thumbnail from the beginning of the file. Default false. When true, a thumbnail of at most an eighth of a
 * progressive JPEG is decoded from its first scan. One of an interlaced PNG is decoded from its first pass, which has
 * one pixel for each block of eight by eight. The later bytes may be missing: a decoder returns END as soon as the
 * thumbnail is complete, and sdimage_decode accepts the beginning of the file. sdimage_image_consumed_bytes returns the
 * number of bytes needed. Other images are decoded as usual. */
SDIMAGE_API void sdimage_decode_options_set_early_thumbnail(sdimage_decode_options *options, bool early);

/* Set the safety limits; 0 restores the default. The limit of pixels applies to the area given by a header: 2^30 for
 * coders that stream rows, 64 * 2^20 for coders that must hold the whole image. The limit of bytes applies to the
 * bitmap: 256 MiB. The limit of milliseconds applies to the work, also for reading a header: 10,000. Independent of the
 * clock, parsers fail with TOO_LARGE when they have read much more than the size of the file. */
SDIMAGE_API void sdimage_decode_options_set_max_pixels(sdimage_decode_options *options, uint64_t pixels);
SDIMAGE_API void sdimage_decode_options_set_max_bytes(sdimage_decode_options *options, size_t bytes);
SDIMAGE_API void sdimage_decode_options_set_max_work_ms(sdimage_decode_options *options, uint32_t milliseconds);

/* Sets values for coders of the host and of plug-ins, whose headers name the keys (options.h). The values are copied.
 * NULL, the default, means none. For a request, sdimage_request_set_options sets them. */
SDIMAGE_API void sdimage_decode_options_set_options(sdimage_decode_options *options, const sdimage_options *values);

/* --- Decoding. `options` may be NULL for the defaults. */

/* Returns the format by its signature alone; UNKNOWN when none matches. */
SDIMAGE_API sdimage_format sdimage_sniff(const void *bytes, size_t length);

/* Decodes bytes with the registered coders, starting with the one registered last. The caller owns *image. Runs on the
 * calling thread; while a manager exists, one of its idle workers helps with large images. An animation holds a copy of
 * the bytes for its further frames. Errors: EMPTY_DATA, NOT_AN_IMAGE, UNSUPPORTED (a known format without a coder),
 * BAD_DATA, TRUNCATED, TOO_LARGE, TIMEOUT, NO_MEMORY, INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_decode(const void *bytes, size_t length, const sdimage_decode_options *options,
                                          sdimage_image **image, sdimage_error **error);

/* Decodes a file, like sdimage_decode. `path` is NUL-terminated, in the bytes of the file system. If the options set no
 * scale, a name such as "cat@2x.gif" sets it. Further errors: NOT_FOUND, PERMISSION_DENIED, NOT_A_FILE, IO_ERROR. The
 * file is read, not mapped, so it may change meanwhile. */
SDIMAGE_API sdimage_status sdimage_decode_file(const char *path, const sdimage_decode_options *options,
                                               sdimage_image **image, sdimage_error **error);

/* Reads the header and returns a JSON object in UTF-8: "format", "width", "height" (as displayed), "stored_width",
 * "stored_height", "orientation", "frame_count", "loop_count", "duration_ms", "has_alpha", "bits_per_channel",
 * "channels", "is_progressive", "has_color_profile", "is_hdr" (PQ or HLG), "dpi_x" and "dpi_y" (null when absent),
 * "exif_bytes", "xmp_bytes", "color_profile_bytes" (0 when absent), and "text": an object with the comments, titles and
 * other texts of the file, at most 64 KiB. No pixel is decoded. Errors as for sdimage_decode. */
SDIMAGE_API sdimage_status sdimage_info(const void *bytes, size_t length, sdimage_data **json, sdimage_error **error);

/* Kinds of metadata blocks that a file may contain. */
typedef enum SDIMAGE_ENUM sdimage_metadata_kind {
    SDIMAGE_METADATA_KIND_NONE = 0, /* no block */
    SDIMAGE_METADATA_KIND_EXIF = 1, /* a TIFF structure: begins with II or MM */
    SDIMAGE_METADATA_KIND_XMP = 2,  /* an XML packet; for JPEG with its extension */
    SDIMAGE_METADATA_KIND_ICC = 3   /* a colour profile */
} sdimage_metadata_kind;

/* Reads one metadata block of an image, decompressed and complete; a block of more than 1 MiB counts as absent. The
 * caller owns *data. For a coder of the host, its `info` supplies the blocks. Errors: NOT_FOUND when the image has no
 * such block, otherwise as for sdimage_decode. */
SDIMAGE_API sdimage_status sdimage_read_metadata(const void *bytes, size_t length, sdimage_metadata_kind kind,
                                                 sdimage_data **data, sdimage_error **error);

/* --- Work budget of an operation, for coders of the host. */

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

/* --- Custom coders. */

/* Random access to encoded bytes: source.h. */
typedef struct sdimage_source sdimage_source;

/* The functions of a coder. They are called on worker threads, concurrently, and must return without waiting. A
 * function that receives options checks their work budget (sdimage_decode_options_work_budget) at least every 50 ms;
 * the result of a function that returns after the end of its budget is discarded. can_decode and decode are required;
 * every other function may be NULL. The table may grow at its end: `size` is the sizeof of the caller's table.
 *
 * The library shrinks the returned image into the requested box, rotates it upright according to its orientation,
 * converts it from its colour profile to sRGB, and changes its pixel format. A coder need not do this; one that can do
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

    /* Set both functions, or neither. *data must not be empty. The library shrinks the image and reduces it to a still
     * as the options require; it meets a limit of the file size by calling `encode` with different qualities. The coder
     * reads the other options (encoder.h), including the values of sdimage_encode_options_options. `options` is never
     * NULL. */
    bool (*can_encode)(void *user_data, sdimage_format format);
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
    /* Return the number of frames so far, the loop count (0 = infinite), and the duration of a frame in
     * milliseconds. */
    uint32_t (*instance_frame_count)(void *user_data, void *instance);
    uint32_t (*instance_loop_count)(void *user_data, void *instance);
    uint32_t (*instance_duration_ms)(void *user_data, void *instance, uint32_t index);
    /* Returns frame `index`, below the frame count, composed to the whole canvas. */
    sdimage_status (*instance_frame)(void *user_data, void *instance, uint32_t index, sdimage_image **image,
                                     sdimage_error **error);
    /* Returns the encoded bytes of the image. Not called yet: the library holds the bytes that it received. */
    sdimage_status (*instance_bytes)(void *user_data, void *instance, sdimage_data **data, sdimage_error **error);
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
    /* Stores header information with the setters of sdimage_metadata (image.h) without decoding pixels. Without this
     * function sdimage_info decodes the image. The reported frame count also applies to images returned by `decode`:
     * without one the image is a still, and no instance is opened for further frames. */
    sdimage_status (*info)(void *user_data, const void *bytes, size_t length, sdimage_metadata *metadata,
                           sdimage_error **error);
    /* Replaces `info` for coders whose header information depends on the options, such as the requested page or a
     * password. */
    sdimage_status (*describe)(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error);
    /* The stack size in bytes of separate threads for libraries that cannot be interrupted. 0, the default: all
     * functions run on the thread of the operation. Otherwise decode, encode, render, info, describe, open_source and
     * the update, image and frame calls of instances run on a separate thread with this stack size. The library waits
     * for such a call until its operation is cancelled or its time is over, and then abandons it: its arguments stay
     * valid until it returns, and its result is discarded. At most four calls of a coder may be abandoned at a time;
     * while there are four, further calls fail with TIMEOUT after 500 ms. */
    size_t detached_stack;
} sdimage_coder_vtable;

/* Creates a coder from functions of the host. `name` is copied and used in messages. `destroy(user_data)` is called
 * once, also when this call fails. Errors: INVALID_ARGUMENT (a required function is NULL, or `size` is too small for
 * it), NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_coder_new_custom(const char *name, const sdimage_coder_vtable *vtable,
                                                    void *user_data, sdimage_destroy_fn destroy, sdimage_coder **coder,
                                                    sdimage_error **error);
SDIMAGE_API sdimage_coder *sdimage_coder_ref(sdimage_coder *coder);
SDIMAGE_API void sdimage_coder_unref(sdimage_coder *coder);

/* Returns the name given at creation, or the name of a built-in coder. Borrowed. */
SDIMAGE_API const char *sdimage_coder_name(const sdimage_coder *coder);

/* Returns the built-in coder of a name; NOT_FOUND if there is none. The first group is registered, the last of it tried
 * first. The others are for decoders and requests that set their coder.
 *
 *   "basic"                           the first frame of every core format
 *   "gif", "apng", "webp"             all frames; without these an animation is a still
 *   "heif", "avif"                    registered last; their modules are opened when their format is first seen
 *
 *   "jpeg", "png", "bmp", "ico"       not registered; one format each */
SDIMAGE_API sdimage_status sdimage_coder_get_builtin(const char *name, sdimage_coder **coder, sdimage_error **error);

/* Registers a coder for this process. From the next decode on it is tried before all others. */
SDIMAGE_API sdimage_status sdimage_coder_register(sdimage_coder *coder, sdimage_error **error);

/* Unregisters a coder; NOT_FOUND when it is not registered. */
SDIMAGE_API sdimage_status sdimage_coder_unregister(const sdimage_coder *coder, sdimage_error **error);

/* Returns the number of registered coders. Indexes follow the order in which they are tried: 0 is the one registered
 * last. */
SDIMAGE_API size_t sdimage_coder_registered_count(void);
/* Returns the coder at `index`, with a reference for the caller; NOT_FOUND beyond the last. */
SDIMAGE_API sdimage_status sdimage_coder_get_registered(size_t index, sdimage_coder **coder, sdimage_error **error);

/* Unregisters all coders; `_register_builtin` registers the built-in ones again, in their original order, to be tried
 * after those of the host. */
SDIMAGE_API void sdimage_coder_unregister_all(void);
SDIMAGE_API void sdimage_coder_register_builtin(void);

/* Return true if a registered coder recognises the bytes, or encodes the format. */
SDIMAGE_API bool sdimage_can_decode(const void *bytes, size_t length);
SDIMAGE_API bool sdimage_can_encode(sdimage_format format);

/* The process-wide byte limit for programs that scale large images down: pass it to the two setters of limit_bytes.
 * Initially 60 MiB; values below 4 are ignored (SDWebImage's defaultScaleDownLimitBytes). */
SDIMAGE_API size_t sdimage_default_limit_bytes(void);
SDIMAGE_API void sdimage_set_default_limit_bytes(size_t bytes);

/* Return the options set, for custom coders. The thumbnail size is 0 x 0 for full size. For a mode other than
 * ASPECT_FIT, a coder that shrinks in steps returns at least the box on both sides, and the library does the rest. */
SDIMAGE_API sdimage_size sdimage_decode_options_thumbnail_size(const sdimage_decode_options *options);
SDIMAGE_API sdimage_scale_mode sdimage_decode_options_thumbnail_mode(const sdimage_decode_options *options);
SDIMAGE_API sdimage_pixel_format sdimage_decode_options_pixel_format(const sdimage_decode_options *options);
SDIMAGE_API bool sdimage_decode_options_should_apply_orientation(const sdimage_decode_options *options);
SDIMAGE_API bool sdimage_decode_options_should_convert_to_srgb(const sdimage_decode_options *options);
SDIMAGE_API bool sdimage_decode_options_is_first_frame_only(const sdimage_decode_options *options);
SDIMAGE_API double sdimage_decode_options_scale(const sdimage_decode_options *options);
SDIMAGE_API bool sdimage_decode_options_should_accept_partial(const sdimage_decode_options *options);
SDIMAGE_API size_t sdimage_decode_options_limit_bytes(const sdimage_decode_options *options);
/* Returns the values of the request; NULL when there are none. Borrowed until they are set again or the options are
 * freed. */
SDIMAGE_API const sdimage_options *sdimage_decode_options_options(const sdimage_decode_options *options);
/* Return the limits in force, never 0. The pixel limit is the one for coders that hold the whole image. */
SDIMAGE_API uint64_t sdimage_decode_options_max_pixels(const sdimage_decode_options *options);
SDIMAGE_API size_t sdimage_decode_options_max_bytes(const sdimage_decode_options *options);
SDIMAGE_API uint32_t sdimage_decode_options_max_work_ms(const sdimage_decode_options *options);

#ifdef __cplusplus
}
#endif

#endif
