/* frames.h: the limit of the memory of frames, which libjxl does not have.
 *
 * Frames may be larger than the image: layers that exceed it, and frames that are not shown but referenced by others.
 * Their headers are read here (ISO/IEC 18181-1, annex F), and libjxl is given a frame once its memory is known to be
 * within the limits. */
#ifndef SDJXL_FRAMES_H
#define SDJXL_FRAMES_H

#include <jxl/decode.h>
#include <sdimage/error.h>

#include "codestream.h"

/* The headers of the frames of a file, as far as they were read. */
typedef struct sdjxl_frames {
    JxlBasicInfo info;
    bool has_begun;         /* false while libjxl reads the header of the image */
    bool is_preview;        /* the next frame is the preview of the header, which is not decoded */
    bool is_last;           /* no frame follows */
    sdjxl_position next;    /* the end of the frames that were read */
    uint64_t missing;       /* bytes between `next` and that end whose boxes have not arrived */
    uint64_t references[4]; /* bytes of the frames that others reference */
} sdjxl_frames;

/* Begins before the first frame, which is at the offset in the file, or in a later box. */
void sdjxl_frames_begin(sdjxl_frames *self, const JxlBasicInfo *info, const uint8_t *bytes, size_t length,
                        size_t offset);

/* Returns the count of bytes from the beginning of the file that libjxl may be given. */
size_t sdjxl_frames_end(sdjxl_frames *self, const uint8_t *bytes, size_t length);

/* Reads the header and the table of contents of the next frame, and checks its memory. Errors: NEED_MORE_DATA (not
 * stored), BAD_DATA, UNSUPPORTED, TOO_LARGE, NO_MEMORY. */
sdimage_status sdjxl_frames_admit(sdjxl_frames *self, const uint8_t *bytes, size_t length, sdimage_error **error);

/* Returns the bytes of the planes of an image or frame, with the padding of their rows. `channels`: not 0. */
uint64_t sdjxl_plane_bytes(uint32_t channels, uint32_t width, uint32_t height);

#endif
