/* jxl.c: the JPEG XL coder, by libjxl.
 *
 * 1. The bytes are passed to libjxl in pieces; the deadline is checked between them. A piece ends before a frame whose
 *    header has not been checked (frames.c).
 * 2. decoder.c handles the events: header (limits, pixel format), color encoding, 1:8 preview, complete frame.
 * 3. The first pass ends at the first frame, or at the preview if that is large enough for the requested size.
 * 4. While data arrives, the image so far is flushed from libjxl.
 * 5. Of an animation, file.c counts the frames and reads their durations without decoding pixels. A second decoder then
 *    decodes them in order; going back restarts it.
 *
 * Metadata boxes are read by file.c, in the same walk. For renditions in HDR, the codestream in the box of a gain map
 * (jhgm.c) is decoded too. encode.c encodes. */
#include <sdimage/plugins/jxl.h>

#include <jxl/types.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "coder_instance.h"
#include "decoder.h"
#include "encode.h"
#include "file.h"
#include "gain_map.h"
#include "jhgm.h"
#include "module_path.h"

/* Bytes given to libjxl at once; the deadline is checked between pieces. */
enum { PIECE = 1 << 16 };

/* Reports that the requested box is at most 1:8 of the image, so that the preview is enough. */
static bool previews_suffice(const sdjxl_decoder *self) {
    sdimage_size box = self->request.box;
    /* The box is that of the displayed image, the size that of the stored one. */
    bool turned = self->info.orientation >= JXL_ORIENT_TRANSPOSE;
    uint32_t width = turned ? self->info.ysize : self->info.xsize,
             height = turned ? self->info.xsize : self->info.ysize;
    if (!box.width || !box.height)
        return false;
    bool across = box.width <= width / 8, down = box.height <= height / 8;
    return self->request.keeps_aspect_ratio ? across || down : across && down;
}

/* Passes the next bytes of the file to libjxl, and continues to an event that the caller handles. */
static sdimage_status feed_piece(sdjxl_decoder *self, const uint8_t *bytes, size_t count, sdjxl_event *event,
                                 sdimage_error **error) {
    if (JxlDecoderSetInput(self->decoder, bytes + self->at, count) != JXL_DEC_SUCCESS)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: data is damaged");
    sdimage_status status;
    do
        status = sdjxl_next(self, event, error);
    while (status >= 0 && *event == SDJXL_PREVIEW && !previews_suffice(self));
    /* libjxl keeps no input: what it has not consumed is passed again with the next piece. */
    self->at += count - JxlDecoderReleaseInput(self->decoder);
    return status;
}

/* Feeds the bytes that were not consumed, in pieces, and checks each frame before libjxl has its bytes. It stops at the
 * first complete frame, at a sufficient preview, or at the end of the input. That is never signaled: libjxl 0.7 treats
 * missing input as damage then. */
static sdimage_status feed(sdjxl_decoder *self, const uint8_t *bytes, size_t length, sdjxl_event *event,
                           sdimage_error **error) {
    for (size_t piece = PIECE;;) {
        size_t end = sdjxl_frames_end(&self->frames, bytes, length), start = self->at;
        size_t left = end - start, count = left < piece ? left : piece;
        sdimage_status status = feed_piece(self, bytes, count, event, error);
        if (status < 0)
            return status;
        if (*event == SDJXL_HEADER)
            sdjxl_frames_begin(&self->frames, &self->info, bytes, length, self->at);
        else if (*event != SDJXL_NEED_INPUT || (count == left && end == length))
            return status;
        else if (count == left)
            status = sdjxl_frames_admit(&self->frames, bytes, length, error);
        if (status == SDIMAGE_STATUS_NEED_MORE_DATA)
            return SDIMAGE_STATUS_OK;
        if (status < 0)
            return status;
        /* A unit of the file is larger than the piece: the next one is doubled. */
        piece = self->at == start ? piece * 2 : PIECE;
    }
}

/* --- The coder. */

static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return sdimage_sniff(bytes, length) == SDIMAGE_FORMAT_JXL;
}

