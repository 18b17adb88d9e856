/* loader.h: loaders, which fetch encoded bytes: the built-in ones, and chains of loaders.
 *
 * A loader neither caches nor decodes: it fetches for a manager (manager.h), or returns the bytes
 * (sdimage_loader_load). The loader for http and https is in downloader.h; custom loaders are created with
 * sys/loader.h. Class: synchronized. */
#ifndef SDIMAGE_LOADER_H
#define SDIMAGE_LOADER_H

#include "base.h"
#include "error.h"
#include "request.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_loader *sdimage_loader_ref(const sdimage_loader *loader);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_loader_unref(sdimage_loader *loader);

/* Returns the name: "http", "file", "data", "chain", or that given to a custom loader. Borrowed. */
SDIMAGE_API const char *sdimage_loader_name(const sdimage_loader *loader);

/* Fetches the encoded bytes of a request and returns at once: no cache is used, nothing is decoded, and no transfer is
 * shared. The FINAL result has the bytes (sdimage_result_data), or the image of a loader without encoded bytes. Of the
 * request only the URL, header fields, method, body, limits, retries, cookies, certificates, hooks of the download,
 * priority, options and dispatcher have an effect; no dispatcher set: the library's callback thread.
 *
 * `handler`, `user_data`, `destroy` and *task are those of sdimage_manager_load; partial images are not delivered.
 * Errors: INVALID_ARGUMENT, BAD_HANDLE, FORKED, NO_MEMORY. All other errors, including an invalid URL, are delivered;
 * UNSUPPORTED: the loader does not accept the URL. */
SDIMAGE_API sdimage_status sdimage_loader_load(sdimage_loader *loader, const sdimage_request *request,
                                               const sdimage_load_handler *handler, void *user_data,
                                               sdimage_destroy_fn destroy, sdimage_task **task, sdimage_error **error);
/* Fetches the encoded bytes of a request and waits. *result is the FINAL result, owned by the caller, and is set
 * whenever the fetch was accepted. The returned status is that of its error. Additional errors: WOULD_DEADLOCK on a
 * thread of the library. */
SDIMAGE_API sdimage_status sdimage_loader_load_sync(sdimage_loader *loader, const sdimage_request *request,
                                                    sdimage_result **result, sdimage_error **error);

/* Makes a loader of file: URLs (RFC 8089) of regular files. A file of more than 64 MiB is TOO_LARGE unless the request
 * permits more (sdimage_request_set_max_body_bytes). */
SDIMAGE_API sdimage_status sdimage_loader_new_file(sdimage_loader **loader, sdimage_error **error);
/* Makes a loader of data: URLs (RFC 2397), with the same limit. */
SDIMAGE_API sdimage_status sdimage_loader_new_data_url(sdimage_loader **loader, sdimage_error **error);

/* Makes a chain of loaders. The loader added last is tried first; each URL goes to the first loader that can load
 * it. */
SDIMAGE_API sdimage_status sdimage_loader_new_chain(sdimage_loader **chain, sdimage_error **error);
/* Adds a loader, which is tried before the others. Errors: INVALID_ARGUMENT (`chain` is not a chain, or would contain
 * itself). */
SDIMAGE_API sdimage_status sdimage_loader_chain_add(sdimage_loader *chain, sdimage_loader *loader,
                                                    sdimage_error **error);
/* Removes a loader. NOT_FOUND if it is not in the chain. */
SDIMAGE_API sdimage_status sdimage_loader_chain_remove(sdimage_loader *chain, const sdimage_loader *loader,
                                                       sdimage_error **error);
/* Returns the number of loaders; 0 for a loader that is not a chain. */
SDIMAGE_API size_t sdimage_loader_chain_count(const sdimage_loader *chain);
/* Returns a loader of the chain; the caller owns *member. Index 0 is tried first. Errors: NOT_FOUND beyond the last,
 * INVALID_ARGUMENT (`chain` is not a chain). */
SDIMAGE_API sdimage_status sdimage_loader_chain_get_member(const sdimage_loader *chain, size_t index,
                                                           sdimage_loader **member, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
