/* encode.h: encoding of images.
 *
 *   sdimage_encode_options *options = sdimage_encode_options_new();
 *   sdimage_encode_options_set_quality(options, 0.8);
 *   sdimage_encode(image, SDIMAGE_FORMAT_WEBP, options, &data, &error);
 *
 * Encodes JPEG, PNG (animations as APNG), GIF, WebP, BMP, ICO; HEIC and AVIF if the library of the module has an
 * encoder; and the formats of coders of the host. See sdimage_can_encode (coder.h). Animations are written as PNG, GIF
 * and WebP, with their durations and loop count; other formats receive the first frame. GIF stores at most
 * 655,350 ms for a frame and 65,535 loops; larger values become these. For WebP they are TOO_LARGE.
 *
 * An image with an unapplied orientation is written with its orientation tag in JPEG, PNG, HEIC, AVIF and JPEG XL, and
 * rotated in other formats. An image in another color space is written with its ICC profile in JPEG, PNG, WebP, HEIC,
 * AVIF and JPEG XL. If only code points describe its samples, PNG, HEIC, AVIF and JPEG XL write these; for JPEG, WebP,
 * GIF, BMP and ICO it is converted to sRGB.
 *
 * From 16-bit pixels, JPEG, WebP and other 8-bit files receive the upper 8 bits, HEIC and AVIF 10 bits, unless
 * sdimage_encode_options_set_bits_per_channel sets another depth. Gray images stay gray in JPEG, HEIC and AVIF. Float
 * pixels become sRGB, tone-mapped for HDR, unless the options select PQ or HLG.
 *
 * PNG stores images of few colors with a palette, opaque images without alpha, and float pixels as 16 bits of sRGB.
 * Animations are RGBA, with the changed part of each frame. During compression PNG holds another copy of the image's
 * bytes, and as much memory for the file. ICO stores one image of at most 256 by 256 pixels.
 *
 * The functions block on the calling thread; while a manager exists, idle workers help. They may be used in a forked
 * child, except that WebP may be FORKED (decode.h). Classes: sdimage_encode_options single-owner. */
#ifndef SDIMAGE_ENCODE_H
#define SDIMAGE_ENCODE_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Options. A format ignores options that do not concern it; options that it cannot fulfil are UNSUPPORTED, as
 * described. */

/* Creates options with the defaults; the caller owns them. NULL when memory is refused. */
SDIMAGE_API sdimage_encode_options *sdimage_encode_options_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_encode_options *sdimage_encode_options_ref(const sdimage_encode_options *options);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_encode_options_unref(sdimage_encode_options *options);

/* Sets the quality, from 0 to 1, the default. It applies to JPEG, WebP and HEIC, whose own scales end at 100, and to
 * AVIF, whose quantizer becomes (1 - quality) * 63. A value that is not a number from 0 to 1 is INVALID_ARGUMENT when
 * encoding; the same applies to dithering. */
SDIMAGE_API void sdimage_encode_options_set_quality(sdimage_encode_options *options, double quality);
/* Returns the quality. */
SDIMAGE_API double sdimage_encode_options_quality(const sdimage_encode_options *options);

/* Encodes without loss: WebP, JPEG XL and AVIF, the last not with 16 bits (UNSUPPORTED). JPEG and HEIC: UNSUPPORTED.
 * PNG, BMP and ICO are always lossless, BMP and ICO with 8 bits; ICO discards the colors under alpha 0. Default
 * false. */
SDIMAGE_API void sdimage_encode_options_set_lossless(sdimage_encode_options *options, bool lossless);
/* Returns true for encoding without loss. */
SDIMAGE_API bool sdimage_encode_options_is_lossless(const sdimage_encode_options *options);

/* Sets the effort to reduce the file size, from 1, fastest, to 9, as larger values count. 0, the default, selects the
 * default of the format: 6 for PNG; 5 for GIF, whose palettes also improve with effort; for WebP 4, and 6 when
 * lossless; 4 for AVIF; that of the encoder for HEIC. JPEG has optimized Huffman codes from 5 on, and those of the
 * standard below. */
SDIMAGE_API void sdimage_encode_options_set_effort(sdimage_encode_options *options, uint32_t effort);
/* Returns the effort; 0 for the default of the format. */
SDIMAGE_API uint32_t sdimage_encode_options_effort(const sdimage_encode_options *options);