/* Makes an image of the result of the first pass. */
static sdimage_status finish(sdjxl_decoder *self, sdjxl_event event, bool accepts_partial, uint32_t frames,
                             sdimage_image **image, sdimage_error **error) {
    if (event == SDJXL_FRAME)
        return sdjxl_take(self, frames, image, error);
    /* libjxl may have nothing to show yet, although it announced the preview. */
    if (event == SDJXL_PREVIEW || (event == SDJXL_NEED_INPUT && accepts_partial)) {
        sdimage_status status = sdjxl_flush(self, frames, image, error);
        if (status != SDIMAGE_STATUS_NEED_MORE_DATA)
            return status;
    }
    if (event == SDJXL_END)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: file has no image");
    return sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "jxl: data ends early");
}

/* --- Gain maps. */

/* Decodes the samples of a map. */
static sdimage_status decode_samples(sdcs_span codestream, const sdcs_request *request, sdcs_deadline deadline,
                                     sdimage_image **samples, sdimage_error **error) {
    sdjxl_decoder decoder;
    sdjxl_event event = SDJXL_END;
    /* The samples are an image of their own, of one frame; a partial one is of no use. */
    sdimage_status status = sdjxl_open(&decoder, request, deadline, error);
    if (status >= 0)
        status = feed(&decoder, codestream.bytes, codestream.length, &event, error);
    if (status >= 0)
        status = finish(&decoder, event, false, 1, samples, error);
    sdjxl_close(&decoder);
    return status;
}

/* Attaches the gain map to the base image, which stays as it is without one and with a damaged one. */
static void add_gain_map(const void *bytes, size_t length, const sdjxl_decoder *base, sdimage_image **image) {
    sdjxl_gain_map found;
    sdimage_image *samples = NULL;
    sdimage_gain_map *map = NULL;
    sdimage_error *why = NULL;
    if (base->info.have_animation || !sdcs_needs_gain_map(&base->request, *image))
        return;
    sdcs_request plain = sdcs_gain_map_request(&base->request);
    if (sdjxl_find_gain_map(bytes, length, &found, &why) == SDIMAGE_STATUS_OK &&
        decode_samples(found.samples, &plain, base->deadline, &samples, &why) >= 0)
        sdimage_gain_map_new(samples, found.parameters.bytes, found.parameters.length, &map, &why);
    sdcs_finish_gain_map(image, map, why);
    sdimage_gain_map_unref(map);
    sdimage_image_unref(samples);
}

/* Describes the gain map of a header. */
static void describe_gain_map(const void *bytes, size_t length, sdimage_metadata *metadata) {
    sdjxl_gain_map found;
    sdimage_image *samples = NULL;
    sdimage_gain_map *map = NULL;
    if (sdjxl_find_gain_map(bytes, length, &found, NULL) == SDIMAGE_STATUS_OK &&
        sdcs_gain_map_placeholder(&samples, NULL) >= 0 &&
        sdimage_gain_map_new(samples, found.parameters.bytes, found.parameters.length, &map, NULL) >= 0)
        sdimage_metadata_set_gain_map(metadata, map);
    sdimage_gain_map_unref(map);
    sdimage_image_unref(samples);
}

/* --- Decoding at once. */

/* Decodes complete bytes to a still: the first frame. */
static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error) {
    (void)user_data;
    sdcs_request request = sdcs_request_of(options);
    sdjxl_decoder decoder;
    sdjxl_event event = SDJXL_END;
    sdimage_status status = sdjxl_open(&decoder, &request, sdcs_deadline_of(options), error);
    if (status >= 0)
        status = feed(&decoder, bytes, length, &event, error);
    if (status >= 0)
        status = finish(&decoder, event, sdimage_decode_options_should_accept_partial(options), 1, image, error);
    if (status >= 0)
        add_gain_map(bytes, length, &decoder, image);
    sdjxl_close(&decoder);
    return status;
}

/* Stores the header information. Two decoders read the bytes: one up to the colors, and that of file.c through all
 * frames and boxes. The options set the time limit only. */
