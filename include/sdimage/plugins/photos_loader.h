/* photos_loader.h: the loader for ph: URLs, to be put beside a downloader in a chain.
 *
 *   sdimage_photos_loader_config *config = sdimage_photos_loader_config_new();
 *   sdimage_photos_loader_config_add_library(config, library);
 *   sdimage_photos_loader_new(config, &photos, &error);
 *   sdimage_loader_chain_add(chain, photos, &error);       http: and ph: through one manager
 *
 * A load has two modes. In image mode, that of all but animations, a picture comes: first a small one as PARTIAL, where
 * a freedesktop thumbnail of the file's own time or one in its EXIF block is there, then the one that was asked for,
 * decoded at its size; the result has no data. In data mode the bytes of the file come and are decoded as those of any
 * URL. No disk cache keeps either. Errors: INVALID_URL, PHOTOS_NOT_AUTHORIZED, PHOTOS_NOT_FOUND, PHOTOS_NOT_AN_IMAGE,
 * PERMISSION_DENIED (that file), NOT_AN_IMAGE (also a video without a poster), TOO_LARGE, and those of decoding.
 *
 * Classes: all single-owner; what is handed on is copied. */
#ifndef SDIMAGE_PLUGINS_PHOTOS_LOADER_H
#define SDIMAGE_PLUGINS_PHOTOS_LOADER_H

#include "../loader.h"
#include "../options.h"
#include "photos.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which libraries a loader asks, and how. Class: single-owner. */
typedef struct sdimage_photos_loader_config sdimage_photos_loader_config;
/* Which picture of an asset. Class: single-owner. */
typedef struct sdimage_photos_request_options sdimage_photos_request_options;

/* Names in the bag of a request (sdimage_request_set_options). The first is a bool that says the mode; absent, animated
 * pictures are loaded as data and all others as images. The others are pointers, which the functions below put there.
 */
#define SDIMAGE_PHOTOS_REQUEST_DATA "photosRequestImageData"
#define SDIMAGE_PHOTOS_REQUEST_OPTIONS "photosImageRequestOptions"
#define SDIMAGE_PHOTOS_FETCH_OPTIONS "photosFetchOptions"
#define SDIMAGE_PHOTOS_ASSET "photosAsset"

/* Which pictures of one asset are delivered. */
typedef enum SDIMAGE_ENUM sdimage_photos_delivery {
    SDIMAGE_PHOTOS_DELIVERY_OPPORTUNISTIC = 0, /* a small picture at once, then the one asked for */
    SDIMAGE_PHOTOS_DELIVERY_HIGH_QUALITY = 1,  /* only the one asked for */
    SDIMAGE_PHOTOS_DELIVERY_FAST = 2           /* only the small one; where there is none, the one asked for */
} sdimage_photos_delivery;

/* How exactly the target size is met. */
typedef enum SDIMAGE_ENUM sdimage_photos_resize {
    SDIMAGE_PHOTOS_RESIZE_NONE = 0, /* the whole picture, whatever the target size */
    SDIMAGE_PHOTOS_RESIZE_FAST = 1, /* the target size; for hosts: or a little more, if that is faster */
    SDIMAGE_PHOTOS_RESIZE_EXACT = 2 /* the target size, to the pixel */
} sdimage_photos_resize;

/* How a picture meets a target of other proportions. */
typedef enum SDIMAGE_ENUM sdimage_photos_content {
    SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT = 0, /* the largest picture inside the size */
    SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL = 1 /* the smallest picture that covers it; nothing is cut off */
} sdimage_photos_content;

/* Of edited photos; trees and databases have one version of a file. */
typedef enum SDIMAGE_ENUM sdimage_photos_version {
    SDIMAGE_PHOTOS_VERSION_CURRENT = 0,    /* with all edits */
    SDIMAGE_PHOTOS_VERSION_UNADJUSTED = 1, /* without the user's edits */
    SDIMAGE_PHOTOS_VERSION_ORIGINAL = 2    /* as the camera stored it */
} sdimage_photos_version;

/* Which picture of an asset. What is said here counts where the request has no thumbnail size; with one, that is the
 * target size, and its box is fitted or, without the aspect ratio kept, covered. Pictures are never enlarged. */
