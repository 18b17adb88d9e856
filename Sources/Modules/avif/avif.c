/* avif.c: the AVIF coder: stills and sequences, by libavif. The library opens this module on the first bytes of the
 * format and calls the table at the end of this file.
 *
 * 1. tracks.c copies the file if it has tracks other than images and their alpha, and hides them from libavif.
 * 2. limits.c checks the tables of the container in linear time, before libavif searches them.
 * 3. avifDecoderParse reads the container; pixels, planes and the decoders of tiles are checked against the limits,
 *    planes in the format of the stream (av1_stream.c). The samples of tracks are checked as libavif reads them.
 * 4. avifDecoderNextImage decodes the image, or the next frame, on up to 16 threads.
 * 5. yuv.c converts the planes to pixels in one pass. The library scales them and applies the orientation.
 * 6. For renditions in HDR, the gain map is decoded as the primary item of a copy of the file.
 *
 * A sequence is an instance (coder_instance.h): it decodes from the nearest key frame on. encode.c encodes.
 *
 * Decodes, encodes, descriptions and frames run on detached threads (coder.h, detached_stack), because a call of
 * libavif cannot be interrupted. Such calls may run concurrently: the coder itself has no state, and each call or
 * instance has a decoder of its own. */
#include <sdimage/plugins/avif.h>

#include <avif/avif.h>
#include <stdlib.h>
#include <string.h>

#include "coder_instance.h"
#include "encode.h"
#include "heif_gain_map.h"
#include "limits.h"
#include "module_path.h"
#include "tracks.h"

/* libavif 1.0 renamed the mode of a mirror to its axis, and its functions can fail. */
#if AVIF_VERSION >= 1000000
#define MIRROR_OF(image) ((image)->imir.axis)
#else
#define MIRROR_OF(image) ((image)->imir.mode)
#endif

/* Reference frames of an AV1 decoder besides the current frame. */
enum { REFERENCES = 8 };

/* Memory of an AV1 decoder with one thread besides its frames: 0.67 MiB were measured for dav1d 1.0. */
enum { DECODER_BYTES = 1 << 20 };

/* Unit of the sides of a picture in dav1d. */
enum { SIDE_STEP = 128 };

/* Limit of the pictures that the headers of streams allow, with their alignment. The largest image within the usual
 * limit may have a second picture. */
enum { PICTURE_BYTES = 640 << 20 };

/* Pixels that justify one more thread. */
enum { PIXELS_PER_THREAD = 1 << 16 };

/* Maps a result of libavif to a status. Results without a case, such as a failed AV1 decode, count as damaged data. */
static sdimage_status status_of(avifResult result) {
    switch (result) {
    case AVIF_RESULT_OK: return SDIMAGE_STATUS_OK;
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_IO_ERROR:
    case AVIF_RESULT_WAITING_ON_IO: return SDIMAGE_STATUS_TRUNCATED;
    case AVIF_RESULT_OUT_OF_MEMORY: return SDIMAGE_STATUS_NO_MEMORY;
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_NOT_IMPLEMENTED: return SDIMAGE_STATUS_UNSUPPORTED;
    default: return SDIMAGE_STATUS_BAD_DATA;
    }
}

/* Combines `irot`, then `imir` (ISO/IEC 23000-22, 7.3.6.7), to an EXIF orientation. */
static sdimage_orientation orientation_of(const avifImage *image) {
    /* Rows: counter-clockwise quarter turns. Columns: not mirrored, top and bottom exchanged, left and right
     * exchanged. */
    static const uint8_t table[4][3] = {{1, 4, 2}, {8, 5, 7}, {3, 2, 4}, {6, 7, 5}};
    unsigned turns = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle & 3u : 0;
    unsigned mirror = image->transformFlags & AVIF_TRANSFORM_IMIR ? 1u + (MIRROR_OF(image) & 1u) : 0;
    return (sdimage_orientation)table[turns][mirror];
}

