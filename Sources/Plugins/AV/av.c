/* av.c: the coder of HEIC sequences and videos, by libavformat, libavcodec and libswscale. */
#include <sdimage/plugins/av.h>

#include <libavutil/log.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "codec.h"
#include "frame.h"

/* --- Recognition of movies. */

typedef enum kind { NOTHING, SEQUENCE, VIDEO } kind;

static bool is_among(uint32_t brand, const uint32_t *brands, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (brands[i] == brand)
            return true;
    }
    return false;
}

#define IS_AMONG(brand, brands) is_among(brand, brands, sizeof brands / sizeof *brands)

/* Brands of sequences and still images (ISO/IEC 23008-12, 10), and of videos (ISO/IEC 14496-12, annex E, and the brands
 * that cameras write). */
static const uint32_t sequences[] = {SDCS_FOURCC('m', 's', 'f', '1'), SDCS_FOURCC('h', 'e', 'v', 'c'),
                                     SDCS_FOURCC('h', 'e', 'v', 'x')};
static const uint32_t stills[] = {SDCS_FOURCC('h', 'e', 'i', 'c'), SDCS_FOURCC('h', 'e', 'i', 'x'),
                                  SDCS_FOURCC('m', 'i', 'f', '1'), SDCS_FOURCC('a', 'v', 'i', 'f'),
                                  SDCS_FOURCC('a', 'v', 'i', 's')};
static const uint32_t videos[] = {
    SDCS_FOURCC('i', 's', 'o', 'm'), SDCS_FOURCC('i', 's', 'o', '2'), SDCS_FOURCC('i', 's', 'o', '4'),
    SDCS_FOURCC('i', 's', 'o', '5'), SDCS_FOURCC('i', 's', 'o', '6'), SDCS_FOURCC('m', 'p', '4', '1'),
    SDCS_FOURCC('m', 'p', '4', '2'), SDCS_FOURCC('a', 'v', 'c', '1'), SDCS_FOURCC('q', 't', ' ', ' '),
    SDCS_FOURCC('M', '4', 'V', ' '), SDCS_FOURCC('3', 'g', 'p', '4'), SDCS_FOURCC('3', 'g', 'p', '5'),
    SDCS_FOURCC('d', 'a', 's', 'h'), SDCS_FOURCC('M', 'S', 'N', 'V')};

/* Returns the kind of file by its brands. A file whose major brand is that of a still image counts as a still, even if
 * it has a track. */
static kind kind_by_brands(sdcs_span brands) {
    uint32_t major = 0, brand = 0;
    if (!sdcs_take32(&brands, &major) || !sdcs_skip(&brands, 4))
        return NOTHING;
    if (IS_AMONG(major, sequences))
        return SEQUENCE;
    if (IS_AMONG(major, stills))
        return NOTHING;
    if (IS_AMONG(major, videos))
        return VIDEO;
    for (int i = 0; i < 64 && sdcs_take32(&brands, &brand); i++) {
        if (IS_AMONG(brand, stills))
            return NOTHING;
        if (IS_AMONG(brand, videos))
            return VIDEO;
    }
    return NOTHING;
}

static kind kind_of(const uint8_t *bytes, size_t length) {
    static const uint8_t matroska[] = {0x1A, 0x45, 0xDF, 0xA3};
    sdcs_span span = {bytes, length};
    sdcs_box box;
    if (length >= sizeof matroska && !memcmp(bytes, matroska, sizeof matroska))
        return VIDEO;
    if (length >= 12 && !memcmp(bytes, "RIFF", 4) && !memcmp(bytes + 8, "AVI ", 4))
        return VIDEO;
    if (!sdcs_next_box(&span, &box) || box.type != SDCS_FOURCC('f', 't', 'y', 'p'))
        return NOTHING;
    return kind_by_brands(box.body);
}

/* --- Decoding. */

/* The plug-in's own request parameters. */
typedef struct choice {
    int64_t poster_ms;
    bool frames;
} choice;

static choice choice_of(const sdimage_decode_options *options) {
    sdimage_options *values = sdimage_decode_options_copy_options(options);
    choice choice = {sdimage_options_get_int64(values, SDIMAGE_AV_POSTER_MS, 0),
                     sdimage_options_get_bool(values, SDIMAGE_AV_FRAMES, false)};
    sdimage_options_unref(values);
    return choice;
}