SDIMAGE_API sdimage_photos_request_options *sdimage_photos_request_options_new(void);
SDIMAGE_API sdimage_photos_request_options *sdimage_photos_request_options_ref(sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_request_options_unref(sdimage_photos_request_options *options);

/* Which pictures come, how exact their size, of which version, and how they meet a box. Default OPPORTUNISTIC, FAST,
 * CURRENT and ASPECT_FIT. */
SDIMAGE_API void sdimage_photos_request_options_set_delivery(sdimage_photos_request_options *options,
                                                             sdimage_photos_delivery delivery);
SDIMAGE_API void sdimage_photos_request_options_set_resize(sdimage_photos_request_options *options,
                                                           sdimage_photos_resize resize);
SDIMAGE_API void sdimage_photos_request_options_set_version(sdimage_photos_request_options *options,
                                                            sdimage_photos_version version);
SDIMAGE_API void sdimage_photos_request_options_set_content(sdimage_photos_request_options *options,
                                                            sdimage_photos_content content);

/* Whether a host may fetch from afar what it has not on disk. Default true; hosts read it. */
SDIMAGE_API void sdimage_photos_request_options_set_network_access(sdimage_photos_request_options *options,
                                                                   bool allowed);

/* The target: the whole picture (default); its exact size in pixels, said outright; that divided by the request's
 * scale, for screens that count in points; or a box. */
SDIMAGE_API void sdimage_photos_request_options_set_target_maximum(sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_request_options_set_target_pixel_size(sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_request_options_set_target_point_size(sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_request_options_set_target(sdimage_photos_request_options *options, uint32_t width,
                                                           uint32_t height);

/* For hosts: what is asked for. */
SDIMAGE_API sdimage_photos_delivery
sdimage_photos_request_options_delivery(const sdimage_photos_request_options *options);
SDIMAGE_API sdimage_photos_resize sdimage_photos_request_options_resize(const sdimage_photos_request_options *options);
SDIMAGE_API sdimage_photos_version
sdimage_photos_request_options_version(const sdimage_photos_request_options *options);
SDIMAGE_API sdimage_photos_content
sdimage_photos_request_options_content(const sdimage_photos_request_options *options);
SDIMAGE_API bool sdimage_photos_request_options_network_access(const sdimage_photos_request_options *options);

/* Puts a reference into a bag, in place of what the loader was made with; NULL takes it out. */
SDIMAGE_API void sdimage_photos_set_request_options(sdimage_options *bag, sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_set_fetch_options(sdimage_options *bag, sdimage_photos_fetch_options *options);
SDIMAGE_API void sdimage_photos_set_asset(sdimage_options *bag, sdimage_photos_asset *asset);

/* --- The loader. */

/* A configuration with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_photos_loader_config *sdimage_photos_loader_config_new(void);
SDIMAGE_API sdimage_photos_loader_config *sdimage_photos_loader_config_ref(sdimage_photos_loader_config *config);
SDIMAGE_API void sdimage_photos_loader_config_unref(sdimage_photos_loader_config *config);

/* One more library, asked after those before it; at most 16. False when there is no room, or no memory. */
SDIMAGE_API bool sdimage_photos_loader_config_add_library(sdimage_photos_loader_config *config,
                                                          sdimage_photos_library *library);

/* What holds where a request says nothing: referenced, and not to be changed after. NULL, the default: the defaults. */
SDIMAGE_API void sdimage_photos_loader_config_set_fetch_options(sdimage_photos_loader_config *config,
                                                                sdimage_photos_fetch_options *options);
SDIMAGE_API void sdimage_photos_loader_config_set_request_options(sdimage_photos_loader_config *config,
                                                                  sdimage_photos_request_options *options);

/* Default true: what is no image is PHOTOS_NOT_AN_IMAGE. When false videos give their poster, by a coder that is
 * registered for them, or by their thumbnail. */
SDIMAGE_API void sdimage_photos_loader_config_set_images_only(sdimage_photos_loader_config *config, bool images_only);

/* The longest file that is read, in bytes. Default 256 MiB; 0 restores it. */
SDIMAGE_API void sdimage_photos_loader_config_set_max_file_bytes(sdimage_photos_loader_config *config, uint64_t bytes);

/* A loader named "photos". Libraries are referenced until it is gone. Errors: INVALID_ARGUMENT (no library), NO_MEMORY.
 */
SDIMAGE_API sdimage_status sdimage_photos_loader_new(const sdimage_photos_loader_config *config,
                                                     sdimage_loader **loader, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
