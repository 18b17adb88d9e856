/* image.h: an image: pixels and metadata.
 *
 * Class: immutable. Pixels stay valid as long as the image is referenced, also after a cache evicts it.
 *
 *   for (uint32_t y = 0; y < sdimage_image_height(image); y++)
 *       use_row((const uint8_t *)sdimage_image_pixels(image) + y * sdimage_image_stride(image)); */
#ifndef SDIMAGE_IMAGE_H
#define SDIMAGE_IMAGE_H

#include "base.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layout of one pixel in memory, in the order of the letters. Samples are in the machine's byte order. "Premultiplied":
 * the color samples are multiplied by alpha; all other formats are straight. Float: four 32-bit samples of linear
 * light with the primaries of sRGB (ITU-R BT.709); 1 is the white of a standard dynamic range image. Brighter light
 * exceeds 1, and colors outside sRGB have negative samples; both are preserved. */
typedef enum SDIMAGE_ENUM sdimage_pixel_format {
    SDIMAGE_PIXEL_FORMAT_AUTOMATIC = 0,           /* as an option: gray8, rgb8 or rgba8, as the coder decodes */
    SDIMAGE_PIXEL_FORMAT_GRAY8 = 1,               /* 1 byte a pixel, no alpha */
    SDIMAGE_PIXEL_FORMAT_RGB8 = 2,                /* 3 bytes a pixel, no alpha */
    SDIMAGE_PIXEL_FORMAT_RGBA8 = 3,               /* 4 bytes a pixel, straight alpha */
    SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED = 4, /* 4 bytes a pixel */
    SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED = 5, /* cairo's ARGB32 and Qt's on little-endian machines */
    SDIMAGE_PIXEL_FORMAT_GRAY16 = 6,              /* 2 bytes a pixel, no alpha */
    SDIMAGE_PIXEL_FORMAT_RGB16 = 7,               /* 6 bytes a pixel, no alpha */
    SDIMAGE_PIXEL_FORMAT_RGBA16 = 8,              /* 8 bytes a pixel, straight alpha */
    SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT = 9,          /* 16 bytes a pixel, straight alpha, linear light */
    SDIMAGE_PIXEL_FORMAT_NATIVE = 10              /* as an option: the smallest straight format that holds the image */
} sdimage_pixel_format;

/* Image file formats. */
typedef enum SDIMAGE_ENUM sdimage_format {
    SDIMAGE_FORMAT_UNKNOWN = 0, /* "unknown": not recognized, or none */
    SDIMAGE_FORMAT_JPEG = 1,    /* "jpeg" */
    SDIMAGE_FORMAT_PNG = 2,     /* "png", also animated */
    SDIMAGE_FORMAT_GIF = 3,     /* "gif" */
    SDIMAGE_FORMAT_WEBP = 4,    /* "webp" */
    SDIMAGE_FORMAT_HEIC = 5,    /* "heic": HEVC in HEIF */
    SDIMAGE_FORMAT_HEIF = 6,    /* "heif": HEIF by its general brands */
    SDIMAGE_FORMAT_AVIF = 7,    /* "avif" */
    SDIMAGE_FORMAT_TIFF = 8,    /* "tiff": by a plug-in */
    SDIMAGE_FORMAT_BMP = 9,     /* "bmp" */
    SDIMAGE_FORMAT_ICO = 10,    /* "ico", also cursors */
    SDIMAGE_FORMAT_JXL = 11,    /* "jxl": by a plug-in */
    SDIMAGE_FORMAT_SVG = 12,    /* "svg": by a plug-in */
    SDIMAGE_FORMAT_PDF = 13,    /* "pdf": by a plug-in */
    SDIMAGE_FORMAT_RAW = 14     /* "raw": camera formats; no coder of the library reads them */
} sdimage_format;

/* Fitting of an image into a box of another aspect ratio. */
typedef enum SDIMAGE_ENUM sdimage_scale_mode {
    /* scaled to fit inside, the default; on a canvas as large as the box, centered between transparent bars */
    SDIMAGE_SCALE_MODE_ASPECT_FIT = 0,
    /* stretched to the box */
    SDIMAGE_SCALE_MODE_FILL = 1,
    /* scaled to cover the box; on a canvas as large as the box, the overhang is cropped equally on both sides */
    SDIMAGE_SCALE_MODE_ASPECT_FILL = 2
} sdimage_scale_mode;

