/* image.h: common steps of the modules for a decoded image: limits, pixel format, metadata.
 *
 * The steps of a decode: sdcs_request_of, the container's properties as sdcs_info, sdcs_check_limits, the decoder's
 * planes, sdcs_make_image. */
#ifndef SDCS_IMAGE_H
#define SDCS_IMAGE_H

#include <sdimage/sys/coder.h>
#include <sdimage/data.h>
#include <sdimage/error.h>
#include <sdimage/image.h>

#include "boxes.h"
#include "fail.h"
#include "yuv.h"

/* The request parameters, copied from the options, which may be NULL. */
typedef struct sdcs_request {
    sdimage_pixel_format format; /* AUTOMATIC: chosen by sdcs_make_image */
    sdimage_size box;            /* 0 x 0 for full size */
    bool keeps_aspect_ratio, first_frame_only, converts_to_srgb;
    bool reads_gain_map;               /* for a rendition of HDR, or to keep it */
    uint64_t max_pixels;               /* limit for the stored image */
    size_t max_bytes;                  /* limit for the bitmap */
    const sdimage_work_budget *budget; /* budget of the operation; NULL for none */
} sdcs_request;

/* The properties that the container declares. */
typedef struct sdcs_info {
    sdimage_format format;                /* the format of the file */
    uint32_t width, height;               /* as stored */
    uint32_t source_width, source_height; /* size of the original, if this is a thumbnail; otherwise 0 */
    sdimage_orientation orientation;
    bool has_alpha;  /* a plane or channel of its own */
    uint32_t chroma; /* quarters of a chroma sample per pixel: 0 for gray, 2 for 4:2:0, 4 for 4:2:2, 8 for 4:4:4 */
    uint32_t bits, frame_count; /* bits per sample; frames, 1 for a still */
    uint64_t duration_ms;       /* one loop; 0 for a still */
    sdyuv_color color;
    uint16_t transfer;   /* ITU-T H.273, table 3 */
    sdcs_span profile;   /* ICC */
    sdcs_span exif, xmp; /* only for a header */
} sdcs_info;

/* The size limit of a profile or metadata block; a longer one is omitted. */
enum { SDCS_BLOCK_LIMIT = 1 << 20 };

/* Copies the parameters. The budget is borrowed from the options. */
sdcs_request sdcs_request_of(const sdimage_decode_options *options);

/* Returns CANCELLED or TIMEOUT once the operation's budget is used up. */
sdimage_status sdcs_check_budget(const sdimage_work_budget *budget, sdimage_error **error);

/* The stack size of the threads on which the library calls the modules. */
enum { SDCS_STACK = 8 << 20 };

/* The limit of working memory of one decode in bytes; the bytes of the planes of one image, without alpha. */
enum { SDCS_WORKING_BYTES = 256 << 20 };
uint64_t sdcs_plane_bytes(const sdcs_info *info);

/* Reports that a bitmap of a format takes more bytes than a limit. The library pads its rows to multiples of 64. */
bool sdcs_exceeds_bytes(uint64_t limit, uint32_t width, uint32_t height, sdimage_pixel_format format);

/* Checks the limits before decoding: pixels, bytes of the bitmap, and bytes of the planes, of which `plane_sets` sets
 * are held at once. */
sdimage_status sdcs_check_limits(const sdcs_info *info, const sdcs_request *request, unsigned plane_sets,
                                 sdimage_error **error);

/* Makes an image of the planes, in the requested format or in one that the library converts to it. The planes have the
 * size of the result, and are not needed afterwards. Errors: UNSUPPORTED (color matrix, bit depth), NO_MEMORY. */
sdimage_status sdcs_make_image(const sdyuv_planes *planes, const sdcs_info *info, const sdcs_request *request,
                               sdimage_image **image, sdimage_error **error);

/* Makes an image of the same pixels with the metadata of the container. */
sdimage_status sdcs_attach(const sdcs_info *info, const sdimage_image *plain, sdimage_image **image,
                           sdimage_error **error);

/* Sets the metadata from the properties. Errors: NO_MEMORY. */
sdimage_status sdcs_describe(const sdcs_info *info, sdimage_metadata *metadata, sdimage_error **error);

/* Returns the number of processors available to this process, at most 16. */
int sdcs_processors(void);

#endif