static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return kind_of(bytes, length) != NOTHING;
}

/* Decodes the still image of a movie: the first frame, or a video's poster. */
static sdimage_status still(sdav_movie *movie, choice choice, uint32_t frames, sdimage_image **image,
                            sdimage_error **error) {
    sdimage_status status = sdav_decode_time(movie, movie->is_sequence ? 0 : choice.poster_ms, error);
    movie->next = UINT32_MAX;
    return status < 0 ? status : sdav_make_image(movie, frames, image, error);
}

static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             const sdimage_options *bag, sdimage_image **image, sdimage_error **error) {
    (void)user_data, (void)bag;
    sdcs_request request = sdcs_request_of(options);
    sdav_movie movie;
    sdimage_status status = sdav_open(&movie, bytes, NULL, length, &request, sdcs_deadline_of(options), error);
    movie.is_sequence = kind_of(bytes, length) == SEQUENCE;
    if (status >= 0)
        status = sdav_codec_open(&movie, error);
    if (status >= 0)
        status = still(&movie, choice_of(options), 1, image, error);
    sdav_close(&movie);
    return status;
}

static sdimage_status describe(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error) {
    (void)user_data;
    sdcs_request request = sdcs_request_of(NULL);
    sdav_movie movie;
    sdimage_status status = sdav_open(&movie, bytes, NULL, length, &request, sdcs_deadline_of(options), error);
    movie.is_sequence = kind_of(bytes, length) == SEQUENCE;
    if (status >= 0) {
        /* If the frames cannot be counted, as in a long video, the number in the header is used. */
        int64_t announced = movie.stream->nb_frames;
        sdimage_status counted = sdav_count(&movie, NULL);
        uint32_t count = counted >= 0 ? movie.count : announced > 0 && announced < UINT32_MAX ? (uint32_t)announced : 1;
        sdcs_info info = sdav_info(&movie, count);
        info.duration_ms = sdav_total_ms(&movie);
        status = sdcs_describe(&info, metadata, error);
        sdimage_metadata_set_loop_count(metadata, movie.is_sequence || count < 2 ? 0 : 1);
    }
    sdav_close(&movie);
    return status;
}

/* --- Movies decoded frame by frame. */

typedef struct instance {
    pthread_mutex_t lock;
    sdcs_request request;
    choice choice;
    uint32_t work_ms;
    sdimage_data *data; /* a copy, because the bytes of an update are borrowed */
    sdimage_source *source;
    sdav_movie movie;
    bool is_open, is_animation;
} instance;

static sdimage_status make(const sdimage_decode_options *options, instance **made, sdimage_error **error) {
    instance *self = calloc(1, sizeof *self);
    if (!self)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "video: no memory for a decoder");
    pthread_mutex_init(&self->lock, NULL);
    self->request = sdcs_request_of(options);
    self->choice = choice_of(options);
    self->work_ms = sdimage_decode_options_max_work_ms(options);
    *made = self;
    return SDIMAGE_STATUS_OK;
}

