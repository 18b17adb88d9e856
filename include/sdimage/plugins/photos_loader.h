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
 * URL. No disk cache stores either. A photo that is not in the index of a folder library is loaded after the library's
 * first scan. Errors: INVALID_URL, PHOTOS_NOT_AUTHORIZED, PHOTOS_NOT_FOUND, PHOTOS_NOT_AN_IMAGE, PERMISSION_DENIED (of
 * the file), NOT_AN_IMAGE (also a video without a poster), TOO_LARGE, and those of decoding.
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

/* --- Names in the options of a request (sdimage_request_set_options). */

/* A bool that selects the mode; without it, animations are loaded as data and all others as images. */
#define SDIMAGE_PHOTOS_REQUEST_DATA "photosRequestImageData"
/* A pointer that sdimage_photos_set_request_options sets. */
#define SDIMAGE_PHOTOS_REQUEST_OPTIONS "photosImageRequestOptions"
/* A pointer that sdimage_photos_set_fetch_options sets. */
#define SDIMAGE_PHOTOS_FETCH_OPTIONS "photosFetchOptions"
/* A pointer that sdimage_photos_set_asset sets. */
#define SDIMAGE_PHOTOS_ASSET "photosAsset"

/* Images delivered for one asset. */
typedef enum SDIMAGE_ENUM sdimage_photos_delivery {
    SDIMAGE_PHOTOS_DELIVERY_OPPORTUNISTIC = 0, /* a small image immediately, then the requested one; the default */
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
    SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT = 0, /* the largest image inside the size, the default */
    SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL = 1 /* the smallest image that covers it; nothing is cropped */
} sdimage_photos_content;

/* Version of an edited photo; trees and databases have one version of a file. */
typedef enum SDIMAGE_ENUM sdimage_photos_version {
    SDIMAGE_PHOTOS_VERSION_CURRENT = 0,    /* with all edits, the default */
    SDIMAGE_PHOTOS_VERSION_UNADJUSTED = 1, /* without the user's edits */
    SDIMAGE_PHOTOS_VERSION_ORIGINAL = 2    /* as the camera stored it */
} sdimage_photos_version;

/* --- Selection of the image of an asset. */

/* Kinds of a target size. */
typedef enum SDIMAGE_ENUM sdimage_photos_target {
    SDIMAGE_PHOTOS_TARGET_MAXIMUM = 0,    /* the whole image, the default */
    SDIMAGE_PHOTOS_TARGET_PIXEL_SIZE = 1, /* the exact size of the image in pixels, stated explicitly */
    SDIMAGE_PHOTOS_TARGET_POINT_SIZE = 2, /* the size of the image divided by the scale of the request */
    SDIMAGE_PHOTOS_TARGET_BOX = 3         /* a box in pixels */
} sdimage_photos_target;

/* Creates options with the defaults; the caller owns them. NULL when memory is refused. The target applies if the
 * request has no thumbnail size. Otherwise the thumbnail size is the target size; its box is fitted or, if the aspect
 * ratio need not be preserved, covered. Images are never enlarged. */
SDIMAGE_API sdimage_photos_request_options *sdimage_photos_request_options_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_photos_request_options *
sdimage_photos_request_options_ref(const sdimage_photos_request_options *options);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_photos_request_options_unref(sdimage_photos_request_options *options);

/* Sets the delivered images. Default OPPORTUNISTIC. */
SDIMAGE_API void sdimage_photos_request_options_set_delivery(sdimage_photos_request_options *options,
                                                             sdimage_photos_delivery delivery);
/* Returns the delivered images. */
SDIMAGE_API sdimage_photos_delivery
sdimage_photos_request_options_delivery(const sdimage_photos_request_options *options);

/* Sets the precision of their size. Default FAST. */
SDIMAGE_API void sdimage_photos_request_options_set_resize(sdimage_photos_request_options *options,
                                                           sdimage_photos_resize resize);
/* Returns the precision of their size. */
SDIMAGE_API sdimage_photos_resize sdimage_photos_request_options_resize(const sdimage_photos_request_options *options);

/* Sets the version of edited photos. Default CURRENT. */
SDIMAGE_API void sdimage_photos_request_options_set_version(sdimage_photos_request_options *options,
                                                            sdimage_photos_version version);
/* Returns the version of edited photos. */
SDIMAGE_API sdimage_photos_version
sdimage_photos_request_options_version(const sdimage_photos_request_options *options);

/* Sets how images fit into the target. Default ASPECT_FIT. */
SDIMAGE_API void sdimage_photos_request_options_set_content(sdimage_photos_request_options *options,
                                                            sdimage_photos_content content);
/* Returns how images fit into the target. */
SDIMAGE_API sdimage_photos_content
sdimage_photos_request_options_content(const sdimage_photos_request_options *options);

/* Permits a host to fetch images that it does not have on disk from the network. Default true; used by hosts. */
SDIMAGE_API void sdimage_photos_request_options_set_network_access(sdimage_photos_request_options *options,
                                                                   bool allowed);
/* Returns true if a host may fetch images from the network. */
SDIMAGE_API bool sdimage_photos_request_options_has_network_access(const sdimage_photos_request_options *options);

