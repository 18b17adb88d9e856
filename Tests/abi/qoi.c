/* qoi.c: a complete custom coder: decoding, encoding, headers, and progressive decoding. */
#include "check.h"
#include "qoi_coder.h"

enum { WIDTH = 70, HEIGHT = 31, AFTER_LAST_PIXEL = 8 };

static sdimage_coder *register_qoi(void) {
    sdimage_coder *coder = NULL;
    CHECK_EQUAL(sdimage_coder_new_custom("qoi", &qoi_table, NULL, NULL, &coder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_coder_register(coder, NULL), SDIMAGE_STATUS_OK);
    return coder;
}

/* Runs, small and large steps, repeated colors, and optional alpha: every operation of the format. */
static sdimage_image *draw(bool has_alpha) {
    sdimage_image *image = NULL;
    void *pixels = NULL;
    size_t stride = 0, channels = has_alpha ? 4 : 3;
    sdimage_pixel_format format = has_alpha ? SDIMAGE_PIXEL_FORMAT_RGBA8 : SDIMAGE_PIXEL_FORMAT_RGB8;
    CHECK_EQUAL(sdimage_image_new_uninitialized(WIDTH, HEIGHT, format, &image, &pixels, &stride, NULL),
                SDIMAGE_STATUS_OK);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++) {
            uint8_t *p = (uint8_t *)pixels + y * stride + x * channels, noise = (uint8_t)((x * 7919 + y * 104729) >> 3);
            bool is_flat = y % 4 == 0, is_steep = y % 4 == 3;
            p[0] = is_flat ? 9 : is_steep ? noise : (uint8_t)(x / 2);
            p[1] = is_flat ? 8 : is_steep ? (uint8_t)(noise * 3) : (uint8_t)(x * (y % 4));
            p[2] = is_flat ? 7 : is_steep ? (uint8_t)(x % 2 * 200) : (uint8_t)(x + y);
            if (has_alpha)
                p[3] = (uint8_t)(255 - x / 10 * 30);
        }
    return image;
}

static sdimage_data *encoded(sdimage_image *image) {
    sdimage_data *data = NULL;
    CHECK(qoi_table.can_encode(NULL, QOI_FORMAT));
    CHECK_EQUAL(qoi_table.encode(NULL, image, QOI_FORMAT, NULL, &data, NULL), SDIMAGE_STATUS_OK);
    return data;
}

static void expect_same(const sdimage_image *one, const sdimage_image *other) {
    size_t length = sdimage_image_width(one) * (sdimage_image_has_alpha(one) ? 4 : 3);
    CHECK_EQUAL(sdimage_image_width(one), sdimage_image_width(other));
    CHECK_EQUAL(sdimage_image_height(one), sdimage_image_height(other));
    CHECK_EQUAL(sdimage_image_pixel_format(one), sdimage_image_pixel_format(other));
    for (size_t y = 0; y < sdimage_image_height(one); y++)
        CHECK(!memcmp((const char *)sdimage_image_pixels(one) + y * sdimage_image_stride(one),
                      (const char *)sdimage_image_pixels(other) + y * sdimage_image_stride(other), length));
}

static void whatWasEncodedDecodesToItself(void) {
    sdimage_coder_unref(register_qoi());
    for (int has_alpha = 0; has_alpha < 2; has_alpha++) {
        sdimage_image *drawn = draw(has_alpha), *image = NULL;
        sdimage_data *data = encoded(drawn);
        CHECK_EQUAL(sdimage_decode(sdimage_data_bytes(data), sdimage_data_length(data), NULL, &image, NULL),
                    SDIMAGE_STATUS_OK);
        expect_same(drawn, image);
        sdimage_image_unref(image);
        sdimage_image_unref(drawn);
        sdimage_data_unref(data);
    }
}

/* Every operation, encoded by hand: three channels, a run of 2, RGB, INDEX, DIFF, LUMA, RGBA. */
static const uint8_t by_hand[] = {'q', 'o',  'i',  'f',       0,    0,    0, 7, 0, 0, 0, 1, 4, 1, 0xC1, 0xFE, 10, 20,
                                  30,  0x35, 0x66, 0x81 | 31, 0x79, 0xFF, 1, 2, 3, 4, 0, 0, 0, 0, 0,    0,    0,  1};
static const uint8_t by_hand_pixels[] = {0, 0,   0, 255, 0, 0,   0,   255, 10, 20,  30, 255, 0, 0,
                                         0, 255, 0, 255, 0, 255, 254, 254, 0,  255, 1,  2,   3, 4};