/* Sets the color behind images with alpha in a format without alpha: JPEG. Default white; its own alpha is ignored. */
SDIMAGE_API void sdimage_encode_options_set_background_color(sdimage_encode_options *options, sdimage_color color);
/* Returns the color behind images with alpha. */
SDIMAGE_API sdimage_color sdimage_encode_options_background_color(const sdimage_encode_options *options);

/* Shrinks every frame into a box of pixels and preserves its proportions; none is enlarged. Zero, the default: no
 * change. */
SDIMAGE_API void sdimage_encode_options_set_max_pixel_size(sdimage_encode_options *options, uint32_t width,
                                                           uint32_t height);
/* Returns the box into which frames are shrunk; 0 x 0 for no change. */
SDIMAGE_API sdimage_size sdimage_encode_options_max_pixel_size(const sdimage_encode_options *options);

/* Sets the maximum size of the file in bytes: the best quality within it replaces the quality set; if no quality fits,
 * the lowest is used. For JPEG, WebP (without profile: its colors become sRGB), HEIC, AVIF and JPEG XL; others ignore
 * it. INVALID_ARGUMENT together with lossless, for formats that support it, and with a target PSNR. 0, the default: no
 * limit. */
SDIMAGE_API void sdimage_encode_options_set_max_file_size(sdimage_encode_options *options, size_t bytes);
/* Returns the maximum size of the file in bytes; 0 for no limit. */
SDIMAGE_API size_t sdimage_encode_options_max_file_size(const sdimage_encode_options *options);

/* Sets the time limit of one encode, in milliseconds; TIMEOUT beyond. 0 restores the default of 60,000. */
SDIMAGE_API void sdimage_encode_options_set_max_work_ms(sdimage_encode_options *options, uint32_t milliseconds);
/* Returns the time limit of one encode in milliseconds, never 0. */
SDIMAGE_API uint32_t sdimage_encode_options_max_work_ms(const sdimage_encode_options *options);

/* Embeds a small preview of at most 320 by 320 pixels: JPEG (in EXIF), and HEIC if the image is larger. AVIF:
 * UNSUPPORTED. Default false. */
SDIMAGE_API void sdimage_encode_options_set_embed_thumbnail(sdimage_encode_options *options, bool embed);
/* Returns true if a small preview is embedded. */
SDIMAGE_API bool sdimage_encode_options_should_embed_thumbnail(const sdimage_encode_options *options);

/* JPEG: writes a gain map after the image, with its parameters as XMP (Ultra HDR) and as ISO 21496-1. A base image is
 * written with its map; if code points describe its colors, which JPEG cannot store, it becomes sRGB, and a new map
 * leads to its HDR rendition. RGBA_FLOAT, PQ and HLG are tone-mapped to SDR, and the map leads back to their light. An
 * image that has no map and no light above white is written without one. Image and map have the same quality. An XMP
 * packet that leaves no room stays as it is; the map then has the parameters of ISO 21496-1 alone. Other formats:
 * UNSUPPORTED; HEIC, AVIF, JPEG XL and PNG hold HDR in PQ or HLG. Default false. */
SDIMAGE_API void sdimage_encode_options_set_embed_gain_map(sdimage_encode_options *options, bool embed);
/* Returns true if a gain map is written. */
SDIMAGE_API bool sdimage_encode_options_should_embed_gain_map(const sdimage_encode_options *options);

/* Converts the pixels to PQ or HLG with the primaries of ITU-R BT.2020; the white of SDR is 203 cd/m2 (ITU-R BT.2408).
 * The gain map of a base image is applied.
 * Light beyond the range of the transfer or of the primaries is clipped. The file has code points: PNG (cICP, 16 bits;
 * frames of animations, too), HEIC and AVIF (nclx, 10 bits), JPEG XL (16 bits), and formats of coders of the host,
 * whose images have 16 bits and code points; others: UNSUPPORTED. Pixels that already have these code points, for
 * example of an image decoded without conversion to sRGB, are written unchanged, also with DEFAULT. Default DEFAULT. */
SDIMAGE_API void sdimage_encode_options_set_transfer_characteristics(sdimage_encode_options *options,
                                                                     sdimage_transfer_characteristics transfer);
