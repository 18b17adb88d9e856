/* sys/photos_source.h: photo libraries of the host, such as a phone, a web album or a catalog.
 *
 * The host finds assets by identifier and provides their images; the plug-in handles ph: URLs, modes, sizes and errors.
 * The host's functions run on the one thread of the library, serialized: the next identifier is requested after the
 * reply to the previous one.
 *
 * Classes: sdimage_photos_reply synchronized, sdimage_photos_asset_config single-owner. */
#ifndef SDIMAGE_PLUGINS_SYS_PHOTOS_SOURCE_H
#define SDIMAGE_PLUGINS_SYS_PHOTOS_SOURCE_H

#include "../photos_loader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of a new asset of the host. Class: single-owner. */
typedef struct sdimage_photos_asset_config sdimage_photos_asset_config;
/* Reply of a host's library for an identifier. Class: synchronized. */
typedef struct sdimage_photos_reply sdimage_photos_reply;

/* The functions of a library; `fetch` and `image` are required. */
typedef struct sdimage_photos_library_vtable {
    size_t size;

    /* Finds an asset. The reply is the host's: it is completed once, at any time, on any thread. `options` are borrowed
     * for the call and may be NULL; an asset that they do not select is refused in any case. */
    void (*fetch)(void *user_data, const char *identifier, const sdimage_photos_fetch_options *options,
                  sdimage_photos_reply *reply);

    /* Provides an image of an asset that fits into `size`, or covers it, according to `options`; 0 x 0 is the whole
     * image. Of a video, it is the poster. The sink is borrowed: sdimage_load_sink_ref keeps it when the work continues
     * elsewhere. sdimage_load_sink_show delivers a small image first, if the delivery is OPPORTUNISTIC.
     * sdimage_load_sink_report_progress reports progress in hundredths: the parts received, of 100. A negative status
     * ends the load with that status. */
    sdimage_status (*image)(void *user_data, sdimage_photos_asset *asset, sdimage_size size,
                            const sdimage_photos_request_options *options, sdimage_load_sink *sink);

    /* Provides the encoded bytes; NULL: all loads are in image mode. */
    sdimage_status (*bytes)(void *user_data, sdimage_photos_asset *asset, sdimage_load_sink *sink);

    /* Reports that no load waits for the sink any more: stop soon. May be NULL. Called on any thread; must not
     * block. */
    void (*cancel)(void *user_data, sdimage_load_sink *sink);
} sdimage_photos_library_vtable;

/* Makes a library of functions of the host. `name` is copied. `destroy(user_data)` is called once, after the last call,
 * also when this call fails. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_library_new_custom(const char *name,
                                                             const sdimage_photos_library_vtable *vtable,
                                                             void *user_data, sdimage_destroy_fn destroy,
                                                             sdimage_photos_library **library, sdimage_error **error);

/* Completes a reply with the asset, referenced, or NULL if there is none. The first completion counts; releasing the
 * last reference without one is the error INTERNAL_ERROR. */
SDIMAGE_API void sdimage_photos_reply_complete(sdimage_photos_reply *reply, sdimage_photos_asset *asset);
/* Completes a reply with an error of the load, referenced. */
SDIMAGE_API void sdimage_photos_reply_fail(sdimage_photos_reply *reply, sdimage_error *error);
/* Returns true if the reply is no longer needed. */
SDIMAGE_API bool sdimage_photos_reply_is_cancelled(const sdimage_photos_reply *reply);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_photos_reply *sdimage_photos_reply_ref(const sdimage_photos_reply *reply);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_photos_reply_unref(sdimage_photos_reply *reply);

/* --- Assets of the host's own. Defaults: an image, the user's own, a still. Texts are copied. */

/* Makes parameters for an asset with an identifier of at most 1,024 bytes. NULL when memory is refused, or for an
 * invalid identifier. */
