/* crowd.c: more animations than fit into memory as decoded images. */
#include "check.h"

enum { WIDTH = 480, HEIGHT = 270, FRAMES = 8, CROWD = HAS_THREAD_SANITIZER ? 40 : 200, LIMIT = 64 << 20 };

/* Frame `index` of a scene: bars of a few colors, some half transparent if `alpha`, and a moving square. */
static sdimage_image *new_frame(uint32_t index, uint32_t width, uint32_t height, bool alpha) {
    sdimage_image *image = NULL;
    void *pixels = NULL;
    size_t stride = 0;
    CHECK_EQUAL(
        sdimage_image_new_uninitialized(width, height, SDIMAGE_PIXEL_FORMAT_RGBA8, &image, &pixels, &stride, NULL),
        SDIMAGE_STATUS_OK);
    for (uint32_t y = 0; y < height; y++) {
        unsigned char *row = (unsigned char *)pixels + y * stride;
        for (uint32_t x = 0; x < width; x++) {
            bool inside = x - index * 9 % width < height / 3 && y - index * 5 % height < height / 3;
            unsigned char bar = (unsigned char)(x * 16 / width * 15);
            unsigned char clear = alpha && y % 16 < 4 ? (unsigned char)(index % 2 ? 0 : 128) : 255;
            unsigned char green = inside ? 255 : (unsigned char)(y * 9 / height * 20);
            unsigned char pixel[4] = {inside ? (unsigned char)(index * 20) : bar, green, 90, inside ? 255 : clear};
            memcpy(row + 4 * x, clear || inside ? pixel : (unsigned char[4]){0}, 4);
        }
    }
    return image;
}

static sdimage_data *encoded(sdimage_format format, uint32_t width, uint32_t height, bool alpha) {
    sdimage_image *frames[FRAMES], *animation = NULL;
    uint32_t durations[FRAMES];
    sdimage_data *data = NULL;
    sdimage_encode_options *lossless = sdimage_encode_options_new();
    for (uint32_t i = 0; i < FRAMES; i++) {
        frames[i] = new_frame(i, width, height, alpha);
        durations[i] = 100;
    }
    sdimage_encode_options_set_lossless(lossless, true);
    CHECK_EQUAL(sdimage_image_new_animation(frames, durations, FRAMES, 0, &animation, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_encode(animation, format, lossless, &data, NULL), SDIMAGE_STATUS_OK);
    for (int i = 0; i < FRAMES; i++)
        sdimage_image_unref(frames[i]);
    sdimage_image_unref(animation);
    sdimage_encode_options_unref(lossless);
    return data;
}

/* The decode options; NULL: defaults. */
static sdimage_decode_options *options;

static sdimage_image *decoded(const sdimage_data *data) {
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_decode(sdimage_data_bytes(data), sdimage_data_length(data), options, &image, NULL),
                SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_frame_count(image), FRAMES);
    return image;
}

static bool are_alike(const sdimage_image *one, const sdimage_image *other) {
    bool alike = sdimage_image_width(one) == sdimage_image_width(other) &&
                 sdimage_image_height(one) == sdimage_image_height(other);
    for (uint32_t y = 0; alike && y < sdimage_image_height(one); y++)
        alike = !memcmp((const char *)sdimage_image_pixels(one) + y * sdimage_image_stride(one),
                        (const char *)sdimage_image_pixels(other) + y * sdimage_image_stride(other),
                        sdimage_image_width(one) * 4);
    return alike;
}

/* The expected pixels of every frame. */
static sdimage_image *expected[FRAMES];

static void learn_frames(const sdimage_data *data) {
    sdimage_image *image = decoded(data);
    for (uint32_t i = 0; i < FRAMES; i++) {
        CHECK_EQUAL(sdimage_image_get_frame(image, i, &expected[i], NULL), SDIMAGE_STATUS_OK);
        CHECK(i == 0 || !are_alike(expected[i], expected[i - 1]));
    }
    sdimage_image_unref(image);
}

static void forget_frames(void) {
    for (int i = 0; i < FRAMES; i++)
        sdimage_image_unref(expected[i]);
}

static void see(void *user_data, sdimage_player *player, uint32_t index, const sdimage_image *image) {
    (void)player;
    CHECK(are_alike(image, expected[index]));
    ++*(long *)user_data;
}

