/* encoder.h: pixels to bytes.
 *
 *   sdimage_encode_options *options = sdimage_encode_options_new();
 *   sdimage_encode_options_set_quality(options, 0.8);
 *   sdimage_encode(image, SDIMAGE_FORMAT_WEBP, options, &data, &error);
 *
 * Encodes JPEG, PNG (APNG when it moves), GIF, WebP, BMP, ICO; HEIC and AVIF where the module's library has an encoder;
 * and what coders of the host encode. sdimage_can_encode (coder.h) tells. An animation stays one in PNG, GIF and WebP,
 * with its durations and loop count; elsewhere its first frame is written.
 *
 * A picture that still has an orientation to be applied keeps the tag in JPEG, PNG, HEIC and AVIF; for the others it is
 * turned. One that was left in another colour space takes its ICC profile along in JPEG, PNG, WebP, HEIC and AVIF;
 * where only code points say what its samples mean, HEIC and AVIF write these, and for JPEG and WebP they become sRGB.
 *
 * JPEG, WebP and 8-bit files of 16-bit pixels have their upper 8 bits; HEIC and AVIF of such pixels have 10 bits. Grey
 * stays grey in JPEG, HEIC and AVIF.
 *
 * PNG stores few colours as a palette, opaque pictures without alpha, and float as 16 bits of sRGB; moving pictures as
 * RGBA, of each frame what changed. While it packs, it holds the picture's bytes once more, and as much room for the
 * file. ICO: one picture of at most 256 by 256 pixels.
 *
 * The functions block, on the calling thread; while a manager exists, idle workers help. They may be used in a forked
 * child. Classes: sdimage_encode_options single-owner. */
#ifndef SDIMAGE_ENCODER_H
#define SDIMAGE_ENCODER_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Options. What a format has no use for it passes over; what it cannot do is UNSUPPORTED, as said. */

/* Options with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_encode_options *sdimage_encode_options_new(void);
SDIMAGE_API sdimage_encode_options *sdimage_encode_options_ref(sdimage_encode_options *options);
SDIMAGE_API void sdimage_encode_options_unref(sdimage_encode_options *options);

/* The quality, 0 to 1, the default: of JPEG, WebP and HEIC, whose own scales end at 100, and of AVIF, whose quantiser
 * becomes (1 - quality) * 63. What is no number from 0 to 1 is INVALID_ARGUMENT when encoding; so it is of
 * dithering. */
SDIMAGE_API void sdimage_encode_options_set_quality(sdimage_encode_options *options, double quality);

/* Every pixel as it is: WebP and AVIF, which has no room for 16 bits (UNSUPPORTED). JPEG and HEIC: UNSUPPORTED. PNG,
 * BMP and ICO always are, BMP and ICO with 8 bits; but what alpha 0 hides is not kept in ICO. Default false. */
SDIMAGE_API void sdimage_encode_options_set_lossless(sdimage_encode_options *options, bool lossless);

/* How long to look for something smaller: 1, fastest, to 9. 0, the default, is the format's own: 6 for PNG; 5 for GIF,
 * whose palettes become better by it; for WebP 4, and 6 when lossless; 4 for AVIF; the encoder's for HEIC. JPEG has
 * Huffman codes of its own from 5 on, and those of the standard below. */
SDIMAGE_API void sdimage_encode_options_set_effort(sdimage_encode_options *options, uint32_t effort);

/* Laid under pictures with alpha where the format has none: JPEG. Default white; its own alpha does not count. */
SDIMAGE_API void sdimage_encode_options_set_background_color(sdimage_encode_options *options, sdimage_color color);

/* Shrinks every frame into a box of pixels, keeping proportions; none is enlarged. Zero, the default: as it is. */
SDIMAGE_API void sdimage_encode_options_set_max_pixel_size(sdimage_encode_options *options, uint32_t width,
                                                           uint32_t height);

/* The best quality whose file has at most so many bytes, in place of the quality set; where even the lowest has more,
 * the lowest: JPEG, WebP (without profile: its colours become sRGB), HEIC, AVIF. INVALID_ARGUMENT together with
 * lossless, where these can be, and with a target PSNR. 0, the default: any. */
SDIMAGE_API void sdimage_encode_options_set_max_file_size(sdimage_encode_options *options, size_t bytes);

/* Sets the time limit of one encode, in milliseconds; TIMEOUT beyond. 0 restores the default of 60,000. */
SDIMAGE_API void sdimage_encode_options_set_max_work_ms(sdimage_encode_options *options, uint32_t milliseconds);