/* Returns the chroma samples of a pixel in quarters, the unit of sdcs_info. */
static uint32_t chroma_of(avifPixelFormat format) {
    switch (format) {
    case AVIF_PIXEL_FORMAT_YUV400: return 0;
    case AVIF_PIXEL_FORMAT_YUV420: return 2;
    case AVIF_PIXEL_FORMAT_YUV422: return 4;
    default: return 8;
    }
}

/* Borrows bytes of libavif; valid as long as the image that holds them. */
static sdcs_span span_of(const avifRWData *data) {
    return (sdcs_span){data->data, data->size};
}

/* Collects the properties of the current image. Its spans point into the decoder. After a decode, its size and format
 * are those of the stream. */
static sdcs_info info_of(const avifDecoder *decoder) {
    const avifImage *image = decoder->image;
    sdcs_info info = {.format = SDIMAGE_FORMAT_AVIF, .width = image->width, .height = image->height};
    info.orientation = orientation_of(image);
    info.has_alpha = decoder->alphaPresent;
    info.chroma = chroma_of(image->yuvFormat);
    info.bits = image->depth;
    info.frame_count = decoder->imageCount > 1 ? (uint32_t)decoder->imageCount : 1;
    info.color = (sdyuv_color){image->colorPrimaries, image->matrixCoefficients, image->yuvRange == AVIF_RANGE_FULL};
    info.transfer = image->transferCharacteristics;
    info.profile = span_of(&image->icc);
    info.exif = span_of(&image->exif);
    info.xmp = span_of(&image->xmp);
    return info;
}

/* Returns the number of threads for an image: one for each PIXELS_PER_THREAD pixels or part of them, up to the
 * available processors. */
static int threads_for(const avifImage *image) {
    uint64_t worth = (uint64_t)image->width * image->height / PIXELS_PER_THREAD + 1;
    int processors = sdcs_processors();
    return worth < (uint64_t)processors ? (int)worth : processors;
}

/* A decoder, and the bytes it reads if they are not the caller's. It stays at its address, which `io` has. */
typedef struct reader {
    avifDecoder *decoder; /* NULL before it is created */
    uint8_t *owned;       /* the copy without other tracks; NULL if the caller's bytes are read */
    sdcs_span file;       /* the bytes that are read */
    avifIO io;
    sdavif_tiles tiles;          /* tiles of a grid; counts of 0 without one */
    const sdcs_request *request; /* its limits apply to samples of tracks; NULL while the container is read */
    uint32_t width, height;      /* size of the largest frame that the AV1 decoder accepts */
    bool is_too_large;           /* a sample of the current call was refused */
} reader;

/* Converts a result to a status, with the detailed message of the decoder if it has one. */
static sdimage_status check(avifResult result, const reader *reader, sdimage_error **error) {
    if (result == AVIF_RESULT_OK)
        return SDIMAGE_STATUS_OK;
    if (reader->is_too_large)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "avif: frames of the stream exceed the limits of bytes");
    const char *detail = reader->decoder->diag.error[0] ? reader->decoder->diag.error : avifResultToString(result);
    return sdcs_fail(error, status_of(result), detail);
}

/* Decodes the next image. */
static sdimage_status decode_next(reader *reader, sdimage_error **error) {
    reader->is_too_large = false;
    return check(avifDecoderNextImage(reader->decoder), reader, error);
}

/* Frees the decoder before its bytes, which it reads without a copy. Repeated calls have no effect. */
static void close_reader(reader *reader) {
    if (reader->decoder)
        avifDecoderDestroy(reader->decoder);
    free(reader->owned);
    reader->decoder = NULL;
    reader->owned = NULL;
}

/* Returns the bytes of the pictures that all decoders hold, with the decoders and planes of a grid. `picture` is one
 * picture of the colors, and has at most PICTURE_BYTES; each decoder holds `pictures` of them. */