SDIMAGE_API sdimage_photos_asset_config *sdimage_photos_asset_config_new(const char *identifier);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_photos_asset_config *sdimage_photos_asset_config_ref(const sdimage_photos_asset_config *config);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_photos_asset_config_unref(sdimage_photos_asset_config *config);

/* Sets the kind of the asset: one bit. */
SDIMAGE_API void sdimage_photos_asset_config_set_media(sdimage_photos_asset_config *config, sdimage_photos_media media);
/* Returns the kind of the asset. */
SDIMAGE_API sdimage_photos_media sdimage_photos_asset_config_media(const sdimage_photos_asset_config *config);
/* Sets the origin of the asset: one bit. */
SDIMAGE_API void sdimage_photos_asset_config_set_origin(sdimage_photos_asset_config *config,
                                                        sdimage_photos_origin origin);
/* Returns the origin of the asset. */
SDIMAGE_API sdimage_photos_origin sdimage_photos_asset_config_origin(const sdimage_photos_asset_config *config);
/* Sets the image format. UNKNOWN leaves the type open. A GIF is animated unless set otherwise. */
SDIMAGE_API void sdimage_photos_asset_config_set_format(sdimage_photos_asset_config *config, sdimage_format format);
/* Returns the image format. */
SDIMAGE_API sdimage_format sdimage_photos_asset_config_format(const sdimage_photos_asset_config *config);
/* Sets the playback. Default STILL. */
SDIMAGE_API void sdimage_photos_asset_config_set_playback(sdimage_photos_asset_config *config,
                                                          sdimage_photos_playback playback);
/* Returns the playback, as set or as it follows from kind and format. */
SDIMAGE_API sdimage_photos_playback sdimage_photos_asset_config_playback(const sdimage_photos_asset_config *config);
/* Sets the size in pixels as displayed. Default 0 x 0: unknown. */
SDIMAGE_API void sdimage_photos_asset_config_set_pixel_size(sdimage_photos_asset_config *config, uint32_t width,
                                                            uint32_t height);
/* Returns the size in pixels as displayed; 0 x 0 if it is unknown. */
SDIMAGE_API sdimage_size sdimage_photos_asset_config_pixel_size(const sdimage_photos_asset_config *config);
/* Sets the times at which it was taken and last changed: nanoseconds since 1970, UTC. */
SDIMAGE_API void sdimage_photos_asset_config_set_dates(sdimage_photos_asset_config *config, int64_t taken_ns,
                                                       int64_t modified_ns);
/* Returns the times at which it was taken and last changed through pointers that may be NULL. */
SDIMAGE_API void sdimage_photos_asset_config_get_dates(const sdimage_photos_asset_config *config, int64_t *taken_ns,
                                                       int64_t *modified_ns);
/* Sets the rating, 1 to 5; 0, the default: none; -1: rejected. */
SDIMAGE_API void sdimage_photos_asset_config_set_rating(sdimage_photos_asset_config *config, int32_t rating);
/* Returns the rating. */
SDIMAGE_API int32_t sdimage_photos_asset_config_rating(const sdimage_photos_asset_config *config);
/* Sets the name, in the form of a file name. */
SDIMAGE_API void sdimage_photos_asset_config_set_name(sdimage_photos_asset_config *config, const char *name);
/* Returns the name; "" for none. Borrowed until it is set again or the configuration is freed. */
SDIMAGE_API const char *sdimage_photos_asset_config_name(const sdimage_photos_asset_config *config);
/* Adds an album; at most 64. */
SDIMAGE_API void sdimage_photos_asset_config_add_album(sdimage_photos_asset_config *config, const char *album);
/* Returns album number `index`; NULL beyond the last. Borrowed until the configuration is freed. */
SDIMAGE_API const char *sdimage_photos_asset_config_album(const sdimage_photos_asset_config *config, size_t index);

/* Makes the asset; NULL when memory is refused, now or in a setter. The caller owns it. */
SDIMAGE_API sdimage_photos_asset *sdimage_photos_asset_new(const sdimage_photos_asset_config *config);

#ifdef __cplusplus
}
#endif

#endif