/* Returns the transfer characteristics to convert to. */
SDIMAGE_API sdimage_transfer_characteristics
sdimage_encode_options_transfer_characteristics(const sdimage_encode_options *options);

/* Sets the bits per channel of the file: 8 or 16 for PNG; 8, 10 or 12 for HEIC and AVIF; 8, 10, 12 or 16 for JPEG XL; 8
 * for other formats. 0, the default, selects that of the format for the pixels. Formats of coders of the host receive
 * images of 8 bits for 8, else of 16. When encoding, another of these numbers is UNSUPPORTED, also if the H.265 encoder
 * lacks it, and any other number is INVALID_ARGUMENT. */
SDIMAGE_API void sdimage_encode_options_set_bits_per_channel(sdimage_encode_options *options, uint32_t bits);
/* Returns the bits per channel of the file; 0 for the choice of the format. */
SDIMAGE_API uint32_t sdimage_encode_options_bits_per_channel(const sdimage_encode_options *options);

/* Sets the light of the brightest pixel in cd/m2 (MaxCLL of CTA-861.3), which displays use to map tones; 65,535 at
 * most. Written by PNG (cLLI), HEIC and AVIF (clli); the peak of PQ in JPEG XL; ignored by other formats. 0, the
 * default: unknown; nothing is written if both light levels are unknown. */
SDIMAGE_API void sdimage_encode_options_set_max_content_light_level(sdimage_encode_options *options, uint32_t level);
/* Returns the light of the brightest pixel in cd/m2; 0 if it is unknown. */
SDIMAGE_API uint32_t sdimage_encode_options_max_content_light_level(const sdimage_encode_options *options);
/* Sets the mean light of the brightest frame in cd/m2 (MaxFALL of CTA-861.3), with the same limit and default. */
SDIMAGE_API void sdimage_encode_options_set_max_frame_average_light_level(sdimage_encode_options *options,
                                                                          uint32_t level);
/* Returns the mean light of the brightest frame in cd/m2; 0 if it is unknown. */
SDIMAGE_API uint32_t sdimage_encode_options_max_frame_average_light_level(const sdimage_encode_options *options);

/* Writes only the first frame. Default false: all frames of an animation are written. */
SDIMAGE_API void sdimage_encode_options_set_first_frame_only(sdimage_encode_options *options, bool first_frame_only);
/* Returns true if only the first frame is written. */
SDIMAGE_API bool sdimage_encode_options_is_first_frame_only(const sdimage_encode_options *options);

/* Sets the loop count in place of that of the image; 0 = infinite. UINT32_MAX, the default, selects that of the
 * image. */
SDIMAGE_API void sdimage_encode_options_set_loop_count(sdimage_encode_options *options, uint32_t loop_count);
/* Returns the loop count set, else that of `image`; UINT32_MAX for neither. `image` may be NULL. */
SDIMAGE_API uint32_t sdimage_encode_options_loop_count(const sdimage_encode_options *options,
                                                       const sdimage_image *image);

/* JPEG: writes a progressive file, in scans from coarse to fine, which is slightly smaller. Default false. PNG:
 * interlaced is UNSUPPORTED. */
SDIMAGE_API void sdimage_encode_options_set_progressive(sdimage_encode_options *options, bool progressive);
/* Returns true for a progressive JPEG. */
SDIMAGE_API bool sdimage_encode_options_is_progressive(const sdimage_encode_options *options);

/* JPEG: the chroma subsampling. */
typedef enum SDIMAGE_ENUM sdimage_chroma {
    SDIMAGE_CHROMA_420 = 0, /* quarter resolution, the default */
    SDIMAGE_CHROMA_422 = 1, /* half resolution: every second column */
    SDIMAGE_CHROMA_444 = 2  /* full resolution */
} sdimage_chroma;
/* Sets the chroma subsampling. Default 420. */
SDIMAGE_API void sdimage_encode_options_set_chroma(sdimage_encode_options *options, sdimage_chroma chroma);
/* Returns the chroma subsampling. */
SDIMAGE_API sdimage_chroma sdimage_encode_options_chroma(const sdimage_encode_options *options);

/* JPEG: writes restart markers between rows of blocks. They limit the effect of damage, and several processors can
 * encode and decode parts of the image at once. Default false. */
