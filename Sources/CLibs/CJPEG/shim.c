/* shim.c: decoding with libjpeg-turbo. The functions do what their counterparts in libjpeg do (libjpeg.txt), and return
   codes. JPEGRowDecoder calls them on the thread of a decode; a decoder belongs to one decode.

   libjpeg reports errors by a function that must not return: on_error leaves by longjmp. Each function therefore sets
   `escape` first. Warnings go through on_message, which counts those that mean damage, or fails by the tolerance. */
#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

/* A decoder of one file. libjpeg holds pointers to the parts of it. */
struct cjpeg_decoder {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors; /* libjpeg's, with functions replaced */
    jmp_buf escape;               /* set by each function that calls libjpeg */
    int tolerance;                /* CJPEG_ACCEPT_… */
    /* The first damage in the entropy-coded data: CJPEG_TRUNCATED or CJPEG_BAD_DATA; CJPEG_OK for none. */
    int damage;
    /* Damage of either kind. Whatever follows the end of the data is missing, not corrupt. */
    int is_cut, is_corrupt;
    int status; /* the code of the last failure */
    int code;   /* libjpeg's number of the message */
    char message[JMSG_LENGTH_MAX];
    int is_growing; /* opened by cjpeg_open_growing */
    struct jpeg_source_mgr source;
    /* For a growing file: bytes so far, and the number of future bytes to skip. */
    size_t count, to_skip;
};

/* Maps errors of libjpeg to codes. After the end of the data, any other error counts as a consequence of it. */
static int status_of_error(int code, int damage) {
    switch (code) {
    case JERR_OUT_OF_MEMORY: return CJPEG_NO_MEMORY;
    case JERR_NO_BACKING_STORE:
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW: return CJPEG_TOO_LARGE;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED: return CJPEG_UNSUPPORTED;
    default: return damage == CJPEG_TRUNCATED ? CJPEG_TRUNCATED : CJPEG_BAD_DATA;
    }
}

/* Selects the warnings that mean missing or wrong pixels; the others are harmless. */
static int damage_of_warning(int code) {
    switch (code) {
    case JWRN_JPEG_EOF: return CJPEG_TRUNCATED;
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC: return CJPEG_BAD_DATA;
    default: return CJPEG_OK;
    }
}

/* Stores the message, and returns to the last setjmp. */
static _Noreturn void fail(cjpeg_decoder *decoder, int status) {
    decoder->status = status;
    decoder->code = decoder->errors.msg_code;
    decoder->errors.format_message((j_common_ptr)&decoder->info, decoder->message);
    longjmp(decoder->escape, 1);
}

/* Receives the errors of libjpeg; does not return. */
static void on_error(j_common_ptr info) {
    cjpeg_decoder *decoder = info->client_data;
    fail(decoder, status_of_error(decoder->errors.msg_code, decoder->damage));
}

/* Receives warnings (a negative level) and traces. libjpeg continues after a warning. */
static void on_message(j_common_ptr info, int level) {
    if (level >= 0)
        return;
    cjpeg_decoder *decoder = info->client_data;
    int damage = damage_of_warning(decoder->errors.msg_code);
    if (damage == CJPEG_OK)
        return;
    /* The first damage decides the status; later warnings are often its consequences. */
    if (decoder->damage == CJPEG_OK)
        decoder->damage = damage;
    if (damage == CJPEG_TRUNCATED)
        decoder->is_cut = 1;
    else if (!decoder->is_cut)
        decoder->is_corrupt = 1;
    if (decoder->tolerance < (damage == CJPEG_TRUNCATED ? CJPEG_ACCEPT_MISSING : CJPEG_ACCEPT_CORRUPT))
        fail(decoder, damage);
}

/* Discards messages, which libjpeg would print to the standard error output. */
static void on_output(j_common_ptr info) {
    (void)info;
}

/* Makes a decoder, whose source of bytes `prepare` sets. NULL if memory is exhausted. */
static cjpeg_decoder *open_decoder(int tolerance, void (*prepare)(cjpeg_decoder *, const void *, size_t),
                                   const void *bytes, size_t count) {
    cjpeg_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder)
        return NULL;
    decoder->tolerance = tolerance;
    decoder->info.err = jpeg_std_error(&decoder->errors);
    decoder->info.client_data = decoder;
    decoder->errors.error_exit = on_error;
    decoder->errors.emit_message = on_message;
    decoder->errors.output_message = on_output;
    if (setjmp(decoder->escape)) {
        cjpeg_close(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->info);
    prepare(decoder, bytes, count);
    return decoder;
}

/* Sets a source that has the complete file. */
static void use_memory(cjpeg_decoder *decoder, const void *bytes, size_t count) {
    jpeg_mem_src(&decoder->info, bytes, count);
}

cjpeg_decoder *cjpeg_open(const void *bytes, size_t count, int tolerance) {
    return open_decoder(tolerance, use_memory, bytes, count);
}

/* --- Growing files. */

