/* Resampling: row by row, and of whole images. */
#include <string.h>

#include "harness.h"
#include "sdpx_format.h"
#include "sdpx_resize.h"
#include "sdpx_resize_quads.h"
#include "sdpx_resize_store.h"
#include "sdpx_scale.h"

/* Random taps for `count` output positions from a row of `length` pixels; the weights of each sum to 1. */
static sdpx_axis make_axis(size_t count, size_t length, size_t taps) {
    int32_t *starts = aligned_memory(4 * count), *counts = aligned_memory(4 * count);
    float *weights = aligned_memory(4 * count * taps);
    for (size_t i = 0; i < count; i++) {
        size_t most = taps < length ? taps : length, n = 1 + random_below((uint32_t)most);
        float sum = 0;
        counts[i] = (int32_t)n;
        starts[i] = (int32_t)random_below((uint32_t)(length - n + 1));
        for (size_t k = 0; k < n; k++)
            sum += weights[i * taps + k] = 0.1f + (float)random_below(1000) / 1000;
        for (size_t k = 0; k < n; k++)
            weights[i * taps + k] /= sum;
    }
    return (sdpx_axis){count, taps, starts, counts, weights};
}

static void sums_of_columns(size_t n) {
    const float weights[3] = {0.3f, -0.1f, 0.8f};
    for (int channels = 1; channels <= 4; channels++) {
        reuse_memory();
        size_t samples = n * (size_t)channels;
        float *sums[3];
        for (int i = 0; i < 3; i++)
            sums[i] = input_floats(samples, 0, 100);
        sdpx_accumulate_u8(sums, weights, 3, input(samples), samples, channels);
        sdpx_accumulate_u16(sums, weights, 2, input(2 * samples), samples, channels);
        if (channels == 4)
            sdpx_accumulate_f32(sums + 1, weights, 2, input_floats(samples, -0.1f, 1.2f), samples);
        for (int i = 0; i < 3; i++)
            result_floats(sums[i], samples, 1e-5f);
    }
}

static void sums_of_rows(size_t n) {
    const float weights[12] = {0.3f, -0.1f, 0.8f, 0, 0.2f, 0.4f, -0.2f, 0.6f, 0.1f, 0.2f, 0.3f, 0.4f};
    for (int channels = 1; channels <= 4; channels++)
        for (size_t begun = 0; begun <= 3; begun++) {
            reuse_memory();
            size_t samples = n * (size_t)channels;
            const uint8_t *rows[SDPX_SCALE_ROWS];
            float *sums[3];
            for (int i = 0; i < SDPX_SCALE_ROWS; i++)
                rows[i] = input(samples);
            for (int i = 0; i < 3; i++)
                sums[i] = input_floats((samples + 15) / 16 * 16, 0, 100);
            sdpx_accumulate_rows_u8(sums, weights, 3, begun, rows, samples, channels);
            for (int i = 0; i < 3; i++)
                result_floats(sums[i], samples, 1e-5f);
        }
}

static void filtered_rows(size_t n) {
    if (n == 0)
        return;
    for (int channels = 1; channels <= 4; channels++) {
        reuse_memory();
        if (channels == 2)
            continue;
        size_t length = 1 + random_below(90), c = (size_t)channels;
        sdpx_axis axis = make_axis(n, length, 1 + random_below(12));
        const float *from = input_floats((channels == 1 ? 4 : 16) * length, 0, 255);
        float *to[SDPX_SCALE_ROWS];
        for (int i = 0; i < SDPX_SCALE_ROWS; i++)
            to[i] = output(4 * (n * c + 4));
        sdpx_filter_rows(to, from, &axis, channels);
        for (int i = 0; i < SDPX_SCALE_ROWS; i++)
            result_floats(to[i], n * c, 1e-5f);
    }
}

static void interleaved_rows(size_t n) {
    for (int channels = 1; channels <= 4; channels++) {
        reuse_memory();
        if (channels == 2)
            continue;
        size_t floats = n * (size_t)channels + 4, pixel = channels == 1 ? 4 : 16;
        const float *rows[SDPX_SCALE_ROWS];
        for (int i = 0; i < SDPX_SCALE_ROWS; i++)
            rows[i] = input_floats(floats, 0, 255);
        float *to = output(4 * pixel * ((n + 3) / 4 * 4));
        sdpx_interleave_rows(to, rows, n, channels);
        result(to, 4 * pixel * n);
    }
}

/* No value is near the middle between two integers. */
static float *unambiguous(size_t count, float low, float high) {
    float *v = input_floats(count, low, high);
    for (size_t i = 0; i < count; i++)
        v[i] = (float)(int32_t)v[i] + 0.2f;
    return v;
}

static void packed_rows(size_t n) {
    for (int channels = 1; channels <= 4; channels++) {
        reuse_memory();
        size_t samples = n * (size_t)channels;
        for (int keep = 0; keep < 2; keep++) {
            uint8_t *to = output(samples);
            sdpx_pack_u8(to, unambiguous(samples, -20, 280), n, channels, keep);
            result8(to, samples, 1);
        }
        uint16_t *deep = output(2 * samples);
        sdpx_pack_u16(deep, unambiguous(samples, -2000, 70000), n, channels);
        result16(deep, samples, 1);
    }
    float *to = output(16 * n);
    sdpx_pack_f32(to, input_floats(4 * n, -0.1f, 1.3f), n);
    result_floats(to, 4 * n, 1e-5f);
}

static void boxes(size_t n) {
    static const size_t factors[] = {1, 2, 3, 8, 128};
    for (int i = 0; i < 5; i++) {
        reuse_memory();
        size_t factor = factors[i], rows = 1 + random_below((uint32_t)factor), count = (n + factor - 1) / factor;
        uint8_t *to = output(count);
        sdpx_box_row(to, input(n * rows), n, rows, n, factor);
        result8(to, count, 1);
    }
}