SDIMAGE_API void sdimage_encode_options_set_restart_markers(sdimage_encode_options *options, bool restart_markers);
/* Returns true if restart markers are written. */
SDIMAGE_API bool sdimage_encode_options_has_restart_markers(const sdimage_encode_options *options);

/* GIF: sets the number of colors of each frame, 2 to 256, the default. Pixels that are less than half opaque become
 * transparent. Pixels that are unchanged from the previous frame are not drawn again. Durations become hundredths of a
 * second, at least two, rounded so that their sum is preserved. */
SDIMAGE_API void sdimage_encode_options_set_max_colors(sdimage_encode_options *options, uint32_t colors);
/* Returns the number of colors of each frame. */
SDIMAGE_API uint32_t sdimage_encode_options_max_colors(const sdimage_encode_options *options);

/* GIF: sets the fraction of the quantization error that is passed on to the neighbors (Floyd and Steinberg), 0 to
 * 1, the default. */
SDIMAGE_API void sdimage_encode_options_set_dithering(sdimage_encode_options *options, double amount);
/* Returns the fraction of the quantization error that is passed on. */
SDIMAGE_API double sdimage_encode_options_dithering(const sdimage_encode_options *options);

/* Parameters of libwebp. Names, ranges and defaults are those of its WebPConfig (webp/encode.h), except for
 * THREAD_LEVEL, whose default is 1. A value outside its range is INVALID_ARGUMENT when encoding. */
typedef enum SDIMAGE_ENUM sdimage_webp_parameter {
    SDIMAGE_WEBP_PARAMETER_NONE = 0,               /* no parameter: setting it has no effect */
    SDIMAGE_WEBP_PARAMETER_METHOD = 1,             /* 0, fastest, to 6, smallest */
    SDIMAGE_WEBP_PARAMETER_PASS = 2,               /* passes of entropy analysis, 1 to 10 */
    SDIMAGE_WEBP_PARAMETER_PREPROCESSING = 3,      /* a set of bits: 1 smooths segments, 2 dithers */
    SDIMAGE_WEBP_PARAMETER_THREAD_LEVEL = 4,       /* 1: a second thread, if useful */
    SDIMAGE_WEBP_PARAMETER_LOW_MEMORY = 5,         /* 1: less memory, more time */
    SDIMAGE_WEBP_PARAMETER_TARGET_PSNR = 6,        /* minimum PSNR in dB; 0: none */
    SDIMAGE_WEBP_PARAMETER_SEGMENTS = 7,           /* segments with their own quantizers, 1 to 4 */
    SDIMAGE_WEBP_PARAMETER_SNS_STRENGTH = 8,       /* spatial noise shaping, 0 to 100 */
    SDIMAGE_WEBP_PARAMETER_FILTER_STRENGTH = 9,    /* strength of the deblocking filter, 0 to 100 */
    SDIMAGE_WEBP_PARAMETER_FILTER_SHARPNESS = 10,  /* 0, sharpest, to 7 */
    SDIMAGE_WEBP_PARAMETER_FILTER_TYPE = 11,       /* 0 simple, 1 strong */
    SDIMAGE_WEBP_PARAMETER_AUTOFILTER = 12,        /* 1: automatic filter strength */
    SDIMAGE_WEBP_PARAMETER_ALPHA_COMPRESSION = 13, /* 0: uncompressed alpha, 1: lossless compression */
    SDIMAGE_WEBP_PARAMETER_ALPHA_FILTERING = 14,   /* prediction of alpha: 0 none, 1 fast, 2 best */
    SDIMAGE_WEBP_PARAMETER_ALPHA_QUALITY = 15,     /* 0, smallest, to 100, lossless */
    SDIMAGE_WEBP_PARAMETER_SHOW_COMPRESSED = 16,   /* 1: exports the compressed image; no effect here */
    SDIMAGE_WEBP_PARAMETER_PARTITIONS = 17,        /* binary logarithm of the number of partitions, 0 to 3 */
    SDIMAGE_WEBP_PARAMETER_PARTITION_LIMIT = 18,   /* permitted loss to fit the first partition, 0 to 100 */
    SDIMAGE_WEBP_PARAMETER_USE_SHARP_YUV = 19      /* 1: sharper colors, slower */
} sdimage_webp_parameter;
/* Sets one parameter; others have their defaults. */
SDIMAGE_API void sdimage_encode_options_set_webp(sdimage_encode_options *options, sdimage_webp_parameter parameter,
                                                 double value);
