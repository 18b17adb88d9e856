/* rows.c: rows from a decoder to the image, with limits on their memory. The TIFF plug-in writes its strips and tiles
 * through it, on the thread of a decode.
 *
 * A thumbnail is the mean of whole blocks of at most `factor` rows and columns. Their rows are summed to one row of
 * sums, which is written when its last row has come. The blocks divide each side evenly, because the library scales the
 * image as if all were alike. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "pixel_format.h"

/* Default limit of the pixels in a header (docs/decisions.md, "Limits of one decode") if rows are streamed. */
static const uint64_t MOST_STREAMED = (uint64_t)1 << 30;
/* Limit of the bytes of rows and sums held for block means. */
static const size_t MOST_BAND = (size_t)256 << 20;

/* The block means stop at twice the requested size; the library's filters do the rest well from there. */
enum { SPARE = 2 };

/* A limit that differs from the default was set by the program, and applies as it is. */
uint64_t sdcs_max_streamed_pixels(const sdcs_request *request) {
    return request->max_pixels == SDCS_STANDARD_PIXELS ? MOST_STREAMED : request->max_pixels;
}

uint32_t sdcs_shrink_factor(uint32_t width, uint32_t height, sdimage_orientation orientation,
                            const sdcs_request *request) {
    bool turned = sdcs_swaps_sides(orientation);
    uint64_t box_width = turned ? request->box.height : request->box.width;
    uint64_t box_height = turned ? request->box.width : request->box.height;
    if (!box_width || !box_height)
        return 1;
    /* Sides of the block that leave twice the box in each direction. */
    uint64_t across = width / (box_width * SPARE), down = height / (box_height * SPARE);
    uint64_t most = across > down ? across : down, least = across > down ? down : across;
    /* With preserved proportions the image touches the box on the side that shrinks most. */
    uint64_t factor = request->keeps_aspect_ratio ? most : least;
    return factor < 1 ? 1 : factor > 4096 ? 4096 : (uint32_t)factor;
}

/* Returns the samples of a pixel, of 1 or 2 bytes each. */
static unsigned channels_of(sdimage_pixel_format format) {
    return (unsigned)(sdimage_pixel_format_bytes(format) / (sdcs_is_16_bit(format) ? 2 : 1));
}

/* Returns a side of the image: the number of blocks. */
static uint32_t shrunk(uint32_t side, uint32_t factor) {
    return side / factor + (side % factor ? 1 : 0);
}

/* Returns the end of a block, in rows or columns of a side; rounded to the nearest. */
static uint32_t end_of(uint32_t block, uint32_t side, uint32_t factor) {
    uint32_t blocks = shrunk(side, factor);
    return (uint32_t)((((uint64_t)block + 1) * side + blocks / 2) / blocks);
}

/* Allocates the band and the sums. A sum of 64 bits has room for the samples of a block, weighted by alpha. */
static sdimage_status open_means(sdcs_rows *rows, sdimage_error **error) {
    uint64_t stride = (uint64_t)rows->width * sdimage_pixel_format_bytes(rows->format);
    if (stride > MOST_BAND / rows->band_rows)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: rows exceed the limit of 256 MiB");
    /* One sum for each channel, and one for the number of pixels. */
    uint64_t sums = (uint64_t)shrunk(rows->width, rows->factor) * (channels_of(rows->format) + 1) * sizeof *rows->sums;
    rows->held = stride * rows->band_rows + sums;
    if (rows->held > MOST_BAND)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: rows exceed the limit of 256 MiB");
    rows->band_stride = (size_t)stride;
    rows->band = calloc(rows->band_rows, rows->band_stride);
    rows->sums =
        calloc((size_t)shrunk(rows->width, rows->factor) * (channels_of(rows->format) + 1), sizeof *rows->sums);
    if (!rows->band || !rows->sums)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "decoder: no memory for rows");
    return SDIMAGE_STATUS_OK;
}

sdimage_status sdcs_rows_open(sdcs_rows *rows, uint32_t width, uint32_t height, sdimage_pixel_format format,
                              uint32_t factor, uint32_t band_rows, const sdcs_request *request, sdimage_error **error) {
    *rows = (sdcs_rows){.width = width, .height = height, .format = format, .factor = factor};
    rows->band_rows = band_rows < 1 ? 1 : band_rows > height ? height : band_rows;
    uint64_t pixels = (uint64_t)width * height;
    if (!pixels)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "decoder: image has no pixels");
    if (pixels > (factor > 1 ? sdcs_max_streamed_pixels(request) : request->max_pixels))
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: more pixels than max_pixels allows");
    uint32_t across = shrunk(width, factor), down = shrunk(height, factor);
    if (sdcs_exceeds_bytes(request->max_bytes, across, down, format))
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: bitmap has more bytes than max_bytes allows");
    void *bytes = NULL;
    sdimage_status status =
        sdimage_image_new_uninitialized(across, down, format, &rows->image, &bytes, &rows->stride, error);
    if (status < 0)
        return status;
    rows->pixels = bytes;
    /* Rows that a damaged file lacks stay transparent or black. */
    memset(bytes, 0, rows->stride * down);
    return factor > 1 ? open_means(rows, error) : SDIMAGE_STATUS_OK;
}

