/* load.h: one load of a ph: URL. loader.c finds the asset of the URL, file.c produces the result of an asset that is a
 * file. */
#ifndef SDPHOTO_LOAD_H
#define SDPHOTO_LOAD_H

#include <sdimage/sys/loader.h>

#include "loader_config.h"

/* Result of a load: bytes or an image; BY_ASSET until the asset is known. */
typedef enum sdphoto_mode { SDPHOTO_BY_ASSET, SDPHOTO_AS_DATA, SDPHOTO_AS_IMAGE } sdphoto_mode;

/* A load. One thread at a time has it: that of the loader, or that of a library while it waits for the first scan of a
 * tree or the reply of a host. */
struct sdphoto_load {
    sdimage_photos_loader_config *config;
    sdimage_load_sink *sink; /* referenced; finished exactly once */
    char *identifier;
    sdimage_decode_options *decode; /* NULL if the request has none */
    sdimage_photos_fetch_options *fetch_options;
    sdimage_photos_request_options *request_options;
    sdphoto_mode mode;
    size_t next;                     /* index of the next library to ask */
    sdimage_photos_library *library; /* the asset's library; NULL for an asset that came with the request */
    unsigned cancellations;
    sdimage_error *refusal; /* the first library error other than "not found" */
    /* For a tree that defers the load: the next one in its queue, and the function that continues with the result of
     * the first scan. */
    struct sdphoto_load *next_waiting;
    void (*resume)(struct sdphoto_load *load, sdimage_status status);
};

/* Makes a load. Values of the request take precedence over those of the loader's config. */
sdphoto_load *sdphoto_load_new(sdimage_photos_loader_config *config, const sdimage_request *request,
                               sdimage_load_sink *sink);
void sdphoto_load_free(sdphoto_load *load);

/* End a load with an error, which they take over; without one, with the status. */
void sdphoto_load_fail(sdphoto_load *load, sdimage_status status, sdimage_error *error);
void sdphoto_load_fail_with(sdphoto_load *load, sdimage_status status, const char *message);

/* Reports a cancellation of the load, or of all loads of the library. */
bool sdphoto_load_is_cancelled(const sdphoto_load *load);

/* Continues with an asset of this library. */
void sdphoto_load_adopt(sdphoto_load *load, sdimage_photos_library *library);

/* Checks the asset and completes the mode. An asset that is not an image ends the load with an error, unless the config
 * takes all media. */
bool sdphoto_load_accepts(sdphoto_load *load, const sdimage_photos_asset *asset);

#endif