static uint64_t held_bytes(const sdavif_tiles *tiles, const sdcs_info *info, sdcs_info picture, uint32_t alpha_chroma,
                           unsigned pictures) {
    bool is_grid = tiles->color || tiles->alpha;
    uint64_t color = sdcs_plane_bytes(&picture), decoder = is_grid ? DECODER_BYTES : 0;
    picture.chroma = alpha_chroma;
    uint64_t alpha = sdcs_plane_bytes(&picture);
    if (color > PICTURE_BYTES || alpha > PICTURE_BYTES)
        return UINT64_MAX;
    uint64_t colors = tiles->color ? tiles->color : 1;
    /* Each tile may have its own alpha if the alpha is not a grid. */
    uint64_t alphas = !info->has_alpha ? 0 : tiles->alpha ? tiles->alpha : colors;
    uint64_t total = colors * (color * pictures + decoder) + alphas * (alpha * pictures + decoder);
    sdcs_info gray = *info;
    gray.chroma = 0;
    return total + (tiles->color ? sdcs_plane_bytes(info) : 0) +
           (is_grid && info->has_alpha ? sdcs_plane_bytes(&gray) : 0);
}

/* Rounds a side up as the AV1 decoder does. */
static uint32_t aligned(uint32_t side) {
    return side > UINT32_MAX - SIDE_STEP ? side : (side + SIDE_STEP - 1) / SIDE_STEP * SIDE_STEP;
}

/* Checks the limits for streams of up to a format: that of the stream, if it takes more than that of the container
 * (docs/decisions.md, "The headers of AV1 streams are read before they are decoded"). */
static sdimage_status check_stream(const reader *reader, const sdcs_av1_stream *stream, const sdcs_av1_stream *alpha,
                                   const sdcs_request *request, sdimage_error **error) {
    sdcs_info info = info_of(reader->decoder);
    const sdavif_tiles *tiles = &reader->tiles;
    info.bits = sdcs_larger(sdcs_larger(stream->bits, alpha->bits), info.bits);
    info.chroma = sdcs_larger(stream->chroma, info.chroma);
    /* A decoder of several frames holds its reference frames besides the current one. */
    unsigned most = 1 + REFERENCES, pictures = info.frame_count > 1 ? most : 1;
    sdimage_status status = sdcs_check_limits(&info, request, tiles->color ? 1 : pictures, error);
    if (status < 0)
        return status;
    sdcs_info picture = info;
    picture.width = sdcs_larger(reader->width, SIDE_STEP), picture.height = sdcs_larger(reader->height, SIDE_STEP);
    if (held_bytes(tiles, &info, picture, 0, pictures) > SDCS_WORKING_BYTES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "avif: pictures of the decoders exceed the limit of 256 MiB");
    /* The further pictures of a still may not be needed. */
    size_t frames = stream->frames > alpha->frames ? stream->frames : alpha->frames;
    if (frames > pictures)
        pictures = frames < most ? (unsigned)frames : most;
    pictures += sdcs_larger(stream->extra, alpha->extra);
    picture.width = aligned(reader->width), picture.height = aligned(reader->height);
    if (held_bytes(tiles, &info, picture, alpha->chroma, pictures) > PICTURE_BYTES)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "avif: pictures of the streams exceed the limit of 640 MiB");
    return status;
}

/* Reads bytes of the file for libavif. They stay in place. For a shown track, they are read as a stream, too: the
 * tables of the container, which libavif reads first, begin with a size or a version, where a stream has none. */
static avifResult read_bytes(avifIO *io, uint32_t flags, uint64_t offset, size_t size, avifROData *out) {
    reader *reader = io->data;
    sdcs_span part = reader->file;
    if (flags || offset > part.length || !sdcs_skip(&part, (size_t)offset))
        return AVIF_RESULT_IO_ERROR;
    part.length = size < part.length ? size : part.length;
    *out = (avifROData){part.bytes, part.length};
    if (!reader->tiles.uses_tracks)
        return AVIF_RESULT_OK;
    if (!reader->request) {
        /* libavif may keep a short first sample. */
        sdcs_read_av1_stream(part, &reader->tiles.stream);
        return AVIF_RESULT_OK;
    }
    sdcs_av1_stream stream = reader->tiles.stream;
    sdcs_read_av1_stream(part, &stream);
    /* The sample may belong to colors or to alpha. */
    reader->is_too_large = check_stream(reader, &stream, &stream, reader->request, NULL) < 0;
    return reader->is_too_large ? AVIF_RESULT_IO_ERROR : AVIF_RESULT_OK;
}

