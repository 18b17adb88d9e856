#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Playback of animations. */

static sdimage_image *opened(const void *bytes, size_t length) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_pixel_format(options, SDIMAGE_PIXEL_FORMAT_RGBA8);
    if (sdimage_decode(bytes, length, options, &image, &error) < 0)
        fail("decode", error);
    sdimage_decode_options_unref(options);
    return image;
}

static sdimage_player *player_of(const sdimage_image *image) {
    sdimage_player *player = NULL;
    sdimage_error *error = NULL;
    if (sdimage_player_new(image, NULL, NULL, NULL, &player, &error) < 0)
        fail("player", error);
    return player;
}

static void touch(sdimage_player *player) {
    sdimage_image *frame = NULL;
    sdimage_player_get_frame(player, &frame);
    if (frame)
        touched += *(const uint8_t *)sdimage_image_pixels(frame);
    sdimage_image_unref(frame);
}

static void *encoded;
static size_t encoded_length;

/* One loop of all frames, each decoded when it is due: the work of `anim`, done by a player. */
static long run_play(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_image *image = opened(encoded, encoded_length);
        sdimage_player *player = player_of(image);
        uint32_t frames = sdimage_image_frame_count(image);
        sdimage_player_set_decode_when_due(player, true);
        sdimage_player_set_max_buffer_size(player, (size_t)number_of("buffer", 0));
        sdimage_player_start(player);
        while (sdimage_player_shown_frames(player) < frames) {
            if (sdimage_player_tick(player, 1000000000))
                touch(player);
        }
        sdimage_player_unref(player);
        sdimage_image_unref(image);
    }
    return count;
}

int serve_play(void) {
    encoded = read_file(text_of("file", ""), &encoded_length);
    return serve(run_play);
}

/* Ticks that change nothing. */

static sdimage_player *ticked;

static long run_tick(long count) {
    for (long i = 0; i < count; i++)
        touched += sdimage_player_tick(ticked, 1);
    return count;
}

int serve_tick(void) {
    encoded = read_file(text_of("file", ""), &encoded_length);
    sdimage_image *image = opened(encoded, encoded_length);
    ticked = player_of(image);
    sdimage_player_start(ticked);
    for (int i = 0; i < 200; i++) {
        sdimage_player_tick(ticked, 1);
        usleep(1000);
    }
    return serve(run_tick);
}

/* Many concurrent players, ticked at display rate for some seconds. */

/* The frame last shown by a player, and the number of ticks for which its next frame has been due. */
typedef struct show {
    uint32_t index, waiting;
    unsigned long long delayed;
} show;

static void note(void *user_data, sdimage_player *player, uint32_t index, const sdimage_image *image) {
    show *shown = user_data;
    (void)player;
    touched += *(const uint8_t *)sdimage_image_pixels(image);
    *shown = (show){.index = index, .delayed = shown->delayed};
}

/* The next tick shows a due frame. One further tick makes it late; two further ticks count as delayed. */
static void look(show *shown, sdimage_player *player) {
    bool waits = sdimage_player_frame_index(player) != shown->index;
    shown->waiting = waits ? shown->waiting + 1 : 0;
    if (shown->waiting == 3)
        shown->delayed++;
}

static void sleep_until(double moment) {
    double rest = moment - wall_seconds();
    if (rest > 0)
        usleep((useconds_t)(rest * 1e6));
}

int run_players(void) {
    long count = number_of("players", 8), pictures = number_of("pictures", count), seconds = number_of("seconds", 10);
    double hertz = (double)number_of("hertz", 60), rate = (double)number_of("rate", 100) / 100;
    sdimage_image **images = calloc((size_t)pictures, sizeof *images);
    sdimage_player **players = calloc((size_t)count, sizeof *players);
    show *shows = calloc((size_t)count, sizeof *shows);
    sdimage_player_handler handler = {.size = sizeof handler, .frame = note};
    encoded = read_file(text_of("file", ""), &encoded_length);
    if (number_of("limit_mb", 0))
        sdimage_frame_budget_set_limit((size_t)number_of("limit_mb", 0) << 20);
    for (long i = 0; i < pictures; i++)
        images[i] = opened(encoded, encoded_length);
    for (long i = 0; i < count; i++) {
        sdimage_error *error = NULL;
        if (sdimage_player_new(images[i % pictures], &handler, &shows[i], NULL, &players[i], &error) < 0)
            fail("player", error);
        sdimage_player_set_drop_late_frames(players[i], number_of("drops", 0));
        sdimage_player_set_rate(players[i], rate);
    }
    long before = status_of("VmRSS:"), most = 0, threads = 0;
    for (long i = 0; i < count; i++)
        sdimage_player_start(players[i]);
    double start = wall_seconds(), cpu = cpu_seconds(), last = start, longest = 0;
    for (long turn = 1; wall_seconds() < start + (double)seconds; turn++) {
        sleep_until(start + (double)turn / hertz);
        double now = wall_seconds();
        for (long i = 0; i < count; i++) {
            sdimage_player_tick(players[i], (uint64_t)((now - last) * 1e9));
            look(&shows[i], players[i]);
        }
        last = now;
        double took = wall_seconds() - now;
        longest = took > longest ? took : longest;
        if (turn % 30 == 0) {
            long rss = status_of("VmRSS:"), now_threads = status_of("Threads:");
            most = rss > most ? rss : most;
            threads = now_threads > threads ? now_threads : threads;
        }
    }
    unsigned long long shown = 0, late = 0, dropped = 0, delayed = 0;
    for (long i = 0; i < count; i++) {
        shown += sdimage_player_shown_frames(players[i]);
        late += sdimage_player_late_frames(players[i]);
        delayed += shows[i].delayed;
        dropped += sdimage_player_dropped_frames(players[i]);
    }
    sdimage_data *json = NULL;
    sdimage_frame_budget_statistics_to_json(&json, NULL);
    printf("shown=%llu late=%llu delayed=%llu dropped=%llu rss_before_kb=%ld rss_most_kb=%ld threads=%ld cores=%.2f "
           "longest_turn_ms=%.2f "
           "budget=%.*s\n",
           shown, late, delayed, dropped, before, most, threads, (cpu_seconds() - cpu) / (wall_seconds() - start),
           longest * 1e3, (int)sdimage_data_length(json), (const char *)sdimage_data_bytes(json));
    sdimage_data_unref(json);
    for (long i = 0; i < count; i++)
        sdimage_player_unref(players[i]);
    for (long i = 0; i < pictures; i++)
        sdimage_image_unref(images[i]);
    free(players);
    free(shows);
    free(images);
    return 0;
}