/* Transfer characteristics of HDR samples, as options. The numbers are those of ITU-T H.273, table 3. */
typedef enum SDIMAGE_ENUM sdimage_transfer_characteristics {
    SDIMAGE_TRANSFER_CHARACTERISTICS_DEFAULT = 0, /* no conversion */
    SDIMAGE_TRANSFER_CHARACTERISTICS_PQ = 16,     /* ITU-R BT.2100 PQ: up to 10,000 cd/m2 */
    SDIMAGE_TRANSFER_CHARACTERISTICS_HLG = 18     /* ITU-R BT.2100 HLG, on its reference display of 1,000 cd/m2 */
} sdimage_transfer_characteristics;

/* Rotation and mirroring that display the pixels upright: EXIF 2.32, tag 0x0112. */
typedef enum SDIMAGE_ENUM sdimage_orientation {
    SDIMAGE_ORIENTATION_UNKNOWN = 0,        /* not stated: displayed as stored */
    SDIMAGE_ORIENTATION_UP = 1,             /* as stored */
    SDIMAGE_ORIENTATION_UP_MIRRORED = 2,    /* mirrored left to right */
    SDIMAGE_ORIENTATION_DOWN = 3,           /* rotated by 180 degrees */
    SDIMAGE_ORIENTATION_DOWN_MIRRORED = 4,  /* mirrored top to bottom */
    SDIMAGE_ORIENTATION_LEFT_MIRRORED = 5,  /* rows and columns swapped */
    SDIMAGE_ORIENTATION_RIGHT = 6,          /* rotated by 90 degrees clockwise */
    SDIMAGE_ORIENTATION_RIGHT_MIRRORED = 7, /* rows and columns swapped, then rotated by 180 degrees */
    SDIMAGE_ORIENTATION_LEFT = 8            /* rotated by 90 degrees counter-clockwise */
} sdimage_orientation;

/* Copies pixels into a new image: rows from top to bottom, `stride` bytes apart; `stride` is at least the width times
 * the bytes per pixel. Errors: INVALID_ARGUMENT (a zero or overflowing size, a short stride, an unknown format),
 * TOO_LARGE (more than 256 MiB; in a call of a coder at least sdimage_decode_options_max_bytes of its options are
 * permitted, on the thread of the call), NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_image_new(uint32_t width, uint32_t height, size_t stride,
                                             sdimage_pixel_format pixel_format, const void *pixels,
                                             sdimage_image **image, sdimage_error **error);

/* Wraps pixels of the caller in an image, without a copy. They must stay valid and unchanged until
 * `destroy(user_data)`, which is called once, also when this call fails. `pixels` must be aligned for the samples.
 * Errors as above. */
SDIMAGE_API sdimage_status sdimage_image_new_adopting(uint32_t width, uint32_t height, size_t stride,
                                                      sdimage_pixel_format pixel_format, void *pixels, void *user_data,
                                                      sdimage_destroy_fn destroy, sdimage_image **image,
                                                      sdimage_error **error);

/* Makes an image with uninitialized pixels from the library's pool, for coders. Rows are *stride bytes apart and start
 * at *pixels; both are 64-byte aligned. The coder writes all rows before it passes the image on; from then on the image
 * is immutable. Errors: INVALID_ARGUMENT (a zero or overflowing size, an unknown format), TOO_LARGE (as above),
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_image_new_uninitialized(uint32_t width, uint32_t height,
                                                           sdimage_pixel_format pixel_format, sdimage_image **image,
                                                           void **pixels, size_t *stride, sdimage_error **error);

/* Makes an animation of images of equal size, which are referenced. `durations_ms` has one duration for each. A
 * `loop_count` of 0 means endless. The metadata of the first frame become those of the animation. INVALID_ARGUMENT: no
 * frames, a NULL frame, or frames of different sizes. */
SDIMAGE_API sdimage_status sdimage_image_new_animation(sdimage_image *const *frames, const uint32_t *durations_ms,
                                                       size_t count, uint32_t loop_count, sdimage_image **image,
                                                       sdimage_error **error);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_image *sdimage_image_ref(const sdimage_image *image);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_image_unref(sdimage_image *image);