/* Reads the container. The caller closes the reader, also after a failure. `bytes` must outlive the reader.
 * `with_metadata` makes libavif extract EXIF and XMP, which only a description needs. */
static sdimage_status parse(const void *bytes, size_t length, bool with_metadata, const sdimage_work_budget *budget,
                            reader *reader, sdimage_error **error) {
    reader->owned = sdavif_without_other_tracks(bytes, length);
    reader->file = (sdcs_span){reader->owned ? reader->owned : bytes, length};
    sdimage_status status = sdavif_check_tables(reader->file.bytes, length, budget, &reader->tiles, error);
    if (status < 0)
        return status;
    reader->decoder = avifDecoderCreate();
    if (!reader->decoder)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "avif: no memory for a decoder");
    /* Files of older encoders omit boxes that the strict mode requires, such as `pixi` or `ispe` of alpha. */
    reader->decoder->strictFlags = AVIF_STRICT_DISABLED;
    reader->decoder->ignoreExif = reader->decoder->ignoreXMP = !with_metadata;
    reader->decoder->imageCountLimit = SDAVIF_FRAME_LIMIT;
    reader->decoder->requestedSource =
        reader->tiles.uses_tracks ? AVIF_DECODER_SOURCE_TRACKS : AVIF_DECODER_SOURCE_PRIMARY_ITEM;
    reader->io = (avifIO){.read = read_bytes, .sizeHint = length, .persistent = AVIF_TRUE, .data = reader};
    avifDecoderSetIO(reader->decoder, &reader->io);
    return check(avifDecoderParse(reader->decoder), reader, error);
}

/* Reads the container and checks the limits, so that the decoder may be asked for images. The reader borrows the
 * request. The AV1 decoder refuses a frame with more pixels than the container announces. */
static sdimage_status prepare(const void *bytes, size_t length, const sdcs_request *request, reader *reader,
                              sdimage_error **error) {
    sdimage_status status = parse(bytes, length, false, request->budget, reader, error);
    if (status < 0)
        return status;
    avifDecoder *decoder = reader->decoder;
    const sdavif_tiles *tiles = &reader->tiles;
    reader->width = tiles->width, reader->height = tiles->height;
    /* The limit applies to one stream, which for a grid is a tile. */
    if (!tiles->color || !tiles->width || !tiles->height) {
        reader->width = sdcs_larger(decoder->image->width, tiles->width);
        reader->height = sdcs_larger(decoder->image->height, tiles->height);
    }
    if (tiles->uses_tracks)
        sdavif_coded_size(reader->file.bytes, length, &reader->width, &reader->height);
    uint64_t area = (uint64_t)reader->width * reader->height;
    decoder->imageSizeLimit = area < AVIF_DEFAULT_IMAGE_SIZE_LIMIT ? (uint32_t)area : AVIF_DEFAULT_IMAGE_SIZE_LIMIT;
    /* A grid has a decoder for each tile, each with this number of threads. */
    decoder->maxThreads = tiles->color > 1 || tiles->alpha > 1 ? 1 : threads_for(decoder->image);
    reader->request = request;
    const sdcs_av1_stream *alpha = tiles->uses_tracks ? &tiles->stream : &tiles->alpha_stream;
    return check_stream(reader, &tiles->stream, alpha, request, error);
}

/* Describes the planes of an image, which stay owned by the decoder. libavif stores alpha with the depth of the
 * colors. */
