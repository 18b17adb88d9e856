/* Hashes, conversions, composition, geometry. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "sdpx_bitmap.h"
#include "sdpx_composite.h"
#include "sdpx_convert.h"
#include "sdpx_display.h"
#include "sdpx_format.h"
#include "sdpx_crc.h"
#include "sdpx_hash.h"
#include "sdpx_palette.h"
#include "sdpx_sha256.h"
#include "sdpx_transpose.h"

static size_t at_most(size_t n, size_t most) {
    return n < most ? n : most;
}

/* A row of random pixels; floats exceed the range of colors. */
static void *pixels_of(int format, size_t n) {
    return format == SDPX_RGBA_FLOAT ? (void *)input_floats(4 * n, -0.25f, 1.5f) : input(n * sdpx_pixel_size(format));
}

/* Samples may differ by `distance`, floats by a few units in the last place of the arithmetic before. */
static void result_row(const void *row, int format, size_t n, int distance) {
    size_t bytes = n * sdpx_pixel_size(format);
    if (format == SDPX_RGBA_FLOAT)
        result_floats(row, 4 * n, 2e-5f);
    else if (format >= SDPX_GRAY16)
        result16(row, bytes / 2, distance);
    else
        result8(row, bytes, distance);
}

static void hashes(size_t n) {
    const uint8_t *bytes = input(n * 3);
    result_number(sdpx_hash64(bytes, n * 3));
    result_number(sdpx_sip_hash(bytes, n, 0x0123456789abcdef, 0xfedcba9876543210));
    result_number(sdpx_crc32(0, bytes, n * 3));
    result_number(sdpx_crc32(0xdeadbeef, bytes, n));
    result_number(sdpx_crc32c(0, bytes, n * 3));
    result_number(sdpx_crc32c(0xdeadbeef, bytes, n));
}

/* Published values. Those of SipHash-1-3 are for the key 00 01 ... 0f, and messages 00 01 ... without bytes and of one
   word and seven bytes. */
