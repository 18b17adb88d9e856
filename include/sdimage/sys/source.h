/* sys/source.h: custom sources, such as a part of an archive or ranges of a remote file.
 *
 * Class: synchronized. */
#ifndef SDIMAGE_SYS_SOURCE_H
#define SDIMAGE_SYS_SOURCE_H

#include "../base.h"
#include "../decode.h"
#include "../error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of a custom source, such as a part of an archive or ranges of a remote file. `read` is required. */
typedef struct sdimage_source_vtable {
    size_t size;
    /* Copies up to `length` bytes from `offset`, which is less than the length of the source, and stores their number,
     * at least 1, in *read. May block; called from several threads concurrently. */
    sdimage_status (*read)(void *user_data, uint64_t offset, void *buffer, size_t length, size_t *read,
                           sdimage_error **error);
} sdimage_source_vtable;

/* Makes a source of functions of the host. `length` is the total number of bytes. `destroy(user_data)` is called once,
 * also when this call fails. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_source_new_custom(uint64_t length, const sdimage_source_vtable *vtable,
                                                     void *user_data, sdimage_destroy_fn destroy,
                                                     sdimage_source **source, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
