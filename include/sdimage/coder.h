/* coder.h: bytes to pixels, without network and cache; and coders of one's own.
 *
 * The functions here block, decode on the calling thread, and start no thread of the library; libwebp may use one of
 * its own for the length of a call where a processor is idle, HEIC and AVIF one for each processor.
 *
 * HEIC and AVIF are decoded by modules, files in sdimage/1/ beside the library's own, or in the folder that the
 * environment names in SDIMAGE_MODULE_PATH. They are opened when such bytes are first decoded; without them these are
 * UNSUPPORTED. TIFF, JPEG XL, SVG, PDF, HEIC sequences and videos are decoded by plug-ins (plugins.h).
 *
 * The functions may be used in a forked child, unless another thread was making the very first use of them when the
 * fork came. Classes: sdimage_coder immutable, sdimage_decode_options single-owner. */
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

/* --- Options. Defaults: full size, upright, sRGB, the smallest straight pixel format that holds the picture. */

/* Options with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_decode_options *sdimage_decode_options_new(void);
SDIMAGE_API sdimage_decode_options *sdimage_decode_options_ref(sdimage_decode_options *options);
SDIMAGE_API void sdimage_decode_options_unref(sdimage_decode_options *options);

/* A box in pixels that the displayed picture is shrunk into while it is decoded; a picture that fits is decoded in
 * full, none is ever enlarged. A zero side, the default, means full size. With `preserve_aspect_ratio` the result
 * touches the box on one side, without it the result is the box. */
SDIMAGE_API void sdimage_decode_options_set_thumbnail_size(sdimage_decode_options *options, uint32_t width,
                                                           uint32_t height, bool preserve_aspect_ratio);

/* How the picture meets that box, where ASPECT_FIT and FILL are what `preserve_aspect_ratio` says. With ASPECT_FILL it
 * covers the box, touching it on one side, for whoever cuts off what stands over; one that does not cover it is decoded
 * in full. Call it after the former, which sets it. Unknown modes are ignored. */
SDIMAGE_API void sdimage_decode_options_set_thumbnail_mode(sdimage_decode_options *options, sdimage_scale_mode mode);

/* The format of the pixels. Default AUTOMATIC. RGBA_FLOAT is the wish for high dynamic range: PQ and HLG become light
 * relative to a white of 203 cd/m2 (ITU-R BT.2408), and colours outside sRGB are kept. For every other format such a
 * picture is brought down to sRGB: light below three quarters of white stays as it is, from there a shoulder leads to
 * what is brightest. Thumbnails are means of the encoded samples. */
SDIMAGE_API void sdimage_decode_options_set_pixel_format(sdimage_decode_options *options,
                                                         sdimage_pixel_format pixel_format);

/* Decode an animation as the still of its first frame. Default false: the image has the others too
 * (sdimage_image_copy_frame). */
SDIMAGE_API void sdimage_decode_options_set_first_frame_only(sdimage_decode_options *options, bool first_frame_only);

/* Whether the picture is turned upright. Default true. When false the pixels stay as stored and
 * sdimage_image_orientation tells how to turn them. */
SDIMAGE_API void sdimage_decode_options_set_apply_orientation(sdimage_decode_options *options, bool apply);

/* Whether colours become sRGB. Default true: an embedded ICC profile, or what else names a colour space, is applied.
 * When false the samples stay, and the image carries the profile and the code points. */
SDIMAGE_API void sdimage_decode_options_set_convert_to_srgb(sdimage_decode_options *options, bool convert);

/* Shrinks the picture until its bitmap takes at most this many bytes; 0, the default, is no limit. Wins over the
 * thumbnail size. */
SDIMAGE_API void sdimage_decode_options_set_limit_bytes(sdimage_decode_options *options, size_t limit_bytes);

/* The coder to ask first where the bytes carry no signature of their own. Default UNDEFINED. */
SDIMAGE_API void sdimage_decode_options_set_format_hint(sdimage_decode_options *options, sdimage_format format);

/* Pixels per point of the result; numbers below 1 restore the default: 1, and for loads 2 where the cache key has
 * "@2x." in it, 3 for "@3x."; of http and https URLs also with "%40" for "@". */
