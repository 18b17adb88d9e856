/* decoder.h: one pass through the pictures of a JPEG XL file. */
#ifndef SDJXL_DECODER_H
#define SDJXL_DECODER_H

#include <jxl/decode.h>
#include <jxl/version.h>

#include "../../Modules/common/picture.h"
#include "../common/clock.h"

/* Threads of libjxl, which stop taking work when the time is over. */
typedef struct sdjxl_runner {
    void *threads;
    sdplug_deadline deadline;
} sdjxl_runner;

typedef enum sdjxl_event {
    SDJXL_NEED_INPUT,
    SDJXL_PREVIEW, /* the picture is there at 1:8 */
    SDJXL_PICTURE, /* whole: sdjxl_take has it */
    SDJXL_END
} sdjxl_event;

typedef struct sdjxl_decoder {
    JxlDecoder *decoder;
    sdjxl_runner runner;
    sdmod_wish wish;
    JxlBasicInfo info;
    bool has_info;
    sdimage_pixel_format format;
    uint8_t *profile; /* ICC, NULL for none */
    size_t profile_length;
    uint16_t primaries, transfer; /* ITU-T H.273; 2: not told by them */
    sdimage_image *plain;         /* is being written */
    uint8_t *pixels;
    size_t stride;
} sdjxl_decoder;

/* To be closed, also after a failure. */
sdimage_status sdjxl_open(sdjxl_decoder *self, const sdmod_wish *wish, sdplug_deadline deadline, sdimage_error **error);
void sdjxl_close(sdjxl_decoder *self);

/* Goes on to the next event. Input is set and released on self->decoder by the caller. Errors: BAD_DATA, TOO_LARGE,
 * UNSUPPORTED, TIMEOUT, NO_MEMORY. */
sdimage_status sdjxl_next(sdjxl_decoder *self, sdjxl_event *event, sdimage_error **error);

/* The whole picture, which is the caller's from then on. `frames`: of the file. */
sdimage_status sdjxl_take(sdjxl_decoder *self, uint32_t frames, sdimage_image **image, sdimage_error **error);

/* What can be shown so far, as a picture of its own; NEED_MORE_DATA when nothing can. */
sdimage_status sdjxl_show(sdjxl_decoder *self, uint32_t frames, sdimage_image **image, sdimage_error **error);

/* What the header says. */
sdmod_facts sdjxl_facts(const sdjxl_decoder *self, uint32_t frames);

#endif
