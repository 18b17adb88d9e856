/* image.h: a picture: pixels and what is known about them.
 *
 * Class: immutable. Pixels stay valid as long as the image is referenced, whatever caches evict.
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

/* How one pixel lies in memory, in the order of the letters. Samples are in the machine's byte order.
 * "Premultiplied": the colours are already multiplied by alpha; the others are straight.
 * Float: four 32-bit samples of linear light with the primaries of sRGB (ITU-R BT.709); 1 is the white of a standard
 * picture. Brighter light exceeds 1, and colours outside sRGB have negative samples: both are kept. */
typedef enum SDIMAGE_ENUM sdimage_pixel_format {
    SDIMAGE_PIXEL_FORMAT_AUTOMATIC = 0,           /* as a wish: the smallest straight format that holds the picture */
    SDIMAGE_PIXEL_FORMAT_GRAY8 = 1,               /* 1 byte a pixel, no alpha */
    SDIMAGE_PIXEL_FORMAT_RGB8 = 2,                /* 3 bytes a pixel, no alpha */
    SDIMAGE_PIXEL_FORMAT_RGBA8 = 3,               /* 4 bytes a pixel, straight alpha */
    SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED = 4, /* 4 bytes a pixel */
    SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED = 5, /* cairo's ARGB32 and Qt's on little-endian machines */
    SDIMAGE_PIXEL_FORMAT_GRAY16 = 6,              /* 2 bytes a pixel, no alpha */
    SDIMAGE_PIXEL_FORMAT_RGB16 = 7,               /* 6 bytes a pixel, no alpha */
    SDIMAGE_PIXEL_FORMAT_RGBA16 = 8,              /* 8 bytes a pixel, straight alpha */
    SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT = 9           /* 16 bytes a pixel, straight alpha, linear light */
} sdimage_pixel_format;

/* Formats of files that hold pictures. */
typedef enum SDIMAGE_ENUM sdimage_format {
    SDIMAGE_FORMAT_UNDEFINED = -1, /* not known, or none */
    SDIMAGE_FORMAT_JPEG = 0,       /* "jpeg" */
    SDIMAGE_FORMAT_PNG = 1,        /* "png", animated ones too */
    SDIMAGE_FORMAT_GIF = 2,        /* "gif" */
    SDIMAGE_FORMAT_TIFF = 3,       /* "tiff": by a plug-in */
    SDIMAGE_FORMAT_WEBP = 4,       /* "webp" */
    SDIMAGE_FORMAT_HEIC = 5,       /* "heic": HEVC in HEIF */
    SDIMAGE_FORMAT_HEIF = 6,       /* "heif": HEIF by its general brands */
    SDIMAGE_FORMAT_PDF = 7,        /* "pdf": by a plug-in */
    SDIMAGE_FORMAT_SVG = 8,        /* "svg": by a plug-in */
    SDIMAGE_FORMAT_BMP = 9,        /* "bmp" */
    SDIMAGE_FORMAT_RAW = 10,       /* "raw": a camera's own; no coder of the library reads it */
    SDIMAGE_FORMAT_ICO = 11,       /* "ico", cursors too */
    SDIMAGE_FORMAT_AVIF = 15,      /* "avif" */
    SDIMAGE_FORMAT_JXL = 17        /* "jxl": by a plug-in */
} sdimage_format;

/* How a picture meets a box of other proportions. */
typedef enum SDIMAGE_ENUM sdimage_scale_mode {
    SDIMAGE_SCALE_MODE_FILL = 0, /* stretched */
    /* whole; of a canvas as large as the box it has the middle, between clear bars */
    SDIMAGE_SCALE_MODE_ASPECT_FIT = 1,
    /* covering; of a canvas as large as the box what stands over is cut off, evenly */
    SDIMAGE_SCALE_MODE_ASPECT_FILL = 2
} sdimage_scale_mode;

/* How pixels must be turned to be seen upright: EXIF 2.32, tag 0x0112. */
typedef enum SDIMAGE_ENUM sdimage_orientation {
    SDIMAGE_ORIENTATION_UP = 1,             /* as stored */
    SDIMAGE_ORIENTATION_UP_MIRRORED = 2,    /* mirrored left to right */
    SDIMAGE_ORIENTATION_DOWN = 3,           /* by half a turn */
    SDIMAGE_ORIENTATION_DOWN_MIRRORED = 4,  /* mirrored top to bottom */
    SDIMAGE_ORIENTATION_LEFT_MIRRORED = 5,  /* rows become columns */
    SDIMAGE_ORIENTATION_RIGHT = 6,          /* by a quarter, clockwise */
    SDIMAGE_ORIENTATION_RIGHT_MIRRORED = 7, /* rows become columns, and by half a turn */
    SDIMAGE_ORIENTATION_LEFT = 8            /* by a quarter, counter-clockwise */
} sdimage_orientation;