SDIMAGE_API void sdimage_decode_options_set_scale(sdimage_decode_options *options, double scale);

/* Whether a part will do. Default false: truncated or damaged bytes are an error. When true the rows that could be
 * decoded are a success. */
SDIMAGE_API void sdimage_decode_options_set_accept_partial(sdimage_decode_options *options, bool accept);

/* Whether a thumbnail may be made early. Default false. When true one of at most an eighth of a progressive JPEG is
 * made of its first scan, and one of an interlaced PNG of its first pass, which has one pixel of eight by eight. The
 * bytes after that need not be there: a decoder says END as soon as it has come, sdimage_decode takes the beginning of
 * the file for a success, and sdimage_image_consumed_bytes tells how much of it was needed. Other pictures are decoded
 * as ever. */
SDIMAGE_API void sdimage_decode_options_set_early_thumbnail(sdimage_decode_options *options, bool early);

/* Safety limits; 0 restores the default. Area in pixels of a header: 2^30 where the coder streams rows, and 64 * 2^20
 * where it must hold the whole picture; bytes of the bitmap: 256 MiB; milliseconds of work: 10,000, for reading a
 * header too. Beside the clock, parsers fail with TOO_LARGE when they have read much more than the file has. */
SDIMAGE_API void sdimage_decode_options_set_max_pixels(sdimage_decode_options *options, uint64_t pixels);
SDIMAGE_API void sdimage_decode_options_set_max_bytes(sdimage_decode_options *options, size_t bytes);
SDIMAGE_API void sdimage_decode_options_set_max_work_ms(sdimage_decode_options *options, uint32_t milliseconds);

/* Values for coders of the host and of plug-ins, whose headers name the keys (options.h); copied. NULL, the default:
 * none. Of a request they are those of sdimage_request_set_options. */
SDIMAGE_API void sdimage_decode_options_set_options(sdimage_decode_options *options, const sdimage_options *values);

/* --- Decoding. `options` may be NULL for the defaults. */

/* The format by its signature alone; UNDEFINED when none matches. */
SDIMAGE_API sdimage_format sdimage_sniff(const void *bytes, size_t length);

/* Decodes bytes with the registered coders, the last registered asked first. *image is the caller's. Runs on the
 * calling thread; while a manager exists, an idle one of its workers helps with large pictures. An animation keeps a
 * copy of the bytes for its further frames. Errors: EMPTY_DATA, NOT_AN_IMAGE, UNSUPPORTED (a known format without a
 * coder), BAD_DATA, TRUNCATED, TOO_LARGE, TIMEOUT, NO_MEMORY, INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_decode(const void *bytes, size_t length, const sdimage_decode_options *options,
                                          sdimage_image **image, sdimage_error **error);

/* The same for a file; `path` is NUL-terminated, in the file system's own bytes. Where the options say no scale, a name
 * such as "cat@2x.gif" says it. Further errors: NOT_FOUND,
 * PERMISSION_DENIED, NOT_A_FILE, IO_ERROR. The file is read, not mapped: it may change meanwhile. */
SDIMAGE_API sdimage_status sdimage_decode_file(const char *path, const sdimage_decode_options *options,
                                               sdimage_image **image, sdimage_error **error);

/* What a header says, as a JSON object in UTF-8: "format", "width", "height" (as displayed), "stored_width",
 * "stored_height", "orientation", "frame_count", "loop_count", "duration_ms", "has_alpha", "bits_per_channel",
 * "channels", "is_progressive", "has_color_profile", "is_hdr" (PQ or HLG), "dpi_x" and "dpi_y" (null when not said),
 * "exif_bytes", "xmp_bytes", "color_profile_bytes" (0 when there is none), and "text": an object of the comments,
 * titles and other texts in the file, at most 64 KiB of them. No pixel is decoded. Errors as for sdimage_decode. */
SDIMAGE_API sdimage_status sdimage_info(const void *bytes, size_t length, sdimage_data **json, sdimage_error **error);

