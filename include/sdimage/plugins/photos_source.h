/* photos_source.h: photo libraries of the host's own: a phone, a web album, a catalogue.
 *
 * The host answers for assets by name and brings their pictures; ph: URLs, modes, sizes and errors are the plug-in's
 * affair. Its functions run on the one thread of the library, one after the other: the next identifier is asked about
 * when the last was answered.
 *
 * Classes: sdimage_photos_reply synchronised, sdimage_photos_asset_config single-owner. */
#ifndef SDIMAGE_PLUGINS_PHOTOS_SOURCE_H
#define SDIMAGE_PLUGINS_PHOTOS_SOURCE_H

#include "photos_loader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An asset of the host in the making. Class: single-owner. */
typedef struct sdimage_photos_asset_config sdimage_photos_asset_config;
/* How a host's library answers for an identifier. Class: synchronised. */
typedef struct sdimage_photos_reply sdimage_photos_reply;

/* The functions of a library; `fetch` and `image` are required. */
typedef struct sdimage_photos_library_vtable {
    size_t size;

    /* Finds an asset. The reply is the host's: it is completed once, at any time, from any thread. `options` are lent
     * for the call and may be NULL; an asset that they do not accept is refused in any case. */
    void (*fetch)(void *user_data, const char *identifier, const sdimage_photos_fetch_options *options,
                  sdimage_photos_reply *reply);

    /* Brings a picture of an asset that fits into `size`, or covers it, as `options` say; 0 x 0 is the whole picture.
     * The sink is lent: sdimage_load_sink_ref keeps it when the work goes on elsewhere. sdimage_load_sink_show gives a
     * small picture first, where the delivery is OPPORTUNISTIC; sdimage_load_sink_report_progress how far it is, in
     * hundredths: the parts that have come, of 100. Of a video the poster. A negative status ends the load with it. */
    sdimage_status (*image)(void *user_data, sdimage_photos_asset *asset, sdimage_size size,
                            const sdimage_photos_request_options *options, sdimage_load_sink *sink);

    /* Brings the encoded bytes; NULL: all loads are in image mode. */
    sdimage_status (*bytes)(void *user_data, sdimage_photos_asset *asset, sdimage_load_sink *sink);

    /* Nobody waits for the sink any more: stop soon. May be NULL. Any thread; must not block. */
    void (*cancel)(void *user_data, sdimage_load_sink *sink);
} sdimage_photos_library_vtable;

/* A library of the host's functions. `name` is copied. `destroy(user_data)` is called once, after the last call, also
 * when this one fails. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_library_new_custom(const char *name,
                                                             const sdimage_photos_library_vtable *vtable,
                                                             void *user_data, sdimage_destroy_fn destroy,
                                                             sdimage_photos_library **library, sdimage_error **error);

/* Found: the asset, referenced; NULL: there is none. Or an error, referenced, of the load. The first call counts;
 * letting go of the last reference without one is the error INTERNAL_ERROR. */
SDIMAGE_API void sdimage_photos_reply_complete(sdimage_photos_reply *reply, sdimage_photos_asset *asset);
SDIMAGE_API void sdimage_photos_reply_fail(sdimage_photos_reply *reply, sdimage_error *error);
/* Whether nobody waits for the answer any more. */
SDIMAGE_API bool sdimage_photos_reply_is_cancelled(const sdimage_photos_reply *reply);
SDIMAGE_API sdimage_photos_reply *sdimage_photos_reply_ref(sdimage_photos_reply *reply);
SDIMAGE_API void sdimage_photos_reply_unref(sdimage_photos_reply *reply);

/* --- Assets of the host's own. Defaults: an image, the user's own, a still. Texts are copied. */

/* An asset in the making, under an identifier of at most 1,024 bytes. NULL when memory is refused, or for another
   one. */
SDIMAGE_API sdimage_photos_asset_config *sdimage_photos_asset_config_new(const char *identifier);
SDIMAGE_API sdimage_photos_asset_config *sdimage_photos_asset_config_ref(sdimage_photos_asset_config *config);
SDIMAGE_API void sdimage_photos_asset_config_unref(sdimage_photos_asset_config *config);

/* What the asset is, and where it belongs: one bit of each. */
SDIMAGE_API void sdimage_photos_asset_config_set_media(sdimage_photos_asset_config *config, sdimage_photos_media media);
SDIMAGE_API void sdimage_photos_asset_config_set_origin(sdimage_photos_asset_config *config,
                                                        sdimage_photos_origin origin);
/* The picture format. UNDEFINED leaves the type open. A GIF is animated unless said otherwise. */
SDIMAGE_API void sdimage_photos_asset_config_set_format(sdimage_photos_asset_config *config, sdimage_format format);
/* How it is played. Default STILL. */
SDIMAGE_API void sdimage_photos_asset_config_set_playback(sdimage_photos_asset_config *config,
                                                          sdimage_photos_playback playback);
/* Size in pixels as displayed. Default 0 x 0: not known. */
SDIMAGE_API void sdimage_photos_asset_config_set_pixel_size(sdimage_photos_asset_config *config, uint32_t width,
                                                            uint32_t height);
/* When it was taken, and changed last: nanoseconds since 1970, UTC. */
SDIMAGE_API void sdimage_photos_asset_config_set_dates(sdimage_photos_asset_config *config, int64_t taken_ns,
                                                       int64_t modified_ns);
/* 1 to 5; 0, the default: none; -1: rejected. */
SDIMAGE_API void sdimage_photos_asset_config_set_rating(sdimage_photos_asset_config *config, int32_t rating);
/* Its name, as a file would have it. */
SDIMAGE_API void sdimage_photos_asset_config_set_name(sdimage_photos_asset_config *config, const char *name);
/* One more album; at most 64. */
SDIMAGE_API void sdimage_photos_asset_config_add_album(sdimage_photos_asset_config *config, const char *album);

/* The asset; NULL when memory is refused, now or in a setter. The caller owns it. */
SDIMAGE_API sdimage_photos_asset *sdimage_photos_asset_new(const sdimage_photos_asset_config *config);

#ifdef __cplusplus
}
#endif

#endif