/* Copies pixels into a new image: rows top to bottom, `stride` bytes apart, at least width * bytes per pixel.
 * Errors: INVALID_ARGUMENT (a zero or overflowing size, a short stride, an unknown format), TOO_LARGE, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_image_new(uint32_t width, uint32_t height, size_t stride,
                                             sdimage_pixel_format pixel_format, const void *pixels,
                                             sdimage_image **image, sdimage_error **error);

/* Takes pixels over without a copy: they must stay valid and unchanged until `destroy(user_data)`, which is called
 * once, also when this call fails. `pixels` must be aligned for the samples. Errors as above. */
SDIMAGE_API sdimage_status sdimage_image_new_adopting(uint32_t width, uint32_t height, size_t stride,
                                                      sdimage_pixel_format pixel_format, void *pixels, void *user_data,
                                                      sdimage_destroy_fn destroy, sdimage_image **image,
                                                      sdimage_error **error);

/* For coders: pixels of the library's own pooled memory, still to be written. Rows are *stride bytes apart, from
 * *pixels on, both 64-byte aligned; what they hold before is undefined. Write them all, then hand the image on: from
 * there on it is immutable. Errors: INVALID_ARGUMENT (a zero or overflowing size, an unknown format), TOO_LARGE,
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_image_new_uninitialized(uint32_t width, uint32_t height,
                                                           sdimage_pixel_format pixel_format, sdimage_image **image,
                                                           void **pixels, size_t *stride, sdimage_error **error);

/* An animation of pictures of one size, which are referenced; `durations_ms` has one number for each. 0 loops are for
 * ever. The first picture's metadata are the animation's. INVALID_ARGUMENT: no frames, NULL among them, sizes that
 * differ. */
SDIMAGE_API sdimage_status sdimage_image_new_animation(sdimage_image *const *frames, const uint32_t *durations_ms,
                                                       size_t count, uint32_t loop_count, sdimage_image **image,
                                                       sdimage_error **error);

SDIMAGE_API sdimage_image *sdimage_image_ref(sdimage_image *image);
SDIMAGE_API void sdimage_image_unref(sdimage_image *image);

/* Size in pixels, of this bitmap. */
SDIMAGE_API uint32_t sdimage_image_width(const sdimage_image *image);
SDIMAGE_API uint32_t sdimage_image_height(const sdimage_image *image);

/* Bytes from one row to the next; a multiple of 64 for images that the library decoded. */
SDIMAGE_API size_t sdimage_image_stride(const sdimage_image *image);

/* The first byte of the top row, 64-byte aligned for images that the library decoded. Borrowed. */
SDIMAGE_API const void *sdimage_image_pixels(const sdimage_image *image);

/* How the pixels lie in memory. */
SDIMAGE_API sdimage_pixel_format sdimage_image_pixel_format(const sdimage_image *image);

/* The container it was decoded from; UNDEFINED for pixels of the host. */
SDIMAGE_API sdimage_format sdimage_image_format(const sdimage_image *image);

/* Whether a pixel can be transparent. */
SDIMAGE_API bool sdimage_image_has_alpha(const sdimage_image *image);

/* Pixels per point, at least 1. */
SDIMAGE_API double sdimage_image_scale(const sdimage_image *image);

/* Turning still to be done; UP unless decoding was told to keep the tag. */
SDIMAGE_API sdimage_orientation sdimage_image_orientation(const sdimage_image *image);

/* Size of the encoded picture as displayed, in pixels: larger than the image's own for a thumbnail. */
SDIMAGE_API sdimage_size sdimage_image_source_size(const sdimage_image *image);

/* Frames of an animation, 1 for a still; how often they play, 0 = for ever (and 0 for stills); and how long one round
 * lasts in milliseconds. */
SDIMAGE_API uint32_t sdimage_image_frame_count(const sdimage_image *image);
SDIMAGE_API uint32_t sdimage_image_loop_count(const sdimage_image *image);
SDIMAGE_API uint64_t sdimage_image_duration_ms(const sdimage_image *image);

/* Frame `index`, composed to the whole canvas, as a still of its own; the pixels of an animated image are its first
 * frame. Frames are decoded when asked for, in any order: an image keeps the encoded bytes and at most 8 MiB of
 * canvases, never all frames, and one canvas more while it plays. Of a thousand frames drawn each on the one before,
 * any is at most three away where a canvas of 33 KB, packed, is enough: as it is up to 80 by 102 pixels; at 480 by 270
 * where parts of the picture move, or drawings; of films with noise, up to some 280 by 160, and beyond that the more
 * frames away the larger they are; of noise alone as if nothing were packed. The first seek into a part is longer.
 * Errors: INVALID_ARGUMENT (no such frame), and those of sdimage_decode. */