/* Blocks that a file may carry beside its pixels. */
typedef enum SDIMAGE_ENUM sdimage_metadata_kind {
    SDIMAGE_METADATA_KIND_EXIF = 1, /* a TIFF structure: begins with II or MM */
    SDIMAGE_METADATA_KIND_XMP = 2,  /* an XML packet; of JPEG with its extension */
    SDIMAGE_METADATA_KIND_ICC = 3   /* a colour profile */
} sdimage_metadata_kind;

/* One of these blocks of a picture, unpacked and whole; blocks of more than 1 MiB count as absent. *data is the
 * caller's. Of coders of the host where their `info` tells. Errors: NOT_FOUND when the picture has none; else as for
 * sdimage_decode. */
SDIMAGE_API sdimage_status sdimage_read_metadata(const void *bytes, size_t length, sdimage_metadata_kind kind,
                                                 sdimage_data **data, sdimage_error **error);

/* --- Work budget of an operation, for coders of the host. */

/* sdimage_work_budget: cancellation, time limit and amount of work of a decode, an encode or a look at a header.
 * Borrowed from the options that a coder is given, valid as long as these: for the length of the call, and where the
 * options were those of `open` or `open_source`, until the instance is destroyed; between the calls of an instance it
 * has no limit. All functions may be called from any thread, and take NULL for a budget without limits. */
/* OK while the operation may go on; CANCELLED, or TIMEOUT once its time is over: the coder returns this status soon,
 * within 50 ms. Cheap: a look at the clock. */
SDIMAGE_API sdimage_status sdimage_work_budget_check(const sdimage_work_budget *budget);

/* Counts bytes of input that are read, skipped or unpacked; for input that a file makes a coder read repeatedly. As
 * _check, and TOO_LARGE once all calls of the operation exceed an amount in proportion to the length of the input. */
SDIMAGE_API sdimage_status sdimage_work_budget_spend(const sdimage_work_budget *budget, size_t bytes);

/* Milliseconds until the time limit, 0 when it is over; UINT32_MAX without one. */
SDIMAGE_API uint32_t sdimage_work_budget_remaining_ms(const sdimage_work_budget *budget);

/* The budget of the operation that the options were made for; NULL for options that the host made. */
SDIMAGE_API const sdimage_work_budget *sdimage_decode_options_work_budget(const sdimage_decode_options *options);

/* --- Coders of one's own. */

/* Random access to encoded bytes: source.h. */
typedef struct sdimage_source sdimage_source;

/* The functions of a coder. Called on worker threads, from several at once; they return, they do not wait. Functions
 * that are given options check their work budget (sdimage_decode_options_work_budget) at least every 50 ms; when one
 * returns after the end of its budget, the result is discarded. Required: can_decode and decode. Every other may be
 * NULL. Tables grow at the end: `size` is sizeof of the caller's.
 *
 * What a coder need not do, because the library does it to the picture that it returns: shrink it into the wanted box,
 * turn it upright as its orientation says, convert it from its colour profile to sRGB, change its pixel format. A coder
 * that can do better while it decodes reads the options. With `open`, `instance_update` and `instance_image` pictures
 * show while they arrive; with `instance_frame_count` and `instance_frame` too they move. A whole coder in less than
 * 100 lines is examples/c/custom_coder.c. */