static sdyuv_planes planes_of(const avifImage *image) {
    avifPixelFormatInfo info;
    avifGetPixelFormatInfo(image->yuvFormat, &info);
    sdyuv_planes planes = {.width = image->width, .height = image->height, .depth = (int)image->depth};
    planes.luma = image->yuvPlanes[AVIF_CHAN_Y];
    planes.luma_stride = image->yuvRowBytes[AVIF_CHAN_Y];
    if (!info.monochrome) {
        planes.shift_x = info.chromaShiftX;
        planes.shift_y = info.chromaShiftY;
        planes.cb = image->yuvPlanes[AVIF_CHAN_U];
        planes.cr = image->yuvPlanes[AVIF_CHAN_V];
        planes.cb_stride = image->yuvRowBytes[AVIF_CHAN_U];
        planes.cr_stride = image->yuvRowBytes[AVIF_CHAN_V];
    }
    planes.alpha = image->alphaPlane;
    planes.alpha_stride = image->alphaRowBytes;
    planes.alpha_depth = (int)image->depth;
    planes.premultiplied = image->alphaPremultiplied;
    return planes;
}

/* Converts the decoder's current image to pixels. `frames` is the frame count that the metadata of the result
 * reports. */
static sdimage_status convert_current(const avifDecoder *decoder, uint32_t frames, const sdcs_request *request,
                                      sdimage_image **image, sdimage_error **error) {
    sdcs_info info = info_of(decoder);
    info.frame_count = frames;
    sdyuv_planes planes = planes_of(decoder->image);
    info.has_alpha = planes.alpha != NULL;
    /* A decoder may return an image without all planes that its format announces. */
    if (!planes.luma || (info.chroma && (!planes.cb || !planes.cr)))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "avif: plane is missing");
    /* Checked here, because the size in the stream is authoritative. */
    sdimage_status status = sdcs_check_limits(&info, request, 1, error);
    return status < 0 ? status : sdcs_make_image(&planes, &info, request, image, error);
}

/* --- Gain maps. */

/* Decodes the samples of a map: libavif before 1.1 does not know gain maps. The copy of the file has the item of the
 * map as its primary item (docs/decisions.md, "Gain maps of AVIF are decoded from a copy of the file"). */
static sdimage_status decode_samples(const sdheif_container *c, const sdheif_item *item, const sdcs_request *request,
                                     sdimage_image **samples, sdimage_error **error) {
    reader reader = {.decoder = NULL};
    uint8_t *copy = sdheif_copy_with_primary(c, item->id);
    if (!copy)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "avif: file with a gain map cannot be copied");
    sdimage_status status = prepare(copy, c->file.length, request, &reader, error);
    if (status >= 0)
        status = decode_next(&reader, error);
    if (status >= 0)
        status = convert_current(reader.decoder, 1, request, samples, error);
    close_reader(&reader);
    free(copy);
    return status;
}

/* Attaches the gain map to the base image, which stays as it is without one and with a damaged one. `*image` is
 * replaced by an image of the same pixels with the map. */
static void add_gain_map(const void *bytes, size_t length, const sdcs_request *request, sdimage_image **image) {
    sdheif_container container;
    sdimage_image *samples = NULL;
    sdimage_gain_map *map = NULL;
    sdimage_error *why = NULL;
    /* libavif before 1.1 does not know gain maps, so the parser of this project finds the boxes. */
    if (sdheif_container_open(&container, bytes, length, request->budget, NULL) >= 0) {
        sdheif_gain_map found = sdheif_find_gain_map(&container, container.primary);
        sdcs_request plain = sdcs_gain_map_request(request);
        if (found.samples && decode_samples(&container, found.samples, &plain, &samples, &why) >= 0 &&
            sdcs_check_gain_map(sdimage_image_orientation(samples), sdimage_image_orientation(*image), &why) >= 0)
            sdheif_make_gain_map(&container, &found, samples, &map, &why);
        sdcs_finish_gain_map(image, map, why);
    }
    sdimage_gain_map_unref(map);
    sdimage_image_unref(samples);
    sdheif_container_close(&container);
}

/* Describes the gain map of a header, with a placeholder for its samples. Errors are ignored: a header without a
 * readable map has none. */