/* Returns the width of this bitmap in pixels. */
SDIMAGE_API uint32_t sdimage_image_width(const sdimage_image *image);
/* Returns the height of this bitmap in pixels. */
SDIMAGE_API uint32_t sdimage_image_height(const sdimage_image *image);

/* Bytes between the starts of two rows; a multiple of 64 for images that the library decoded. */
SDIMAGE_API size_t sdimage_image_stride(const sdimage_image *image);

/* First byte of the top row, 64-byte aligned for images that the library decoded. Borrowed. */
SDIMAGE_API const void *sdimage_image_pixels(const sdimage_image *image);

/* Layout of the pixels in memory. */
SDIMAGE_API sdimage_pixel_format sdimage_image_pixel_format(const sdimage_image *image);

/* Format of the file that the image was decoded from; UNKNOWN for pixels of the host. */
SDIMAGE_API sdimage_format sdimage_image_format(const sdimage_image *image);

/* True if pixels may be transparent. */
SDIMAGE_API bool sdimage_image_has_alpha(const sdimage_image *image);

/* Pixels per point, at least 1. */
SDIMAGE_API double sdimage_image_scale(const sdimage_image *image);

/* Orientation that remains to be applied; UP unless the decode options kept the orientation of the file. */
SDIMAGE_API sdimage_orientation sdimage_image_orientation(const sdimage_image *image);

/* Size of the encoded image as displayed, in pixels: larger than the image itself for a thumbnail. For ICO it is that
 * of the entry that was decoded. Caches store it with thumbnails and transformed images. 0 x 0 if it is
 * unknown: for such an image in a disk cache of an earlier version. */
SDIMAGE_API sdimage_size sdimage_image_source_size(const sdimage_image *image);

/* Returns the number of frames; 1 for a still. */
SDIMAGE_API uint32_t sdimage_image_frame_count(const sdimage_image *image);
/* Returns the number of loops; 0 = infinite, and for stills. */
SDIMAGE_API uint32_t sdimage_image_loop_count(const sdimage_image *image);
/* Returns the duration of one loop in milliseconds; 0 for stills. */
SDIMAGE_API uint64_t sdimage_image_duration_ms(const sdimage_image *image);

/* Returns frame `index`, composed to the whole canvas, as a still image. The pixels of an animated image are those of
 * its first frame.
 *
 * Frames are decoded on demand, in any order. An image holds the encoded bytes and at most 8 MiB of canvases for
 * seeking, never all frames, and one more canvas while it plays. If frames are requested one after the other while a
 * manager, cache or player exists, idle workers decode up to three frames of at least 32,768 pixels ahead, chosen among
 * the next 16. These count in the frame budget. In an animation of a thousand frames, each drawn on the one before,
 * every frame is at most three frames from a held canvas if a packed canvas takes 33 KB. That holds:
 *
 * - without packing up to 80 by 102 pixels;
 * - at 480 by 270 for drawings and for animations in which only parts move;
 * - up to about 280 by 160 for films with noise; beyond that, the distance grows with the size.
 *
 * Pure noise does not pack. The first seek into a part of the animation takes longer. Errors: INVALID_ARGUMENT (no such
 * frame), and those of sdimage_decode. */
SDIMAGE_API sdimage_status sdimage_image_get_frame(const sdimage_image *image, uint32_t index, sdimage_image **frame,
                                                   sdimage_error **error);

/* Duration of a frame in milliseconds: the stored one, but 100 for less than 11, as in browsers; those passed to
 * sdimage_image_new_animation are returned as they are. 0 for stills that were decoded, and for an index out of
 * range. */
SDIMAGE_API uint32_t sdimage_image_frame_duration_ms(const sdimage_image *image, uint32_t index);

/* True if a part of the image is missing because it had not arrived, or the file was cut and accepted; false for a
 * complete image. */
SDIMAGE_API bool sdimage_image_is_incremental(const sdimage_image *image);

/* True if some pixels are wrong because the file contains corrupt data. Files that are damaged but complete are decoded
 * for JPEG alone; the log then has one warning for each decode, and caches keep the image. */
SDIMAGE_API bool sdimage_image_is_damaged(const sdimage_image *image);

/* True if a load applied its transformer to the image. False if the transformer did not apply to it or failed. */
SDIMAGE_API bool sdimage_image_is_transformed(const sdimage_image *image);

