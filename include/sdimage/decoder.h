/* decoder.h: progressive decoding while the bytes arrive, and decoding of animations.
 *
 * One object serves both. Append the bytes as they arrive, and show the best image so far:
 *
 *   sdimage_decoder *decoder = NULL;
 *   sdimage_decoder_new(NULL, NULL, &decoder, &error);
 *   do {
 *       n = read(file, piece, sizeof piece);
 *       status = sdimage_decoder_append(decoder, piece, n > 0 ? n : 0, n <= 0, &error);
 *       if (status >= 0 && sdimage_decoder_get_image(decoder, &image, NULL) == SDIMAGE_STATUS_OK)
 *           show_and_unref(image);
 *   } while (n > 0 && status == SDIMAGE_STATUS_OK);
 *
 * or append the whole animation and request frames in any order. Each frame is composed to the full canvas. A few
 * canvases are held, so that every frame costs a few partial decodes and memory stays bounded.
 *
 * Class: synchronised, except that sdimage_decoder_append is called by one thread at a time. Nothing here starts a
 * thread; a forked child may use it. For every division of the bytes, the last image and the last error are those that
 * sdimage_decode returns for all bytes. */
#ifndef SDIMAGE_DECODER_H
#define SDIMAGE_DECODER_H

#include "base.h"
#include "coder.h"
#include "data.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A decoder of a progressive image or an animation. Class: synchronised, as above. */
typedef struct sdimage_decoder sdimage_decoder;

/* Creates an empty decoder. `options` may be NULL for the defaults; they are copied. `coder` decodes in place of the
 * registered ones; NULL detects the format from the bytes. Errors: INVALID_ARGUMENT, BAD_HANDLE. */
SDIMAGE_API sdimage_status sdimage_decoder_new(const sdimage_decode_options *options, sdimage_coder *coder,
                                               sdimage_decoder **decoder, sdimage_error **error);
SDIMAGE_API sdimage_decoder *sdimage_decoder_ref(sdimage_decoder *decoder);
SDIMAGE_API void sdimage_decoder_unref(sdimage_decoder *decoder);

/* Appends the next bytes, which are copied. `finished` marks the last ones; with it `length` may be 0. Returns OK, or
 * END when more bytes would change nothing: an early thumbnail is complete, or the end of the image was reached. Bytes
 * after the last are ignored. Errors are returned as soon as they are certain, and by every later call: NOT_AN_IMAGE,
 * UNSUPPORTED, BAD_DATA, TRUNCATED (only once finished), TOO_LARGE, TIMEOUT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_decoder_append(sdimage_decoder *decoder, const void *bytes, size_t length,
                                                  bool finished, sdimage_error **error);

/* Returns the best image so far, at the size of the final one: missing rows or scans are transparent or black, and
 * sdimage_image_is_incremental returns true until the last bytes were appended. (The orientation of a WebP is at its
 * end; until then the image is shown as stored.) For an animation this is the first frame. NEED_MORE_DATA, without
 * writing *image, while there is none. Formats without partial decoding have their image when all bytes have arrived.
 * Errors as above. */
SDIMAGE_API sdimage_status sdimage_decoder_get_image(sdimage_decoder *decoder, sdimage_image **image,
                                                      sdimage_error **error);

/* Returns the size in pixels of the decoded images; 0 x 0 until the header has arrived. */
SDIMAGE_API sdimage_size sdimage_decoder_size(const sdimage_decoder *decoder);

/* Returns the number of complete frames so far, which grows with the bytes; 1 for a still. */
SDIMAGE_API uint32_t sdimage_decoder_frame_count(const sdimage_decoder *decoder);

/* Returns the loop count of an animation as stored; 0 = infinite. Without a stored count: 1 for GIF, 0 for other
 * formats. */
SDIMAGE_API uint32_t sdimage_decoder_loop_count(const sdimage_decoder *decoder);

/* Returns the duration of a frame in milliseconds as stored, but 100 for durations below 11, as browsers do. 0 for
 * stills, and outside the frames. */
SDIMAGE_API uint32_t sdimage_decoder_frame_duration_ms(const sdimage_decoder *decoder, uint32_t index);

/* Returns frame `index`, composed to the whole canvas; in any order. A frame that cannot be decoded returns its error,
 * and later frames are composed as if it had drawn nothing. Errors: INVALID_ARGUMENT (no such frame), BAD_DATA,
 * TOO_LARGE, TIMEOUT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_decoder_get_frame(sdimage_decoder *decoder, uint32_t index, sdimage_image **image,
                                                      sdimage_error **error);

/* Returns all bytes appended so far, by reference. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_decoder_get_data(const sdimage_decoder *decoder, sdimage_data **data,
                                                      sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
