/* picture.h: what both modules do with a decoded picture: limits, pixel format, metadata. */
#ifndef SDMOD_PICTURE_H
#define SDMOD_PICTURE_H

#include <sdimage/coder.h>
#include <sdimage/data.h>
#include <sdimage/error.h>
#include <sdimage/image.h>

#include "boxes.h"
#include "yuv.h"

/* What was asked for, copied from the options, which may be NULL. */
typedef struct sdmod_wish {
    sdimage_pixel_format format;
    sdimage_size box; /* 0 x 0 for full size */
    bool keeps_aspect_ratio, first_frame_only, converts_to_srgb;
    uint64_t max_pixels;
    size_t max_bytes;
    const sdimage_work_budget *budget; /* of the operation; NULL for none */
} sdmod_wish;

/* What the container says. */
typedef struct sdmod_facts {
    sdimage_format format;
    uint32_t width, height;               /* as stored */
    uint32_t source_width, source_height; /* of the picture that this is a thumbnail of; 0 when it is none */
    sdimage_orientation orientation;
    bool has_alpha;
    uint32_t chroma; /* quarters of a chroma sample for each pixel: 0 for grey, 2 for 4:2:0, 4 for 4:2:2, 8 for 4:4:4 */
    uint32_t bits, frame_count;
    uint64_t duration_ms;
    sdyuv_color color;
    uint16_t transfer;    /* ITU-T H.273, table 3 */
    sdmod_span profile;   /* ICC */
    sdmod_span exif, xmp; /* of a header alone */
} sdmod_facts;

/* A profile, or another block beside the pixels, that is longer than this is left out. */
enum { SDMOD_BLOCK_LIMIT = 1 << 20 };

sdmod_wish sdmod_wish_of(const sdimage_decode_options *options);

/* Stores an error where the caller wants one, and returns its status. */
sdimage_status sdmod_fail(sdimage_error **error, sdimage_status status, const char *message);

/* CANCELLED or TIMEOUT once the operation's budget is used up. */
sdimage_status sdmod_check_budget(const sdimage_work_budget *budget, sdimage_error **error);

/* Stack of the threads on which the library runs calls of the modules. */
enum { SDMOD_STACK = 8 << 20 };

/* Working memory of one decode in bytes; and the bytes of the planes of one picture, without alpha. */
enum { SDMOD_WORKING_BYTES = 256 << 20 };
uint64_t sdmod_plane_bytes(const sdmod_facts *facts);

/* Refuses, before anything is decoded, pictures over the limits: of pixels, of bytes of the bitmap, and of bytes of the
 * planes, of which `pictures` are held at once. */
sdimage_status sdmod_check(const sdmod_facts *facts, const sdmod_wish *wish, unsigned pictures, sdimage_error **error);

/* An image of the planes, in the wanted format where the planes hold no more than it. */
sdimage_status sdmod_picture(const sdyuv_planes *planes, const sdmod_facts *facts, const sdmod_wish *wish,
                             sdimage_image **image, sdimage_error **error);

/* The same pixels with what the container says of them. */
sdimage_status sdmod_attach(const sdmod_facts *facts, const sdimage_image *plain, sdimage_image **image,
                            sdimage_error **error);

/* Tells what the header says. */
sdimage_status sdmod_describe(const sdmod_facts *facts, sdimage_metadata *metadata, sdimage_error **error);

/* Processors that this process may use, at most 16. */
int sdmod_processors(void);

#endif
