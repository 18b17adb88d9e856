/* source.h: random access to encoded bytes, for coders that need only a part of them, such as the index and one image
 * of a video.
 *
 * Class: synchronised: several threads may read concurrently. The bytes of a source must not change while it is
 * used. */
#ifndef SDIMAGE_SOURCE_H
#define SDIMAGE_SOURCE_H

#include "base.h"
#include "coder.h"
#include "data.h"
#include "decoder.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a source of a regular file, which is read on demand. `path` is NUL-terminated, in the file system's own bytes.
 * Errors: NOT_FOUND, PERMISSION_DENIED, NOT_A_FILE, IO_ERROR, INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_source_new_file(const char *path, sdimage_source **source, sdimage_error **error);

/* Makes a source of bytes in memory, by reference. */
SDIMAGE_API sdimage_status sdimage_source_new_data(sdimage_data *data, sdimage_source **source, sdimage_error **error);

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
SDIMAGE_API sdimage_status sdimage_source_new_custom(const sdimage_source_vtable *vtable, uint64_t length,
                                                     void *user_data, sdimage_destroy_fn destroy,
                                                     sdimage_source **source, sdimage_error **error);
SDIMAGE_API sdimage_source *sdimage_source_ref(sdimage_source *source);
SDIMAGE_API void sdimage_source_unref(sdimage_source *source);

/* Total number of bytes. */
SDIMAGE_API uint64_t sdimage_source_size(const sdimage_source *source);

/* Copies up to `length` bytes from `offset` and stores their number: fewer only at the end, 0 beyond it. Errors:
 * IO_ERROR, and those of the host's function. */
SDIMAGE_API sdimage_status sdimage_source_read(const sdimage_source *source, uint64_t offset, void *buffer,
                                               size_t length, size_t *read, sdimage_error **error);

/* Makes a decoder of all bytes of a source, finished from the start. A coder with `open_source` reads what it needs;
 * for other coders all bytes are read here, up to the limit of 256 MiB. `options` and `coder` as in
 * sdimage_decoder_new; errors as in sdimage_decoder_append, and those of reading. */
SDIMAGE_API sdimage_status sdimage_decoder_new_source(sdimage_source *source,
                                                           const sdimage_decode_options *options, sdimage_coder *coder,
                                                           sdimage_decoder **decoder, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
