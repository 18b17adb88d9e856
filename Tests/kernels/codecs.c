/* Kernels of decoders and encoders. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "sdpx_colors.h"
#include "sdpx_dither.h"
#include "sdpx_frame_difference.h"
#include "sdpx_gain_map.h"
#include "sdpx_inflate.h"
#include "sdpx_jpeg_huffman.h"
#include "sdpx_jpeg_rows.h"
#include "sdpx_jpeg_scan.h"
#include "sdpx_lzw.h"
#include "sdpx_lzw_writer.h"
#include "sdpx_png.h"
#include "sdpx_png_filter.h"
#include "sdpx_quantize.h"

static const size_t pixel_sizes[] = {1, 2, 3, 4, 6, 8};

static void png_filters(size_t n) {
    for (size_t i = 0; i < 6; i++) {
        reuse_memory();
        size_t bytes = n * pixel_sizes[i];
        const uint8_t *from = input(bytes), *above = input(bytes);
        for (int filter = SDPX_FILTER_NONE; filter <= SDPX_FILTER_PAETH; filter++) {
            uint8_t *to = output(bytes), *filtered = output(bytes);
            result_number((uint64_t)sdpx_unfilter_row(to, from, above, bytes, filter, (int)pixel_sizes[i]));
            result(to, bytes);
            sdpx_filter_scanline(filtered, from, above, bytes, filter, pixel_sizes[i]);
            result(filtered, bytes);
        }
        if (n > 0)
            result_number((uint64_t)sdpx_cheapest_filter(from, above, bytes, pixel_sizes[i]));
    }
}

static void png_samples(size_t n) {
    const uint8_t *from = input(6 * n);
    uint16_t *deep = output(2 * n);
    sdpx_swap_samples(deep, from, n);
    result(deep, 2 * n);
    uint8_t *to = output(4 * n);
    sdpx_expand_gray_alpha8(to, input(2 * n), n);
    result(to, 4 * n);
    deep = output(8 * n);
    sdpx_expand_gray_alpha16(deep, input(4 * n), n);
    result(deep, 8 * n);
    static const uint16_t key8[3] = {0, 255, 255};
    to = output(4 * n);
    sdpx_expand_keyed8(to, input(3 * n), n, key8);
    result(to, 4 * n);
    for (int channels = 1; channels <= 3; channels += 2) {
        const uint8_t *samples = input(2 * n * (size_t)channels);
        uint16_t key[3] = {0, 65535, 255};
        for (int k = 0; k < channels && n > 0; k++)
            key[k] = (uint16_t)(samples[2 * k] << 8 | samples[2 * k + 1]);
        deep = output(8 * n);
        sdpx_expand_keyed16(deep, samples, n, key, channels);
        result(deep, 8 * n);
    }
    for (size_t i = 0; i < 6; i++) {
        reuse_memory();
        uint8_t *row = output(n * pixel_sizes[i]);
        size_t step = 1 + random_below(8), count = (n + step - 1) / step;
        sdpx_scatter_pixels(row, input(count * pixel_sizes[i]), count, step, 1 + random_below((uint32_t)step), n,
                            (int)pixel_sizes[i]);
        result(row, n * pixel_sizes[i]);
    }
}

/* Maps of one channel and of three, of the size of the row and smaller. */
static void gain_maps(size_t n) {
    for (int mode = 0; mode < 12 && n > 0; mode++) {
        reuse_memory();
        size_t channels = mode & 1 ? 3 : 1, width = mode & 2 ? n : (n + 3) / 4;
        /* A sample between two entries of a table may be rounded either way. */
        float *light = output(SDPX_GAIN_ENTRIES * sizeof *light), *gains = output(SDPX_GAIN_ENTRIES * sizeof *gains);
        for (size_t i = 0; i < SDPX_GAIN_ENTRIES; i++)
            light[i] = (float)i / SDPX_GAIN_ENTRIES,
            gains[i] = 1 + (float)(i * i) / (SDPX_GAIN_ENTRIES * SDPX_GAIN_ENTRIES);
        sdpx_gain_map map = {mode / 4,
                             light,
                             {gains, gains, gains},
                             {0.1f, 0.2f, 0},
                             {0, 0.1f, 0.2f},
                             {0.9f, 0.1f, 0, 0, 1, 0, 0.1f, 0, 0.9f},
                             {1.2f, -0.2f, 0, 0, 1, 0, 0, -0.1f, 1.1f}};
        float *samples = output(n * channels * sizeof *samples), *to = output(n * 4 * sizeof *to);
        sdpx_interpolate_gains(samples, n, output(width * channels * sizeof *samples), input(width * channels),
                               input(width * channels), 0.3f, width, channels);
        result_floats(samples, n * channels, 1e-3f);
        const uint8_t *pixels = input((mode / 4 == SDPX_GAIN_RGBA_16 ? 8 : 3) * n);
        sdpx_apply_gains(to, pixels, n, samples, channels, &map);
        result_floats(to, 4 * n, 2e-3f);
        float *rows = output(3 * n * sizeof *rows);
        sdpx_gain_light(rows, pixels, n, &map);
        result_floats(rows, 3 * n, 2e-3f);
    }
}