SDIMAGE_API sdimage_status sdimage_image_copy_frame(const sdimage_image *image, uint32_t index, sdimage_image **frame,
                                                    sdimage_error **error);

/* Milliseconds that a frame is shown: as stored, but 100 for less than 11, as browsers do. 0 for stills, and outside
 * the frames. */
SDIMAGE_API uint32_t sdimage_image_frame_duration_ms(const sdimage_image *image, uint32_t index);

/* A part of the picture had not arrived, or was damaged and accepted so; never true of a whole picture. */
SDIMAGE_API bool sdimage_image_is_incremental(const sdimage_image *image);

/* A load has put the picture through its transformer. False for one that the transformer does not apply to, or could
 * not change. */
SDIMAGE_API bool sdimage_image_is_transformed(const sdimage_image *image);

/* How many of the encoded bytes were needed for an early thumbnail (sdimage_decode_options_set_early_thumbnail); 0 when
 * all of them were, or when that is not known. */
SDIMAGE_API uint64_t sdimage_image_consumed_bytes(const sdimage_image *image);

/* More than one frame. */
SDIMAGE_API bool sdimage_image_is_animated(const sdimage_image *image);

/* A thumbnail size was asked for, whether or not the picture had to shrink. */
SDIMAGE_API bool sdimage_image_is_thumbnail(const sdimage_image *image);

/* What a memory cache counts: bytes that the bitmap keeps allocated, once for an animation, unless the metadata say
 * otherwise. */
SDIMAGE_API size_t sdimage_image_memory_cost(const sdimage_image *image);

/* The embedded ICC profile, when the pixels were left in it; NULL when they are sRGB. Borrowed. */
SDIMAGE_API const sdimage_data *sdimage_image_color_profile(const sdimage_image *image);

/* The colour space that the pixels were left in, by the code points of ITU-T H.273: primaries (table 2) and transfer
 * characteristics (table 3). 0 when the picture has none, and where the pixels are sRGB. Of two statements these win
 * over the profile. */
SDIMAGE_API uint32_t sdimage_image_color_primaries(const sdimage_image *image);
SDIMAGE_API uint32_t sdimage_image_transfer_characteristics(const sdimage_image *image);

/* Whether the pixels reach beyond the white of a standard picture: float light, or samples that were left in PQ or HLG.
 * False for a picture that was brought down to sRGB. */
SDIMAGE_API bool sdimage_image_is_hdr(const sdimage_image *image);

/* A value of the host that is kept beside the picture; NULL when none. Borrowed. */
SDIMAGE_API const sdimage_data *sdimage_image_extended_data(const sdimage_image *image);

/* The picture in another pixel format; the same image, referenced, when it already has it. Alpha is multiplied in or
 * divided out as the formats say; where it is dropped the straight colours remain; 16 bits become 8 by dropping the low
 * byte. Between integers and float lies the curve of sRGB (IEC 61966-2-1), and the way back is exact. From float, what
 * exceeds white is cut off; where sdimage_image_is_hdr, a shoulder brings it down instead.
 * Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_image_convert(const sdimage_image *image, sdimage_pixel_format pixel_format,
                                                 sdimage_image **converted, sdimage_error **error);

/* The straight colour of a pixel of the bitmap, whose orientation is not looked at; what alpha 0 hides is told as it is
 * stored. Float samples are told as sRGB, cut off at 0 and 1. INVALID_ARGUMENT outside the bitmap. */
SDIMAGE_API sdimage_status sdimage_image_color_at(const sdimage_image *image, uint32_t x, uint32_t y,
                                                  sdimage_color *color, sdimage_error **error);

/* Whether the picture is drawn from shapes, by a coder with `render`, and can be drawn sharply at any size. */
SDIMAGE_API bool sdimage_image_is_vector(const sdimage_image *image);

/* Draws a vector picture anew at a size in pixels. Errors: UNSUPPORTED for pictures made of pixels, INVALID_ARGUMENT (a
 * zero side), TOO_LARGE, and those of the coder. */
SDIMAGE_API sdimage_status sdimage_image_render(const sdimage_image *image, uint32_t width, uint32_t height,
                                                sdimage_image **rendered, sdimage_error **error);

/* --- Metadata: an editable copy of what is known about a picture. Class: single-owner. */

/* A copy of the image's metadata. */
SDIMAGE_API sdimage_status sdimage_image_copy_metadata(const sdimage_image *image, sdimage_metadata **metadata,
                                                       sdimage_error **error);
