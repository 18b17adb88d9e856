/* hevc.c: from the bytes of an item to the planes of one picture.
 *
 * - push_item feeds the NAL units of the decoder configuration and of the item to libde265.
 * - run decodes them.
 * - describe reports the planes, which stay in the memory of the decoder.
 *
 * Runs on the thread of a decode, or on one of the helpers of planes.c. Each call has a decoder of its own. */
#include "hevc.h"

#include <libde265/de265.h>

#include "hevc_parameters.h"
#include "picture_memory.h"

/* Pictures are coded in whole blocks of at most 64 pixels. The coded size may exceed that of the item by this
 * margin. */
enum { CODED_MARGIN = 128 };

/* Limit of the NAL units that the decoder gets, all of which it holds (ITU-T H.265, table A.8, allows 600 segments a
 * picture), and units between two budget checks. */
enum { UNIT_LIMIT = 16384, UNITS_PER_CHECK = 256 };

/* The bytes of the length before each unit, as libheif assumes for all files. */
enum { LENGTH_OF_LIBHEIF = 4 };

/* Types of NAL units (ITU-T H.265, table 7-1): slice segments are below the first value, then come three kinds of
 * parameter sets. */
enum { IDR_WITH_LEADING = 19, IDR_ALONE = 20, PARAMETER_SETS = 32, OTHERS = 35, UNIT_HEADER = 2, TEMPORAL_LAYER = 7 };

/* Limit of the references of a picture that is not IDR: 16 each before and after it, and long-term ones. libde265 makes
 * a picture for each that is missing. Those of the module's decoders are limited when they are allocated. */
enum { REFERENCE_LIMIT = 48 };

/* The units of one item on their way to its decoder. */
typedef struct feed {
    const sdheif_container *container;
    de265_decoder_context *decoder; /* NULL if the units are only checked */
    const sdheif_coded *coded;
    sdheif_configuration configuration;
    uint32_t seen, pushed, pictures; /* counts of units, and of the pictures that they begin */
} feed;

/* Skips the profile and the other fields before the format of chroma (16 bytes), and the frame rate (2 bytes). */
bool sdheif_read_configuration(sdcs_span box, sdheif_configuration *configuration) {
    uint64_t chroma, depth, chroma_depth, lengths;
    if (!sdcs_skip(&box, 16) || !sdcs_take(&box, 1, &chroma) || !sdcs_take(&box, 1, &depth) ||
        !sdcs_take(&box, 1, &chroma_depth) || !sdcs_skip(&box, 2) || !sdcs_take(&box, 1, &lengths))
        return false;
    *configuration = (sdheif_configuration){(int)(chroma & 3), 8 + (int)(depth & 7), 8 + (int)(chroma_depth & 7),
                                            (size_t)(lengths & 3) + 1, box};
    return true;
}

/* Fails with BAD_DATA. */
static sdimage_status damaged(sdimage_error **error, const char *what) {
    return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, what);
}

/* Reports that the decoder has the whole picture. An item holds one (ISO/IEC 23008-12, B.2.2.1): further ones would
 * only fill the decoder. */
static bool has_ended(const feed *feed) {
    return feed->decoder && feed->pictures > 1;
}

/* Checks a unit before the decoder allocates memory for its pictures. Only sequence parameter sets announce their size
 * and format. The limits have been checked with those of the container. */
static sdimage_status check_unit(const feed *feed, sdcs_span unit, sdimage_error **error) {
    const sdheif_configuration *announced = &feed->configuration;
    sdcs_hevc_parameters set;
    if (!sdcs_is_hevc_parameters(unit))
        return SDIMAGE_STATUS_OK;
    if (!sdcs_read_hevc_parameters(unit, &set) || set.width > feed->coded->width + CODED_MARGIN ||
        set.height > feed->coded->height + CODED_MARGIN || set.chroma_format > (uint32_t)announced->chroma_format ||
        set.depth > (uint32_t)announced->depth || set.chroma_depth > (uint32_t)announced->depth)
        return damaged(error, "heif: coded image is larger than the container announces");
    return SDIMAGE_STATUS_OK;
}

/* Checks a unit of the item's picture, and passes it to the decoder. Units other than slices and parameter sets, such
 * as supplemental information, are left out. `unit` has at least the two bytes of its header. */