static void everyOperationIsAsTheSpecificationSays(void) {
    sdimage_image *image = NULL;
    sdimage_coder_unref(register_qoi());
    CHECK_EQUAL(sdimage_decode(by_hand, sizeof by_hand, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    for (size_t i = 0; i < sizeof by_hand_pixels; i++)
        CHECK_EQUAL(((const uint8_t *)sdimage_image_pixels(image))[i], by_hand_pixels[i]);
    sdimage_image_unref(image);
}

static void aManagerLoadsAndShrinksItLikeAnyOther(void) {
    sdimage_coder_unref(register_qoi());
    sdimage_image *drawn = draw(false);
    sdimage_data *data = encoded(drawn);
    sdimage_manager *manager = new_manager(NULL, NULL, true);
    const char *url = file_url_with("a.qoi", sdimage_data_bytes(data), sdimage_data_length(data));
    for (uint32_t side = 0; side <= 35; side += 35) {
        sdimage_request *request = new_request(url);
        sdimage_result *result = NULL;
        sdimage_request_set_thumbnail_size(request, side, side, SDIMAGE_SCALE_MODE_ASPECT_FIT);
        CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
        CHECK_EQUAL(sdimage_image_width(sdimage_result_image(result)), side ? side : WIDTH);
        sdimage_result_unref(result);
        sdimage_request_unref(request);
    }
    sdimage_manager_unref(manager);
    sdimage_data_unref(data);
    sdimage_image_unref(drawn);
}

static void itsHeaderTellsItsSize(void) {
    sdimage_info *info = NULL;
    sdimage_coder_unref(register_qoi());
    CHECK_EQUAL(sdimage_info_new(by_hand, sizeof by_hand, NULL, &info, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_info_size(info).width, 7);
    sdimage_info_unref(info);
}

/* Feeds pieces of `step` bytes; available rows must be right, missing ones zero. */
static void feed(sdimage_coder *coder, sdimage_data *data, const sdimage_image *drawn, size_t step) {
    sdimage_decoder *decoder = NULL;
    const char *bytes = sdimage_data_bytes(data);
    size_t length = sdimage_data_length(data), pictures = 0;
    CHECK_EQUAL(sdimage_decoder_new(NULL, coder, &decoder, NULL), SDIMAGE_STATUS_OK);
    for (size_t at = 0; at < length; at += step) {
        sdimage_image *image = NULL;
        bool is_last = length - at <= step;
        CHECK(sdimage_decoder_append(decoder, bytes + at, is_last ? length - at : step, is_last, NULL) >= 0);
        sdimage_status status = sdimage_decoder_get_image(decoder, &image, NULL);
        CHECK(status == SDIMAGE_STATUS_OK || (status == SDIMAGE_STATUS_NEED_MORE_DATA && !is_last));
        if (status == SDIMAGE_STATUS_OK) {
            const uint8_t *pixels = sdimage_image_pixels(image);
            const uint8_t *last = pixels + (HEIGHT - 1) * sdimage_image_stride(image) + (WIDTH - 1) * 3;
            CHECK(at + step + AFTER_LAST_PIXEL >= length || !memcmp(last, "\0\0\0", 3));
            if (is_last)
                expect_same(drawn, image);
            pictures++;
            sdimage_image_unref(image);
        }
    }
    CHECK(pictures > 1);
    sdimage_decoder_unref(decoder);
}

static void itShowsWhileItArrives(void) {
    sdimage_coder *coder = register_qoi();
    sdimage_image *drawn = draw(false);
    sdimage_data *data = encoded(drawn);
    feed(coder, data, drawn, 1);
    feed(coder, data, drawn, 7);
    feed(NULL, data, drawn, 500);
    sdimage_data_unref(data);
    sdimage_image_unref(drawn);
    sdimage_coder_unref(coder);
}

static sdimage_status decode_status(const void *bytes, size_t length) {
    sdimage_image *image = NULL;
    sdimage_status status = sdimage_decode(bytes, length, NULL, &image, NULL);
    sdimage_image_unref(image);
    return status;
}

static void damageEndsInAPictureOrAnError(void) {
    sdimage_coder_unref(register_qoi());
    sdimage_image *drawn = draw(true);
    sdimage_data *data = encoded(drawn);
    size_t length = sdimage_data_length(data);
    uint8_t *bytes = malloc(length);
    CHECK(bytes != NULL);
    memcpy(bytes, sdimage_data_bytes(data), length);
    for (size_t cut = 4; cut + 8 < length; cut += 3)
        CHECK_EQUAL(decode_status(bytes, cut), SDIMAGE_STATUS_TRUNCATED);
    for (size_t bit = 0; bit < length * 8; bit += bit < 112 ? 1 : 5) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        decode_status(bytes, length);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    memset(bytes + 4, 0x7F, 8);
    CHECK_EQUAL(decode_status(bytes, length), SDIMAGE_STATUS_TOO_LARGE);
    memset(bytes + 4, 0, 8);
    CHECK_EQUAL(decode_status(bytes, length), SDIMAGE_STATUS_BAD_DATA);
    free(bytes);
    sdimage_data_unref(data);
    sdimage_image_unref(drawn);
}

int main(void) {
    static const test tests[] = {
        TEST(whatWasEncodedDecodesToItself),
        TEST(everyOperationIsAsTheSpecificationSays),
        TEST(aManagerLoadsAndShrinksItLikeAnyOther),
        TEST(itsHeaderTellsItsSize),
        TEST(itShowsWhileItArrives),
        TEST(damageEndsInAPictureOrAnError),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
