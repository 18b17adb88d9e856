/* photos_loader.h: the loader for ph: URLs, to be combined with a downloader in a chain.
 *
 *   sdimage_photos_loader_config *config = sdimage_photos_loader_config_new();
 *   sdimage_photos_loader_config_add_library(config, library);
 *   sdimage_photos_loader_new(config, &photos, &error);
 *   sdimage_loader_chain_add(chain, photos, &error);       http: and ph: through one manager
 *
 * A load has one of two modes. Image mode, for all but animations, delivers images: first a small one as PARTIAL, if
 * there is a freedesktop thumbnail with the file's own time or one in its EXIF block; then the requested one, decoded
 * at its size. The result has no data. Data mode delivers the bytes of the file, which are decoded like those of any
 * URL. No disk cache stores either. Errors: INVALID_URL, PHOTOS_NOT_AUTHORIZED, PHOTOS_NOT_FOUND, PHOTOS_NOT_AN_IMAGE,
 * PERMISSION_DENIED (of the file), NOT_AN_IMAGE (also a video without a poster), TOO_LARGE, and those of decoding.
 *
 * Classes: all single-owner; arguments are copied. */
#ifndef SDIMAGE_PLUGINS_PHOTOS_LOADER_H
#define SDIMAGE_PLUGINS_PHOTOS_LOADER_H

#include "../loader.h"
#include "../options.h"
#include "photos.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Libraries and options of a loader. Class: single-owner. */
typedef struct sdimage_photos_loader_config sdimage_photos_loader_config;
/* Selection of the image of an asset. Class: single-owner. */
typedef struct sdimage_photos_request_options sdimage_photos_request_options;

/* Names in the options of a request (sdimage_request_set_options). The first is a bool that selects the mode; without
 * it, animations are loaded as data and all others as images. The others are pointers, which the functions below
 * set. */
#define SDIMAGE_PHOTOS_REQUEST_DATA "photosRequestImageData"
#define SDIMAGE_PHOTOS_REQUEST_OPTIONS "photosImageRequestOptions"
#define SDIMAGE_PHOTOS_FETCH_OPTIONS "photosFetchOptions"
#define SDIMAGE_PHOTOS_ASSET "photosAsset"

/* Images delivered for one asset. */
typedef enum SDIMAGE_ENUM sdimage_photos_delivery {
    SDIMAGE_PHOTOS_DELIVERY_OPPORTUNISTIC = 0, /* a small image immediately, then the requested one */
    SDIMAGE_PHOTOS_DELIVERY_HIGH_QUALITY = 1,  /* only the requested one */
    SDIMAGE_PHOTOS_DELIVERY_FAST = 2           /* only the small one; without it, the requested one */
} sdimage_photos_delivery;

/* Precision of the target size. */
typedef enum SDIMAGE_ENUM sdimage_photos_resize {
    SDIMAGE_PHOTOS_RESIZE_NONE = 0, /* the whole image, with any target size */
    SDIMAGE_PHOTOS_RESIZE_FAST = 1, /* the target size; for hosts: or a little more, if that is faster */
    SDIMAGE_PHOTOS_RESIZE_EXACT = 2 /* the target size, to the pixel */
} sdimage_photos_resize;

/* Fitting of an image into a target of another aspect ratio. */
typedef enum SDIMAGE_ENUM sdimage_photos_content {
    SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT = 0, /* the largest image inside the size */
    SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL = 1 /* the smallest image that covers it; nothing is cropped */
} sdimage_photos_content;

/* Version of an edited photo; trees and databases have one version of a file. */
typedef enum SDIMAGE_ENUM sdimage_photos_version {
    SDIMAGE_PHOTOS_VERSION_CURRENT = 0,    /* with all edits */
    SDIMAGE_PHOTOS_VERSION_UNADJUSTED = 1, /* without the user's edits */
    SDIMAGE_PHOTOS_VERSION_ORIGINAL = 2    /* as the camera stored it */
} sdimage_photos_version;

/* Selection of the image of an asset. The target applies if the request has no thumbnail size. Otherwise the thumbnail
 * size is the target size; its box is fitted or, if the aspect ratio need not be preserved, covered. Images are never
 * enlarged. */
