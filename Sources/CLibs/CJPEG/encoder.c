/* encoder.c: encoding with libjpeg-turbo. JPEGRowEncoder calls it on the thread of an encode, or on several, each with
 * an encoder of its own. Errors leave libjpeg by longjmp, as in shim.c. */
#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <jerror.h>

/* An encoder of one file. libjpeg holds pointers to the parts of it. */
struct cjpeg_encoder {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf escape; /* set by each function that calls libjpeg */
    int status;     /* the code of the last failure */
    int code;       /* libjpeg's number of the message */
    char message[JMSG_LENGTH_MAX];
    struct jpeg_destination_mgr destination; /* the unwritten part of the memory */
    cjpeg_grow grow;                         /* called with `context` */
    void *context;
    size_t count, capacity; /* bytes of the finished file, and of its memory */
    struct jpeg_progress_mgr progress;
    int (*stop)(void *context); /* asked by cjpeg_encoder_finish */
    void *stop_context;
};

/* Maps errors of libjpeg to codes. */
static int status_of_error(int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY: return CJPEG_NO_MEMORY;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW: return CJPEG_TOO_LARGE;
    default: return CJPEG_BAD_DATA;
    }
}

/* Stores the message, and returns to the last setjmp. */
static void on_error(j_common_ptr info) {
    cjpeg_encoder *encoder = info->client_data;
    encoder->status = status_of_error(encoder->errors.msg_code);
    encoder->code = encoder->errors.msg_code;
    encoder->errors.format_message(info, encoder->message);
    longjmp(encoder->escape, 1);
}

/* Ignores warnings and traces. */
static void on_message(j_common_ptr info, int level) {
    (void)info, (void)level;
}

static void on_output(j_common_ptr info) {
    (void)info;
}

/* --- The growing output. */

/* libjpeg fills the memory completely before it requests more, whatever its fields contain. */
static boolean grow_file(j_compress_ptr info) {
    cjpeg_encoder *encoder = info->client_data;
    size_t before = encoder->capacity;
    uint8_t *memory = encoder->grow(encoder->context, &encoder->capacity);
    /* ERREXIT1 calls on_error, and does not return. */
    if (!memory || encoder->capacity <= before)
        ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    encoder->destination.next_output_byte = memory + before;
    encoder->destination.free_in_buffer = encoder->capacity - before;
    return TRUE;
}

/* Provides the first memory; called by jpeg_start_compress. */
static void begin_file(j_compress_ptr info) {
    grow_file(info);
}

/* Called by jpeg_finish_compress. */
static void end_file(j_compress_ptr info) {
    cjpeg_encoder *encoder = info->client_data;
    encoder->count = encoder->capacity - encoder->destination.free_in_buffer;
}

cjpeg_encoder *cjpeg_encoder_open(cjpeg_grow grow, void *context) {
    cjpeg_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder)
        return NULL;
    encoder->grow = grow;
    encoder->context = context;
    encoder->info.err = jpeg_std_error(&encoder->errors);
    encoder->info.client_data = encoder;
    encoder->errors.error_exit = on_error;
    encoder->errors.emit_message = on_message;
    encoder->errors.output_message = on_output;
    /* Errors of jpeg_create_compress, such as no memory, return here. */
    if (setjmp(encoder->escape)) {
        cjpeg_encoder_close(encoder);
        return NULL;
    }
    jpeg_create_compress(&encoder->info);
    encoder->destination.init_destination = begin_file;
    encoder->destination.empty_output_buffer = grow_file;
    encoder->destination.term_destination = end_file;
    encoder->info.dest = &encoder->destination;
    return encoder;
}

/* Sets the sampling factors of luma; those of chroma are 1. Gray has no chroma. */
static void set_chroma(struct jpeg_compress_struct *info, int chroma) {
    if (info->num_components < 3)
        return;
    info->comp_info[0].h_samp_factor = chroma == CJPEG_CHROMA_444 ? 1 : 2;
    info->comp_info[0].v_samp_factor = chroma == CJPEG_CHROMA_420 ? 2 : 1;
}

int cjpeg_encoder_start(cjpeg_encoder *encoder, const cjpeg_parameters *parameters) {
    static const J_COLOR_SPACE spaces[] = {JCS_GRAYSCALE, JCS_EXT_RGB, JCS_EXT_RGBX, JCS_EXT_BGRX};
    if (setjmp(encoder->escape))
        return encoder->status;
    struct jpeg_compress_struct *info = &encoder->info;
    info->image_width = parameters->width;
    info->image_height = parameters->height;
    info->in_color_space = spaces[parameters->input];
    info->input_components = parameters->input == CJPEG_OUT_GRAY ? 1 : parameters->input == CJPEG_OUT_RGB ? 3 : 4;
    /* The defaults depend on the color space of the input, which must be set before. */
    jpeg_set_defaults(info);
    jpeg_set_quality(info, parameters->quality, TRUE);
    set_chroma(info, parameters->chroma);
    info->optimize_coding = parameters->has_own_codes != 0;
    info->restart_in_rows = parameters->has_restarts ? 1 : 0;
    if (parameters->is_progressive)
        jpeg_simple_progression(info);
    jpeg_start_compress(info, TRUE);
    return CJPEG_OK;
}

uint32_t cjpeg_encoder_mcu_rows(const cjpeg_encoder *encoder) {
    return (uint32_t)encoder->info.max_v_samp_factor * DCTSIZE;
}

int cjpeg_encoder_write_marker(cjpeg_encoder *encoder, int marker, const void *bytes, size_t count) {
    if (count > CJPEG_MARKER_BYTES)
        return CJPEG_TOO_LARGE;
    if (setjmp(encoder->escape))
        return encoder->status;
    jpeg_write_marker(&encoder->info, marker, bytes, (unsigned)count);
    return CJPEG_OK;
}

int cjpeg_encoder_write_rows(cjpeg_encoder *encoder, const uint8_t *const *rows, uint32_t count) {
    if (setjmp(encoder->escape))
        return encoder->status;
    /* libjpeg's parameter is not const, but it only reads the rows. The destination never suspends it. */
    return jpeg_write_scanlines(&encoder->info, (JSAMPARRAY)rows, count) == count ? CJPEG_OK : CJPEG_BAD_DATA;
}

/* Called by libjpeg for the MCU rows of each pass; leaves it by longjmp if the caller stops the work. */
static void on_progress(j_common_ptr info) {
    cjpeg_encoder *encoder = info->client_data;
    if (!encoder->stop(encoder->stop_context))
        return;
    encoder->status = CJPEG_STOPPED;
    longjmp(encoder->escape, 1);
}

int cjpeg_encoder_finish(cjpeg_encoder *encoder, int (*stop)(void *context), void *context) {
    if (setjmp(encoder->escape))
        return encoder->status;
    encoder->stop = stop;
    encoder->stop_context = context;
    encoder->progress.progress_monitor = on_progress;
    /* Set only here: before, rows are encoded as the caller passes them, and the caller can stop by itself. */
    encoder->info.progress = &encoder->progress;
    jpeg_finish_compress(&encoder->info);
    return CJPEG_OK;
}

size_t cjpeg_encoder_count(const cjpeg_encoder *encoder) {
    return encoder->count;
}

const char *cjpeg_encoder_message(const cjpeg_encoder *encoder) {
    return encoder->message;
}

int cjpeg_encoder_message_code(const cjpeg_encoder *encoder) {
    return encoder->code;
}

void cjpeg_encoder_close(cjpeg_encoder *encoder) {
    if (!encoder)
        return;
    if (encoder->info.mem)
        jpeg_destroy_compress(&encoder->info);
    free(encoder);
}