static sdimage_status push_unit(feed *feed, sdcs_span unit, sdimage_error **error) {
    unsigned type = unit.bytes[0] >> 1 & 63;
    if (type >= OTHERS)
        return SDIMAGE_STATUS_OK;
    /* nuh_temporal_id_plus1 is not 0 (ITU-T H.265, 7.4.2.2). libde265 drops such units. If it did not, it would read
     * other fields than check_unit: it also looks for emulation prevention in the two bytes of the header. */
    if (!(unit.bytes[1] & TEMPORAL_LAYER))
        return feed->decoder ? SDIMAGE_STATUS_OK : damaged(error, "heif: NAL unit has no temporal layer");
    /* first_slice_segment_in_pic_flag, the first bit after the header (ITU-T H.265, 7.3.6.1). */
    if (type < PARAMETER_SETS && unit.length > UNIT_HEADER && unit.bytes[UNIT_HEADER] >> 7)
        feed->pictures += feed->decoder || type == IDR_WITH_LEADING || type == IDR_ALONE ? 1 : 1 + REFERENCE_LIMIT;
    if (has_ended(feed))
        return SDIMAGE_STATUS_OK;
    sdimage_status status = check_unit(feed, unit, error);
    if (status < 0 || !feed->decoder)
        return status;
    if (++feed->pushed > UNIT_LIMIT)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "heif: NAL units of an item exceed the limit of 16384");
    /* Other errors are ignored: run fails if no complete picture follows. */
    if (de265_push_NAL(feed->decoder, unit.bytes, (int)unit.length, 0, NULL) == DE265_ERROR_OUT_OF_MEMORY)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for the stream");
    return SDIMAGE_STATUS_OK;
}

/* Takes one unit, which follows its length in `size` bytes, and passes it on. libde265 takes lengths as `int`. */
static sdimage_status push(feed *feed, sdcs_span *span, size_t size, sdimage_error **error) {
    uint64_t length;
    if (!sdcs_take(span, size, &length) || length > span->length || length > INT32_MAX)
        return sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "heif: NAL unit extends beyond the end of its item");
    sdcs_span unit = {span->bytes, (size_t)length};
    sdcs_skip(span, unit.length);
    if (++feed->seen % UNITS_PER_CHECK == 0) {
        sdimage_status status = sdcs_check_budget(feed->container->budget, error);
        if (status < 0)
            return status;
    }
    return unit.length < UNIT_HEADER ? SDIMAGE_STATUS_OK : push_unit(feed, unit, error);
}

/* Pushes the parameter sets of `hvcC`: arrays of one type, each a type, a count of 2 bytes and units. */
static sdimage_status push_parameters(feed *feed, sdcs_span arrays, sdimage_error **error) {
    uint64_t count, units;
    if (!sdcs_take(&arrays, 1, &count))
        return damaged(error, "heif: decoder configuration ends early");
    /* Counts of untrusted files: each unit takes at least its two bytes of length, so the loops end with the box. */
    for (; count > 0; count--) {
        if (!sdcs_skip(&arrays, 1) || !sdcs_take(&arrays, 2, &units))
            return damaged(error, "heif: decoder configuration ends early");
        for (; units > 0; units--) {
            sdimage_status status = push(feed, &arrays, 2, error);
            if (status < 0)
                return status;
        }
    }
    return SDIMAGE_STATUS_OK;
}

/* Decodes until the first picture is complete. The picture stays owned by the decoder. */
static sdimage_status run(const feed *feed, const struct de265_image **image, sdimage_error **error) {
    de265_decoder_context *decoder = feed->decoder;
    /* Without the end of the data, libde265 waits for the next picture before it outputs this one. */
    de265_flush_data(decoder);
    int more = 1;
    while (more) {
        sdimage_status status = sdcs_check_budget(feed->container->budget, error);
        if (status < 0)
            return status;
        more = 0;
        de265_error failure = de265_decode(decoder, &more);
        if (failure == DE265_ERROR_OUT_OF_MEMORY)
            return sdheif_has_too_many_pictures()
                       ? damaged(error, "heif: image refers to other pictures")
                       : sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for the planes");
        if (failure != DE265_OK && failure != DE265_ERROR_WAITING_FOR_INPUT_DATA)
            return damaged(error, de265_get_error_text(failure));
        if ((*image = de265_get_next_picture(decoder)) != NULL)
            return sdheif_is_complete(*image) ? SDIMAGE_STATUS_OK
                                              : damaged(error, "heif: slices of the image are missing");
    }
    return damaged(error, "heif: stream has no complete image");
}

/* Reads one plane; false if it is missing or has another size than its format implies, because conversion would read
 * beyond it. */
static bool plane(const struct de265_image *image, int channel, uint32_t width, uint32_t height, const uint8_t **bytes,
                  size_t *stride) {
    int step = 0;
    *bytes = de265_get_image_plane(image, channel, &step);
    *stride = step > 0 ? (size_t)step : 0;
    return *bytes && step > 0 && (uint32_t)de265_get_image_width(image, channel) == width &&
           (uint32_t)de265_get_image_height(image, channel) == height;
}