SDIMAGE_API sdimage_photos_request_options *sdimage_photos_request_options_new(void);
SDIMAGE_API sdimage_photos_request_options *sdimage_photos_request_options_ref(sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_request_options_unref(sdimage_photos_request_options *options);

/* Sets the delivered images, the precision of their size, their version, and their fitting. Default OPPORTUNISTIC,
 * FAST, CURRENT and ASPECT_FIT. */
SDIMAGE_API void sdimage_photos_request_options_set_delivery(sdimage_photos_request_options *options,
                                                             sdimage_photos_delivery delivery);
SDIMAGE_API void sdimage_photos_request_options_set_resize(sdimage_photos_request_options *options,
                                                           sdimage_photos_resize resize);
SDIMAGE_API void sdimage_photos_request_options_set_version(sdimage_photos_request_options *options,
                                                            sdimage_photos_version version);
SDIMAGE_API void sdimage_photos_request_options_set_content(sdimage_photos_request_options *options,
                                                            sdimage_photos_content content);

/* Permits a host to fetch images that it does not have on disk from the network. Default true; used by hosts. */
SDIMAGE_API void sdimage_photos_request_options_set_network_access(sdimage_photos_request_options *options,
                                                                   bool allowed);

/* Sets the target: the whole image (default); its exact size in pixels, stated explicitly; that size divided by the
 * request's scale, for screens measured in points; or a box. */
SDIMAGE_API void sdimage_photos_request_options_set_target_maximum(sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_request_options_set_target_pixel_size(sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_request_options_set_target_point_size(sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_request_options_set_target(sdimage_photos_request_options *options, uint32_t width,
                                                           uint32_t height);

/* Getters of the options, for hosts. */
SDIMAGE_API sdimage_photos_delivery
sdimage_photos_request_options_delivery(const sdimage_photos_request_options *options);
SDIMAGE_API sdimage_photos_resize sdimage_photos_request_options_resize(const sdimage_photos_request_options *options);
SDIMAGE_API sdimage_photos_version
sdimage_photos_request_options_version(const sdimage_photos_request_options *options);
SDIMAGE_API sdimage_photos_content
sdimage_photos_request_options_content(const sdimage_photos_request_options *options);
SDIMAGE_API bool sdimage_photos_request_options_has_network_access(const sdimage_photos_request_options *options);

/* Sets a reference in the options of a request, which replaces that of the loader; NULL removes it. */
SDIMAGE_API void sdimage_photos_set_request_options(sdimage_options *bag, sdimage_photos_request_options *options);
SDIMAGE_API void sdimage_photos_set_fetch_options(sdimage_options *bag, sdimage_photos_fetch_options *options);
SDIMAGE_API void sdimage_photos_set_asset(sdimage_options *bag, sdimage_photos_asset *asset);

/* --- The loader. */

/* A configuration with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_photos_loader_config *sdimage_photos_loader_config_new(void);
SDIMAGE_API sdimage_photos_loader_config *sdimage_photos_loader_config_ref(sdimage_photos_loader_config *config);
SDIMAGE_API void sdimage_photos_loader_config_unref(sdimage_photos_loader_config *config);

/* Adds a library, which is queried after those before it; at most 16. False if there is no room, or no memory. */
SDIMAGE_API bool sdimage_photos_loader_config_add_library(sdimage_photos_loader_config *config,
                                                          sdimage_photos_library *library);

/* Sets the defaults for requests without such options: referenced, and not to be changed afterwards. NULL, the default:
 * the default options. */
SDIMAGE_API void sdimage_photos_loader_config_set_fetch_options(sdimage_photos_loader_config *config,
                                                                sdimage_photos_fetch_options *options);
SDIMAGE_API void sdimage_photos_loader_config_set_request_options(sdimage_photos_loader_config *config,
                                                                  sdimage_photos_request_options *options);

/* Restricts the loader to images. Default true: all other assets are PHOTOS_NOT_AN_IMAGE. If false, videos are loaded
 * as their poster, by a coder that is registered for them, or by their thumbnail. */
SDIMAGE_API void sdimage_photos_loader_config_set_images_only(sdimage_photos_loader_config *config, bool images_only);

/* Sets the size in bytes of the largest file that is read. Default 256 MiB; 0 restores it. */
SDIMAGE_API void sdimage_photos_loader_config_set_max_file_bytes(sdimage_photos_loader_config *config, uint64_t bytes);

/* Makes a loader named "photos". It references the libraries until it is freed. Errors: INVALID_ARGUMENT (no library),
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_loader_new(const sdimage_photos_loader_config *config,
                                                     sdimage_loader **loader, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