static void integer_filter(size_t n) {
    if (n == 0)
        return;
    static const int channels_of[] = {1, 3, 4};
    for (int i = 0; i < 3; i++) {
        reuse_memory();
        size_t length = 1 + random_below(150), count = n < 300 ? n : 300;
        sdpx_axis axis = make_axis(count, length, 1 + random_below(40));
        size_t vectors = sdpx_quad_vectors(&axis), stride = sdpx_quad_row_size(length, vectors);
        sdpx_quad_axis quads = {.starts = aligned_memory(4 * count), .weights = aligned_memory(32 * vectors * count)};
        sdpx_quad_weights(&quads, &axis, sdpx_quad_variant());
        uint8_t *units = aligned_memory(SDPX_QUAD_UNITS * stride);
        float *to[SDPX_QUAD_UNITS];
        for (size_t u = 0; u < SDPX_QUAD_UNITS; u++) {
            const uint8_t *rows[4];
            for (int k = 0; k < (i == 0 ? 4 : 1); k++)
                rows[k] = input(length * (size_t)channels_of[i]);
            sdpx_load_quads(units + u * stride, rows, length, channels_of[i]);
        }
        for (size_t u = 0; u < SDPX_QUAD_UNITS; u++)
            to[u] = output(16 * count);
        sdpx_filter_quads(to, units, stride, &quads, &(sdpx_ahead){0});
        for (size_t u = 0; u < SDPX_QUAD_UNITS; u++)
            result(to[u], 16 * count);
    }
}

static void float_filter(size_t n) {
    if (n == 0)
        return;
    for (int format = SDPX_GRAY8; format <= SDPX_RGBA_FLOAT; format++)
        for (int is_light = 0; is_light < 2; is_light++) {
            reuse_memory();
            size_t length = 1 + random_below(150), count = n < 70 ? n : 70, bytes = length * sdpx_pixel_size(format);
            sdpx_axis axis = make_axis(count, length, 1 + random_below(9));
            float *units = aligned_memory(64 * length), *to[SDPX_FLOAT_UNITS];
            int is_gray = format == SDPX_GRAY8 || format == SDPX_GRAY16;
            for (size_t u = 0; u < SDPX_FLOAT_UNITS; u++) {
                const void *rows[4];
                for (int k = 0; k < (is_gray ? 4 : 1); k++)
                    rows[k] = format == SDPX_RGBA_FLOAT ? (void *)input_floats(4 * length, -0.1f, 1.3f) : input(bytes);
                sdpx_load_floats(units, u, rows, length, format, is_light);
                to[u] = output(16 * count);
            }
            result_floats(units, 16 * length, 1e-5f);
            sdpx_filter_floats(to, units, &axis);
            for (size_t u = 0; u < SDPX_FLOAT_UNITS; u++)
                result_floats(to[u], 4 * count, 1e-5f);
        }
}

static void summed_rows(size_t n) {
    size_t samples = (n + 15) / 16 * 16;
    const float weights[5] = {0.2f, -0.1f, 0.5f, 0.3f, 0.1f};
    const float *rows[5];
    for (int i = 0; i < 5; i++)
        rows[i] = input_floats(samples, 0, 255);
    for (int adds = 0; adds < 2; adds++) {
        float *to = input_floats(samples, 0, 255);
        sdpx_sum_rows(to, rows, weights, 5, samples, adds);
        result_floats(to, samples, 1e-5f);
    }
}

static void stored_sums(size_t n) {
    for (int format = SDPX_GRAY8; format <= SDPX_RGBA_FLOAT; format++)
        for (int is_light = 0; is_light < 2; is_light++) {
            reuse_memory();
            int is_gray = format == SDPX_GRAY8 || format == SDPX_GRAY16, is_float = format == SDPX_RGBA_FLOAT;
            float top = is_float ? 1 : format >= SDPX_GRAY16 ? 65535 : 255;
            size_t floats = is_gray ? n : 4 * n, bytes = n * sdpx_pixel_size(format);
            float *sums = is_float ? input_floats(floats, -0.1f, 1.2f) : unambiguous(floats, -0.1f * top, 1.2f * top);
            void *row = output(bytes);
            sdpx_store_sums(row, sums, n, format, is_light);
            if (is_float)
                result_floats(row, 4 * n, 1e-5f);
            else if (format >= SDPX_GRAY16)
                result16(row, bytes / 2, 2);
            else
                result8(row, bytes, 1);
        }
}

static void picked_pixels(size_t n) {
    static const int sizes[] = {1, 2, 3, 4, 6, 8, 16};
    for (int i = 0; i < 7; i++) {
        reuse_memory();
        size_t size = (size_t)sizes[i];
        int32_t *index = input(4 * n);
        for (size_t k = 0; k < n; k++)
            index[k] = (int32_t)random_below((uint32_t)n);
        uint8_t *to = output(n * size);
        sdpx_pick_pixels(to, input(n * size), index, n, sizes[i]);
        result(to, n * size);
    }
}

const test_entry resize_tests[] = {
    {"sums of columns", sums_of_columns},   {"sums of rows", sums_of_rows},   {"filtered rows", filtered_rows},
    {"interleaved rows", interleaved_rows}, {"packed rows", packed_rows},     {"boxes", boxes},
    {"integer filter", integer_filter},     {"float filter", float_filter},   {"summed rows", summed_rows},
    {"stored sums", stored_sums},           {"picked pixels", picked_pixels}, {NULL, NULL},
};
