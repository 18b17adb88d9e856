/* players.c: the state that all players of a process share: frames, memory, and its end; a child of fork. */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Loops that wait for frames have no limit of their own: the time limit of the test ends them. */
enum { FRAMES = 12, SIDE = 64 };

static int made[FRAMES];

static uint32_t count_frames(void *user_data) {
    (void)user_data;
    return FRAMES;
}

static uint32_t duration(void *user_data, uint32_t index) {
    (void)user_data, (void)index;
    return 2;
}

static sdimage_status make_frame(void *user_data, uint32_t index, sdimage_image **image, sdimage_error **error) {
    void *pixels = NULL;
    size_t stride = 0;
    (void)user_data;
    __atomic_fetch_add(&made[index], 1, __ATOMIC_SEQ_CST);
    sdimage_status status =
        sdimage_image_new_uninitialized(SIDE, SIDE, SDIMAGE_PIXEL_FORMAT_RGBA8, image, &pixels, &stride, error);
    if (status == SDIMAGE_STATUS_OK)
        memset(pixels, (int)index, stride * SIDE);
    return status;
}

static sdimage_frame_provider *new_provider(void) {
    sdimage_frame_provider_vtable table = {
        .size = sizeof table, .frame_count = count_frames, .frame = make_frame, .duration_ms = duration};
    sdimage_frame_provider *provider = NULL;
    CHECK_EQUAL(sdimage_frame_provider_new_custom(&table, NULL, NULL, &provider, NULL), SDIMAGE_STATUS_OK);
    memset(made, 0, sizeof made);
    return provider;
}

static sdimage_player *new_player(sdimage_frame_provider *provider) {
    sdimage_player *player = NULL;
    CHECK_EQUAL(sdimage_player_new_provider(provider, NULL, NULL, NULL, &player, NULL), SDIMAGE_STATUS_OK);
    sdimage_player_start(player);
    return player;
}

static void twoPlayersMakeEachFrameOnce(void) {
    sdimage_frame_provider *provider = new_provider();
    long before = frame_statistic("decodes");
    sdimage_player *players[] = {new_player(provider), new_player(provider)};
    while (sdimage_player_loop_count(players[1]) < 5) {
        sdimage_player_tick(players[0], 1000000);
        sdimage_player_tick(players[1], 700000);
        usleep(200);
    }
    for (int i = 0; i < FRAMES; i++)
        CHECK_EQUAL(made[i], 1);
    CHECK_EQUAL(frame_statistic("decodes") - before, FRAMES);
    CHECK_EQUAL(frame_statistic("frames"), FRAMES);
    CHECK_EQUAL(frame_statistic("animations"), 1);
    CHECK_EQUAL(frame_statistic("bytes"), FRAMES * SIDE * SIDE * 4);
    sdimage_player_unref(players[0]);
    CHECK_EQUAL(frame_statistic("frames"), FRAMES);
    sdimage_player_unref(players[1]);
    CHECK_EQUAL(frame_statistic("frames"), 0);
    CHECK_EQUAL(frame_statistic("bytes"), 0);
    CHECK_EQUAL(frame_statistic("animations"), 0);
    sdimage_frame_provider_unref(provider);
}

static void theLimitHoldsForAllTogether(void) {
    enum { PLAYERS = 6, LIMIT = 40 * SIDE * SIDE * 4 };
    sdimage_player *players[PLAYERS];
    sdimage_frame_provider *providers[PLAYERS];
    sdimage_frame_budget_set_limit(LIMIT);
    for (int i = 0; i < PLAYERS; i++)
        players[i] = new_player(providers[i] = new_provider());
    /* Longer than 400 turns only if the threads that decode get little processor time. */
    bool all_play = false;
    for (int turn = 0; turn < 400 || !all_play; turn++) {
        all_play = true;
        for (int i = 0; i < PLAYERS; i++) {
            sdimage_player_tick(players[i], 2000000);
            all_play = all_play && sdimage_player_shown_frames(players[i]) > 10;
        }
        CHECK_AT_MOST(frame_statistic("bytes"), LIMIT);
        usleep(200);
    }
    for (int i = 0; i < PLAYERS; i++) {
        sdimage_player_unref(players[i]);
        sdimage_frame_provider_unref(providers[i]);
    }
    sdimage_frame_budget_set_limit(64 << 20);
}

