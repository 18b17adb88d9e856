/* The conversion of planes to pixels that modules use. Tests/plugins/yuv.c compares it with the equations. */
#include "yuv.h"

#include "harness.h"

/* Halved rows have two neighbors. */
enum { ROWS = 3 };

/* The pixels to write, and the alpha of the planes. */
typedef struct {
    int channels;
    int has_alpha, premultiplied;
} output_kind;

static const uint8_t *plane(size_t width, size_t rows, size_t sample_size) {
    return input(width * rows * sample_size);
}

/* Random planes of `n` columns without gaps between rows. */
static sdyuv_planes random_planes(size_t n, int depth, int shift_x, int shift_y, int is_color,
                                  const output_kind *kind) {
    size_t size = depth > 8 ? 2 : 1, width = (n + (size_t)shift_x) >> shift_x;
    size_t rows = (ROWS + (size_t)shift_y) >> shift_y;
    return (sdyuv_planes){.width = (uint32_t)n,
                          .height = ROWS,
                          .depth = depth,
                          .shift_x = shift_x,
                          .shift_y = shift_y,
                          .luma = plane(n, ROWS, size),
                          .cb = is_color ? plane(width, rows, size) : NULL,
                          .cr = is_color ? plane(width, rows, size) : NULL,
                          .alpha = kind->has_alpha ? plane(n, ROWS, size) : NULL,
                          .luma_stride = n * size,
                          .cb_stride = width * size,
                          .cr_stride = width * size,
                          .alpha_stride = n * size,
                          .alpha_depth = depth,
                          .premultiplied = kind->premultiplied};
}

/* Integers are exact. The scale of alpha is a float, and its division multiplies the difference. */
static void convert(size_t n, const sdyuv_planes *planes, uint16_t code, const output_kind *kind, int wide) {
    sdyuv_matrix matrix;
    size_t samples = n * (size_t)kind->channels, size = wide ? 2 : 1;
    if (!sdyuv_matrix_make(&matrix, planes, (sdyuv_color){9, code, n & 1}, wide))
        return;
    uint8_t *pixels = output(samples * ROWS * size);
    sdyuv_convert(planes, &matrix, &(sdyuv_pixels){pixels, samples * size, kind->channels, wide});
    int distance = !wide || !kind->has_alpha ? 0 : kind->premultiplied ? 4 : 1;
    if (wide)
        result16((const uint16_t *)(const void *)pixels, samples * ROWS, distance);
    else
        result8(pixels, samples * ROWS, distance);
}

static void planes_to_pixels(size_t n) {
    static const output_kind kinds[] = {{1, 0, 0}, {3, 0, 0}, {4, 0, 0}, {4, 1, 0}, {4, 1, 1}};
    static const struct { int shift_x, shift_y, is_color; } layouts[] = {{0, 0, 0}, {1, 1, 1}, {1, 0, 1}, {0, 0, 1}};
    /* ITU-T H.273: RGB, BT.709, and YCgCo, which uses all coefficients. */
    static const uint16_t codes[] = {0, 1, 8};
    size_t cases = 0;
    n = n < 1100 ? n : 1100;
    for (int depth = 8; depth <= 12; depth += 2)
        for (size_t l = 0; l < 4; l++)
            for (size_t k = 0; k < 5; k++)
                for (int wide = 0; wide < 2; wide++) {
                    reuse_memory();
                    sdyuv_planes planes =
                        random_planes(n, depth, layouts[l].shift_x, layouts[l].shift_y, layouts[l].is_color, &kinds[k]);
                    convert(n, &planes, codes[cases++ % 3], &kinds[k], wide);
                }
}

const test_entry yuv_tests[] = {
    {"planes to pixels", planes_to_pixels},
    {NULL, NULL},
};
