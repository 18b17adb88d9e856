/* prefetcher.h: loading of many images: in advance, or into one array.
 *
 * A prefetcher loads lists of URLs, each URL with one load of its manager, a few at a time over all lists. Visible
 * loads have precedence: loads of priority LOW use only idle connections and processors, and do not start while visible
 * loads transfer. A visible load of the same URL takes over the transfer under way.
 *
 * Classes: sdimage_prefetcher and sdimage_prefetch_group synchronized, sdimage_batch_options single-owner. Callbacks
 * run on the prefetcher's dispatcher, in order and serialized; they may call any function of the library.
 *   static void done(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t skipped,
 *                    sdimage_error *error) {
 *       printf("%zu fetched, %zu failed\n", finished - skipped, skipped);
 *   }
 *   sdimage_prefetch_handler handler = {.size = sizeof handler, .completed = done};
 *   sdimage_prefetcher_start(prefetcher, urls, NULL, count, NULL, &handler, NULL, NULL, NULL, NULL);
 * */
#ifndef SDIMAGE_PREFETCHER_H
#define SDIMAGE_PREFETCHER_H

#include "base.h"
#include "data.h"
#include "dispatcher.h"
#include "error.h"
#include "image.h"
#include "manager.h"
#include "request.h"
#include "task.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a prefetcher that loads with a manager. Best is the manager that shows the images later: their keys then agree,
 * and transfers are shared. NULL: a manager of its own on the default cache and loader, without transformer or other
 * settings. Callbacks run on `dispatcher`; NULL: the library's callback thread. Errors: FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_prefetcher_new(sdimage_manager *manager, sdimage_dispatcher *dispatcher,
                                                  sdimage_prefetcher **prefetcher, sdimage_error **error);

/* Returns the shared prefetcher of the process, with a manager of its own and a reference for the caller. The first
 * call makes it; it lives as long as it is referenced. Errors: FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_prefetcher_get_shared(sdimage_prefetcher **prefetcher, sdimage_error **error);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_prefetcher *sdimage_prefetcher_ref(const sdimage_prefetcher *prefetcher);
/* Releases a reference; NULL has no effect. The last one cancels all loads under way. */
SDIMAGE_API void sdimage_prefetcher_unref(sdimage_prefetcher *prefetcher);

/* Sets the maximum number of concurrent loads over all groups. Takes effect immediately; running loads continue.
 * Default 3; 0 counts as 1. */
SDIMAGE_API void sdimage_prefetcher_set_max_concurrent(sdimage_prefetcher *prefetcher, uint32_t count);
/* Returns the number of concurrent loads. */
SDIMAGE_API uint32_t sdimage_prefetcher_max_concurrent(const sdimage_prefetcher *prefetcher);

/* Sets the request of the loads of groups without one of their own. It is copied; its URL, cache key and dispatcher are
 * ignored. Default, and NULL: a plain request of priority LOW. */
SDIMAGE_API void sdimage_prefetcher_set_request(sdimage_prefetcher *prefetcher, const sdimage_request *request);
/* Returns a copy of the request, which the caller must unref. */
SDIMAGE_API void sdimage_prefetcher_copy_request(const sdimage_prefetcher *prefetcher, sdimage_request **request);

/* The callbacks for all groups together; each may be NULL. */
typedef struct sdimage_prefetcher_handler {
    size_t size;
    /* Reports one more finished URL, possibly failed, before the callbacks of its group. The numbers are sums over the
     * groups under way. The URL has no user and password, and is borrowed for the call. */
    void (*fetched)(void *user_data, const char *url, size_t finished, size_t total);
    /* Reports the end of the last group, before its own `completed`. */
    void (*idle)(void *user_data, size_t total, size_t skipped);
} sdimage_prefetcher_handler;

/* Replaces the observer; NULL for none. `destroy(user_data)` is called once, after the observer's last call, also when
 * this call fails. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_prefetcher_set_handler(sdimage_prefetcher *prefetcher,
                                                          const sdimage_prefetcher_handler *vtable, void *user_data,
                                                          sdimage_destroy_fn destroy, sdimage_error **error);

/* The callbacks for one group; each may be NULL. Arguments are borrowed for the call. */
typedef struct sdimage_prefetch_handler {
    size_t size;
    /* Reports the result of the load of the URL at `index`, possibly an error. */
    void (*fetched)(void *user_data, sdimage_prefetch_group *group, size_t index, sdimage_result *result);
    /* Reports after each URL the number of finished ones, including failed ones. */
    void (*progress)(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t total);
    /* Reports completion: the last call, made exactly once, with the number of finished URLs and of those without an
     * image. `error` is NULL or CANCELLED. `group` is NULL for an empty list. */
    void (*completed)(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t skipped,
                      sdimage_error *error);
} sdimage_prefetch_handler;

