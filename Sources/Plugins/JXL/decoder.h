/* decoder.h: one pass through the frames of a JPEG XL file, in order. jxl.c feeds it with bytes and handles its
 * events. */
#ifndef SDJXL_DECODER_H
#define SDJXL_DECODER_H

#include <jxl/decode.h>
#include <jxl/version.h>

#include "deadline.h"
#include "frames.h"
#include "image.h"

/* Reasons for which sdjxl_next returns. */
typedef enum sdjxl_event {
    SDJXL_NEED_INPUT, /* the next step needs more bytes */
    SDJXL_HEADER,     /* header and colors were read: the first frame follows in the input */
    SDJXL_PREVIEW,    /* the 1:8 preview is available */
    SDJXL_FRAME,      /* the frame is complete: sdjxl_take returns it */
    SDJXL_END         /* no frames are left */
} sdjxl_event;

/* A decoder and the frame that it is decoding. Used by one thread at a time. */
typedef struct sdjxl_decoder {
    JxlDecoder *decoder;
    void *threads;          /* the parallel runner of libjxl */
    sdcs_deadline deadline; /* checked between events: libjxl aborts the process if its threads refuse work */
    sdcs_request request;
    size_t at;           /* bytes of the file that were consumed */
    sdjxl_frames frames; /* the headers read so far, which limit the input of libjxl */
    bool is_header_only; /* set by the caller: nothing is decoded, and no limit applies to planes */
    JxlBasicInfo info;   /* the header; valid once `has_info` is set */
    bool has_info;
    sdimage_pixel_format format; /* pixel format of `plain`: GRAY, RGB or RGBA of 8 or 16 bits */
    uint8_t *profile;            /* ICC, NULL for none */
    size_t profile_length;
    uint16_t primaries, transfer; /* ITU-T H.273; 2: not described by them */
    sdimage_image *plain;         /* being written */
    uint8_t *pixels;              /* pixels of `plain` */
    size_t stride;                /* bytes between its rows */
} sdjxl_decoder;

/* Opens the decoder. The caller closes it, also after a failure. */
sdimage_status sdjxl_open(sdjxl_decoder *self, const sdcs_request *request, sdcs_deadline deadline,
                          sdimage_error **error);
void sdjxl_close(sdjxl_decoder *self);

/* Continues to the next event. The caller sets and releases the input on self->decoder. Errors: BAD_DATA, TOO_LARGE,
 * UNSUPPORTED, TIMEOUT, NO_MEMORY. */
sdimage_status sdjxl_next(sdjxl_decoder *self, sdjxl_event *event, sdimage_error **error);

/* Transfers the complete frame to the caller. `frames`: the frame count of the file. */
sdimage_status sdjxl_take(sdjxl_decoder *self, uint32_t frames, sdimage_image **image, sdimage_error **error);

/* Makes an image of the pixels available so far; NEED_MORE_DATA if there are none. */
sdimage_status sdjxl_flush(sdjxl_decoder *self, uint32_t frames, sdimage_image **image, sdimage_error **error);

/* Returns the image properties from the header. */
sdcs_info sdjxl_image_info(const sdjxl_decoder *self, uint32_t frames);

#endif
