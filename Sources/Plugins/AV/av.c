/* av.c: the coder of HEIC sequences and videos, by libavformat, libavcodec and libswscale.
 *
 * 1. The brands or the signature of the file show whether it is a sequence or a video.
 * 2. tables.c checks the number of samples that the tables announce, before libavformat makes an entry for each.
 * 3. track.c opens the container through the callbacks of input.c, and selects the largest video track.
 * 4. codec.c opens one of the supported decoders, and counts the bytes of the frames that it holds.
 * 5. track.c seeks the key frame before a time or frame, and decodes up to it. packet.c checks each packet first.
 * 6. frame.c converts the frame: yuv.c converts planes, libswscale other pixel formats.
 *
 * A still is the first frame of a sequence, or the poster of a video. Frames are decoded by an instance
 * (coder_instance.h), of bytes or of a source. */
#include <sdimage/plugins/av.h>

#include <libavutil/log.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "codec.h"
#include "coder_instance.h"
#include "frame.h"
#include "module_path.h"
#include "track.h"

/* --- Recognition of movies. */

/* Kind of a file. NOTHING is left to other coders. A sequence is an endless animation. A video is a poster, or with
 * SDIMAGE_AV_FRAMES an animation that plays once. */
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
    /* Body of `ftyp` (ISO/IEC 14496-12): major brand, minor version, then compatible brands up to its end. */
    uint32_t major = 0, brand = 0;
    if (!sdcs_take32(&brands, &major) || !sdcs_skip(&brands, 4))
        return NOTHING;
    if (IS_AMONG(major, sequences))
        return SEQUENCE;
    if (IS_AMONG(major, stills))
        return NOTHING;
    if (IS_AMONG(major, videos))
        return VIDEO;
    /* Bounded, because the box may be filled with brands. */
    for (int i = 0; i < 64 && sdcs_take32(&brands, &brand); i++) {
        if (IS_AMONG(brand, stills))
            return NOTHING;
        if (IS_AMONG(brand, videos))
            return VIDEO;
    }
    return NOTHING;
}

/* Recognizes Matroska and WebM (the EBML header), AVI (RIFF), and ISO base media files by their brands. The bytes may
 * be only the beginning of the file. */
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
    int64_t poster_ms; /* SDIMAGE_AV_POSTER_MS: milliseconds from the start */
    bool frames;       /* SDIMAGE_AV_FRAMES: a video is an animation */
} choice;

/* Reads the parameters from the bag of the options; defaults if it lacks them. */
static choice choice_of(const sdimage_decode_options *options) {
    const sdimage_options *values = sdimage_decode_options_options(options);
    return (choice){sdimage_options_int64(values, SDIMAGE_AV_POSTER_MS, 0),
                    sdimage_options_is_true(values, SDIMAGE_AV_FRAMES, false)};
}

static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return kind_of(bytes, length) != NOTHING;
}

/* Decodes the still image of a movie: the first frame, or a video's poster. */
static sdimage_status still(sdav_movie *movie, choice choice, uint32_t frames, sdimage_image **image,
                            sdimage_error **error) {
    sdimage_status status = sdav_decode_time(movie, movie->is_sequence ? 0 : choice.poster_ms, error);
    /* The index of the frame that the decoder returns next is unknown. */
    movie->next = UINT32_MAX;
    return status < 0 ? status : sdav_make_image(movie, frames, image, error);
}

/* Decodes complete bytes to a still. */
static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error) {
    (void)user_data;
    sdcs_request request = sdcs_request_of(options);
    sdav_movie movie;
    sdimage_status status = sdav_open(&movie, bytes, NULL, length, &request, sdcs_deadline_of(options), error);
    /* After sdav_open, which resets the movie. */
    movie.is_sequence = kind_of(bytes, length) == SEQUENCE;
    if (status >= 0)
        status = sdav_codec_open(&movie, error);
    if (status >= 0)
        status = still(&movie, choice_of(options), 1, image, error);
    sdav_close(&movie);
    return status;
}

/* Stores the header information. Packets are counted without decoding their pixels. The options set the time limit
 * only. */
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
        /* 0: endless for a sequence, and without meaning for a still. */
        sdimage_metadata_set_loop_count(metadata, movie.is_sequence || count < 2 ? 0 : 1);
    }
    sdav_close(&movie);
    return status;
}