static void shortMemoryEmptiesWhatIsPaused(void) {
    sdimage_frame_provider *provider = new_provider();
    sdimage_player *player = new_player(provider);
    while (sdimage_player_buffered_frames(player) < FRAMES) {
        sdimage_player_tick(player, 2000000);
        usleep(200);
    }
    sdimage_player_pause(player);
    sdimage_trim_memory(false);
    CHECK_EQUAL(frame_statistic("frames"), FRAMES);
    sdimage_trim_memory(true);
    CHECK_EQUAL(frame_statistic("frames"), 0);
    sdimage_player_unref(player);
    sdimage_frame_provider_unref(provider);
}

static void aChildOfForkMayDecodeAndNotPlay(void) {
    sdimage_frame_provider *provider = new_provider();
    sdimage_player *player = new_player(provider);
    sdimage_player_tick(player, 2000000);
    pid_t child = fork();
    if (child == 0) {
        sdimage_player *own = NULL;
        sdimage_image *frame = NULL;
        sdimage_status refused = sdimage_player_new_provider(provider, NULL, NULL, NULL, &own, NULL);
        bool is_still = !sdimage_player_tick(player, 1000000000);
        sdimage_status made_one = sdimage_frame_provider_get_frame(provider, 3, &frame, NULL);
        sdimage_player_unref(player);
        _exit(refused == SDIMAGE_STATUS_FORKED && is_still && made_one == SDIMAGE_STATUS_OK ? 0 : 1);
    }
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    sdimage_player_unref(player);
    sdimage_frame_provider_unref(provider);
}

static bool nothing_plays(void *argument) {
    (void)argument;
    return frame_statistic("animations") == 0 && frame_statistic("bytes") == 0;
}

static void playersThatComeAndGoLeaveNothing(void) {
    for (int i = 0; i < 300; i++) {
        sdimage_frame_provider *provider = new_provider();
        sdimage_player *player = new_player(provider);
        if (i % 3 == 0)
            sdimage_player_set_clock(player, SDIMAGE_PLAYER_CLOCK_LIBRARY, NULL, NULL);
        if (i % 3 == 1)
            sdimage_player_set_clock(player, SDIMAGE_PLAYER_CLOCK_DESCRIPTOR, NULL, NULL);
        sdimage_player_tick(player, 3000000);
        if (i % 7 == 0)
            usleep(1000);
        sdimage_player_unref(player);
        sdimage_frame_provider_unref(provider);
    }
    /* A frame in production is released when it is complete. */
    CHECK(becomes_true(nothing_plays, NULL));
}

/* --- A view whose image another thread replaces during the host's callback for the first one. */

static sdimage_animated_view *view;
static sdimage_image *first_image, *second_image;
static const sdimage_image *drawn;
static bool is_replaced;

static void *set_second_image(void *argument) {
    CHECK_EQUAL(sdimage_animated_view_set_image(view, second_image, NULL), SDIMAGE_STATUS_OK);
    return argument;
}

static void draw(void *user_data, sdimage_animated_view *shown, const sdimage_image *image) {
    pthread_t thread;
    (void)user_data, (void)shown;
    if (!is_replaced) {
        is_replaced = true;
        CHECK_EQUAL(pthread_create(&thread, NULL, set_second_image, NULL), 0);
        pthread_join(thread, NULL);
    }
    drawn = image;
}

static void theLastImageDrawnIsTheOneThatStays(void) {
    sdimage_animated_view_handler handler = {.size = sizeof handler, .show = draw};
    CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &first_image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &second_image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_animated_view_new(&handler, NULL, NULL, &view, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_animated_view_set_image(view, first_image, NULL), SDIMAGE_STATUS_OK);
    sdimage_image *shown = NULL;
    sdimage_animated_view_get_image(view, &shown);
    CHECK(shown == second_image);
    CHECK(drawn == second_image);
    sdimage_image_unref(shown);
    sdimage_animated_view_unref(view);
    sdimage_image_unref(first_image);
    sdimage_image_unref(second_image);
}

int main(void) {
    static const test tests[] = {
        TEST(twoPlayersMakeEachFrameOnce),      TEST(theLimitHoldsForAllTogether),
        TEST(shortMemoryEmptiesWhatIsPaused),   TEST(aChildOfForkMayDecodeAndNotPlay),
        TEST(playersThatComeAndGoLeaveNothing), TEST(theLastImageDrawnIsTheOneThatStays),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
