/* decoder.h: pictures that grow while their bytes arrive, and pictures that move.
 *
 * One object serves both. Feed it what arrives and show the best picture so far:
 *
 *   sdimage_decoder *decoder = NULL;
 *   sdimage_decoder_new(NULL, NULL, &decoder, &error);
 *   do {
 *       n = read(file, piece, sizeof piece);
 *       status = sdimage_decoder_append(decoder, piece, n > 0 ? n : 0, n <= 0, &error);
 *       if (status >= 0 && sdimage_decoder_copy_image(decoder, &image, NULL) == SDIMAGE_STATUS_OK)
 *           show_and_unref(image);
 *   } while (n > 0 && status == SDIMAGE_STATUS_OK);
 *
 * or give it the whole animation and ask for frames in any order: each is composed to the full canvas, and a few
 * canvases are kept, so that a frame costs a few partial decodes wherever it lies and memory stays bounded.
 *
 * Class: synchronised, except that sdimage_decoder_append is called by one thread at a time. Nothing here starts a
 * thread; a forked child may use it. However the bytes were cut, the last picture and the last error are those that
 * sdimage_decode gives for all of them. */
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

/* A picture that grows or moves. Class: single-owner. */
typedef struct sdimage_decoder sdimage_decoder;

/* An empty decoder. `options` may be NULL for the defaults; they are copied. `coder` decodes in place of the registered
 * ones; NULL chooses by the bytes. Errors: INVALID_ARGUMENT, BAD_HANDLE. */
SDIMAGE_API sdimage_status sdimage_decoder_new(const sdimage_decode_options *options, sdimage_coder *coder,
                                               sdimage_decoder **decoder, sdimage_error **error);
SDIMAGE_API sdimage_decoder *sdimage_decoder_ref(sdimage_decoder *decoder);
SDIMAGE_API void sdimage_decoder_unref(sdimage_decoder *decoder);

/* Takes the next bytes, which are copied; `finished` says that they are the last, and they may be none. Returns OK, or
 * END when more bytes would change nothing: an early thumbnail is complete, or the end of the picture has come. Bytes
 * after the last are ignored. Errors, as soon as they are certain, and the same from every later call: NOT_AN_IMAGE,
 * UNSUPPORTED, BAD_DATA, TRUNCATED (only once finished), TOO_LARGE, TIMEOUT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_decoder_append(sdimage_decoder *decoder, const void *bytes, size_t length,
                                                  bool finished, sdimage_error **error);

/* The best picture so far, at the size of the final one: rows or scans that have not come are transparent or black, and
 * sdimage_image_is_incremental says so until the last bytes were appended. (A WebP tells its orientation last and is
 * shown as stored until then.) Of an animation the first frame. NEED_MORE_DATA, and nothing stored, while there is
 * none. Formats that cannot show a part have their picture once all is there. Errors as above. */
SDIMAGE_API sdimage_status sdimage_decoder_copy_image(sdimage_decoder *decoder, sdimage_image **image,
                                                      sdimage_error **error);

/* Size in pixels of the pictures that it makes; 0 x 0 until the header has come. */
SDIMAGE_API sdimage_size sdimage_decoder_size(const sdimage_decoder *decoder);

/* Frames that are whole so far: grows with the bytes; 1 for a still. */
SDIMAGE_API uint32_t sdimage_decoder_frame_count(const sdimage_decoder *decoder);

/* How often an animation plays; 0 = for ever. As stored; where nothing is: 1 for GIF, 0 for other formats. */
SDIMAGE_API uint32_t sdimage_decoder_loop_count(const sdimage_decoder *decoder);

/* Milliseconds that a frame is shown: as stored, but 100 for less than 11, as browsers do. 0 for stills, and outside
 * the frames. */
SDIMAGE_API uint32_t sdimage_decoder_frame_duration_ms(const sdimage_decoder *decoder, uint32_t index);

/* Frame `index`, composed to the whole canvas; in any order. A frame that cannot be decoded gives its error, and those
 * after it are composed as if it had drawn nothing.
 * Errors: INVALID_ARGUMENT (no such frame), BAD_DATA, TOO_LARGE, TIMEOUT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_decoder_copy_frame(sdimage_decoder *decoder, uint32_t index, sdimage_image **image,
                                                      sdimage_error **error);

/* All bytes appended so far, by reference. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_decoder_copy_bytes(const sdimage_decoder *decoder, sdimage_data **data,
                                                      sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
