/* host.h: libraries of the host: a queue of requests, and the one thread that passes them to the host. loader.c uses
 * them. */
#ifndef SDPHOTO_HOST_H
#define SDPHOTO_HOST_H

#include "library.h"

/* Reports that a library is a host's; the other functions require it. */
bool sdphoto_is_host(const sdimage_photos_library *library);

/* Receives the result of a fetch, once, on the library's thread: an asset, or a status and possibly an error. Asset and
 * error are borrowed for the call. */
typedef void (*sdphoto_fetched_fn)(void *user_data, sdimage_photos_asset *asset, sdimage_status status,
                                   sdimage_error *error);

/* Queues a request for a host's library; calls `fetched` on its thread. `owner` identifies it for a cancellation.
 * After an error `fetched` is not called. Errors: NO_MEMORY, FORKED. */
sdimage_status sdphoto_host_fetch(sdimage_photos_library *library, const char *identifier,
                                  sdimage_photos_fetch_options *options, const void *owner, sdphoto_fetched_fn fetched,
                                  void *user_data);
/* The same for a known asset, which it references. */
sdimage_status sdphoto_host_take(sdimage_photos_library *library, sdimage_photos_asset *asset, const void *owner,
                                 sdphoto_fetched_fn fetched, void *user_data);

/* Returns the host's functions. */
const sdimage_photos_library_vtable *sdphoto_host_table(const sdimage_photos_library *library, void **user_data);

#endif