/* Returns true if a parameter was set, and its value through a pointer that may be NULL; 0 if it was not. */
SDIMAGE_API bool sdimage_encode_options_get_webp(const sdimage_encode_options *options,
                                                 sdimage_webp_parameter parameter, double *value);

/* Sets the EXIF block to write (sdimage_info_exif): JPEG, PNG, WebP, HEIC, AVIF, JPEG XL. NULL: none, the default. Its
 * orientation is replaced by that of the image. Invalid EXIF is INVALID_ARGUMENT when encoding; a block that is too
 * large for the format, for JPEG about 64 KiB, for HEIC, AVIF and JPEG XL 1 MiB, is TOO_LARGE. Referenced, not
 * copied. */
SDIMAGE_API void sdimage_encode_options_set_exif(sdimage_encode_options *options, sdimage_data *exif);
/* Returns the EXIF block to write; NULL when there is none. Borrowed until it is set again or the options are
 * freed. */
SDIMAGE_API const sdimage_data *sdimage_encode_options_exif(const sdimage_encode_options *options);

/* Sets the XMP packet to write (sdimage_info_xmp), in the same formats and with the same limits. NULL: none, the
 * default. Referenced, not copied. */
SDIMAGE_API void sdimage_encode_options_set_xmp(sdimage_encode_options *options, sdimage_data *xmp);
/* Returns the XMP packet to write; NULL when there is none. Borrowed until it is set again or the options are
 * freed. */
SDIMAGE_API const sdimage_data *sdimage_encode_options_xmp(const sdimage_encode_options *options);

/* Sets values for coders of the host and of plug-ins, whose headers name the keys (options.h). The values are copied.
 * NULL, the default, means none. */
SDIMAGE_API void sdimage_encode_options_set_options(sdimage_encode_options *options, const sdimage_options *values);
/* Returns those values; NULL when there are none. Borrowed until they are set again or the options are freed. */
SDIMAGE_API const sdimage_options *sdimage_encode_options_options(const sdimage_encode_options *options);

/* --- Encoding. `options` may be NULL for the defaults. */

/* Encodes with the registered coders, starting with the one registered last. UNKNOWN selects PNG for an image with
 * alpha, and for PQ, HLG or more than 8 bits in the options, otherwise JPEG. For an animation that was decoded
 * completely, its own format and the default options (lossless or not), the result is the bytes from which it was
 * decoded, by reference. The caller owns *data, which is never empty. Errors: UNSUPPORTED (no coder encodes the format,
 * or not this image or these options), TOO_LARGE (sides or frames beyond the format), TIMEOUT (after 60 s, or
 * sdimage_encode_options_set_max_work_ms), INVALID_ARGUMENT, ENCODE_FAILED, NO_MEMORY, FORKED (WebP in a forked
 * process), and for an animation those of the decode of its frames. */
SDIMAGE_API sdimage_status sdimage_encode(const sdimage_image *image, sdimage_format format,
                                          const sdimage_encode_options *options, sdimage_data **data,
                                          sdimage_error **error);

/* Encodes into a file, which is written completely or not at all. It replaces an existing file, whose permissions it
 * has, also behind a symbolic link; one without write permission is refused. Pipes, devices, names of open files
 * (/dev/fd) and files that cannot be replaced, such as a mount point, are written over. With UNKNOWN the extension of
 * the name decides, and for an extension without a format the image, as in sdimage_encode.
 * Further errors: PERMISSION_DENIED, NOT_FOUND (no such folder), NOT_A_FILE (a folder), DISK_FULL, IO_ERROR. */
SDIMAGE_API sdimage_status sdimage_encode_file(const sdimage_image *image, const char *path, sdimage_format format,
                                               const sdimage_encode_options *options, sdimage_error **error);

/* Returns the format of a name's extension, ignoring case: "a.JPG" is JPEG; UNKNOWN for unknown ones. */
SDIMAGE_API sdimage_format sdimage_format_of_name(const char *name);

#ifdef __cplusplus
}
#endif

#endif
