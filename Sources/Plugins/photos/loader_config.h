/* loader_config.h: the configuration of a loader. */
#ifndef SDPHOTO_LOADER_CONFIG_H
#define SDPHOTO_LOADER_CONFIG_H

#include "library.h"
#include "request.h"

/* Maximum number of libraries of a loader. */
enum { SDPHOTO_LIBRARY_LIMIT = 16 };

/* The loader has a copy of its own, immutable and read on any thread. */
struct sdimage_photos_loader_config {
    sdphoto_object object;
    sdimage_photos_library *libraries[SDPHOTO_LIBRARY_LIMIT];
    size_t count;
    sdimage_photos_fetch_options *fetch_options;
    sdimage_photos_request_options *request_options;
    bool takes_all;      /* false, the default: images only */
    uint64_t file_limit; /* bytes of the largest file */
};

/* Makes a copy, so that the caller may change the original; NULL if memory is exhausted. */
sdimage_photos_loader_config *sdphoto_loader_config_copy(const sdimage_photos_loader_config *config);

#endif
