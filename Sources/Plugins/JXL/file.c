/* file.c: one walk of libjxl through a complete file, for the durations of its frames and its metadata boxes (see
 * file.h). */
#include "file.h"

#include <stdlib.h>
#include <string.h>

/* Limits: frames of an animation (docs/decisions.md, "Limits of one decode"), boxes, and the shortest frame
 * duration. */
enum { MOST_FRAMES = 10000, MOST_BOXES = 65536, SHORTEST_MS = 100 };

/* The size of the offset of the TIFF structure, with which an Exif box begins (ISO/IEC 18181-2, 9.4). */
enum { EXIF_OFFSET = 4 };

/* --- Frames. */

/* Converts ticks to milliseconds, rounded to the nearest; at least SHORTEST_MS. */
static uint32_t milliseconds(const JxlBasicInfo *info, uint32_t ticks) {
    uint64_t numerator = info->animation.tps_numerator, denominator = info->animation.tps_denominator;
    uint64_t duration = numerator ? ((uint64_t)ticks * denominator * 1000 + numerator / 2) / numerator : 0;
    return duration < SHORTEST_MS ? SHORTEST_MS : duration > UINT32_MAX ? UINT32_MAX : (uint32_t)duration;
}

/* Handles JXL_DEC_FRAME: appends the duration of a frame that is shown. 0 for a still. */
static sdimage_status add_frame(sdjxl_file *file, JxlDecoder *decoder, sdimage_error **error) {
    JxlFrameHeader header;
    if (JxlDecoderGetFrameHeader(decoder, &header) != JXL_DEC_SUCCESS)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: frame has no header");
    if (file->count == MOST_FRAMES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "jxl: frames exceed the limit of 10000");
    /* The array is full when the count is 0 or a power of two. */
    if ((file->count & (file->count - 1)) == 0) {
        uint32_t *more = realloc(file->durations, (file->count ? (size_t)file->count * 2 : 1) * sizeof *more);
        if (!more)
            return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for frames");
        file->durations = more;
    }
    /* Only animations have ticks. */
    uint32_t duration = file->info.have_animation ? milliseconds(&file->info, header.duration) : 0;
    file->is_whole = header.is_last;
    file->durations[file->count++] = duration;
    file->duration_ms += duration;
    return SDIMAGE_STATUS_OK;
}

/* --- Boxes. */

/* The box that is being read; its block is NULL if the box was not requested. */
typedef struct reading {
    sdjxl_block *block;
    size_t given; /* bytes of the block handed to libjxl as buffer */
} reading;

/* Takes the buffer back from libjxl and counts the bytes in it. No effect if no box is being read. */
static void end_box(JxlDecoder *decoder, reading *reading) {
    if (reading->block)
        reading->block->length += reading->given - JxlDecoderReleaseBoxBuffer(decoder);
    reading->block = NULL;
}

/* Frees a block, which then counts as missing. */
static void drop(sdjxl_block *block) {
    free(block->bytes);
    *block = (sdjxl_block){NULL, 0, 0};
}

/* Enlarges the buffer for the box. A box that exceeds the size limit is skipped. */
static sdimage_status give_room(JxlDecoder *decoder, reading *reading, sdimage_error **error) {
    sdjxl_block *block = reading->block;
    if (!block)
        return SDIMAGE_STATUS_OK;
    end_box(decoder, reading);
    /* Dropped, not truncated: half of a block is of no use. */
    if (block->room > SDCS_BLOCK_LIMIT) {
        drop(block);
        return SDIMAGE_STATUS_OK;
    }
    /* Doubled, up to twice the limit: the length of a compressed box is not known before its end. */
    size_t room = block->room ? block->room * 2 : 4096;
    uint8_t *more = realloc(block->bytes, room);
    if (!more)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for a metadata block");
    block->bytes = more, block->room = room;
    reading->block = block, reading->given = room - block->length;
    if (JxlDecoderSetBoxBuffer(decoder, block->bytes + block->length, reading->given) == JXL_DEC_SUCCESS)
        return SDIMAGE_STATUS_OK;
    reading->block = NULL;
    return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: box cannot be read");
}

/* Handles JXL_DEC_BOX: ends the box before, and begins to read an `Exif` or `xml ` box. Others, without a buffer, are
 * skipped. */