static void destroy_instance(void *user_data, void *pointer) {
    (void)user_data;
    instance *self = pointer;
    sdav_close(&self->movie);
    sdimage_data_unref(self->data);
    sdimage_source_unref(self->source);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

/* Opens the movie and, if it is shown as an animation, counts its frames. */
static sdimage_status start(instance *self, kind kind, uint64_t length, sdimage_error **error) {
    sdimage_status status = sdav_open(&self->movie, sdimage_data_bytes(self->data), self->source, length,
                                      &self->request, sdcs_deadline_after(self->work_ms, self->request.budget), error);
    self->movie.is_sequence = kind == SEQUENCE;
    self->is_animation = !self->request.first_frame_only && (kind == SEQUENCE || self->choice.frames);
    if (status >= 0)
        status = sdav_codec_open(&self->movie, error);
    if (status >= 0 && self->is_animation)
        status = sdav_count(&self->movie, error);
    if (status < 0)
        sdav_close(&self->movie);
    self->is_open = status >= 0;
    return status;
}

static sdimage_status open_instance(void *user_data, const sdimage_decode_options *options, void **made,
                                    sdimage_error **error) {
    (void)user_data;
    instance *self = NULL;
    sdimage_status status = make(options, &self, error);
    *made = self;
    return status;
}

static sdimage_status open_source(void *user_data, const sdimage_source *source, const sdimage_decode_options *options,
                                  void **made, sdimage_error **error) {
    uint8_t head[512];
    size_t got = 0;
    instance *self = NULL;
    sdimage_status status = sdimage_source_read(source, 0, head, sizeof head, &got, error);
    if (status >= 0)
        status = make(options, &self, error);
    if (status < 0)
        return status;
    /* Only the reference count changes. */
    self->source = sdimage_source_ref((sdimage_source *)(uintptr_t)source);
    status = start(self, kind_of(head, got), sdimage_source_size(source), error);
    if (status < 0)
        destroy_instance(user_data, self);
    else
        *made = self;
    return status;
}

/* Waits for the complete file: the tables may follow the samples. */
static sdimage_status update(void *user_data, void *pointer, const void *bytes, size_t length, bool finished,
                             sdimage_error **error) {
    (void)user_data;
    instance *self = pointer;
    sdimage_status status = SDIMAGE_STATUS_OK;
    if (!finished)
        return status;
    pthread_mutex_lock(&self->lock);
    if (!self->data)
        status = sdimage_data_new(bytes, length, &self->data, error);
    if (status >= 0 && !self->is_open)
        status = start(self, kind_of(bytes, length), length, error);
    pthread_mutex_unlock(&self->lock);
    return status;
}

static sdimage_status frame(void *user_data, void *pointer, uint32_t index, sdimage_image **image,
                            sdimage_error **error) {
    (void)user_data;
    instance *self = pointer;
    pthread_mutex_lock(&self->lock);
    sdimage_status status = SDIMAGE_STATUS_NEED_MORE_DATA;
    if (self->is_open) {
        self->movie.deadline = sdcs_deadline_after(self->work_ms, self->request.budget);
        if (!self->is_animation) {
            status = still(&self->movie, self->choice, 1, image, error);
        } else {
            status = sdav_decode_index(&self->movie, index, error);
            if (status >= 0)
                status = sdav_make_image(&self->movie, self->movie.count, image, error);
        }
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

static sdimage_status first_image(void *user_data, void *pointer, sdimage_image **image, sdimage_error **error) {
    return frame(user_data, pointer, 0, image, error);
}

static uint32_t frame_count(void *user_data, void *pointer) {
    (void)user_data;
    instance *self = pointer;
    pthread_mutex_lock(&self->lock);
    uint32_t count = !self->is_open ? 0 : self->is_animation ? self->movie.count : 1;
    pthread_mutex_unlock(&self->lock);
    return count;
}

/* Endless for a sequence; once for a video. */
static uint32_t loop_count(void *user_data, void *pointer) {
    (void)user_data;
    instance *self = pointer;
    pthread_mutex_lock(&self->lock);
    uint32_t count = self->is_animation && !self->movie.is_sequence ? 1 : 0;
    pthread_mutex_unlock(&self->lock);
    return count;
}

static uint32_t duration_ms(void *user_data, void *pointer, uint32_t index) {
    (void)user_data;
    instance *self = pointer;
    pthread_mutex_lock(&self->lock);
    uint32_t duration = self->is_open && self->is_animation ? sdav_duration_ms(&self->movie, index) : 0;
    pthread_mutex_unlock(&self->lock);
    return duration;
}

static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = decode,
    .open = open_instance,
    .instance_update = update,
    .instance_image = first_image,
    .instance_frame_count = frame_count,
    .instance_loop_count = loop_count,
    .instance_duration_ms = duration_ms,
    .instance_frame = frame,
    .instance_destroy = destroy_instance,
    .open_source = open_source,
    .describe = describe,
    .detached_stack = SDCS_STACK,
};

SDIMAGE_API sdimage_status sdimage_av_coder_new(sdimage_coder **coder, sdimage_error **error) {
    /* AV_LOG_INFO is the default: the host has not changed the level. */
    if (av_log_get_level() == AV_LOG_INFO)
        av_log_set_level(AV_LOG_QUIET);
    return sdimage_coder_new_custom("av", &table, NULL, NULL, coder, error);
}

static char version[24];

static void find_version(void) {
    unsigned number = avformat_version();
    snprintf(version, sizeof version, "%u.%u.%u", AV_VERSION_MAJOR(number), AV_VERSION_MINOR(number),
             AV_VERSION_MICRO(number));
}

SDIMAGE_API const char *sdimage_av_library_version(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_version);
    return version;
}