/* Puts a small preview of at most 320 by 320 pixels into the file: JPEG (in EXIF), and HEIC where the picture is
 * larger. AVIF: UNSUPPORTED. Default false. */
SDIMAGE_API void sdimage_encode_options_set_embed_thumbnail(sdimage_encode_options *options, bool embed);

/* Writes the first frame alone. Default false: an animation is written whole. */
SDIMAGE_API void sdimage_encode_options_set_first_frame_only(sdimage_encode_options *options, bool first_frame_only);

/* In place of the image's own loop count; 0 = for ever. UINT32_MAX, the default, is the image's. */
SDIMAGE_API void sdimage_encode_options_set_loop_count(sdimage_encode_options *options, uint32_t loop_count);

/* JPEG: comes in passes from coarse to fine, and is a little smaller. Default false. PNG: interlaced is UNSUPPORTED. */
SDIMAGE_API void sdimage_encode_options_set_progressive(sdimage_encode_options *options, bool progressive);

/* JPEG: colour at full, half or quarter resolution. */
typedef enum SDIMAGE_ENUM sdimage_chroma {
    SDIMAGE_CHROMA_420 = 0, /* the default: a quarter */
    SDIMAGE_CHROMA_422 = 1, /* half: every second column */
    SDIMAGE_CHROMA_444 = 2  /* full: every pixel its own colour */
} sdimage_chroma;
/* The resolution of colour. Default 420. */
SDIMAGE_API void sdimage_encode_options_set_chroma(sdimage_encode_options *options, sdimage_chroma chroma);

/* JPEG: restart markers between rows of blocks, so that damage stays small and several processors can encode and decode
 * parts of it at once. Default false. */
SDIMAGE_API void sdimage_encode_options_set_restart_markers(sdimage_encode_options *options, bool restart_markers);

/* GIF: colours of each frame, 2 to 256, the default; and how much of the error is passed on to the neighbours (Floyd
 * and Steinberg), 0 to 1, the default. Pixels that are less than half opaque are clear; what does not change from frame
 * to frame is not drawn again; and times become hundredths of a second, at least two, so rounded that their sum stays
 * right. */
SDIMAGE_API void sdimage_encode_options_set_max_colors(sdimage_encode_options *options, uint32_t colors);
SDIMAGE_API void sdimage_encode_options_set_dithering(sdimage_encode_options *options, double amount);

/* What libwebp lets one choose; names, ranges and defaults are those of its WebPConfig (webp/encode.h), but for
 * THREAD_LEVEL, whose default is 1. A value outside its range is INVALID_ARGUMENT when encoding. */
typedef enum SDIMAGE_ENUM sdimage_webp_parameter {
    SDIMAGE_WEBP_PARAMETER_METHOD = 1,             /* 0, fastest, to 6, smallest */
    SDIMAGE_WEBP_PARAMETER_PASS = 2,               /* passes of entropy analysis, 1 to 10 */
    SDIMAGE_WEBP_PARAMETER_PREPROCESSING = 3,      /* a set of bits: 1 smooths segments, 2 dithers */
    SDIMAGE_WEBP_PARAMETER_THREAD_LEVEL = 4,       /* 1: a second thread, where that helps */
    SDIMAGE_WEBP_PARAMETER_LOW_MEMORY = 5,         /* 1: less memory, more time */
    SDIMAGE_WEBP_PARAMETER_TARGET_PSNR = 6,        /* least likeness to be reached, in dB; 0: none */
    SDIMAGE_WEBP_PARAMETER_SEGMENTS = 7,           /* segments with their own quantisers, 1 to 4 */
    SDIMAGE_WEBP_PARAMETER_SNS_STRENGTH = 8,       /* how much noise is shaped to where it is not seen, 0 to 100 */
    SDIMAGE_WEBP_PARAMETER_FILTER_STRENGTH = 9,    /* how much edges of blocks are smoothed, 0 to 100 */
    SDIMAGE_WEBP_PARAMETER_FILTER_SHARPNESS = 10,  /* 0, sharpest, to 7 */
    SDIMAGE_WEBP_PARAMETER_FILTER_TYPE = 11,       /* 0 simple, 1 strong */
    SDIMAGE_WEBP_PARAMETER_AUTOFILTER = 12,        /* 1: the strength is looked for */
    SDIMAGE_WEBP_PARAMETER_ALPHA_COMPRESSION = 13, /* 0: alpha as it is, 1: packed without loss */
    SDIMAGE_WEBP_PARAMETER_ALPHA_FILTERING = 14,   /* prediction of alpha: 0 none, 1 fast, 2 best */
    SDIMAGE_WEBP_PARAMETER_ALPHA_QUALITY = 15,     /* 0, smallest, to 100, without loss */
    SDIMAGE_WEBP_PARAMETER_SHOW_COMPRESSED = 16,   /* 1: the encoder's own picture comes back; of no use here */
    SDIMAGE_WEBP_PARAMETER_PARTITIONS = 17,        /* binary logarithm of the number of partitions, 0 to 3 */
    SDIMAGE_WEBP_PARAMETER_PARTITION_LIMIT = 18,   /* loss allowed to fit the first partition, 0 to 100 */
    SDIMAGE_WEBP_PARAMETER_USE_SHARP_YUV = 19      /* 1: sharper colour, slower */
} sdimage_webp_parameter;
/* Sets one of them; what is not set has its default. */
SDIMAGE_API void sdimage_encode_options_set_webp(sdimage_encode_options *options, sdimage_webp_parameter parameter,
                                                 double value);