/* Gains between two rows, also of samples that are negative or not finite. */
static void measured_gains(size_t n) {
    static const sdpx_matrix matrix = {{0.82f, 0.18f, 0, 0.03f, 0.97f, 0, 0.02f, 0.07f, 0.91f}};
    static const float unusual[] = {NAN, INFINITY, -INFINITY, -100, 0};
    float *base = input_floats(3 * n, 0, 1), *other = input_floats(4 * n, 0, 8), *to = output(12 * n);
    for (size_t i = 0; i < n; i++) {
        if (random_below(4) == 0)
            base[3 * i + random_below(3)] = unusual[random_below(5)];
        if (random_below(4) == 0)
            other[4 * i + random_below(4)] = unusual[random_below(5)];
    }
    for (int zero = 0; zero < 2; zero++) {
        sdpx_measure_gains(to, base, other, n, matrix, zero ? 0 : 1 / 64.0f);
        result_floats(to, 3 * n, 1e-4f);
    }
    float brightest = sdpx_brightest(other, n);
    result(&brightest, sizeof brightest);
}

/* Compresses `n` pixels of few values and decompresses them again, in pieces. */
static void lzw(size_t n) {
    uint8_t *indices = output(n), *packed = output(sdpx_lzw_writer_bound(n) + sdpx_lzw_writer_bound(0) + 1);
    for (size_t i = 0; i < n; i++)
        indices[i] = (uint8_t)random_below(i % 7 ? 3 : 16);
    sdpx_lzw_writer *writer = aligned_memory(sdpx_lzw_writer_size());
    sdpx_lzw_writer_start(writer, 4);
    size_t size = sdpx_lzw_write(writer, packed, indices, n);
    size += sdpx_lzw_writer_finish(writer, packed + size);
    result(packed, size);
    sdpx_lzw *reader = aligned_memory(sdpx_lzw_size());
    uint8_t *pixels = output(SDPX_LZW_HEAD + n + SDPX_LZW_ROOM);
    result_number((uint64_t)sdpx_lzw_start(reader, 4, pixels, (uint32_t)n));
    for (size_t at = 0, end = 0; at < size && end < size;) {
        end = end + 40 < size ? end + 40 : size;
        at += sdpx_lzw_decode(reader, pixels, packed + at, end - at, (uint32_t)n);
    }
    result(pixels + SDPX_LZW_HEAD, n);
    result_number(sdpx_lzw_count(reader));
}

/* A zlib stream of 6,300 bytes of repetitive text, with dynamic codes. */
static const uint8_t zlib_stream[] = {
#include "zlib_stream.inc"
};

static void inflate(size_t n) {
    if (n == 0)
        return;
    sdpx_inflater *inflater = aligned_memory(sdpx_inflater_size());
    uint8_t *copy = output(sizeof zlib_stream), *window = output(6300);
    memcpy(copy, zlib_stream, sizeof zlib_stream);
    /* Damaged in most runs. */
    if (n > 4)
        copy[2 + random_below(sizeof zlib_stream - 2)] ^= (uint8_t)(1 << random_below(8));
    const uint8_t *in = copy, *end = copy;
    size_t position = 0;
    int status = SDPX_INFLATE_NEEDS_INPUT;
    sdpx_inflate_start(inflater);
    while (status == SDPX_INFLATE_NEEDS_INPUT && end < copy + sizeof zlib_stream) {
        size_t rest = (size_t)(copy + sizeof zlib_stream - end), piece = n < 4 ? rest : n * 5;
        end += piece < rest ? piece : rest;
        status = sdpx_inflate(inflater, &in, end, window, &position, 6300);
    }
    result_number((uint64_t)status);
    result(window, position);
}