/* The source needs no start and no end. */
static void on_source(j_decompress_ptr info) {
    (void)info;
}

/* No more bytes: libjpeg returns to its caller, and restores its position at the next call. */
static boolean suspend(j_decompress_ptr info) {
    (void)info;
    return FALSE;
}

/* Skips bytes, which may be beyond those that are there. */
static void pass_over(j_decompress_ptr info, long count) {
    cjpeg_decoder *decoder = info->client_data;
    if (count <= 0)
        return;
    size_t wanted = (size_t)count, there = info->src->bytes_in_buffer, n = wanted < there ? wanted : there;
    info->src->next_input_byte += n;
    info->src->bytes_in_buffer -= n;
    decoder->to_skip += wanted - n;
}

/* Sets a source that suspends libjpeg at the end of the bytes. */
static void use_growing(cjpeg_decoder *decoder, const void *bytes, size_t count) {
    struct jpeg_source_mgr *source = &decoder->source;
    source->init_source = on_source;
    source->fill_input_buffer = suspend;
    source->skip_input_data = pass_over;
    /* Looks for the next restart marker after damage, as the standard source does. */
    source->resync_to_restart = jpeg_resync_to_restart;
    source->term_source = on_source;
    source->next_input_byte = bytes;
    source->bytes_in_buffer = count;
    decoder->is_growing = 1;
    decoder->info.src = source;
}

cjpeg_decoder *cjpeg_open_growing(void) {
    return open_decoder(CJPEG_ACCEPT_MISSING, use_growing, NULL, 0);
}

void cjpeg_feed(cjpeg_decoder *decoder, const void *bytes, size_t count) {
    /* Bytes that libjpeg has consumed; it may still go back to the start of an incomplete unit, which counts as not
       consumed. */
    size_t taken = decoder->count - decoder->source.bytes_in_buffer;
    if (!decoder->is_growing || count < decoder->count)
        return;
    size_t skipped = decoder->to_skip < count - taken ? decoder->to_skip : count - taken;
    decoder->to_skip -= skipped;
    decoder->source.next_input_byte = (const JOCTET *)bytes + taken + skipped;
    decoder->source.bytes_in_buffer = count - taken - skipped;
    decoder->count = count;
}

/* --- Header, scans, rows. */

/* Returns the color model; 0 for others, such as two components. */
static int kind_of(const struct jpeg_decompress_struct *info) {
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: return CJPEG_GRAY;
    case JCS_RGB:
    case JCS_YCbCr: return CJPEG_COLOR;
    case JCS_CMYK:
    case JCS_YCCK: return CJPEG_CMYK;
    default: return 0;
    }
}

int cjpeg_read_header(cjpeg_decoder *decoder, cjpeg_header *header) {
    if (setjmp(decoder->escape))
        return decoder->status;
    struct jpeg_decompress_struct *info = &decoder->info;
    if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED)
        return CJPEG_NEEDS_MORE;
    header->width = info->image_width;
    header->height = info->image_height;
    header->kind = kind_of(info);
    header->is_ycc = info->jpeg_color_space == JCS_YCbCr;
    header->is_progressive = info->progressive_mode;
    header->has_multiple_scans = jpeg_has_multiple_scans(info);
    header->mcu_rows = (uint32_t)info->max_v_samp_factor * DCTSIZE;
    /* libjpeg holds the coefficients of all blocks if a file has several scans. */
    header->coefficient_bytes = 0;
    for (int i = 0; i < info->num_components; i++) {
        uint64_t columns = info->comp_info[i].width_in_blocks, rows = info->comp_info[i].height_in_blocks;
        header->coefficient_bytes += columns * rows * sizeof(JBLOCK);
    }
    if (header->kind == 0) {
        snprintf(decoder->message, sizeof decoder->message, "%d components", info->num_components);
        return CJPEG_UNSUPPORTED;
    }
    return CJPEG_OK;
}

void cjpeg_scaled_size(const cjpeg_header *header, int eighths, uint32_t *width, uint32_t *height) {
    *width = (uint32_t)(((uint64_t)header->width * (uint64_t)eighths + 7) / 8);
    *height = (uint32_t)(((uint64_t)header->height * (uint64_t)eighths + 7) / 8);
}

int cjpeg_start(cjpeg_decoder *decoder, int output, int eighths, size_t memory_limit) {
    /* Indexed by CJPEG_OUT_… */
    static const J_COLOR_SPACE spaces[] = {JCS_GRAYSCALE, JCS_EXT_RGB, JCS_EXT_RGBA, JCS_EXT_BGRA, JCS_CMYK, JCS_YCbCr};
    if (setjmp(decoder->escape))
        return decoder->status;
    struct jpeg_decompress_struct *info = &decoder->info;
    info->out_color_space = spaces[output];
    info->scale_num = (unsigned)eighths;
    info->scale_denom = 8;
    info->mem->max_memory_to_use = (long)memory_limit;
    /* Buffered scans: the caller keeps the thread between the steps of reading ahead. */
    info->buffered_image = jpeg_has_multiple_scans(info);
    return jpeg_start_decompress(info) ? CJPEG_OK : CJPEG_NEEDS_MORE;
}

