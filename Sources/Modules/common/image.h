/* image.h: common steps of the modules for a decoded image: limits, pixel format, metadata. */
#ifndef SDMOD_IMAGE_H
#define SDMOD_IMAGE_H

#include <sdimage/coder.h>
#include <sdimage/data.h>
#include <sdimage/error.h>
#include <sdimage/image.h>

#include "boxes.h"
#include "yuv.h"

/* The request parameters, copied from the options, which may be NULL. */
typedef struct sdmod_request {
    sdimage_pixel_format format;
    sdimage_size box; /* 0 x 0 for full size */
    bool keeps_aspect_ratio, first_frame_only, converts_to_srgb;
    uint64_t max_pixels;
    size_t max_bytes;
    const sdimage_work_budget *budget; /* budget of the operation; NULL for none */
} sdmod_request;

/* The properties that the container declares. */
typedef struct sdmod_info {
    sdimage_format format;
    uint32_t width, height;               /* as stored */
    uint32_t source_width, source_height; /* size of the original, if this is a thumbnail; otherwise 0 */
    sdimage_orientation orientation;
    bool has_alpha;
    uint32_t chroma; /* quarters of a chroma sample per pixel: 0 for gray, 2 for 4:2:0, 4 for 4:2:2, 8 for 4:4:4 */
    uint32_t bits, frame_count;
    uint64_t duration_ms;
    sdyuv_color color;
    uint16_t transfer;    /* ITU-T H.273, table 3 */
    sdmod_span profile;   /* ICC */
    sdmod_span exif, xmp; /* only for a header */
} sdmod_info;

/* The size limit of a profile or metadata block; a longer one is omitted. */
enum { SDMOD_BLOCK_LIMIT = 1 << 20 };

sdmod_request sdmod_request_of(const sdimage_decode_options *options);

/* Stores an error if the caller passed a pointer for it, and returns its status. */
sdimage_status sdmod_fail(sdimage_error **error, sdimage_status status, const char *message);

/* Returns CANCELLED or TIMEOUT once the operation's budget is used up. */
sdimage_status sdmod_check_budget(const sdimage_work_budget *budget, sdimage_error **error);

/* The stack size of the threads on which the library calls the modules. */
enum { SDMOD_STACK = 8 << 20 };

/* The limit of working memory of one decode in bytes; the bytes of the planes of one image, without alpha. */
enum { SDMOD_WORKING_BYTES = 256 << 20 };
uint64_t sdmod_plane_bytes(const sdmod_info *info);

/* Checks the limits before decoding: pixels, bytes of the bitmap, and bytes of the planes, of which `plane_sets` sets
 * are held at once. */
sdimage_status sdmod_check(const sdmod_info *info, const sdmod_request *request, unsigned plane_sets,
                           sdimage_error **error);

/* Makes an image of the planes, in the requested format if it can hold all that the planes contain. */
sdimage_status sdmod_make_image(const sdyuv_planes *planes, const sdmod_info *info, const sdmod_request *request,
                                sdimage_image **image, sdimage_error **error);

/* Makes an image of the same pixels with the metadata of the container. */
sdimage_status sdmod_attach(const sdmod_info *info, const sdimage_image *plain, sdimage_image **image,
                            sdimage_error **error);

/* Sets the metadata from the properties. */
sdimage_status sdmod_describe(const sdmod_info *info, sdimage_metadata *metadata, sdimage_error **error);

/* Returns the number of processors available to this process, at most 16. */
int sdmod_processors(void);

#endif
