/* Blurs, color filters, blending, rotation. */
#include <string.h>

#include "harness.h"
#include "sdpx_adjust.h"
#include "sdpx_blur.h"
#include "sdpx_convolve.h"
#include "sdpx_format.h"
#include "sdpx_pixelate.h"
#include "sdpx_rotate.h"
#include "sdpx_rounded.h"
#include "sdpx_tint.h"

static const int formats_with_alpha[] = {SDPX_RGBA8, SDPX_RGBA8_PREMULTIPLIED, SDPX_RGBA16, SDPX_RGBA_FLOAT};

static void *pixels_of(int format, size_t n) {
    return format == SDPX_RGBA_FLOAT ? (void *)input_floats(4 * n, 0, 1.5f) : input(n * sdpx_pixel_size(format));
}

static void result_row(const void *row, int format, size_t n, int deep_distance) {
    if (format == SDPX_RGBA_FLOAT)
        result_floats(row, 4 * n, 1e-4f);
    else if (format >= SDPX_GRAY16)
        result16(row, n * sdpx_pixel_size(format) / 2, deep_distance);
    else
        result8(row, n * sdpx_pixel_size(format), 1);
}

static void blurs(size_t n) {
    static const sdpx_blur_kind kinds[] = {SDPX_BLUR_U8, SDPX_BLUR_U16, SDPX_BLUR_F32};
    size_t length = n < 300 ? n : 300;
    for (int i = 0; i < 3; i++)
        for (size_t box = 1; box < 100; box = 3 * box + 2) {
            reuse_memory();
            void *strip = i == 2 ? (void *)input_floats(8 * length, 0, 1) : input(SDPX_BLUR_WIDTH * length);
            void *scratch = aligned_memory(sdpx_blur_scratch(kinds[i], length, box));
            sdpx_blur_strip(strip, SDPX_BLUR_WIDTH, length, box, kinds[i], scratch);
            if (i == 2)
                result_floats(strip, 8 * length, 1e-5f);
            else if (i == 1)
                result16(strip, 16 * length, 1);
            else
                result8(strip, 32 * length, 1);
        }
}

static void alpha_in_place(size_t n) {
    static const int formats[] = {SDPX_RGBA8, SDPX_RGBA16, SDPX_RGBA_FLOAT};
    for (int i = 0; i < 3; i++) {
        void *row = pixels_of(formats[i], n), *other = pixels_of(formats[i], n);
        sdpx_premultiply_row(row, n, formats[i]);
        sdpx_straighten_row(other, n, formats[i]);
        if (i == 2) {
            result_floats(row, 4 * n, 1e-6f);
            result_floats(other, 4 * n, 1e-6f);
        } else {
            result(row, n * sdpx_pixel_size(formats[i]));
            result(other, n * sdpx_pixel_size(formats[i]));
        }
    }
}

/* Steps without a jump, in which a small difference could become a large one. */
static void steps(size_t n) {
    static const sdpx_step all[] = {
        {SDPX_STEP_MATRIX,
         {0.7f, 0.2f, 0.1f, 0, 0.02f, 0.1f, 0.8f, 0, 0.05f, 0, 0, -0.2f, 1.1f, 0, 0.1f, 0, 0, 0, 0.9f}},
        {SDPX_STEP_CURVE, {0, 1.2f, -0.4f, 0.1f, 0.1f, 0.9f, 0, 0, 0, 0, 1, 0}},
        {SDPX_STEP_POWER, {1.7f}},
        {SDPX_STEP_VIBRANCE, {0.4f}},
        {SDPX_STEP_VIGNETTE, {0.8f, 1.2f, 20, 10, 0.01f}},
    };
    static const int formats[] = {SDPX_GRAY8, SDPX_RGB8,   SDPX_RGBA8,     SDPX_BGRA8_PREMULTIPLIED,
                                  SDPX_RGB16, SDPX_RGBA16, SDPX_RGBA_FLOAT};
    n = n < 300 ? n : 300;
    for (size_t f = 0; f < 7; f++)
        for (size_t s = 0; s < 5; s++)
            for (int in_light = 0; in_light < 2; in_light++) {
                reuse_memory();
                const void *from = pixels_of(formats[f], n);
                void *to = output(n * sdpx_pixel_size(formats[f]));
                sdpx_step_row(to, formats[f], from, formats[f], n, 3, &all[s], 1, in_light);
                result_row(to, formats[f], n, 24);
            }
}

/* Levels and thresholds on values that are exact in float at every level. */
static void steps_with_jumps(size_t n) {
    static const sdpx_step all[] = {{SDPX_STEP_LEVELS, {5}}, {SDPX_STEP_THRESHOLD, {0.5003f}}};
    for (size_t s = 0; s < 2; s++) {
        const uint8_t *from = input(4 * n);
        uint8_t *to = output(4 * n);
        sdpx_step_row(to, SDPX_RGBA8, from, SDPX_RGBA8, n, 0, &all[s], 1, 0);
        result(to, 4 * n);
    }
    const uint8_t *table = input(768);
    static const int pairs[][2] = {{SDPX_RGBA8, SDPX_RGBA8}, {SDPX_RGB8, SDPX_RGB8}, {SDPX_RGB8, SDPX_GRAY8}};
    for (int i = 0; i < 3; i++) {
        uint8_t *to = output(n * sdpx_pixel_size(pairs[i][0]));
        sdpx_table_row(to, pairs[i][0], pixels_of(pairs[i][1], n), pairs[i][1], n, table);
        result(to, n * sdpx_pixel_size(pairs[i][0]));
    }
}