/* Starts a list of `count` URLs and returns. Other groups continue; those started earlier go first. `lengths` are in
 * bytes; NULL: all URLs end at their NUL. URLs are copied; duplicates are counted separately. `request` replaces the
 * prefetcher's own entirely, including its priority; NULL: the prefetcher's. *group, if requested, is the caller's;
 * releasing it does not cancel the group.
 *
 * An empty list makes no group and completes with 0 and 0, before this returns if the dispatcher is immediate or this
 * is its thread. `destroy(user_data)` is called once, after the last callback, also when this call fails. Errors:
 * INVALID_ARGUMENT, BAD_HANDLE, FORKED, NO_MEMORY. The error of a refused load is reported for its URL. */
SDIMAGE_API sdimage_status sdimage_prefetcher_start(sdimage_prefetcher *prefetcher, const char *const *urls,
                                                    const size_t *lengths, size_t count, const sdimage_request *request,
                                                    const sdimage_prefetch_handler *handler, void *user_data,
                                                    sdimage_destroy_fn destroy, sdimage_prefetch_group **group,
                                                    sdimage_error **error);

/* Cancels all groups under way. */
SDIMAGE_API void sdimage_prefetcher_cancel_all(sdimage_prefetcher *prefetcher);

/* --- Groups. */

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_prefetch_group *sdimage_prefetch_group_ref(const sdimage_prefetch_group *group);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_prefetch_group_unref(sdimage_prefetch_group *group);

/* Cancels the loads of the group; URLs that were not started are not loaded. `completed` reports CANCELLED with the
 * counts so far, before this returns on the dispatcher's own thread. No effect on a finished group. */
SDIMAGE_API void sdimage_prefetch_group_cancel(sdimage_prefetch_group *group);

/* Waits until no work of the group is under way; its callbacks may still be pending. Errors: TIMEOUT after `timeout_ms`
 * milliseconds (UINT32_MAX: no limit); WOULD_DEADLOCK on a thread of the library, always. */
SDIMAGE_API sdimage_status sdimage_prefetch_group_wait(sdimage_prefetch_group *group, uint32_t timeout_ms,
                                                       sdimage_error **error);

/* Returns true if all URLs are finished, or if the group was cancelled. */
SDIMAGE_API bool sdimage_prefetch_group_is_finished(const sdimage_prefetch_group *group);
/* Returns true if the group was cancelled. */
SDIMAGE_API bool sdimage_prefetch_group_is_cancelled(const sdimage_prefetch_group *group);

/* Returns the number of URLs in the list. */
SDIMAGE_API size_t sdimage_prefetch_group_total_count(const sdimage_prefetch_group *group);
/* Returns the number of finished URLs. */
SDIMAGE_API size_t sdimage_prefetch_group_finished_count(const sdimage_prefetch_group *group);
/* Returns the number of finished URLs without an image. */
SDIMAGE_API size_t sdimage_prefetch_group_skipped_count(const sdimage_prefetch_group *group);

/* Returns the URL at `index`, for the caller to unref. Errors: NOT_FOUND for an index out of range. */
SDIMAGE_API sdimage_status sdimage_prefetch_group_get_url(const sdimage_prefetch_group *group, size_t index,
                                                          sdimage_data **url, sdimage_error **error);

/* Returns the failure at index `number`, in the order in which they occurred: its index in the list and its error, for
 * the caller to unref. Either pointer may be NULL. Errors: NOT_FOUND for a number out of range. */
SDIMAGE_API sdimage_status sdimage_prefetch_group_get_failure(const sdimage_prefetch_group *group, size_t number,
                                                              size_t *index, sdimage_error **failure,
                                                              sdimage_error **error);

/* --- Batches: many images of one size, written into one array, for programs that train on images, compare or index
 * them.
 *
 *   sdimage_batch_options *options = sdimage_batch_options_new(224, 224);
 *   size_t size = sdimage_batch_options_array_size(options, count);     // count x 224 x 224 x 3
 *   uint8_t *pixels = malloc(size);
 *   sdimage_manager_load_batch(manager, options, urls, NULL, count, pixels, size, NULL, NULL, NULL, &group, &error);
 *   sdimage_prefetch_group_wait(group, UINT32_MAX, &error);
 *
 * Each URL is a load of the manager, with its caches, hooks and limits. The image is decoded no larger than necessary
 * and resized to the common size. The thread that decoded it writes it to its slot in the caller's array. Only these
 * pixels are copied, once. A failed load leaves its slot unchanged and adds its error, by index, to the group. */

/* Creates options for images of `width` x `height` pixels, RGB8, covering that size, in tight rows. The functions that
 * take the options report a zero side. NULL when memory is refused. */
SDIMAGE_API sdimage_batch_options *sdimage_batch_options_new(uint32_t width, uint32_t height);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_batch_options *sdimage_batch_options_ref(const sdimage_batch_options *options);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_batch_options_unref(sdimage_batch_options *options);

/* Sets the pixel format of all images. Default RGB8, also for AUTOMATIC. RGBA_FLOAT is linear light, as everywhere
 * (image.h). */