typedef struct sdimage_coder_vtable {
    size_t size;

    /* Whether the bytes are this coder's. */
    bool (*can_decode)(void *user_data, const void *bytes, size_t length);
    /* Decodes the first picture; *image must be an image that the caller of this function owns. `bag` carries the
     * request's own values and may be NULL. */
    sdimage_status (*decode)(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             const sdimage_options *bag, sdimage_image **image, sdimage_error **error);

    /* Both, or neither. *data must not be empty. The picture is shrunk, and made a still, as the options want; a limit
     * of the file's size is kept by calling `encode` with different qualities. The other options are read by the coder
     * (encoder.h); `options` is never NULL, `bag` may be. */
    bool (*can_encode)(void *user_data, sdimage_format format);
    sdimage_status (*encode)(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, const sdimage_options *bag, sdimage_data **data,
                             sdimage_error **error);

    /* Pictures that grow or move. One instance serves progressive and animated decoding at once. Its update, image and
     * frame calls are serialized; the counts and durations may be asked for at the same time from other threads. */
    sdimage_status (*open)(void *user_data, const sdimage_decode_options *options, void **instance,
                           sdimage_error **error);
    /* Receives all bytes so far, which are valid for the call only and may lie elsewhere the next time; after
     * `finished` it is not called again. */
    sdimage_status (*instance_update)(void *user_data, void *instance, const void *bytes, size_t length, bool finished,
                                      sdimage_error **error);
    /* The best picture so far, of an animation its first frame; NEED_MORE_DATA when there is none. */
    sdimage_status (*instance_image)(void *user_data, void *instance, sdimage_image **image, sdimage_error **error);
    /* Frames there are so far; how often they play, 0 = for ever; and milliseconds that one is shown. */
    uint32_t (*instance_frame_count)(void *user_data, void *instance);
    uint32_t (*instance_loop_count)(void *user_data, void *instance);
    uint32_t (*instance_duration_ms)(void *user_data, void *instance, uint32_t index);
    /* Frame `index` of those that are counted, composed to the whole canvas. */
    sdimage_status (*instance_frame)(void *user_data, void *instance, uint32_t index, sdimage_image **image,
                                     sdimage_error **error);
    /* The encoded bytes that the picture is made of. Not asked for yet: the library keeps those that it was given. */
    sdimage_status (*instance_bytes)(void *user_data, void *instance, sdimage_data **data, sdimage_error **error);
    /* Frees the instance: the last call. */
    void (*instance_destroy)(void *user_data, void *instance);

    /* Draws a vector picture at a size in pixels, larger or smaller than its own; up to the limits in force. With it a
     * thumbnail is drawn at its size, enlarged too, and the image can be drawn again (sdimage_image_render), by the
     * options of its decode. */
    sdimage_status (*render)(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_size size, sdimage_image **image, sdimage_error **error);
    /* Like `open`, for bytes that are read as needed: `instance_update` is not called. The source may be read from
     * until the instance is destroyed. */
    sdimage_status (*open_source)(void *user_data, const sdimage_source *source, const sdimage_decode_options *options,
                                  void **instance, sdimage_error **error);
    /* What the header says, stored with the setters of sdimage_metadata (image.h); no pixel is to be decoded. Without
     * it sdimage_info decodes the picture to know. A coder that has it tells the frame count of the pictures that
     * `decode` returns, too: one that says nothing of frames is a still, and is not opened for more. */
    sdimage_status (*info)(void *user_data, const void *bytes, size_t length, sdimage_metadata *metadata,
                           sdimage_error **error);
    /* In place of `info`, for coders whose answer depends on the options: on the page that is wanted, or a password. */
    sdimage_status (*describe)(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error);
    /* For libraries that cannot be interrupted. 0, the default: all functions run on the thread of the operation. Else
     * decode, encode, render, info, describe, open_source and the update, image and frame calls of instances run on a
     * thread of their own with this many bytes of stack. The library waits for such a call until its operation is
     * cancelled or its time is over, and then leaves it behind: its arguments stay valid until it returns, and its
     * result is discarded. At most four calls of a coder are left behind; while they are, further ones are TIMEOUT
     * after 500 ms. */
    size_t detached_stack;
} sdimage_coder_vtable;

/* A coder made of the host's functions. `name` is copied and used in messages. `destroy(user_data)` is called once,
 * also when this call fails. Errors: INVALID_ARGUMENT (a required function is NULL, or `size` too small for it),
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_coder_new_custom(const char *name, const sdimage_coder_vtable *vtable,
                                                    void *user_data, sdimage_destroy_fn destroy, sdimage_coder **coder,
                                                    sdimage_error **error);
SDIMAGE_API sdimage_coder *sdimage_coder_ref(sdimage_coder *coder);
SDIMAGE_API void sdimage_coder_unref(sdimage_coder *coder);

/* The name it was made with, or that of a built-in one. Borrowed. */
SDIMAGE_API const char *sdimage_coder_name(const sdimage_coder *coder);