/* The table for AC coefficients of luminance (ITU-T T.81, K.5), whose longest codes are in another order. */
static int make_huffman(sdpx_jpeg_huffman *table, int is_ac) {
    static const uint8_t ac_lengths[16] = {0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125};
    static const uint8_t dc_lengths[16] = {0, 1, 5, 1, 1, 1, 1, 1, 1};
    static const uint8_t first[] = {0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13,
                                    0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42,
                                    0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82};
    uint8_t values[256];
    size_t count = 0;
    if (!is_ac) {
        for (; count < 12; count++)
            values[count] = (uint8_t)count;
        return sdpx_jpeg_make_huffman(table, dc_lengths, values, count, 0);
    }
    memcpy(values, first, sizeof first);
    count = sizeof first;
    for (int v = 0; v < 256; v++)
        if ((v & 15) > 0 && (v & 15) < 11 && !memchr(first, v, sizeof first))
            values[count++] = (uint8_t)v;
    return sdpx_jpeg_make_huffman(table, ac_lengths, values, count, 1);
}

/* Scans of random data. `first` is the weight of the DC coefficient, `next / (1 + i)` that of coefficient `i`. */
static void scan_blocks(size_t n, float first, float next, float distance) {
    static float weights[SDPX_JPEG_LOW];
    size_t bytes = 40 * (n < 300 ? n : 300);
    sdpx_jpeg_huffman *dc = aligned_memory(sizeof *dc), *ac = aligned_memory(sizeof *ac);
    result_number((uint64_t)make_huffman(dc, 0));
    result_number((uint64_t)make_huffman(ac, 1));
    for (int i = 0; i < SDPX_JPEG_LOW; i++)
        weights[i] = (i > 0 ? next : first) / (float)(1 + i);
    for (uint32_t detail = 1; detail <= 4; detail *= 2) {
        uint8_t *data = input(bytes);
        for (size_t i = 0; i < bytes; i++)
            data[i] &= 0xfe;
        int16_t *samples = output(2 * n * detail * detail);
        memset(samples, 0, 2 * n * detail * detail);
        sdpx_jpeg_scan scan = {.next = data,
                               .end = data + bytes,
                               .kind = SDPX_JPEG_SEQUENTIAL,
                               .component_count = 1,
                               .mcus_across = (uint32_t)(n > 0 ? n : 1)};
        scan.components[0] = (sdpx_jpeg_component){.dc = dc,
                                                   .ac = ac,
                                                   .across = 1,
                                                   .down = 1,
                                                   .detail = detail,
                                                   .weights = weights,
                                                   .samples = samples,
                                                   .stride = n * detail};
        result_number((uint64_t)sdpx_jpeg_walk(&scan, (uint32_t)n));
        result_number(scan.mcu);
        for (size_t i = 0; i < n * detail * detail; i++)
            result_floats(&(float){samples[i]}, 1, detail > 1 ? distance : 0);
    }
}

static void jpeg_scans(size_t n) {
    scan_blocks(n, 1, 1, 1.01f);
}

/* Samples that exceed 32 bits, as from the largest quantization steps and a sum of many differences, are clamped. */
static void jpeg_scans_beyond_range(size_t n) {
    scan_blocks(n, 1e12f, 0, 0);
}

static void jpeg_rows(size_t n) {
    const int16_t *before = input(2 * n), *row = input(2 * n), *after = input(2 * n);
    uint8_t *bytes = output(n);
    sdpx_jpeg_level_row(bytes, row, n, 3);
    result(bytes, n);
    float *part = output(4 * n);
    sdpx_jpeg_part_of_row(part, before, row, after, n, 0.25f);
    result_floats(part, n, 1e-6f);
    const float *means = input_floats(n, -2000, 2000);
    for (uint32_t factor = 1; factor <= 4; factor *= 2) {
        bytes = output(n * factor);
        sdpx_jpeg_widen_row(bytes, means, n, factor, 0.7f);
        result8(bytes, n * factor, 1);
    }
    const uint8_t *y = input(n), *cb = input(n), *cr = input(n);
    bytes = output(3 * n);
    sdpx_jpeg_rgb_row(bytes, y, cb, cr, n);
    result(bytes, 3 * n);
}