SDIMAGE_API void sdimage_batch_options_set_pixel_format(sdimage_batch_options *options,
                                                        sdimage_pixel_format pixel_format);
/* Returns the pixel format of all images. */
SDIMAGE_API sdimage_pixel_format sdimage_batch_options_pixel_format(const sdimage_batch_options *options);

/* Sets how images of other proportions are resized. Default ASPECT_FILL: covers the size with the middle of the image.
 * ASPECT_FIT: the whole image, between bars. Smaller images are enlarged. Unknown modes are ignored. */
SDIMAGE_API void sdimage_batch_options_set_scale_mode(sdimage_batch_options *options, sdimage_scale_mode mode);
/* Returns how images of other proportions are resized. */
SDIMAGE_API sdimage_scale_mode sdimage_batch_options_scale_mode(const sdimage_batch_options *options);

/* Sets the color of bars and transparent pixels in formats without alpha; its own alpha is ignored. Default black. In
 * formats with alpha bars are transparent. Images with alpha are composed over the color in 8 bits. */
SDIMAGE_API void sdimage_batch_options_set_background_color(sdimage_batch_options *options, sdimage_color color);
/* Returns the color of bars and transparent pixels. */
SDIMAGE_API sdimage_color sdimage_batch_options_background_color(const sdimage_batch_options *options);

/* Sets the bytes from one row to the next, and from one image to the next; 0, the default: tight. Bytes between are not
 * written. The functions that take the options report strides that are too small. */
SDIMAGE_API void sdimage_batch_options_set_strides(sdimage_batch_options *options, size_t row, size_t image);
/* Returns the strides set through pointers that may be NULL; 0 for tight rows and images. */
SDIMAGE_API void sdimage_batch_options_get_strides(const sdimage_batch_options *options, size_t *row, size_t *image);

/* Sets the request of each load: priority, headers, caches, freshness, a transformer that runs before resizing, and so
 * on. Copied. Its URL, cache key, dispatcher, scale, pixel format, transfer characteristics, progressive and
 * include_data are ignored, and the first frame alone is decoded, and transformed also if it is a vector image; its
 * thumbnail size is used only with a transformer. If the transformer fails the image is delivered untransformed, as in
 * any load. NULL, the default: a plain request. */
SDIMAGE_API void sdimage_batch_options_set_request(sdimage_batch_options *options, const sdimage_request *request);
/* Returns a copy of the request of each load, which the caller must unref; NULL for a plain one. */
SDIMAGE_API void sdimage_batch_options_copy_request(const sdimage_batch_options *options, sdimage_request **request);

/* Sets the number of concurrent loads. Default 64; 0 counts as 1. The downloader limits the number of concurrent
 * transfers. */
SDIMAGE_API void sdimage_batch_options_set_max_concurrent(sdimage_batch_options *options, uint32_t count);
/* Returns the number of concurrent loads. */
SDIMAGE_API uint32_t sdimage_batch_options_max_concurrent(const sdimage_batch_options *options);

/* Sets the dispatcher of the handler's functions. NULL, the default: the library's callback thread. */
SDIMAGE_API void sdimage_batch_options_set_dispatcher(sdimage_batch_options *options, sdimage_dispatcher *dispatcher);
/* Returns the dispatcher set; the caller owns *dispatcher. NULL for the library's callback thread. */
SDIMAGE_API void sdimage_batch_options_get_dispatcher(const sdimage_batch_options *options,
                                                      sdimage_dispatcher **dispatcher);

/* Returns the bytes of an array for `count` images, from the first pixel to the last; 0 when no array is that large, or
 * the options are invalid. */
SDIMAGE_API size_t sdimage_batch_options_array_size(const sdimage_batch_options *options, size_t count);

/* Starts a batch and returns. The image of `urls[i]` is written at byte i * image stride of `pixels`, which has `size`
 * bytes. `lengths` in bytes may be NULL: all URLs end at their NUL. All arguments but the array are copied.
 *
 * The array belongs to the batch until the group is finished (sdimage_prefetch_group_wait, _cancel), or the handler's
 * `completed` or `destroy` is called: after that nothing is written to it. Until then rows appear in any order; the
 * slot of an image is complete when its `fetched` is called.
 *
 * Handler, `destroy` and *group are those of sdimage_prefetcher_start; the failures of the group give the indexes of
 * the unchanged slots (sdimage_prefetch_group_get_failure). Errors: INVALID_ARGUMENT (a zero side, strides that
 * overlap, an array that is too small), BAD_HANDLE, SHUTDOWN, FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_manager_load_batch(sdimage_manager *manager, const sdimage_batch_options *options,
                                                      const char *const *urls, const size_t *lengths, size_t count,
                                                      void *pixels, size_t size,
                                                      const sdimage_prefetch_handler *handler, void *user_data,
                                                      sdimage_destroy_fn destroy, sdimage_prefetch_group **group,
                                                      sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
