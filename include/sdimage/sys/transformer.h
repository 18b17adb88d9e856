/* sys/transformer.h: custom transformers.
 *
 * Class: sdimage_transformer immutable. */
#ifndef SDIMAGE_SYS_TRANSFORMER_H
#define SDIMAGE_SYS_TRANSFORMER_H

#include "../base.h"
#include "../error.h"
#include "../image.h"
#include "../transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of a custom transformer, called on worker threads, concurrently; they must not wait. Tables grow at the
 * end: `size` is sizeof of the caller's. */
typedef struct sdimage_transformer_vtable {
    size_t size;
    /* Makes *result from the image; the image itself, referenced, if nothing changes. `cache_key` is the printed form
     * of the key of the result (manager.h), `key_length` bytes, empty outside a load. A failure is returned to the
     * caller, except in a load, which delivers the image unchanged. A success without an image is TRANSFORM_FAILED. */
    sdimage_status (*transform)(void *user_data, const sdimage_image *image, const char *cache_key, size_t key_length,
                                sdimage_image **result, sdimage_error **error);
    /* Returns true if the result takes over the metadata of the image (sdimage_transformer_should_preserve_metadata);
     * NULL for true. */
    bool (*should_preserve_metadata)(void *user_data);
} sdimage_transformer_vtable;

/* Makes a transformer of functions of the host. `key` must distinguish its effect, including its parameters, from all
 * others; it is copied. `destroy(user_data)` is called once, also when this call fails. INVALID_ARGUMENT: no key, or an
 * empty one. */
SDIMAGE_API sdimage_status sdimage_transformer_new_custom(const char *key, const sdimage_transformer_vtable *vtable,
                                                          void *user_data, sdimage_destroy_fn destroy,
                                                          sdimage_transformer **transformer, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
