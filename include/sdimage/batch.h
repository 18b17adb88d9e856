/* batch.h: many images of one size, written into one array: for programs that train on images, compare or index
 * them.
 *
 * Each URL is a load of the manager, with its caches, hooks and limits. The image is decoded no larger than necessary
 * and resized to the common size. The thread that decoded it writes it to its slot in the caller's array. Only these
 * pixels are copied, once. A failed load leaves its slot unchanged and adds its error, by index, to
 * the group.
 *
 * Classes: sdimage_batch_options single-owner; the sdimage_prefetch_group of a batch synchronised (prefetcher.h).
 *
 *   sdimage_batch_options *options = sdimage_batch_options_new(224, 224);
 *   size_t size = sdimage_batch_options_array_size(options, count);     // count x 224 x 224 x 3
 *   uint8_t *pixels = malloc(size);
 *   sdimage_manager_load_batch(manager, options, urls, NULL, count, pixels, size, NULL, NULL, NULL, &group, &error);
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

/* Creates options for images of `width` x `height` pixels, RGB8, covering that size, in tight rows. The functions that
 * take the options report a zero side. NULL when memory is refused. */
SDIMAGE_API sdimage_batch_options *sdimage_batch_options_new(uint32_t width, uint32_t height);
SDIMAGE_API sdimage_batch_options *sdimage_batch_options_ref(sdimage_batch_options *options);
SDIMAGE_API void sdimage_batch_options_unref(sdimage_batch_options *options);

/* Sets the pixel format of all images. Default RGB8, also for AUTOMATIC. RGBA_FLOAT is linear light, as everywhere
 * (image.h). */
SDIMAGE_API void sdimage_batch_options_set_pixel_format(sdimage_batch_options *options,
                                                        sdimage_pixel_format pixel_format);

/* Sets how images of other proportions are resized. Default ASPECT_FILL: covers the size with the middle of the image.
 * ASPECT_FIT: the whole image, between bars. Smaller images are enlarged. Unknown modes are ignored. */
SDIMAGE_API void sdimage_batch_options_set_scale_mode(sdimage_batch_options *options, sdimage_scale_mode mode);

/* Sets the colour of bars and transparent pixels in formats without alpha; its own alpha is ignored. Default black. In
 * formats with alpha bars are transparent. Images with alpha are composed over the colour in 8 bits. */
SDIMAGE_API void sdimage_batch_options_set_background_color(sdimage_batch_options *options, sdimage_color color);

/* Sets the bytes from one row to the next, and from one image to the next; 0, the default: tight. Bytes between are not
 * written. The functions that take the options report strides that are too small. */
SDIMAGE_API void sdimage_batch_options_set_strides(sdimage_batch_options *options, size_t row, size_t picture);

/* Sets the request of each load: priority, headers, caches, freshness, a transformer that runs before resizing, and so
 * on. Copied. Its URL, cache key, dispatcher, scale and pixel format are ignored; its thumbnail size is used only with
 * a transformer. If the transformer fails the image is delivered untransformed, as in any load. NULL, the default: a
 * plain request. */
SDIMAGE_API void sdimage_batch_options_set_request(sdimage_batch_options *options, const sdimage_request *request);

/* Sets the number of concurrent loads. Default 64; 0 counts as 1. The downloader limits the number of concurrent
 * transfers. */
SDIMAGE_API void sdimage_batch_options_set_max_concurrent(sdimage_batch_options *options, uint32_t count);

/* Sets the dispatcher of the handler's functions. NULL, the default: the library's callback thread. */
SDIMAGE_API void sdimage_batch_options_set_dispatcher(sdimage_batch_options *options, sdimage_dispatcher *dispatcher);

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