static sdimage_status describe(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error) {
    (void)user_data;
    sdcs_request request = sdcs_request_of(NULL);
    /* A header is described whatever the size of its image. */
    request.max_pixels = UINT64_MAX, request.max_bytes = SIZE_MAX;
    sdcs_deadline deadline = sdcs_deadline_of(options);
    sdjxl_file file = {.count = 0};
    sdjxl_decoder colors;
    sdjxl_event event;
    sdimage_status status = sdjxl_open(&colors, &request, deadline, error);
    colors.is_header_only = true;
    if (status >= 0 &&
        JxlDecoderSubscribeEvents(colors.decoder, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING) == JXL_DEC_SUCCESS &&
        JxlDecoderSetInput(colors.decoder, bytes, length) == JXL_DEC_SUCCESS)
        status = sdjxl_next(&colors, &event, error);
    if (status >= 0)
        /* With blocks: EXIF and XMP are part of the description. */
        status = sdjxl_file_read(&file, bytes, length, true, deadline, error);
    if (status >= 0 && !colors.has_info)
        status = sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "jxl: data ends within the header");
    if (status >= 0) {
        sdcs_info info = sdjxl_image_info(&colors, file.count);
        info.duration_ms = file.count > 1 ? file.duration_ms : 0;
        info.exif = (sdcs_span){file.exif.bytes, file.exif.length};
        info.xmp = (sdcs_span){file.xmp.bytes, file.xmp.length};
        status = sdcs_describe(&info, metadata, error);
        sdimage_metadata_set_loop_count(metadata, file.count > 1 ? file.info.animation.num_loops : 0);
        if (status >= 0 && file.count == 1)
            describe_gain_map(bytes, length, metadata);
    }
    sdjxl_file_close(&file);
    sdjxl_close(&colors);
    return status;
}

/* --- Progressive decoding and animations. */

/* The instance of an image (coder_instance.h), whose lock serializes its calls. `progressive` decodes the first frame;
 * `animation` passes through all frames once they are counted. */
typedef struct instance {
    sdcs_instance base;             /* open once the first pass is; has data only for an animation */
    sdjxl_decoder progressive;      /* the first frame, while data arrives */
    sdimage_image *first;           /* complete, or a sufficient preview */
    sdjxl_file file;                /* read when the data is complete */
    sdjxl_decoder animation;        /* decodes the frames of an animation in order */
    uint32_t next;                  /* index of its next frame */
    bool is_finished, is_animating; /* all data was received; `animation` is open */
} instance;

static void close_instance(void *pointer) {
    instance *self = pointer;
    sdjxl_close(&self->progressive);
    sdjxl_close(&self->animation);
    sdjxl_file_close(&self->file);
    sdimage_image_unref(self->first);
}

/* Decodes what has arrived of the first frame; `bytes` are all bytes so far. */
static sdimage_status decode_progressively(instance *self, const uint8_t *bytes, size_t length, bool finished,
                                           sdimage_error **error) {
    sdjxl_event event = SDJXL_NEED_INPUT;
    sdimage_status status = SDIMAGE_STATUS_OK;
    if (self->first)
        return status;
    if (!self->base.is_open) {
        status = sdjxl_open(&self->progressive, &self->base.request, (sdcs_deadline){0, NULL}, error);
        /* From here on partial images are available through `frame`. */
        self->base.is_open = status >= 0;
    }
    /* Each call has the time limit of one decode. */
    self->progressive.deadline = sdcs_instance_deadline(&self->base);
    if (status >= 0 && self->progressive.at <= length)
        status = feed(&self->progressive, bytes, length, &event, error);
    if (status < 0 || (event == SDJXL_NEED_INPUT && !finished))
        return status;
    return finish(&self->progressive, event, self->base.accepts_partial, 1, &self->first, error);
}

/* Reads all frames once the data is complete. */
static sdimage_status count_frames(instance *self, const uint8_t *bytes, size_t length, sdimage_error **error) {
    if (self->base.request.first_frame_only || !self->progressive.info.have_animation)
        return SDIMAGE_STATUS_OK;
    sdimage_status status = sdjxl_file_read(&self->file, bytes, length, false, self->progressive.deadline, error);
    if (status >= 0 && self->file.count > 1)
        status = sdimage_data_new(bytes, length, &self->base.data, error);
    return status;
}

/* Entry of sdcs_instance_kind: receives all bytes so far. */
static sdimage_status update(void *pointer, const void *bytes, size_t length, bool finished, sdimage_error **error) {
    instance *self = pointer;
    if (self->is_finished)
        return SDIMAGE_STATUS_OK;
    sdimage_status status = decode_progressively(self, bytes, length, finished, error);
    if (status >= 0 && finished)
        status = count_frames(self, bytes, length, error);
    /* The box of the gain map may follow the codestream. */
    if (status >= 0 && finished && self->first)
        add_gain_map(bytes, length, &self->progressive, &self->first);
    self->is_finished = finished;
    return status;
}

