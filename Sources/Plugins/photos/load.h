/* load.h: one load of a ph: URL, split over three files: loader.c goes from the URL to the asset, file.c from an asset
 * that is a file to what is wanted of it, load.c is what both need. */
#ifndef SDPHOTO_LOAD_H
#define SDPHOTO_LOAD_H

#include "library.h"
#include "request.h"

enum { SDPHOTO_LIBRARY_LIMIT = 16 };

struct sdimage_photos_loader_config {
    sdphoto_object object;
    sdimage_photos_library *libraries[SDPHOTO_LIBRARY_LIMIT];
    size_t count;
    sdimage_photos_fetch_options *fetch_options;
    sdimage_photos_request_options *request_options;
    bool takes_all;
    uint64_t file_limit;
};

typedef enum sdphoto_mode { SDPHOTO_BY_ASSET, SDPHOTO_AS_DATA, SDPHOTO_AS_IMAGE } sdphoto_mode;

typedef struct sdphoto_load {
    sdimage_photos_loader_config *config;
    sdimage_load_sink *sink;
    char *identifier;
    sdimage_decode_options *decode;
    sdimage_photos_fetch_options *fetch_options;
    sdimage_photos_request_options *request_options;
    sdphoto_mode mode;
    size_t next;                     /* the library to be asked */
    sdimage_photos_library *library; /* that has the asset; NULL for one that came with the request */
    unsigned cancellations;
    sdimage_error *refusal; /* what the first library said that is more than "not here" */
} sdphoto_load;

/* What the request says, before what the loader was made with. */
sdphoto_load *sdphoto_load_new(sdimage_photos_loader_config *config, const sdimage_request *request,
                               sdimage_load_sink *sink);
void sdphoto_load_free(sdphoto_load *load);

/* Ends a load with an error, which it takes over; where there is none, with the status. */
void sdphoto_load_fail(sdphoto_load *load, sdimage_status status, sdimage_error *error);
void sdphoto_load_fail_with(sdphoto_load *load, sdimage_status status, const char *message);

/* By whoever loads, or by all of the library. */
bool sdphoto_load_is_cancelled(const sdphoto_load *load);

/* Goes on with an asset of this library. */
void sdphoto_load_adopt(sdphoto_load *load, sdimage_photos_library *library);

/* Refuses what is not an image, which ends the load, and what the mode excludes. */
bool sdphoto_load_is_wanted(sdphoto_load *load, const sdimage_photos_asset *asset);

/* Ends a load with an asset that is a file. */
void sdphoto_bring_file(sdphoto_load *load, sdimage_photos_asset *asset);

#endif
