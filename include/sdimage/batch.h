/* batch.h: many pictures of one size, written into one array: for programs that learn from pictures, compare or index
 * them.
 *
 * Each URL is a load of the manager, with its caches, hooks and limits. The picture is decoded no larger than it has to
 * be, brought to the size of all, and written to its place in the caller's array by the thread that decoded it: nothing
 * is copied but these pixels, once. What cannot be had leaves its place as it was, and its reason in the group, by
 * index.
 *
 * Classes: sdimage_batch_options single-owner; the sdimage_prefetch_group of a batch synchronised (prefetcher.h).
 *
 *   sdimage_batch_options *options = sdimage_batch_options_new(224, 224);
 *   uint8_t *pixels = malloc(sdimage_batch_options_array_size(options, count));     // count x 224 x 224 x 3
 *   sdimage_manager_load_batch(manager, options, urls, NULL, count, pixels, sdimage_batch_options_array_size(options, count),
 *                              NULL, NULL, NULL, &group, &error);
 *   sdimage_prefetch_group_wait(group, UINT32_MAX, &error); */
#ifndef SDIMAGE_BATCH_H
#define SDIMAGE_BATCH_H

#include "base.h"
#include "dispatcher.h"
#include "error.h"
#include "image.h"
#include "manager.h"
#include "prefetcher.h"
#include "request.h"
#include "transformer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What all pictures become: `width` x `height` pixels, RGB8, covering that size, in tight rows. A zero side is told by
 * the functions that take the options. NULL only where there is no memory. */
SDIMAGE_API sdimage_batch_options *sdimage_batch_options_new(uint32_t width, uint32_t height);
SDIMAGE_API sdimage_batch_options *sdimage_batch_options_ref(sdimage_batch_options *options);
SDIMAGE_API void sdimage_batch_options_unref(sdimage_batch_options *options);

/* The format of all pictures. Default RGB8, and AUTOMATIC too. RGBA_FLOAT is linear light, as anywhere else
   (image.h). */
SDIMAGE_API void sdimage_batch_options_set_pixel_format(sdimage_batch_options *options,
                                                        sdimage_pixel_format pixel_format);

/* How pictures of other proportions are brought to the size. Default ASPECT_FILL: covering, the middle of them.
 * ASPECT_FIT: whole, between bars. Smaller pictures are enlarged. Unknown modes are ignored. */
SDIMAGE_API void sdimage_batch_options_set_scale_mode(sdimage_batch_options *options, sdimage_scale_mode mode);

/* What bars and clear pixels show where the format has no alpha; its own alpha does not count. Default black. With
 * alpha in the format bars are clear. Pictures with alpha are laid upon it in 8 bits. */
SDIMAGE_API void sdimage_batch_options_set_background_color(sdimage_batch_options *options, sdimage_color color);

/* Bytes from one row to the next, and from one picture to the next; 0, the default: tight. Bytes between are left
 * alone. Strides that are too small for what they hold are told by the functions that take the options. */
SDIMAGE_API void sdimage_batch_options_set_strides(sdimage_batch_options *options, size_t row, size_t picture);

/* What else each load asks for: priority, headers, caches, freshness, a transformer, that runs before the picture is
 * brought to its size, and so on. Copied; its URL, cache key, dispatcher, scale and pixel format do not count, and a
 * thumbnail size of its own only with a transformer. Where the transformer fails the picture comes without its change,
 * as in any load. NULL, the default: a plain request. */
SDIMAGE_API void sdimage_batch_options_set_request(sdimage_batch_options *options, const sdimage_request *request);

/* Loads at once. Default 64; 0 counts as 1. How many of them transfer is the downloader's business. */
SDIMAGE_API void sdimage_batch_options_set_max_concurrent(sdimage_batch_options *options, uint32_t count);

/* Where the handler's functions run. NULL, the default: the library's callback thread. */
SDIMAGE_API void sdimage_batch_options_set_dispatcher(sdimage_batch_options *options, sdimage_dispatcher *dispatcher);

/* Bytes of an array for `count` pictures, from the first pixel to the last; 0 where there is none that large, or the
 * options make no sense. */
SDIMAGE_API size_t sdimage_batch_options_array_size(const sdimage_batch_options *options, size_t count);

/* Starts a batch and returns. The picture of `urls[i]` goes to byte i * picture stride of `pixels`, which has `size`
 * bytes. `lengths` in bytes may be NULL: all URLs end at their NUL. All but the array is copied.
 *
 * The array belongs to the batch until the group is over (sdimage_prefetch_group_wait, _cancel), the handler's
 * `completed` is called, or `destroy`: after that nothing is written to it. Until then rows appear in any order, and
 * the place of a picture is whole when its `fetched` is called.
 *
 * Handler, `destroy` and *group are those of sdimage_prefetcher_start; the group's failures name the places that were
 * left as they were (sdimage_prefetch_group_copy_failure). Errors: INVALID_ARGUMENT (a zero side, strides that overlap,
 * an array that is too small), BAD_HANDLE, SHUTDOWN, FORKED, NO_MEMORY. */
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