/* Number of encoded bytes used for an early thumbnail (sdimage_decode_options_set_early_thumbnail); 0 if all were used
 * or the number is unknown. */
SDIMAGE_API uint64_t sdimage_image_consumed_bytes(const sdimage_image *image);

/* True for more than one frame. */
SDIMAGE_API bool sdimage_image_is_animated(const sdimage_image *image);

/* True if a thumbnail size was requested, even if the image was not reduced. */
SDIMAGE_API bool sdimage_image_is_thumbnail(const sdimage_image *image);

/* Bytes that a memory cache counts for the image: the memory that its bitmap keeps allocated, times the number of
 * frames if all frames are held (sdimage_request_set_preload_frames), and that of its gain map.
 * sdimage_metadata_set_memory_cost overrides it. */
SDIMAGE_API size_t sdimage_image_memory_cost(const sdimage_image *image);

/* The embedded ICC profile if the pixels were left in its color space; NULL if they are sRGB. Borrowed. */
SDIMAGE_API const sdimage_data *sdimage_image_color_profile(const sdimage_image *image);

/* Returns the primaries of the pixels as a code point of ITU-T H.273 (table 2): those of the color space in which they
 * were left, or of PQ or HLG to which they were converted. 0 if there are none, and if the pixels are sRGB. Takes
 * precedence over the profile. */
SDIMAGE_API uint32_t sdimage_image_color_primaries(const sdimage_image *image);
/* Returns the transfer characteristics of the pixels as a code point of ITU-T H.273 (table 3); 0 in the same cases. */
SDIMAGE_API uint32_t sdimage_image_transfer_characteristics(const sdimage_image *image);

/* True if pixels may exceed the white of standard dynamic range: light of an HDR rendition, or samples in PQ or HLG.
 * False for an image that was tone-mapped to sRGB, and for an SDR image that was decoded to PQ or HLG. */
SDIMAGE_API bool sdimage_image_is_hdr(const sdimage_image *image);
/* Returns the headroom of the rendition in stops: the binary logarithm of the brightest light that it can contain,
 * relative to SDR white; 0 for SDR. */
SDIMAGE_API double sdimage_image_headroom(const sdimage_image *image);
/* Returns the headroom of the brightest rendition of the file in stops: that of its gain map, which is known if the map
 * was applied or kept, or of PQ (5.62) and HLG (2.3); 0 for SDR. */
SDIMAGE_API double sdimage_image_content_headroom(const sdimage_image *image);
/* Returns the gain map of the image: for RGBA_FLOAT the map that was applied to it, for other formats the map that can
 * be applied. The caller owns *map, NULL for none. */
SDIMAGE_API void sdimage_image_get_gain_map(const sdimage_image *image, sdimage_gain_map **map);
/* Applies the gain map of a base image, for a display with a headroom in stops; INFINITY selects the headroom of the
 * content. The result is RGBA_FLOAT in linear light, or the same image, referenced, if the base image is the rendition
 * for this headroom. Errors: UNSUPPORTED (no map to apply; no matrix describes the colors), INVALID_ARGUMENT (NaN),
 * TOO_LARGE, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_image_apply_gain_map(const sdimage_image *image, double headroom,
                                                        sdimage_image **rendition, sdimage_error **error);

/* A value of the host stored with the image; NULL if there is none. Borrowed. */
SDIMAGE_API const sdimage_data *sdimage_image_extended_data(const sdimage_image *image);

/* Converts the image to another pixel format; returns the same image, referenced, if it already has that format.
 *
 * - Alpha is multiplied in or divided out as the formats require. Where alpha is dropped, the straight colors remain.
 * - 16 bits become 8 by dropping the low byte.
 * - Integers and float convert by the sRGB curve (IEC 61966-2-1); integers converted to float and back are unchanged.
 * - From float, values above white are clipped; if sdimage_image_is_hdr, the image is tone-mapped instead, as
 *   sdimage_decode_options_set_pixel_format describes; also if it was made with a gain map.
 * - Profiles and code points are not applied: samples in PQ or HLG remain so, and do not become linear light.
 *
 * Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_image_convert(const sdimage_image *image, sdimage_pixel_format pixel_format,
                                                 sdimage_image **converted, sdimage_error **error);

/* Reads the straight color of a pixel of the bitmap; the orientation is not applied. The color of a transparent pixel
 * is returned as stored. Float samples are returned as sRGB, clipped to 0 to 1. INVALID_ARGUMENT outside the bitmap. */
