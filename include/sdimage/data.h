/* data.h: immutable bytes, passed by reference.
 *
 * Class: immutable. */
#ifndef SDIMAGE_DATA_H
#define SDIMAGE_DATA_H

#include "base.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a copy of `length` bytes. `bytes` may be NULL when `length` is 0. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_data_new(const void *bytes, size_t length, sdimage_data **data,
                                            sdimage_error **error);

/* Adopts bytes without a copy. They must stay valid and unchanged until `destroy(user_data)`, which is called once
 * after the last reference is released, also when this call fails. */
SDIMAGE_API sdimage_status sdimage_data_new_adopting(const void *bytes, size_t length, void *user_data,
                                                     sdimage_destroy_fn destroy, sdimage_data **data,
                                                     sdimage_error **error);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_data *sdimage_data_ref(const sdimage_data *data);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_data_unref(sdimage_data *data);

/* Returns the bytes, borrowed; the address of a NUL when there are none, so that a text is never NULL. */
SDIMAGE_API const void *sdimage_data_bytes(const sdimage_data *data);

/* Returns the number of bytes. */
SDIMAGE_API size_t sdimage_data_length(const sdimage_data *data);

#ifdef __cplusplus
}
#endif

#endif