/* Sets the whole image as the target, the default. */
SDIMAGE_API void sdimage_photos_request_options_set_target_maximum(sdimage_photos_request_options *options);
/* Sets the exact size of the image in pixels as the target, stated explicitly. */
SDIMAGE_API void sdimage_photos_request_options_set_target_pixel_size(sdimage_photos_request_options *options);
/* Sets that size divided by the scale of the request as the target, for screens measured in points. */
SDIMAGE_API void sdimage_photos_request_options_set_target_point_size(sdimage_photos_request_options *options);
/* Sets a box in pixels as the target. */
SDIMAGE_API void sdimage_photos_request_options_set_target(sdimage_photos_request_options *options, uint32_t width,
                                                           uint32_t height);
/* Returns the kind of the target. */
SDIMAGE_API sdimage_photos_target sdimage_photos_request_options_target(const sdimage_photos_request_options *options);
/* Returns the box of the target; 0 x 0 for the other kinds. */
SDIMAGE_API sdimage_size sdimage_photos_request_options_target_size(const sdimage_photos_request_options *options);

/* --- Values in the options of a request, which replace those of the loader. */

/* Sets a reference to the selection of the image; NULL removes it. */
SDIMAGE_API void sdimage_photos_set_request_options(sdimage_options *bag, sdimage_photos_request_options *options);
/* Returns the selection of the image; the caller owns *options. NULL for none. */
SDIMAGE_API void sdimage_photos_get_request_options(const sdimage_options *bag,
                                                    sdimage_photos_request_options **options);

/* Sets a reference to the selection of assets; NULL removes it. */
SDIMAGE_API void sdimage_photos_set_fetch_options(sdimage_options *bag, sdimage_photos_fetch_options *options);
/* Returns the selection of assets; the caller owns *options. NULL for none. */
SDIMAGE_API void sdimage_photos_get_fetch_options(const sdimage_options *bag, sdimage_photos_fetch_options **options);

/* Sets a reference to the asset; NULL removes it. */
SDIMAGE_API void sdimage_photos_set_asset(sdimage_options *bag, sdimage_photos_asset *asset);
/* Returns the asset; the caller owns *asset. NULL for none. */
SDIMAGE_API void sdimage_photos_get_asset(const sdimage_options *bag, sdimage_photos_asset **asset);

/* --- The loader. */

/* Creates a configuration with the defaults; the caller owns it. NULL when memory is refused. */
SDIMAGE_API sdimage_photos_loader_config *sdimage_photos_loader_config_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_photos_loader_config *sdimage_photos_loader_config_ref(const sdimage_photos_loader_config *config);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_photos_loader_config_unref(sdimage_photos_loader_config *config);

/* Adds a library, which is queried after those before it; at most 16. False if there is no room, or no memory. */
SDIMAGE_API bool sdimage_photos_loader_config_add_library(sdimage_photos_loader_config *config,
                                                          sdimage_photos_library *library);
/* Returns the number of libraries. */
SDIMAGE_API size_t sdimage_photos_loader_config_library_count(const sdimage_photos_loader_config *config);
/* Returns library number `index`; the caller owns *library. NULL beyond the last. */
SDIMAGE_API void sdimage_photos_loader_config_get_library(const sdimage_photos_loader_config *config, size_t index,
                                                          sdimage_photos_library **library);

/* Sets the selection of assets for requests without one: referenced, and not to be changed afterwards. NULL, the
 * default: the default options. */
SDIMAGE_API void sdimage_photos_loader_config_set_fetch_options(sdimage_photos_loader_config *config,
                                                                sdimage_photos_fetch_options *options);
/* Returns the selection of assets; the caller owns *options. NULL for none. */
SDIMAGE_API void sdimage_photos_loader_config_get_fetch_options(const sdimage_photos_loader_config *config,
                                                                sdimage_photos_fetch_options **options);

/* Sets the selection of the image for requests without one: referenced, and not to be changed afterwards. NULL, the
 * default: the default options. */
SDIMAGE_API void sdimage_photos_loader_config_set_request_options(sdimage_photos_loader_config *config,
                                                                  sdimage_photos_request_options *options);
/* Returns the selection of the image; the caller owns *options. NULL for none. */
SDIMAGE_API void sdimage_photos_loader_config_get_request_options(const sdimage_photos_loader_config *config,
                                                                  sdimage_photos_request_options **options);

/* Restricts the loader to images. Default true: all other assets are PHOTOS_NOT_AN_IMAGE. If false, videos are loaded
 * as their poster, by a coder that is registered for them, or by their thumbnail. */
SDIMAGE_API void sdimage_photos_loader_config_set_images_only(sdimage_photos_loader_config *config, bool images_only);
/* Returns true if the loader is restricted to images. */
SDIMAGE_API bool sdimage_photos_loader_config_is_images_only(const sdimage_photos_loader_config *config);

/* Sets the size in bytes of the largest file that is read. Default 256 MiB; 0 restores it. */
SDIMAGE_API void sdimage_photos_loader_config_set_max_file_bytes(sdimage_photos_loader_config *config, uint64_t bytes);
/* Returns the size in bytes of the largest file that is read. */
SDIMAGE_API uint64_t sdimage_photos_loader_config_max_file_bytes(const sdimage_photos_loader_config *config);

/* Makes a loader named "photos". It references the libraries until it is freed. Errors: INVALID_ARGUMENT (no library),
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_loader_new(const sdimage_photos_loader_config *config,
                                                     sdimage_loader **loader, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