/* Fills in planes and color of a frame. Depths outside of 8 to 12 bits are UNSUPPORTED. */
static sdimage_status describe(const struct de265_image *image, sdheif_frame *frame, sdimage_error **error) {
    int width = de265_get_image_width(image, 0), height = de265_get_image_height(image, 0);
    int depth = de265_get_bits_per_pixel(image, 0);
    enum de265_chroma chroma = de265_get_chroma_format(image);
    sdyuv_planes *p = &frame->planes;
    *p = (sdyuv_planes){.width = (uint32_t)width, .height = (uint32_t)height, .depth = depth};
    if (width <= 0 || height <= 0 || depth < 8 || depth > 12)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: unknown size or bit depth of the coded image");
    p->shift_x = chroma == de265_chroma_420 || chroma == de265_chroma_422;
    p->shift_y = chroma == de265_chroma_420;
    if (!plane(image, 0, p->width, p->height, &p->luma, &p->luma_stride))
        return damaged(error, "heif: plane is missing");
    if (chroma != de265_chroma_mono) {
        /* Chroma of odd sides is rounded up. */
        uint32_t columns = (p->width + (uint32_t)p->shift_x) >> p->shift_x;
        uint32_t rows = (p->height + (uint32_t)p->shift_y) >> p->shift_y;
        if (de265_get_bits_per_pixel(image, 1) != depth || de265_get_bits_per_pixel(image, 2) != depth)
            return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "heif: planes differ in bit depth");
        if (!plane(image, 1, columns, rows, &p->cb, &p->cb_stride) ||
            !plane(image, 2, columns, rows, &p->cr, &p->cr_stride))
            return damaged(error, "heif: plane is missing");
    }
    frame->color = (sdyuv_color){(uint16_t)de265_get_image_colour_primaries(image),
                                 (uint16_t)de265_get_image_matrix_coefficients(image),
                                 de265_get_image_full_range_flag(image) != 0};
    frame->transfer = (uint16_t)de265_get_image_transfer_characteristics(image);
    return SDIMAGE_STATUS_OK;
}

/* Pushes the units of an item. `size`: the bytes of the length before each unit; 0 for that of the configuration. */
static sdimage_status push_item(feed *feed, const sdheif_item *item, size_t size, sdimage_error **error) {
    sdcs_span box;
    const sdheif_configuration *configuration = &feed->configuration;
    if (!sdheif_find_property(feed->container, item, SDCS_FOURCC('h', 'v', 'c', 'C'), &box) ||
        !sdheif_read_configuration(box, &feed->configuration))
        return damaged(error, "heif: no decoder configuration");
    sdheif_bytes bytes;
    sdimage_status status = sdheif_item_bytes(feed->container, item, &bytes, error);
    if (status >= 0)
        /* Parameter sets first: slices refer to them. */
        status = push_parameters(feed, configuration->arrays, error);
    for (sdcs_span rest = bytes.span; status >= 0 && !has_ended(feed) && rest.length > 0;)
        status = push(feed, &rest, size ? size : configuration->length_size, error);
    sdheif_release_bytes(&bytes);
    return status;
}

sdimage_status sdheif_decode_frame(const sdheif_container *container, const sdheif_item *item, sdheif_coded coded,
                                   sdheif_frame *frame, sdimage_error **error) {
    *frame = (sdheif_frame){.decoder = de265_new_decoder()};
    if (!frame->decoder)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "heif: no memory for a decoder");
    de265_set_parameter_bool(frame->decoder, DE265_DECODER_PARAM_SUPPRESS_FAULTY_PICTURES, 1);
    if (coded.threads > 1)
        de265_start_worker_threads(frame->decoder, coded.threads);
    sdheif_mark_pictures(frame->decoder);
    const struct de265_image *image = NULL;
    feed feed = {.container = container, .decoder = frame->decoder, .coded = &coded};
    /* From here on the decoder of the frame is released on failure. */
    sdimage_status status = push_item(&feed, item, 0, error);
    if (status >= 0)
        status = run(&feed, &image, error);
    if (status >= 0)
        status = describe(image, frame, error);
    if (status < 0)
        sdheif_release_frame(frame);
    return status;
}

/* A feed without a decoder checks every unit, beyond the first picture too. */
sdimage_status sdheif_check_stream(const sdheif_container *container, const sdheif_item *item, sdheif_coded coded,
                                   uint32_t *pictures, sdimage_error **error) {
    feed feed = {.container = container, .coded = &coded};
    sdimage_status status = push_item(&feed, item, LENGTH_OF_LIBHEIF, error);
    *pictures = feed.pictures;
    return status;
}

void sdheif_release_frame(sdheif_frame *frame) {
    if (frame->decoder)
        de265_free_decoder(frame->decoder);
    frame->decoder = NULL;
}