/* Releases the image, too: a caller that returns it has a reference of its own. */
void sdcs_rows_close(sdcs_rows *rows) {
    sdimage_image_unref(rows->image);
    free(rows->band);
    free(rows->sums);
    *rows = (sdcs_rows){0};
}

uint8_t *sdcs_row(const sdcs_rows *rows, uint32_t y) {
    if (rows->factor == 1)
        return rows->pixels + (size_t)y * rows->stride;
    return rows->band + (size_t)(y - rows->first) * rows->band_stride;
}

/* Returns a sample of a row by its index. */
static uint32_t sample(const sdcs_rows *rows, const uint8_t *row, size_t index) {
    uint16_t word;
    if (!sdcs_is_16_bit(rows->format))
        return row[index];
    memcpy(&word, row + index * 2, sizeof word);
    return word;
}

/* Adds 8-bit samples without alpha, the most common case, block by block, so that the inner loops have no division. */
static void add_bytes(sdcs_rows *rows, const uint8_t *row, unsigned channels) {
    uint64_t *sum = rows->sums;
    for (uint32_t x = 0, block = 0; x < rows->width; block++, sum += channels + 1) {
        uint32_t count = end_of(block, rows->width, rows->factor) - x, sums[3] = {0, 0, 0};
        for (uint32_t i = 0; channels == 1 && i < count; i++)
            sums[0] += row[i];
        for (uint32_t i = 0; channels == 3 && i < count; i++)
            for (unsigned c = 0; c < 3; c++)
                sums[c] += row[(size_t)i * 3 + c];
        for (unsigned c = 0; c < channels; c++)
            sum[c] += sums[c];
        sum[channels] += count;
        row += (size_t)count * channels;
        x += count;
    }
}

/* Adds a row. The sums of a block are followed by the number of its pixels. */
static void add_row(sdcs_rows *rows, const uint8_t *row) {
    unsigned channels = channels_of(rows->format), colors = channels == 4 ? 3 : channels;
    if (channels < 4 && !sdcs_is_16_bit(rows->format)) {
        add_bytes(rows, row, channels);
        return;
    }
    uint64_t *sum = rows->sums;
    uint32_t block = 0, end = end_of(0, rows->width, rows->factor);
    for (uint32_t x = 0; x < rows->width; x++) {
        if (x == end) {
            end = end_of(++block, rows->width, rows->factor);
            sum += channels + 1;
        }
        /* Colors are weighted by alpha, alpha by 1. */
        uint32_t weight = channels == 4 ? sample(rows, row, (size_t)x * 4 + 3) : 1;
        for (unsigned c = 0; c < colors; c++)
            sum[c] += (uint64_t)sample(rows, row, (size_t)x * channels + c) * weight;
        if (channels == 4)
            sum[3] += weight;
        sum[channels] += 1;
    }
}

/* Writes a sample of a row by its index. */
static void store_sample(const sdcs_rows *rows, uint8_t *row, size_t index, uint64_t value) {
    uint16_t word = (uint16_t)value;
    if (sdcs_is_16_bit(rows->format))
        memcpy(row + index * 2, &word, sizeof word);
    else
        row[index] = (uint8_t)value;
}

/* Writes the means of the summed rows, rounded, as row `y` of the image and resets the sums. A block without any alpha
 * stays transparent black. */
static void flush(sdcs_rows *rows, uint32_t y) {
    unsigned channels = channels_of(rows->format), colors = channels == 4 ? 3 : channels;
    uint32_t across = shrunk(rows->width, rows->factor);
    uint8_t *row = rows->pixels + (size_t)y * rows->stride;
    for (uint32_t x = 0; x < across; x++) {
        uint64_t *sum = rows->sums + (size_t)x * (channels + 1), count = sum[channels];
        uint64_t weight = channels == 4 ? sum[3] : count;
        /* Half the divisor is added, to round to the nearest. */
        for (unsigned c = 0; c < colors && weight; c++)
            store_sample(rows, row, (size_t)x * channels + c, (sum[c] + weight / 2) / weight);
        if (channels == 4 && count)
            store_sample(rows, row, (size_t)x * 4 + 3, (sum[3] + count / 2) / count);
    }
    memset(rows->sums, 0, (size_t)across * (channels + 1) * sizeof *rows->sums);
}

void sdcs_rows_done(sdcs_rows *rows, uint32_t end) {
    if (rows->factor == 1)
        return;
    for (uint32_t y = rows->first; y < end; y++) {
        add_row(rows, rows->band + (size_t)(y - rows->first) * rows->band_stride);
        if (y + 1 == end_of(rows->block, rows->height, rows->factor))
            flush(rows, rows->block++);
    }
    /* A damaged tile leaves its part of the band unwritten. */
    if (rows->band_rows > 1)
        memset(rows->band, 0, rows->band_rows * rows->band_stride);
    rows->first = end;
}