static void describe_gain_map(const void *bytes, size_t length, const sdimage_work_budget *budget,
                              sdimage_metadata *metadata) {
    sdheif_container container;
    sdimage_image *samples = NULL;
    sdimage_gain_map *map = NULL;
    if (sdheif_container_open(&container, bytes, length, budget, NULL) >= 0) {
        sdheif_gain_map found = sdheif_find_gain_map(&container, container.primary);
        if (found.samples && sdcs_gain_map_placeholder(&samples, NULL) >= 0 &&
            sdheif_make_gain_map(&container, &found, samples, &map, NULL) >= 0)
            sdimage_metadata_set_gain_map(metadata, map);
    }
    sdimage_gain_map_unref(map);
    sdimage_image_unref(samples);
    sdheif_container_close(&container);
}

/* --- The coder. */

/* Recognizes the brands of AVIF. The library has already done so before it opened the module; this call serves coders
 * that programs register themselves. */
static bool can_decode(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return sdimage_sniff(bytes, length) == SDIMAGE_FORMAT_AVIF;
}

/* Decodes the still, or the first frame of a sequence. */
static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error) {
    (void)user_data;
    sdcs_request request = sdcs_request_of(options);
    reader reader = {.decoder = NULL};
    sdimage_status status = prepare(bytes, length, &request, &reader, error);
    if (status >= 0)
        status = decode_next(&reader, error);
    if (status >= 0) {
        sdcs_info info = info_of(reader.decoder);
        /* A frame count of 1 tells the library to open no instance for further frames. */
        uint32_t frames = request.first_frame_only ? 1 : info.frame_count;
        status = convert_current(reader.decoder, frames, &request, image, error);
        /* Sequences have no gain map: it belongs to the primary item. */
        if (status >= 0 && info.frame_count == 1 && sdcs_needs_gain_map(&request, *image))
            add_gain_map(bytes, length, &request, image);
    }
    close_reader(&reader);
    return status;
}

/* Returns the duration of one loop as played, which differs from that of the file after very short frames. */
static uint64_t total_duration(const void *bytes, size_t length, uint32_t frames) {
    uint32_t *durations = sdavif_durations(bytes, length, frames);
    uint64_t sum = 0;
    for (uint32_t i = 0; durations && i < frames; i++)
        sum += durations[i];
    free(durations);
    return sum;
}

/* Reports the header without decoding pixels. The limits of pixels and bytes do not apply to it, only those of
 * tables. */
static sdimage_status describe(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                               sdimage_metadata *metadata, sdimage_error **error) {
    (void)user_data;
    reader reader = {.decoder = NULL};
    sdimage_status status = parse(bytes, length, true, sdimage_decode_options_work_budget(options), &reader, error);
    if (status >= 0) {
        sdcs_info info = info_of(reader.decoder);
        if (info.frame_count > 1)
            info.duration_ms = total_duration(bytes, length, info.frame_count);
        status = sdcs_describe(&info, metadata, error);
        if (status >= 0 && info.frame_count == 1)
            describe_gain_map(bytes, length, sdimage_decode_options_work_budget(options), metadata);
    }
    close_reader(&reader);
    return status;
}

/* --- Sequences. */

/* The instance of a still or a sequence. Its functions run under its lock, except close_instance (coder_instance.h). */
typedef struct instance {
    sdcs_instance base; /* must be first */
    reader reader;
    uint32_t frame_count; /* at least 1 */
    uint32_t *durations;  /* milliseconds of each frame; NULL for a still, or without memory for them */
    bool is_damaged;      /* the last frame failed: the planes of `image` may be freed, whatever `imageIndex` says */
} instance;

static void close_instance(void *pointer) {
    instance *self = pointer;
    close_reader(&self->reader);
    free(self->durations);
}

/* Opens the complete file, which the instance holds as long as the decoder reads it. */
static sdimage_status start(void *pointer, sdimage_error **error) {
    instance *self = pointer;
    const void *bytes = sdimage_data_bytes(self->base.data);
    size_t length = sdimage_data_length(self->base.data);
    sdimage_status status = prepare(bytes, length, &self->base.request, &self->reader, error);
    if (status < 0)
        return status;
    self->frame_count = info_of(self->reader.decoder).frame_count;
    if (self->frame_count > 1)
        self->durations = sdavif_durations(bytes, length, self->frame_count);
    return status;
}