static void convolutions(size_t n) {
    for (int channels = 1; channels <= 4; channels++)
        for (size_t taps = 1; taps <= 9; taps += 4) {
            reuse_memory();
            size_t samples = n * (size_t)channels;
            const float *weights = input_floats(taps, -1, 1);
            const float *from = input_floats(samples + (taps - 1) * (size_t)channels, 0, 255);
            float *to = output(4 * samples);
            sdpx_convolve_row(to, from, samples, weights, taps, channels);
            result_floats(to, samples, 1e-3f);
        }
    for (size_t f = 0; f < 4; f++) {
        reuse_memory();
        int format = formats_with_alpha[f];
        const void *from = pixels_of(format, n);
        const float *blurred = input_floats(4 * n, 0,
                                            format == SDPX_RGBA_FLOAT ? 1
                                            : format == SDPX_RGBA16   ? 65535
                                                                      : 255);
        for (int luma_alone = 0; luma_alone < 2; luma_alone++) {
            void *to = output(n * sdpx_pixel_size(format));
            sdpx_sharpen_row(to, from, format, n, blurred, 0.6f, luma_alone);
            if (format == SDPX_RGBA_FLOAT)
                result_floats(to, 4 * n, 1e-2f);
            else
                result_row(to, format, n, 24);
        }
    }
}

static void cells(size_t n) {
    int32_t bounds[9] = {0};
    for (size_t i = 1; i <= 8; i++)
        bounds[i] = (int32_t)(i * n / 8);
    for (size_t f = 0; f < 4; f++)
        for (int in_light = 0; in_light < 2; in_light++) {
            reuse_memory();
            int format = formats_with_alpha[f];
            float *sums = output(8 * 16);
            memset(sums, 0, 8 * 16);
            sdpx_add_cells(sums, 8, bounds, pixels_of(format, n), format, in_light, in_light);
            result_floats(sums, 32, 1e-4f);
            const float *even = input_floats(32, 1, 2);
            void *row = output(n * sdpx_pixel_size(format));
            sdpx_fill_cells(row, format, 8, bounds, even, 3);
            result_row(row, format, n, 2);
        }
}

/* Divisions by small differences amplify errors in the last place. */
static void blend_modes(size_t n) {
    static const float color[4] = {0.3f, 0.55f, 0.8f, 0.65f};
    n = n < 300 ? n : 300;
    for (size_t f = 0; f < 4; f++)
        for (int mode = SDPX_BLEND_NORMAL; mode <= SDPX_BLEND_PLUS_LIGHTER; mode++) {
            reuse_memory();
            int format = formats_with_alpha[f];
            const void *from = pixels_of(format, n);
            void *to = output(n * sdpx_pixel_size(format));
            sdpx_tint_row(to, format, from, format, n, color, mode);
            result_row(to, format, n, 24);
        }
}

static void shapes(size_t n) {
    static const float color[4] = {0.3f, 0.55f, 0.8f, 0.65f};
    sdpx_rounded shape = {1.25, 0.5, (double)n - 0.75, 37, {7.5, 3, 0, 11}};
    float *coverage = output(4 * n);
    if (n > 3) {
        sdpx_rounded_row(coverage, n, random_below(38), &shape);
        result_floats(coverage, n, 1e-6f);
    }
    coverage = input_floats(n, 0, 1);
    for (size_t f = 0; f < 4; f++) {
        int format = formats_with_alpha[f];
        void *row = pixels_of(format, n), *other = pixels_of(format, n);
        sdpx_cut_row(row, format, n, coverage);
        result_row(row, format, n, 2);
        sdpx_stroke_row(other, format, n, coverage, color);
        result_row(other, format, n, 2);
    }
}

static void lines(size_t n) {
    for (int format = SDPX_GRAY8; format <= SDPX_RGBA_FLOAT; format++)
        for (int is_opaque = 0; is_opaque < 2; is_opaque++) {
            reuse_memory();
            int32_t width = 1 + (int32_t)random_below(30), height = 1 + (int32_t)random_below(30);
            ptrdiff_t stride = width * (ptrdiff_t)sdpx_pixel_size(format);
            const void *pixels = pixels_of(format, (size_t)(width * height));
            sdpx_source source = {pixels, stride, width, height, format, is_opaque};
            float *to = output(16 * n);
            sdpx_read_line(to, n, &source, -1.3, height * 0.7, 0.8, -0.6);
            /* Relative to the maximum: weights with both signs cancel. */
            result_floats(to, 4 * n, format == SDPX_RGBA_FLOAT ? 1e-5f : format >= SDPX_GRAY16 ? 0.02f : 1e-3f);
        }
}

const test_entry filter_tests[] = {
    {"blurs", blurs},
    {"alpha in place", alpha_in_place},
    {"steps", steps},
    {"steps with jumps", steps_with_jumps},
    {"convolutions", convolutions},
    {"cells", cells},
    {"blend modes", blend_modes},
    {"shapes", shapes},
    {"lines", lines},
    {NULL, NULL},
};