SDIMAGE_API sdimage_metadata *sdimage_metadata_ref(sdimage_metadata *metadata);
SDIMAGE_API void sdimage_metadata_unref(sdimage_metadata *metadata);

/* Pixels per point; values below 1 become 1. */
SDIMAGE_API void sdimage_metadata_set_scale(sdimage_metadata *metadata, double scale);
/* The container that the picture came from. */
SDIMAGE_API void sdimage_metadata_set_format(sdimage_metadata *metadata, sdimage_format format);
/* Turning still to be done. */
SDIMAGE_API void sdimage_metadata_set_orientation(sdimage_metadata *metadata, sdimage_orientation orientation);
/* What the samples mean, for pixels that are not sRGB: an ICC profile, NULL for none; and the code points of ITU-T
 * H.273 for primaries, transfer characteristics and matrix, of which the last says nothing about pixels that are RGB
 * already; a code above 255 removes them. Known transfers: 1, 4, 5, 6, 8, 13, 14, 15, and for high dynamic range 16
 * (PQ) and 18 (HLG); known primaries: 1, 5, 6, 7, 9, 12. Others count as sRGB. Of a custom coder's picture the library
 * converts the pixels and removes both, unless the options say otherwise. */
SDIMAGE_API void sdimage_metadata_set_color_profile(sdimage_metadata *metadata, sdimage_data *profile);
SDIMAGE_API void sdimage_metadata_set_cicp(sdimage_metadata *metadata, uint32_t primaries, uint32_t transfer,
                                           uint32_t matrix, bool full_range);
/* For `info` of a coder: the blocks that the file carries beside its pixels, a TIFF structure with or without the
 * prefix "Exif" and an XML packet, which sdimage_read_metadata then finds. NULL removes them. Referenced, not
 * copied. */
SDIMAGE_API void sdimage_metadata_set_exif(sdimage_metadata *metadata, sdimage_data *exif);
SDIMAGE_API void sdimage_metadata_set_xmp(sdimage_metadata *metadata, sdimage_data *xmp);
/* Replaces the computed cost; SIZE_MAX goes back to it. */
SDIMAGE_API void sdimage_metadata_set_memory_cost(sdimage_metadata *metadata, size_t bytes);
/* For coders, which tell so what a header says or what their pixels are. The size is that of the encoded picture as
 * displayed; the bits and channels those of its samples. */
SDIMAGE_API void sdimage_metadata_set_source_size(sdimage_metadata *metadata, uint32_t width, uint32_t height);
SDIMAGE_API void sdimage_metadata_set_has_alpha(sdimage_metadata *metadata, bool has_alpha);
SDIMAGE_API void sdimage_metadata_set_frame_count(sdimage_metadata *metadata, uint32_t count);
SDIMAGE_API void sdimage_metadata_set_loop_count(sdimage_metadata *metadata, uint32_t count);
SDIMAGE_API void sdimage_metadata_set_duration_ms(sdimage_metadata *metadata, uint64_t milliseconds);
SDIMAGE_API void sdimage_metadata_set_bits_per_channel(sdimage_metadata *metadata, uint32_t bits);
SDIMAGE_API void sdimage_metadata_set_channels(sdimage_metadata *metadata, uint32_t channels);
SDIMAGE_API void sdimage_metadata_set_progressive(sdimage_metadata *metadata, bool is_progressive);
/* A value of the host beside the picture, referenced; NULL removes it. */
SDIMAGE_API void sdimage_metadata_set_extended_data(sdimage_metadata *metadata, sdimage_data *data);

/* The same pixels under other metadata: a new image, no pixel is copied. */
SDIMAGE_API sdimage_status sdimage_image_with_metadata(const sdimage_image *image, const sdimage_metadata *metadata,
                                                       sdimage_image **copy, sdimage_error **error);

/* --- Names. All static: never freed; "undefined" and "automatic" for unknown numbers. */

/* The name of a format: "jpeg", "png", … */
SDIMAGE_API const char *sdimage_format_name(sdimage_format format);
/* Its media type: "image/jpeg", … */
SDIMAGE_API const char *sdimage_format_media_type(sdimage_format format);
/* The name of a pixel format: "rgba8", "bgra8_premultiplied", … */
SDIMAGE_API const char *sdimage_pixel_format_name(sdimage_pixel_format pixel_format);
/* Bytes of one pixel; 0 for AUTOMATIC and unknown formats. */
SDIMAGE_API size_t sdimage_pixel_format_bytes(sdimage_pixel_format pixel_format);

#ifdef __cplusplus
}
#endif

#endif