static sdimage_player *new_player(const sdimage_data *data, long *shown) {
    sdimage_player_handler handler = {.size = sizeof handler, .frame = see};
    sdimage_image *image = decoded(data);
    sdimage_player *player = NULL;
    CHECK_EQUAL(sdimage_player_new(image, &handler, shown, NULL, &player, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(image);
    sdimage_player_start(player);
    return player;
}

static void play(sdimage_player **players, long count, const long *shown, long frames) {
    /* Without end if a frame never comes: then the time limit of the test ends it. */
    for (bool is_over = false; !is_over;) {
        is_over = true;
        for (long i = 0; i < count; i++) {
            sdimage_player_tick(players[i], 100000000);
            is_over = is_over && shown[i] >= frames;
        }
        usleep(1000);
    }
}

static void play_crowd(void) {
    static sdimage_player *players[CROWD];
    static long shown[CROWD];
    sdimage_data *data = encoded(SDIMAGE_FORMAT_GIF, WIDTH, HEIGHT, false);
    learn_frames(data);
    sdimage_trim_memory(true);
    long before = live_pixel_bytes();
    for (int i = 0; i < CROWD; i++)
        players[i] = new_player(data, &shown[i]);
    play(players, CROWD, shown, 2 * FRAMES);
    CHECK_AT_MOST(frame_statistic("bytes") + frame_statistic("canvas_bytes"), LIMIT);
    /* As decoded images, the current and next frames would take 200 MiB. */
    CHECK_AT_MOST(live_pixel_bytes() - before, LIMIT + LIMIT / 10);
    for (int i = 0; i < CROWD; i++)
        sdimage_player_unref(players[i]);
    sdimage_data_unref(data);
}

static void twoHundredOfFewColorsStayWithinTheBudget(void) {
    play_crowd();
}

/* The pixel format of GTK and Qt. */
static void soTheyDoInAnotherOrderOfBytes(void) {
    options = sdimage_decode_options_new();
    sdimage_decode_options_set_pixel_format(options, SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED);
    play_crowd();
    sdimage_decode_options_unref(options);
}

/* Thumbnails of large animations. */
enum { SMALL = 20 };
static sdimage_player *small[SMALL];

/* Starts them, and plays a few frames of each. */
static void play_small(void) {
    for (int i = 0; i < SMALL; i++)
        sdimage_player_start(small[i]);
    for (long shown = 0; shown < 4;) {
        shown = 4;
        for (int i = 0; i < SMALL; i++) {
            sdimage_player_tick(small[i], 100000000);
            long own = (long)sdimage_player_shown_frames(small[i]);
            shown = own < shown ? own : shown;
        }
        usleep(1000);
    }
}

/* Paused players hold only memory that can be reclaimed, once the worker has finished the frame in production. */
static bool is_reclaimed(void *before) {
    sdimage_trim_memory(true);
    return live_pixel_bytes() - *(long *)before <= 16 << 20;
}

static void end_small(sdimage_data *data) {
    for (int i = 0; i < SMALL; i++)
        sdimage_player_unref(small[i]);
    sdimage_decode_options_unref(options);
    sdimage_data_unref(data);
}

/* Canvases have the full size of the animation even behind thumbnails. */
static void canvasesBehindThumbnailsAreCounted(void) {
    sdimage_data *data = encoded(SDIMAGE_FORMAT_GIF, 1920, 1080, false);
    options = sdimage_decode_options_new();
    sdimage_decode_options_set_thumbnail_size(options, 160, 90, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    sdimage_trim_memory(true);
    long before = live_pixel_bytes();
    for (int i = 0; i < SMALL; i++) {
        sdimage_image *image = decoded(data);
        CHECK_EQUAL(sdimage_player_new(image, NULL, NULL, NULL, &small[i], NULL), SDIMAGE_STATUS_OK);
        sdimage_image_unref(image);
    }
    sdimage_trim_memory(true);
    /* Before playback there is only the thumbnail, without a canvas of 8 MiB each. */
    CHECK_AT_MOST(live_pixel_bytes() - before, 16 << 20);
    /* 158 MiB as pixels. */
    play_small();
    CHECK_AT_MOST(live_pixel_bytes() - before, 80 << 20);
    for (int i = 0; i < SMALL; i++)
        sdimage_player_pause(small[i]);
    CHECK(becomes_true(is_reclaimed, &before));
    end_small(data);
}

/* Canvases behind a transformer are counted too. */
static void canvasesBehindTransformersAreCounted(void) {
    sdimage_data *data = encoded(SDIMAGE_FORMAT_GIF, 1920, 1080, false);
    sdimage_transformer *transformer = NULL;
    CHECK_EQUAL(sdimage_transformer_new_resize(160, 90, SDIMAGE_SCALE_MODE_FILL, &transformer, NULL),
                SDIMAGE_STATUS_OK);
    sdimage_trim_memory(true);
    long before = live_pixel_bytes();
    for (int i = 0; i < SMALL; i++) {
        sdimage_image *image = decoded(data);
        sdimage_frame_provider *own = NULL, *changed = NULL;
        CHECK_EQUAL(sdimage_frame_provider_new_image(image, &own, NULL), SDIMAGE_STATUS_OK);
        CHECK_EQUAL(sdimage_frame_provider_new_transformed(own, transformer, &changed, NULL), SDIMAGE_STATUS_OK);
        CHECK_EQUAL(sdimage_player_new_provider(changed, NULL, NULL, NULL, &small[i], NULL), SDIMAGE_STATUS_OK);
        sdimage_frame_provider_unref(own);
        sdimage_frame_provider_unref(changed);
        sdimage_image_unref(image);
    }
    play_small();
    CHECK_AT_MOST(live_pixel_bytes() - before, 110 << 20);
    sdimage_transformer_unref(transformer);
    end_small(data);
}

/* Also after a stop, and if only one frame is held. */
static void theFirstTickShowsTheFirstFrame(void) {
    sdimage_data *data = encoded(SDIMAGE_FORMAT_GIF, WIDTH, HEIGHT, false);
    sdimage_image *image = decoded(data);
    long shown = 0;
    learn_frames(data);
    sdimage_player_handler handler = {.size = sizeof handler, .frame = see};
    for (int limit = 0; limit < 2; limit++) {
        sdimage_player *player = NULL;
        sdimage_frame_budget_set_limit(limit ? 1 : LIMIT);
        CHECK_EQUAL(sdimage_player_new(image, &handler, &shown, NULL, &player, NULL), SDIMAGE_STATUS_OK);
        sdimage_player_set_max_buffer_size(player, 1);
        for (int start = 0; start < 3; start++) {
            long before = shown;
            sdimage_player_start(player);
            CHECK(sdimage_player_tick(player, 1));
            CHECK_EQUAL(shown, before + 1);
            CHECK_EQUAL(sdimage_player_frame_index(player), 0);
            play(&player, 1, &shown, before + 4);
            sdimage_player_stop(player);
        }
        sdimage_player_unref(player);
    }
    sdimage_image_unref(image);
    forget_frames();
    sdimage_data_unref(data);
}

static bool nothing_plays(void *argument) {
    (void)argument;
    return frame_statistic("animations") == 0 && frame_statistic("bytes") == 0;
}

static void *make_and_drop(void *image) {
    for (int i = 0; i < 10000; i++) {
        sdimage_player *player = NULL;
        CHECK_EQUAL(sdimage_player_new(image, NULL, NULL, NULL, &player, NULL), SDIMAGE_STATUS_OK);
        sdimage_player_start(player);
        sdimage_player_unref(player);
    }
    return NULL;
}

/* Reused cells: the last player of an image ends while another one is created. */
static void playersOfOnePictureComeAndGoOnAllThreads(void) {
    sdimage_data *data = encoded(SDIMAGE_FORMAT_GIF, 16, 16, false);
    sdimage_image *image = decoded(data);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, make_and_drop, image), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK(becomes_true(nothing_plays, NULL));
    sdimage_image_unref(image);
    sdimage_data_unref(data);
}

/* Images that no longer play, such as those in a list of the host, hold only the memory in their cost, and no
 * canvas. */
static void anAnimationWithoutPlayersKeepsNoCanvas(void) {
    enum { IMAGES = 60 };
    sdimage_image *images[IMAGES];
    sdimage_data *data = encoded(SDIMAGE_FORMAT_GIF, WIDTH, HEIGHT, false);
    for (int i = 0; i < IMAGES; i++)
        images[i] = decoded(data);
    sdimage_trim_memory(true);
    long before = live_pixel_bytes();
    for (int i = 0; i < IMAGES; i++) {
        sdimage_player *player = NULL;
        CHECK_EQUAL(sdimage_player_new(images[i], NULL, NULL, NULL, &player, NULL), SDIMAGE_STATUS_OK);
        sdimage_player_set_decode_when_due(player, true);
        sdimage_player_start(player);
        for (int turn = 0; turn < FRAMES - 2; turn++)
            sdimage_player_tick(player, 100000000);
        CHECK(sdimage_player_shown_frames(player) > 2);
        sdimage_player_unref(player);
    }
    sdimage_trim_memory(true);
    CHECK_AT_MOST(live_pixel_bytes() - before, 10 << 20);
    for (int i = 0; i < IMAGES; i++)
        sdimage_image_unref(images[i]);
    sdimage_data_unref(data);
}

/* Every access to frames: in order, backwards, out of order; sometimes with sufficient memory. */
static void play_short(sdimage_format format, bool alpha) {
    sdimage_data *data = encoded(format, 61, 47, alpha);
    long shown = 0;
    learn_frames(data);
    sdimage_frame_budget_set_limit(1);
    sdimage_player *player = new_player(data, &shown);
    play(&player, 1, &shown, 3 * FRAMES);
    for (uint32_t turn = 0; turn < 60; turn++) {
        if (turn % 20 == 0)
            sdimage_frame_budget_set_limit(turn == 20 ? LIMIT : 1);
        CHECK_EQUAL(sdimage_player_seek(player, turn * 5 % FRAMES, 0, NULL), SDIMAGE_STATUS_OK);
        sdimage_player_tick(player, 100000000);
    }
    CHECK(shown >= 3 * FRAMES + 60);
    sdimage_player_unref(player);
    forget_frames();
    sdimage_data_unref(data);
}

static void framesOfAGIFAreRightInShortMemory(void) {
    play_short(SDIMAGE_FORMAT_GIF, false);
}
static void framesOfAnAPNGAreRightInShortMemory(void) {
    play_short(SDIMAGE_FORMAT_PNG, true);
}
static void framesOfAWebPAreRightInShortMemory(void) {
    play_short(SDIMAGE_FORMAT_WEBP, true);
}

/* All holders of the current frame share one image, whose pixels do not change. */
static void aFrameIsOneImageWhileItIsReferenced(void) {
    sdimage_data *data = encoded(SDIMAGE_FORMAT_GIF, 61, 47, false);
    sdimage_image *first = NULL, *second = NULL;
    long shown = 0;
    learn_frames(data);
    sdimage_frame_budget_set_limit(1);
    sdimage_player *player = new_player(data, &shown);
    play(&player, 1, &shown, 3);
    sdimage_player_pause(player);
    uint32_t index = sdimage_player_frame_index(player);
    sdimage_player_get_frame(player, &first);
    sdimage_player_get_frame(player, &second);
    CHECK(first && first == second);
    sdimage_image_unref(second);
    CHECK_EQUAL(sdimage_player_seek(player, (index + 1) % FRAMES, 0, NULL), SDIMAGE_STATUS_OK);
    sdimage_player_unref(player);
    CHECK(are_alike(first, expected[index]) || are_alike(first, expected[(index + FRAMES - 1) % FRAMES]));
    sdimage_image_unref(first);
    forget_frames();
    sdimage_data_unref(data);
}

int main(void) {
    const test tests[] = {
        TEST(twoHundredOfFewColorsStayWithinTheBudget), TEST(soTheyDoInAnotherOrderOfBytes),
        TEST(canvasesBehindThumbnailsAreCounted),       TEST(canvasesBehindTransformersAreCounted),
        TEST(theFirstTickShowsTheFirstFrame),           TEST(playersOfOnePictureComeAndGoOnAllThreads),
        TEST(anAnimationWithoutPlayersKeepsNoCanvas),   TEST(framesOfAGIFAreRightInShortMemory),
        TEST(framesOfAnAPNGAreRightInShortMemory),      TEST(framesOfAWebPAreRightInShortMemory),
        TEST(aFrameIsOneImageWhileItIsReferenced),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