SDIMAGE_API sdimage_status sdimage_image_color_at(const sdimage_image *image, uint32_t x, uint32_t y,
                                                  sdimage_color *color, sdimage_error **error);

/* Reads the straight colors of a rectangle of the bitmap into `colors`, row by row from the top left corner, as
 * sdimage_image_color_at reads each. `capacity` is the number of elements of `colors`. Errors: INVALID_ARGUMENT (a
 * rectangle that is empty or not inside the bitmap, more pixels than `capacity`). */
SDIMAGE_API sdimage_status sdimage_image_colors_in(const sdimage_image *image, uint32_t x, uint32_t y, uint32_t width,
                                                   uint32_t height, sdimage_color *colors, size_t capacity,
                                                   sdimage_error **error);

/* Bytes that sdimage_color_to_hex writes. */
#define SDIMAGE_COLOR_HEX_SIZE 10

/* Writes a color as "#rrggbbaa" (CSS Color Module Level 4, section 5.2), 8 bits each, followed by a NUL. */
SDIMAGE_API void sdimage_color_to_hex(sdimage_color color, char text[SDIMAGE_COLOR_HEX_SIZE]);
/* Reads a color of the forms "#rgb", "#rgba", "#rrggbb" and "#rrggbbaa", in any case. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_color_from_hex(const char *text, sdimage_color *color, sdimage_error **error);

/* Returns the size of an image of `size` pixels that is scaled to a box, each side rounded up and at least 1, as
 * thumbnails are. An empty size or box returns `size`. Without `scale_up` the result is never larger than `size`. */
SDIMAGE_API sdimage_size sdimage_size_scaled(sdimage_size size, sdimage_size box, sdimage_scale_mode mode,
                                             bool scale_up);

/* Shrinks an image, keeping its proportions, until the bitmaps of all its frames take at most `bytes` bytes together;
 * returns the same image, referenced, if they already do. Errors: INVALID_ARGUMENT (fewer bytes than one pixel of each
 * frame takes), TOO_LARGE, TIMEOUT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_image_limit_bytes(const sdimage_image *image, size_t bytes, sdimage_image **limited,
                                                     sdimage_error **error);

/* Returns the options with which the image was decoded, including the named values of the program. The caller owns
 * *options; NULL for images that were not decoded from bytes. */
SDIMAGE_API void sdimage_image_get_decode_options(const sdimage_image *image, sdimage_decode_options **options);

/* True for a vector image, drawn by a coder with `render`: it can be drawn sharply at any size. */
SDIMAGE_API bool sdimage_image_is_vector(const sdimage_image *image);

/* Draws a vector image at a size in pixels. Errors: UNSUPPORTED for raster images, INVALID_ARGUMENT (a zero side),
 * TOO_LARGE, and those of the coder. */
SDIMAGE_API sdimage_status sdimage_image_render(const sdimage_image *image, uint32_t width, uint32_t height,
                                                sdimage_image **rendered, sdimage_error **error);

/* --- Names. All static: never freed; "unknown" and "automatic" for unknown numbers. */

/* Name of a format: "jpeg", "png", … */
SDIMAGE_API const char *sdimage_format_name(sdimage_format format);
/* Returns the usual extension of file names of a format, without a dot: "jpg", …; "" for UNKNOWN. */
SDIMAGE_API const char *sdimage_format_extension(sdimage_format format);
/* Returns the format of a media type, ignoring case and parameters: "image/jpeg; q=1" is JPEG; UNKNOWN for others. */
SDIMAGE_API sdimage_format sdimage_format_of_mime_type(const char *mime_type);
/* Media type of a format: "image/jpeg", … */
SDIMAGE_API const char *sdimage_format_mime_type(sdimage_format format);
/* Name of a pixel format: "rgba8", "bgra8_premultiplied", … */
SDIMAGE_API const char *sdimage_pixel_format_name(sdimage_pixel_format pixel_format);
/* Bytes of one pixel; 0 for AUTOMATIC, NATIVE and unknown formats. */
SDIMAGE_API size_t sdimage_pixel_format_bytes(sdimage_pixel_format pixel_format);

#ifdef __cplusplus
}
#endif

#endif