static sdimage_status begin_box(sdjxl_file *file, JxlDecoder *decoder, reading *reading, sdimage_error **error) {
    JxlBoxType type;
    end_box(decoder, reading);
    /* JXL_TRUE: the type inside a compressed box (`brob`). */
    if (JxlDecoderGetBoxType(decoder, type, JXL_TRUE) != JXL_DEC_SUCCESS)
        return SDIMAGE_STATUS_OK;
    sdjxl_block *block = !memcmp(type, "Exif", 4) ? &file->exif : !memcmp(type, "xml ", 4) ? &file->xmp : NULL;
    /* The first of several boxes counts. */
    if (!block || block->bytes)
        return SDIMAGE_STATUS_OK;
    reading->block = block, reading->given = 0;
    size_t room = 4096;
    block->bytes = malloc(room);
    if (!block->bytes)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for a metadata block");
    block->room = reading->given = room;
    if (JxlDecoderSetBoxBuffer(decoder, block->bytes, room) != JXL_DEC_SUCCESS)
        reading->block = NULL;
    return SDIMAGE_STATUS_OK;
}

/* --- Reading. */

/* Handles all events up to the end of the file. No event of an image is subscribed, so that libjxl decodes no
 * pixels. */
static sdimage_status walk(sdjxl_file *file, JxlDecoder *decoder, sdcs_deadline deadline, sdimage_error **error) {
    reading reading = {NULL, 0};
    for (uint32_t boxes = 0;;) {
        sdimage_status status = sdcs_check_deadline(deadline, error);
        if (status < 0)
            return status;
        switch (JxlDecoderProcessInput(decoder)) {
        case JXL_DEC_BASIC_INFO:
            if (JxlDecoderGetBasicInfo(decoder, &file->info) != JXL_DEC_SUCCESS)
                status = sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: header cannot be read");
            break;
        case JXL_DEC_FRAME: status = add_frame(file, decoder, error); break;
        case JXL_DEC_BOX:
            status = ++boxes > MOST_BOXES
                         ? sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "jxl: boxes exceed the limit of 65536")
                         : begin_box(file, decoder, &reading, error);
            break;
        case JXL_DEC_BOX_NEED_MORE_OUTPUT: status = give_room(decoder, &reading, error); break;
        case JXL_DEC_SUCCESS: end_box(decoder, &reading); return SDIMAGE_STATUS_OK;
        case JXL_DEC_NEED_MORE_INPUT:
            end_box(decoder, &reading);
            /* A still needs only the header, and a last box may be open-ended. */
            if (file->is_whole || (file->info.xsize && !file->info.have_animation))
                return SDIMAGE_STATUS_OK;
            return sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "jxl: data ends early");
        default: return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: data is damaged");
        }
        if (status < 0)
            return status;
    }
}

sdimage_status sdjxl_file_read(sdjxl_file *file, const void *bytes, size_t length, bool with_blocks,
                               sdcs_deadline deadline, sdimage_error **error) {
    *file = (sdjxl_file){.count = 0};
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    int events = JXL_DEC_BASIC_INFO | JXL_DEC_FRAME | (with_blocks ? JXL_DEC_BOX : 0);
    if (!decoder)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for a decoder");
    sdimage_status status = SDIMAGE_STATUS_OK;
    if (JxlDecoderSubscribeEvents(decoder, events) != JXL_DEC_SUCCESS ||
        (with_blocks && JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE) != JXL_DEC_SUCCESS) ||
        JxlDecoderSetInput(decoder, bytes, length) != JXL_DEC_SUCCESS)
        status = sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "jxl: no memory for a decoder");
    if (status >= 0)
        status = walk(file, decoder, deadline, error);
    JxlDecoderDestroy(decoder);
    /* A truncated still has its header, but not always that of its frame. */
    if (!file->count)
        file->count = 1;
    /* The offset is skipped, and counts as 0: the TIFF structure begins right after it. */
    if (file->exif.length > EXIF_OFFSET) {
        file->exif.length -= EXIF_OFFSET;
        memmove(file->exif.bytes, file->exif.bytes + EXIF_OFFSET, file->exif.length);
    } else {
        drop(&file->exif);
    }
    return status;
}

void sdjxl_file_close(sdjxl_file *file) {
    drop(&file->exif);
    drop(&file->xmp);
    free(file->durations);
    *file = (sdjxl_file){.count = 0};
}