/* Decodes up to a frame, one frame at a time, so that the budget is checked between frames. A decoder goes on from its
 * current frame if the requested one follows without a key frame in between. */
static sdimage_status seek(instance *self, uint32_t index, const sdimage_work_budget *budget, sdimage_error **error) {
    avifDecoder *decoder = self->reader.decoder;
    sdimage_status status = sdcs_check_budget(budget, error);
    if (status < 0)
        return status;
    if (index >= (uint32_t)decoder->imageCount)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "avif: frame index is out of range");
    uint32_t key = avifDecoderNearestKeyframe(decoder, index);
    /* `imageIndex` is -1 before the first frame. */
    bool is_past = decoder->imageIndex >= 0 && (uint32_t)decoder->imageIndex > index;
    if (self->is_damaged || decoder->imageIndex < 0 || is_past || (uint32_t)decoder->imageIndex < key) {
        self->reader.is_too_large = false;
        status = check(avifDecoderNthImage(decoder, key), &self->reader, error);
        self->is_damaged = status < 0;
    }
    while (status >= 0 && (uint32_t)decoder->imageIndex < index) {
        status = sdcs_check_budget(budget, error);
        if (status < 0)
            return status;
        status = decode_next(&self->reader, error);
        self->is_damaged = status < 0;
    }
    return status;
}

/* Decodes frame `index`; the frames of AVIF cover the whole canvas, and need no composition. */
static sdimage_status frame(void *pointer, uint32_t index, sdimage_image **image, sdimage_error **error) {
    instance *self = pointer;
    avifDecoder *decoder = self->reader.decoder;
    const sdcs_request *request = &self->base.request;
    sdimage_status status = seek(self, index, request->budget, error);
    if (status >= 0)
        status = convert_current(decoder, 1, request, image, error);
    if (status >= 0 && self->frame_count == 1 && sdcs_needs_gain_map(request, *image)) {
        const sdimage_data *data = self->base.data;
        add_gain_map(sdimage_data_bytes(data), sdimage_data_length(data), request, image);
    }
    return status;
}

static uint32_t frame_count(const void *pointer) {
    return ((const instance *)pointer)->frame_count;
}

/* Returns the number of loops, or 0 (endless) before libavif 1.0, which does not report it. The count of repetitions
 * excludes the first loop, and is negative for endless or unknown counts. */
static uint32_t loop_count(const void *pointer) {
#if AVIF_VERSION >= 1000000
    const instance *self = pointer;
    int repetitions = self->reader.decoder->repetitionCount;
    return repetitions < 0 ? 0 : (uint32_t)repetitions + 1;
#else
    (void)pointer;
    return 0;
#endif
}

/* Returns 0 for a still and for an index beyond the last frame. */
static uint32_t duration_ms(const void *pointer, uint32_t index) {
    const instance *self = pointer;
    return self->durations && index < self->frame_count ? self->durations[index] : 0;
}

static sdcs_instance_kind sequences = {
    .size = sizeof(instance),
    .no_memory = "avif: no memory for a decoder",
    .start = start,
    .frame = frame,
    .frame_count = frame_count,
    .loop_count = loop_count,
    .duration_ms = duration_ms,
    .close = close_instance,
};

/* The entry points of the coder, called by the library on its threads (sys/coder.h). */
static const sdimage_coder_vtable table = {
    .size = sizeof table,
    .can_decode = can_decode,
    .decode = decode,
    .can_encode = sdavif_can_encode,
    .encode = sdavif_encode,
    SDCS_INSTANCE_ENTRIES,
    .describe = describe,
    .detached_stack = SDCS_STACK,
    .is_risky = true,
    .module = sdcs_module_path,
};

/* The function by which the library makes the coder after it has opened this module. */
SDIMAGE_API sdimage_status sdimage_avif_coder_new(sdimage_coder **coder, sdimage_error **error) {
    return sdimage_coder_new_custom("avif", &table, &sequences, NULL, coder, error);
}