int cjpeg_read_ahead(cjpeg_decoder *decoder, int max_scans, int *done) {
    /* A step reads at most a row of MCUs; the caller can check its limits between calls. */
    enum { STEPS = 16 };
    *done = 1;
    if (!decoder->info.buffered_image)
        return CJPEG_OK;
    if (setjmp(decoder->escape))
        return decoder->status;
    struct jpeg_decompress_struct *info = &decoder->info;
    for (int i = 0; i < STEPS && !jpeg_input_complete(info); i++) {
        jpeg_consume_input(info);
        if (info->input_scan_number > max_scans)
            return CJPEG_TOO_MANY_SCANS;
    }
    *done = jpeg_input_complete(info);
    /* The last scan has all data: its rows are the image. */
    if (*done)
        jpeg_start_output(info, info->input_scan_number);
    return CJPEG_OK;
}

int cjpeg_take_scans(cjpeg_decoder *decoder, int max_scans, int *whole, int *done) {
    enum { STEPS = 16 };
    *done = 0;
    if (setjmp(decoder->escape))
        return decoder->status;
    struct jpeg_decompress_struct *info = &decoder->info;
    int result = JPEG_ROW_COMPLETED;
    for (int i = 0; i < STEPS && result != JPEG_SUSPENDED && result != JPEG_REACHED_EOI; i++) {
        result = jpeg_consume_input(info);
        if (info->input_scan_number > max_scans)
            return CJPEG_TOO_MANY_SCANS;
    }
    *done = jpeg_input_complete(info);
    /* The last scan is known to be complete only when something follows it. */
    *whole = info->input_scan_number - (*done ? 0 : 1);
    return result == JPEG_SUSPENDED ? CJPEG_NEEDS_MORE : CJPEG_OK;
}

int cjpeg_begin_pass(cjpeg_decoder *decoder) {
    if (setjmp(decoder->escape))
        return decoder->status;
    struct jpeg_decompress_struct *info = &decoder->info;
    /* Rows of an incomplete scan would suspend the output. Those of the scan before include the data that is
       available. */
    int scan = info->input_scan_number - (jpeg_input_complete(info) ? 0 : 1);
    return jpeg_start_output(info, scan) ? CJPEG_OK : CJPEG_NEEDS_MORE;
}

int cjpeg_end_pass(cjpeg_decoder *decoder) {
    if (setjmp(decoder->escape))
        return decoder->status;
    return jpeg_finish_output(&decoder->info) ? CJPEG_OK : CJPEG_NEEDS_MORE;
}

int cjpeg_read_rows(cjpeg_decoder *decoder, uint8_t *const *rows, uint32_t count, uint32_t *got) {
    *got = 0;
    if (setjmp(decoder->escape))
        return decoder->status;
    /* The library returns one or two rows at a time. Its parameter is not const, but it changes only the rows. */
    for (uint32_t more = 1; more > 0 && *got < count; *got += more)
        more = jpeg_read_scanlines(&decoder->info, (JSAMPARRAY)rows + *got, count - *got);
    return *got > 0 ? CJPEG_OK : decoder->is_growing ? CJPEG_NEEDS_MORE : CJPEG_BAD_DATA;
}

int cjpeg_skip_rows(cjpeg_decoder *decoder, uint32_t count) {
    if (setjmp(decoder->escape))
        return decoder->status;
    return jpeg_skip_scanlines(&decoder->info, count) == count ? CJPEG_OK : CJPEG_BAD_DATA;
}

int cjpeg_is_damaged(const cjpeg_decoder *decoder) {
    return decoder->damage != CJPEG_OK;
}

int cjpeg_is_corrupt(const cjpeg_decoder *decoder) {
    return decoder->is_corrupt;
}

int cjpeg_has_end(const cjpeg_decoder *decoder) {
    if (decoder->is_cut || !decoder->info.src)
        return 0;
    if (decoder->info.unread_marker == JPEG_EOI)
        return 1;
    const JOCTET *next = decoder->info.src->next_input_byte, *end = next + decoder->info.src->bytes_in_buffer;
    /* A file of several scans is read to its end, which leaves the marker behind. */
    if (decoder->info.buffered_image)
        return 1;
    while (next < end && (next = memchr(next, 0xFF, (size_t)(end - next))) && ++next < end)
        if (*next == JPEG_EOI)
            return 1;
    return 0;
}

const char *cjpeg_message(const cjpeg_decoder *decoder) {
    return decoder->message;
}

int cjpeg_message_code(const cjpeg_decoder *decoder) {
    return decoder->code;
}

void cjpeg_close(cjpeg_decoder *decoder) {
    if (!decoder)
        return;
    if (decoder->info.mem)
        jpeg_destroy_decompress(&decoder->info);
    free(decoder);
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *cjpeg_version(void) {
    return "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION);
}