static void color_tables(size_t n) {
    sdpx_colors *colors = aligned_memory(sdpx_colors_size());
    for (int channels = 3; channels <= 4; channels++) {
        uint8_t *row = input(n * (size_t)channels), *found = output(n), *replacements = input(256);
        for (size_t i = 0; i < n * (size_t)channels; i++)
            row[i] &= 0x81;
        sdpx_colors_start(colors);
        result_number((uint64_t)sdpx_colors_add(colors, row, n, channels));
        uint32_t count = sdpx_colors_count(colors);
        result_number(count);
        result(sdpx_colors_values(colors), 4 * count);
        sdpx_colors_find(colors, found, row, n, channels, replacements);
        result(found, n);
        if (channels == 4) {
            found = output(n);
            sdpx_colors_start(colors);
            result_number((uint64_t)sdpx_colors_index(colors, found, row, n));
            result(found, n);
        }
    }
    for (int bits = 1; bits <= 4; bits *= 2) {
        uint8_t *indices = input(n), *packed = output((n * (size_t)bits + 7) / 8);
        for (size_t i = 0; i < n; i++)
            indices[i] &= (uint8_t)((1 << bits) - 1);
        sdpx_pack_indices(packed, indices, n, bits);
        result(packed, (n * (size_t)bits + 7) / 8);
    }
}

/* Copies a row and changes some of its pixels. */
static uint8_t *changed_row(const uint8_t *row, size_t n, size_t pixel) {
    uint8_t *changed = output(n * pixel);
    memcpy(changed, row, n * pixel);
    for (size_t i = 0; i < n; i++)
        if (random_below(4) == 0)
            changed[i * pixel + random_below((uint32_t)pixel)] ^= 1;
    return changed;
}

static void changed_pixels(size_t n) {
    for (size_t pixel = 4; pixel <= 8; pixel += 4) {
        uint8_t *before = input(n * pixel), *row = changed_row(before, n, pixel), *to = output(n * pixel);
        size_t first = n, end = 0;
        result_number((uint64_t)sdpx_changed_span(row, before, n, pixel, &first, &end));
        result_number(first);
        result_number(end);
        result_number((uint64_t)sdpx_only_changed(to, row, before, n, pixel));
        result(to, n * pixel);
    }
    uint32_t *row = output(4 * n), *before = output(4 * n);
    sdpx_threshold_alpha(row, input(4 * n), n);
    sdpx_threshold_alpha(before, input(4 * n), n);
    result(row, 4 * n);
    size_t first = n, end = 0;
    result_number((uint64_t)sdpx_has_cleared(row, before, n, &first, &end));
    result_number(first);
    result_number(end);
}

static int compare_colors(const void *a, const void *b) {
    return memcmp(a, b, 3);
}

/* Palettes depend on sums of float distances: their entries may move a little, and change their order. Mapping to a
   given palette is exact. */
static void quantizer(size_t n) {
    if (n % 16 != 3 && n < 250)
        return;
    sdpx_quantizer *quantizer = aligned_memory(sdpx_quantizer_size());
    const uint8_t *rgba = input(4 * n);
    uint8_t *palette = output(3 * 24);
    sdpx_quantizer_start(quantizer);
    sdpx_quantizer_add(quantizer, rgba, n, 128);
    size_t colors = sdpx_quantizer_palette(quantizer, palette, 24, 3);
    result_number(colors);
    qsort(palette, colors, 3, compare_colors);
    result8(palette, 3 * colors, 24);
    sdpx_quantizer_use(quantizer, input(3 * 24), 24);
    for (int dither = SDPX_DITHER_NONE; dither <= SDPX_DITHER_ORDERED; dither++) {
        uint8_t *indices = output(n);
        int16_t *errors = output(2 * sdpx_quantizer_errors(n));
        memset(errors, 0, 2 * sdpx_quantizer_errors(n));
        for (size_t y = 0; y < 3; y++) {
            sdpx_quantizer_map(quantizer, indices, rgba, n, y, 128, 31, dither, errors);
            result(indices, n);
        }
    }
}

const test_entry codec_tests[] = {
    {"PNG filters", png_filters},
    {"PNG samples", png_samples},
    {"gain maps", gain_maps},
    {"measured gains", measured_gains},
    {"LZW", lzw},
    {"inflate", inflate},
    {"JPEG scans", jpeg_scans},
    {"JPEG scans beyond the range", jpeg_scans_beyond_range},
    {"JPEG rows", jpeg_rows},
    {"color tables", color_tables},
    {"changed pixels", changed_pixels},
    {"quantizer", quantizer},
    {NULL, NULL},
};