/* The built-in coder of a name, or NOT_FOUND. Registered are, the last asked first: "basic", which shows the first
 * frame of every format of the core; "gif", "apng" and "webp", which show all of them, and without which an animation
 * is a still; "heif" and "avif", whose modules are opened when their bytes are first seen. One format each, for
 * decoders and requests that name their coder, decode "jpeg", "png", "bmp" and "ico". */
SDIMAGE_API sdimage_status sdimage_coder_builtin(const char *name, sdimage_coder **coder, sdimage_error **error);

/* Adds a coder for this process; it is asked before all others from the next decode on. */
SDIMAGE_API sdimage_status sdimage_coder_register(sdimage_coder *coder, sdimage_error **error);

/* Takes it out again; NOT_FOUND when it is not registered. */
SDIMAGE_API sdimage_status sdimage_coder_unregister(const sdimage_coder *coder, sdimage_error **error);

/* The registered coders in the order in which they are asked: 0 is the one registered last. */
SDIMAGE_API size_t sdimage_coder_registered_count(void);
/* The one at `index`, with a reference for the caller; NOT_FOUND behind the last. */
SDIMAGE_API sdimage_status sdimage_coder_registered(size_t index, sdimage_coder **coder, sdimage_error **error);

/* Takes all coders out; and brings the built-in ones back, asked after those of the host and in their first order. */
SDIMAGE_API void sdimage_coder_unregister_all(void);
SDIMAGE_API void sdimage_coder_register_builtin(void);

/* Whether a registered coder recognises the bytes, or encodes the format. */
SDIMAGE_API bool sdimage_can_decode(const void *bytes, size_t length);
SDIMAGE_API bool sdimage_can_encode(sdimage_format format);

/* The limit of bytes of the process, for programs that scale large pictures down: pass it to the two setters of
 * limit_bytes. 60 MiB at first; less than 4 is ignored (SDWebImage's defaultScaleDownLimitBytes). */
SDIMAGE_API size_t sdimage_default_limit_bytes(void);
SDIMAGE_API void sdimage_set_default_limit_bytes(size_t bytes);

/* For custom coders: what was asked for. The size is 0 x 0 for full size. The ratio counts as preserved for ASPECT_FIT
 * alone: for the other modes a coder that shrinks by steps gives at least the box on both sides, and the library does
 * the rest. */
SDIMAGE_API sdimage_size sdimage_decode_options_thumbnail_size(const sdimage_decode_options *options);
SDIMAGE_API bool sdimage_decode_options_preserves_aspect_ratio(const sdimage_decode_options *options);
SDIMAGE_API sdimage_scale_mode sdimage_decode_options_thumbnail_mode(const sdimage_decode_options *options);
SDIMAGE_API sdimage_pixel_format sdimage_decode_options_pixel_format(const sdimage_decode_options *options);
SDIMAGE_API bool sdimage_decode_options_applies_orientation(const sdimage_decode_options *options);
SDIMAGE_API bool sdimage_decode_options_converts_to_srgb(const sdimage_decode_options *options);
SDIMAGE_API bool sdimage_decode_options_is_first_frame_only(const sdimage_decode_options *options);
SDIMAGE_API double sdimage_decode_options_scale(const sdimage_decode_options *options);
SDIMAGE_API bool sdimage_decode_options_accepts_partial(const sdimage_decode_options *options);
SDIMAGE_API size_t sdimage_decode_options_limit_bytes(const sdimage_decode_options *options);
/* The request's own values, for functions of the table that are not given them; the caller's, NULL when there are
   none. */
SDIMAGE_API sdimage_options *sdimage_decode_options_copy_options(const sdimage_decode_options *options);
/* The limits in force, never 0. The first is for coders that hold the whole picture. */
SDIMAGE_API uint64_t sdimage_decode_options_max_pixels(const sdimage_decode_options *options);
SDIMAGE_API size_t sdimage_decode_options_max_bytes(const sdimage_decode_options *options);
SDIMAGE_API uint32_t sdimage_decode_options_max_work_ms(const sdimage_decode_options *options);

#ifdef __cplusplus
}
#endif

#endif