static void published_hashes(size_t n) {
    static const uint8_t message[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    static const uint64_t key0 = 0x0706050403020100, key1 = 0x0f0e0d0c0b0a0908;
    if (n == 0 && (sdpx_crc32(0, "123456789", 9) != 0xcbf43926 || sdpx_crc32c(0, "123456789", 9) != 0xe3069283 ||
                   sdpx_sip_hash("", 0, key0, key1) != 0xabac0158050fc4dc ||
                   sdpx_sip_hash(message, sizeof message, key0, key1) != 0xd320d86d2a519956))
        abort();
    /* SHA-256 of messages of one and of two blocks (FIPS 180-2, appendix B), by their first bytes. */
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t digest[SDPX_SHA256_BYTES], second[SDPX_SHA256_BYTES];
    sdpx_sha256("abc", 3, digest);
    sdpx_sha256(two_blocks, sizeof two_blocks - 1, second);
    if (memcmp(digest, "\xba\x78\x16\xbf\x8f\x01\xcf\xea", 8) != 0 ||
        memcmp(second, "\x24\x8d\x6a\x61\xd2\x06\x38\xb8", 8) != 0)
        abort();
}

/* Conversions through float round to the nearest of slightly different values. */
static void conversions(size_t n) {
    n = at_most(n, 300);
    for (int from = SDPX_GRAY8; from <= SDPX_RGBA_FLOAT; from++)
        for (int to = SDPX_GRAY8; to <= SDPX_RGBA_FLOAT; to++) {
            reuse_memory();
            const void *source = pixels_of(from, n);
            void *row = output(n * sdpx_pixel_size(to));
            sdpx_convert_row(row, to, source, from, n);
            result_row(row, to, n, from == SDPX_RGBA_FLOAT ? 1 : 0);
        }
}

static void unit_rows(size_t n) {
    n = at_most(n, 300);
    for (int from = SDPX_GRAY8; from <= SDPX_RGBA16; from++) {
        reuse_memory();
        const void *source = pixels_of(from, n);
        float *row = output(16 * n);
        sdpx_unit_row(row, source, from, n);
        result_floats(row, 4 * n, 1e-6f);
    }
}

/* A mapping of light up to 5. The table is smooth, as those of tone curves are: what is rounded differently before it
 * is looked up makes no difference in it. */
static sdpx_tones some_tones(float limit) {
    float *factors = output((SDPX_TONE_STEPS + 1) * sizeof *factors);
    for (int i = 0; i <= SDPX_TONE_STEPS; i++)
        factors[i] = 1 - 0.8f * (float)i / SDPX_TONE_STEPS;
    return (sdpx_tones){factors, 0.2f, limit};
}

static void light_for_displays(size_t n) {
    static const int formats[] = {SDPX_GRAY8, SDPX_RGB8, SDPX_RGBA8, SDPX_GRAY16, SDPX_RGB16, SDPX_RGBA16};
    n = at_most(n, 300);
    for (size_t f = 0; f < 6; f++) {
        reuse_memory();
        const float *table = input_floats(65536, 0, f % 2 ? 40 : 1);
        sdpx_tones tones = some_tones(1);
        sdpx_light light = {table,
                            {0.2627f, 0.678f, 0.0593f},
                            f % 3 ? 1 : 1.2f,
                            {1.66f, -0.59f, -0.07f, -0.12f, 1.13f, -0.01f, -0.02f, -0.1f, 1.12f},
                            f % 2 ? &tones : NULL};
        const void *source = pixels_of(formats[f], n);
        float *row = output(16 * n);
        sdpx_render_row(row, SDPX_RGBA_FLOAT, source, formats[f], n, &light);
        result_floats(row, 4 * n, 2e-5f);
        uint8_t *bytes = output(3 * n);
        sdpx_render_row(bytes, SDPX_RGB8, source, formats[f], n, &light);
        result8(bytes, 3 * n, 1);
    }
}

static void tone_map(size_t n) {
    sdpx_tones tones = some_tones(2);
    float *row = input_floats(4 * n, -1, 8);
    uint32_t counts[SDPX_LIGHT_LEVELS] = {0};
    sdpx_count_light(counts, row, n);
    result(counts, sizeof counts);
    sdpx_tone_map(row, n, &tones);
    result_floats(row, 4 * n, 1e-5f);
}

static void signals(size_t n) {
    static const float matrix[9] = {0.6274f, 0.3293f, 0.0433f, 0.0691f, 0.9195f, 0.0114f, 0.0164f, 0.088f, 0.8956f};
    n = at_most(n, 300);
    for (int is_hlg = 0; is_hlg < 2; is_hlg++) {
        reuse_memory();
        const float *light = input_floats(4 * n, -0.1f, 1.2f);
        uint16_t *row = output(8 * n);
        sdpx_signal_row(row, SDPX_RGBA16, light, n, matrix, is_hlg);
        result16(row, 4 * n, 4);
        row = output(6 * n);
        sdpx_signal_row(row, SDPX_RGB16, light, n, matrix, is_hlg);
        result16(row, 3 * n, 4);
    }
}

static void cmyk_and_video(size_t n) {
    uint8_t *row = output(3 * n);
    sdpx_cmyk_to_rgb(row, input(4 * n), n);
    result(row, 3 * n);
    const uint8_t *luma = input(n), *blue = input(n), *red = input(n);
    row = output(3 * n);
    sdpx_video_to_rgb(row, luma, blue, red, n);
    result(row, 3 * n);
}

static void opacity(size_t n) {
    uint8_t *row = input(4 * n);
    result_number((uint64_t)sdpx_is_opaque(row, n));
    sdpx_make_opaque(row, n);
    result(row, 4 * n);
    if (n > 0)
        row[4 * random_below((uint32_t)n) + 3] = (uint8_t)random_below(256);
    result_number((uint64_t)sdpx_is_opaque(row, n));
}

static void composition(size_t n) {
    static const uint8_t background[3] = {12, 200, 255};
    void (*const over[])(uint8_t *, const uint8_t *, size_t) = {sdpx_over_row, sdpx_webp_over_row,
                                                                sdpx_webp_over_row_premultiplied};
    for (int i = 0; i < 3; i++) {
        const uint8_t *from = input(4 * n);
        uint8_t *row = input(4 * n);
        over[i](row, from, n);
        result(row, 4 * n);
    }
    for (int is_premultiplied = 0; is_premultiplied < 2; is_premultiplied++) {
        uint8_t *row = output(4 * n);
        sdpx_flatten_row(row, input(4 * n), n, background, is_premultiplied);
        result(row, 4 * n);
    }
}

static void palettes(size_t n) {
    const uint32_t *palette = input(1024);
    const uint8_t *indices = input(n);
    uint32_t *row = output(4 * n);
    sdpx_palette_row(row, indices, n, palette);
    result(row, 4 * n);
    row = output(4 * n);
    sdpx_palette_row_over(row, input(4 * n), indices, n, palette, 255);
    result(row, 4 * n);
    uint8_t *rgb = output(3 * n);
    sdpx_palette_row_rgb(rgb, indices, n, palette);
    result(rgb, 3 * n);
    for (int channels = 1; channels <= 4; channels++) {
        if (channels == 2)
            continue;
        uint8_t *to = output(n * (size_t)channels);
        sdpx_look_up(to, indices, n, palette, channels);
        result(to, n * (size_t)channels);
    }
}

static const int pixel_sizes[] = {1, 2, 3, 4, 6, 8, 16};

static void transpose(size_t n) {
    size_t columns = at_most(n, 67), rows = 1 + random_below(40);
    for (size_t i = 0; i < 7; i++) {
        reuse_memory();
        size_t size = (size_t)pixel_sizes[i], stride = columns * size, to_stride = rows * size;
        const uint8_t *from = input(stride * rows);
        uint8_t *to = output(to_stride * columns);
        sdpx_transpose(to, (ptrdiff_t)to_stride, from, (ptrdiff_t)stride, columns, rows, (int)size);
        result(to, to_stride * columns);
        to = output(to_stride * columns);
        if (columns > 0)
            sdpx_transpose(to + (columns - 1) * to_stride, -(ptrdiff_t)to_stride, from + (rows - 1) * stride,
                           -(ptrdiff_t)stride, columns, rows, (int)size);
        result(to, to_stride * columns);
    }
}

static void mirror(size_t n) {
    for (size_t i = 0; i < 7; i++) {
        reuse_memory();
        size_t bytes = n * (size_t)pixel_sizes[i];
        uint8_t *from = input(bytes), *to = output(bytes);
        sdpx_mirror_row_to(to, from, n, pixel_sizes[i]);
        result(to, bytes);
        sdpx_mirror_row(from, n, pixel_sizes[i]);
        result(from, bytes);
    }
}

static void bitmaps(size_t n) {
    for (int bits = 1; bits <= 4; bits *= 2) {
        uint8_t *to = output(n);
        sdpx_unpack_indices(to, input((n * (size_t)bits + 7) / 8), n, bits);
        result(to, n);
    }
    for (int to_channels = 3; to_channels <= 4; to_channels++)
        for (int channels = 3; channels <= 4; channels++) {
            uint8_t *to = output(n * (size_t)to_channels);
            sdpx_from_bgr(to, to_channels, input(n * (size_t)channels), channels, n);
            result(to, n * (size_t)to_channels);
        }
    uint8_t *rgba = input(4 * n);
    sdpx_clear_masked(rgba, input((n + 7) / 8), n);
    result(rgba, 4 * n);
}

static void bit_fields(size_t n) {
    static const uint32_t masks[][4] = {{0xf800, 0x7e0, 0x1f, 0},
                                        {0xf00, 0xf0, 0xf, 0xf000},
                                        {0x7c00, 0x3e0, 0x1f, 0x8000},
                                        {0x3ff00000, 0xffc00, 0x3ff, 0xc0000000},
                                        {0xff, 0, 0xff0000, 0}};
    for (size_t i = 0; i < 5; i++)
        for (int bytes = 2; bytes <= 4; bytes++) {
            if (i == 3 && bytes < 4)
                continue;
            reuse_memory();
            const uint8_t *from = input(n * (size_t)bytes);
            for (int channels = 3; channels <= 4; channels++) {
                uint8_t *to = output(n * (size_t)channels);
                sdpx_unpack_fields(to, channels, from, bytes, masks[i], n);
                result(to, n * (size_t)channels);
            }
            for (int k = 0; k < 4; k++)
                result_number((uint64_t)sdpx_has_field(from, bytes, masks[i][k], n));
        }
}

const test_entry pixel_tests[] = {
    {"hashes", hashes},
    {"published hashes", published_hashes},
    {"conversions", conversions},
    {"unit rows", unit_rows},
    {"light for displays", light_for_displays},
    {"tone map", tone_map},
    {"signals of PQ and HLG", signals},
    {"CMYK and video levels", cmyk_and_video},
    {"opacity", opacity},
    {"composition", composition},
    {"palettes", palettes},
    {"transpose", transpose},
    {"mirror", mirror},
    {"bitmap rows", bitmaps},
    {"bit fields", bit_fields},
    {NULL, NULL},
};