/* Restarts at the first frame for a seek backwards; skips frames for a seek forwards. */
static sdimage_status seek(instance *self, uint32_t index, sdimage_error **error) {
    sdimage_status status = SDIMAGE_STATUS_OK;
    if (!self->is_animating || index < self->next) {
        sdcs_request request = self->base.request;
        /* Without a box no preview suffices, so every frame is complete. */
        request.box = (sdimage_size){0, 0};
        sdjxl_close(&self->animation);
        self->is_animating = false;
        status = sdjxl_open(&self->animation, &request, (sdcs_deadline){0, NULL}, error);
        if (status < 0)
            return status;
        self->is_animating = true;
        self->next = 0;
    }
    if (index > self->next)
        JxlDecoderSkipFrames(self->animation.decoder, index - self->next);
    return status;
}

/* Decodes frame `index`, quickly if it follows the one before. libjxl composes frames to the whole canvas. */
static sdimage_status next_frame(instance *self, uint32_t index, sdimage_image **image, sdimage_error **error) {
    sdjxl_event event = SDJXL_END;
    sdimage_status status = seek(self, index, error);
    /* Every call has the time limit of one decode. */
    self->animation.deadline = sdcs_instance_deadline(&self->base);
    if (status >= 0)
        status = feed(&self->animation, sdimage_data_bytes(self->base.data), sdimage_data_length(self->base.data),
                      &event, error);
    if (status >= 0 && event != SDJXL_FRAME)
        status = sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "jxl: data ends within a frame");
    if (status >= 0)
        status = sdjxl_take(&self->animation, 1, image, error);
    self->next = index + 1;
    /* After damage the next call restarts. */
    self->is_animating = self->is_animating && status >= 0;
    return status;
}

/* Entry of sdcs_instance_kind. The first frame is the one of progressive decoding, complete or partial. */
static sdimage_status frame(void *pointer, uint32_t index, sdimage_image **image, sdimage_error **error) {
    instance *self = pointer;
    if (index > 0)
        return self->base.data ? next_frame(self, index, image, error) : SDIMAGE_STATUS_NEED_MORE_DATA;
    if (!self->first)
        return sdjxl_flush(&self->progressive, 1, image, error);
    *image = sdimage_image_ref(self->first);
    return SDIMAGE_STATUS_OK;
}

/* Number of frames: all of them once the data is complete; before that 1 when the first one is available. */
static uint32_t frame_count(const void *pointer) {
    const instance *self = pointer;
    return self->base.data ? self->file.count : self->first ? 1 : 0;
}

static uint32_t loop_count(const void *pointer) {
    const instance *self = pointer;
    return self->base.data ? self->file.info.animation.num_loops : 0;
}

static uint32_t duration_ms(const void *pointer, uint32_t index) {
    const instance *self = pointer;
    return self->base.data && index < self->file.count ? self->file.durations[index] : 0;
}

static bool can_decode_format(void *user_data, sdimage_format format) {
    (void)user_data;
    return format == SDIMAGE_FORMAT_JXL;
}

/* `start` is not set: `update` decodes as data arrives. */
static sdcs_instance_kind frames = {
    .size = sizeof(instance),
    .no_memory = "jxl: no memory for a decoder",
    .update = update,
    .frame = frame,
    .frame_count = frame_count,
    .loop_count = loop_count,
    .duration_ms = duration_ms,
    .close = close_instance,
};

/* libjxl checks no deadline within a frame: calls run on separate threads (detached_stack), which the library abandons
 * at the time limit. */
static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = decode,
    .can_encode = sdjxl_can_encode,
    .encode = sdjxl_encode,
    SDCS_INSTANCE_ENTRIES,
    .describe = describe,
    .can_decode_format = can_decode_format,
    .detached_stack = SDCS_STACK,
    .is_risky = true,
    .module = sdcs_module_path,
};

SDIMAGE_API sdimage_status sdimage_jxl_coder_new(sdimage_coder **coder, sdimage_error **error) {
    return sdimage_coder_new_custom("jxl", &table, &frames, NULL, coder, error);
}

static char version[24];

static void find_version(void) {
    uint32_t number = JxlDecoderVersion();
    snprintf(version, sizeof version, "%u.%u.%u", number / 1000000, number / 1000 % 1000, number % 1000);
}

SDIMAGE_API const char *sdimage_jxl_library_version(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_version);
    return version;
}