/* Blocks to write beside the pixels (sdimage_metadata_kind of coder.h, EXIF and XMP): JPEG, PNG, WebP, HEIC, AVIF.
 * NULL: none, the default. The orientation in EXIF is replaced by the image's own. What is no EXIF is INVALID_ARGUMENT
 * when encoding; blocks that the format has no room for, in JPEG of about 64 KiB, are TOO_LARGE. Referenced, not
 * copied. */
SDIMAGE_API void sdimage_encode_options_set_exif(sdimage_encode_options *options, sdimage_data *exif);
SDIMAGE_API void sdimage_encode_options_set_xmp(sdimage_encode_options *options, sdimage_data *xmp);

/* For coders: what was set. */
SDIMAGE_API double sdimage_encode_options_quality(const sdimage_encode_options *options);
SDIMAGE_API bool sdimage_encode_options_is_lossless(const sdimage_encode_options *options);
SDIMAGE_API uint32_t sdimage_encode_options_effort(const sdimage_encode_options *options);
SDIMAGE_API bool sdimage_encode_options_embeds_thumbnail(const sdimage_encode_options *options);
SDIMAGE_API sdimage_color sdimage_encode_options_background_color(const sdimage_encode_options *options);
SDIMAGE_API bool sdimage_encode_options_is_first_frame_only(const sdimage_encode_options *options);
/* The one set, or the image's. */
SDIMAGE_API uint32_t sdimage_encode_options_loop_count(const sdimage_encode_options *options,
                                                       const sdimage_image *image);
/* Blocks to be written. Borrowed; NULL when none. */
SDIMAGE_API const sdimage_data *sdimage_encode_options_exif(const sdimage_encode_options *options);
SDIMAGE_API const sdimage_data *sdimage_encode_options_xmp(const sdimage_encode_options *options);

/* The work budget of the encode that the options were made for (coder.h), valid as long as they are; NULL for options
 * that the host made. */
SDIMAGE_API const sdimage_work_budget *sdimage_encode_options_work_budget(const sdimage_encode_options *options);

/* --- Encoding. `options` may be NULL for the defaults. */

/* Encodes with the registered coders, the last registered asked first. UNDEFINED is PNG for a picture with alpha, else
 * JPEG. An animation that was decoded whole, in its own format and with the default options (lossless or not), is the
 * bytes that it was decoded from, by reference. *data is the caller's, and never empty. Errors: UNSUPPORTED (no coder
 * encodes the format, or not this picture or these options), TOO_LARGE (sides or frames that the format cannot hold),
 * INVALID_ARGUMENT, ENCODE_FAILED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_encode(const sdimage_image *image, sdimage_format format,
                                          const sdimage_encode_options *options, sdimage_data **data,
                                          sdimage_error **error);

/* The same into a file, which appears whole or not at all. With UNDEFINED the name's extension decides. Further errors:
 * PERMISSION_DENIED, NOT_FOUND (no such folder), DISK_FULL, IO_ERROR. */
SDIMAGE_API sdimage_status sdimage_encode_file(const sdimage_image *image, const char *path, sdimage_format format,
                                               const sdimage_encode_options *options, sdimage_error **error);

/* The format that a name's extension stands for, whatever its case: "a.JPG" is JPEG; UNDEFINED for unknown ones. */
SDIMAGE_API sdimage_format sdimage_format_of_name(const char *name);

#ifdef __cplusplus
}
#endif

#endif