/* --- Movies decoded frame by frame. */

/* The instance of a movie (coder_instance.h), whose lock serializes its calls. */
typedef struct instance {
    sdcs_instance base; /* first, because the functions receive a pointer to it */
    choice choice;
    sdav_movie movie;
    bool is_animation; /* the frames of `movie` are counted; false: one still */
} instance;

/* --- Entries of sdcs_instance_kind. */
static void configure(void *pointer, const sdimage_decode_options *options) {
    ((instance *)pointer)->choice = choice_of(options);
}

static void close_instance(void *pointer) {
    sdav_close(&((instance *)pointer)->movie);
}

/* Opens the movie and, if it is shown as an animation, counts its frames. */
static sdimage_status start_movie(instance *self, kind kind, uint64_t length, sdimage_error **error) {
    sdimage_status status = sdav_open(&self->movie, sdimage_data_bytes(self->base.data), self->base.source, length,
                                      &self->base.request, sdcs_instance_deadline(&self->base), error);
    self->movie.is_sequence = kind == SEQUENCE;
    self->is_animation = !self->base.request.first_frame_only && (kind == SEQUENCE || self->choice.frames);
    if (status >= 0)
        status = sdav_codec_open(&self->movie, error);
    if (status >= 0 && self->is_animation)
        status = sdav_count(&self->movie, error);
    return status;
}

/* Opens the complete bytes, or a source, whose kind its first 512 bytes show. */
static sdimage_status start(void *pointer, sdimage_error **error) {
    instance *self = pointer;
    uint8_t head[512];
    size_t got = 0;
    if (!self->base.source) {
        size_t length = sdimage_data_length(self->base.data);
        return start_movie(self, kind_of(sdimage_data_bytes(self->base.data), length), length, error);
    }
    sdimage_status status = sdimage_source_read(self->base.source, 0, head, sizeof head, &got, error);
    return status < 0 ? status : start_movie(self, kind_of(head, got), sdimage_source_size(self->base.source), error);
}

/* Decodes a frame of an animation; of a still its only image. */
static sdimage_status frame(void *pointer, uint32_t index, sdimage_image **image, sdimage_error **error) {
    instance *self = pointer;
    /* Every call has the time limit of one decode. */
    self->movie.deadline = sdcs_instance_deadline(&self->base);
    if (!self->is_animation)
        return still(&self->movie, self->choice, 1, image, error);
    sdimage_status status = sdav_decode_index(&self->movie, index, error);
    return status < 0 ? status : sdav_make_image(&self->movie, self->movie.count, image, error);
}

/* Number of counted frames; 1 for a still. */
static uint32_t frame_count(const void *pointer) {
    const instance *self = pointer;
    return self->is_animation ? self->movie.count : 1;
}

/* Endless for a sequence; once for a video. */
static uint32_t loop_count(const void *pointer) {
    const instance *self = pointer;
    return self->is_animation && !self->movie.is_sequence ? 1 : 0;
}

/* Milliseconds; 0 for a still. */
static uint32_t duration_ms(const void *pointer, uint32_t index) {
    const instance *self = pointer;
    return self->is_animation ? sdav_duration_ms(&self->movie, index) : 0;
}

static sdcs_instance_kind movies = {
    .size = sizeof(instance),
    .no_memory = "video: no memory for a decoder",
    .configure = configure,
    .start = start,
    .frame = frame,
    .frame_count = frame_count,
    .loop_count = loop_count,
    .duration_ms = duration_ms,
    .close = close_instance,
};

/* The decoders of libavcodec cannot be interrupted within a frame. All calls run on separate threads (detached_stack),
 * which the library abandons at the time limit. */
static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = decode,
    SDCS_INSTANCE_ENTRIES,
    .open_source = sdcs_instance_open_source,
    .describe = describe,
    .detached_stack = SDCS_STACK,
    .is_risky = true,
    .module = sdcs_module_path,
};

SDIMAGE_API sdimage_status sdimage_av_coder_new(sdimage_coder **coder, sdimage_error **error) {
    /* AV_LOG_INFO is the default: the host has not changed the level. */
    if (av_log_get_level() == AV_LOG_INFO)
        av_log_set_level(AV_LOG_QUIET);
    return sdimage_coder_new_custom("av", &table, &movies, NULL, coder, error);
}

static char version[24];

/* Formats the version of libavformat. Called once. */
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
