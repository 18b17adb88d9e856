/* play.c: sdimage play: shows an image on the terminal, and plays animations.
 *
 * Everything runs on this one thread: the player has the clock of a descriptor, which is polled together with the
 * keyboard. A signal only sets `is_over`, so that the terminal is restored at the end. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "json.h"
#include "screen.h"
#include "url.h"

/* Milliseconds after which a load or a paused player notices a signal. */
enum { SIGNAL_MS = 100 };

/* The arguments of the command line. `screen` is "" to detect the protocol. */
typedef struct play_options {
    const char *subject, *screen;
    uint32_t loops;
    bool has_loops;
    double rate;
} play_options;

/* Set by a signal and by the key q. */
static volatile sig_atomic_t is_over;

/* Handler of SIGINT and SIGTERM. Only sets a flag, because few functions are safe in a handler. */
static void end(int signal) {
    (void)signal;
    is_over = 1;
}

/* Stores an option for parse_arguments. A rate of 1 is the speed of the file. */
static parse_result set_option(void *user_data, option_id option, const char *value) {
    play_options *options = user_data;
    unsigned long long loops;
    char *end = NULL;
    switch (option) {
    case OPTION_LOOPS:
        if (!parse_number(value, 0, UINT32_MAX, &loops))
            return PARSE_INVALID;
        options->loops = (uint32_t)loops;
        options->has_loops = true;
        return PARSE_OK;
    case OPTION_RATE:
        options->rate = strtod(value, &end);
        return end != value && !*end && options->rate > 0 && options->rate <= 1000 ? PARSE_OK : PARSE_INVALID;
    default:
        options->screen = value;
        return !strcmp(value, "blocks") || !strcmp(value, "sixel") || !strcmp(value, "kitty") ? PARSE_OK
                                                                                              : PARSE_INVALID;
    }
}

/* Waits for the image of a load, which a signal cancels. Returns NULL and sets *error without an image. */
static sdimage_image *wait_for(sdimage_task *task, sdimage_error **error) {
    sdimage_status status = SDIMAGE_STATUS_TIMEOUT;
    sdimage_result *result = NULL;
    while (status == SDIMAGE_STATUS_TIMEOUT && !is_over)
        status = sdimage_task_wait(task, SIGNAL_MS, NULL);
    if (is_over) {
        sdimage_task_cancel(task);
        *error = sdimage_error_new(SDIMAGE_STATUS_CANCELLED, "interrupted");
        return NULL;
    }
    sdimage_task_get_result(task, &result);
    sdimage_image *image = sdimage_image_ref(sdimage_result_image(result));
    if (!image)
        *error = sdimage_error_ref(sdimage_result_error(result));
    sdimage_result_unref(result);
    return image;
}

/* Decodes at a size that fits the screen. Returns NULL after printing a line on stderr. */
static sdimage_image *load(const play_options *options, const screen *screen) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_manager *manager = NULL;
    sdimage_task *task = NULL;
    char *url = is_url(options->subject) ? strdup(options->subject) : url_of_file(options->subject);
    if (!url)
        report_error(options->subject, error_of_errno(errno));
    sdimage_request *request = url ? sdimage_request_new(url) : NULL;
    if (request) {
        sdimage_request_set_thumbnail_size(request, screen->width, screen->height, SDIMAGE_SCALE_MODE_ASPECT_FIT);
        if (sdimage_manager_new(NULL, &manager, &error) == SDIMAGE_STATUS_OK &&
            sdimage_manager_load(manager, request, NULL, NULL, NULL, &task, &error) == SDIMAGE_STATUS_OK)
            image = wait_for(task, &error);
        if (!image)
            report_error(options->subject, error);
    }
    sdimage_task_unref(task);
    sdimage_manager_unref(manager);
    sdimage_request_unref(request);
    free(url);
    return image;
}

/* Handler of the player, called by sdimage_player_advance. */
static void show(void *user_data, sdimage_player *player, uint32_t index, const sdimage_image *image) {
    (void)player, (void)index;
    draw_on_screen(user_data, image);
}

/* q quits, a space pauses and resumes. */
static void handle_key(sdimage_player *player) {
    char key;
    if (read(STDIN_FILENO, &key, 1) != 1)
        return;
    if (key == 'q')
        is_over = 1;
    if (key == ' ' && sdimage_player_is_playing(player))
        sdimage_player_pause(player);
    else if (key == ' ')
        sdimage_player_start(player);
}

/* Plays an animation to its end, or until it is interrupted. Returns false after printing a line on stderr. */
static bool play(const play_options *options, screen *screen, sdimage_image *image) {
    sdimage_player_handler handler = {.size = sizeof handler, .frame = show};
    sdimage_player *player = NULL;
    sdimage_error *error = NULL;
    if (sdimage_player_new(image, &handler, screen, NULL, &player, &error) < 0 ||
        sdimage_player_set_clock(player, SDIMAGE_PLAYER_CLOCK_DESCRIPTOR, NULL, &error) < 0) {
        report_error(options->subject, error);
        sdimage_player_unref(player);
        return false;
    }
    if (options->has_loops)
        sdimage_player_set_loop_limit(player, options->loops);
    sdimage_player_set_rate(player, options->rate);
    /* A slow terminal drops frames instead of falling behind. */
    sdimage_player_set_drop_late_frames(player, true);
    sdimage_player_start(player);
    /* A paused player does not play either, but has not ended. */
    bool is_paused = false;
    while (!is_over && (is_paused || sdimage_player_is_playing(player))) {
        /* Standard input is polled only if it is a keyboard; poll ignores negative descriptors. */
        struct pollfd watched[] = {{.fd = sdimage_player_descriptor(player), .events = POLLIN},
                                   {.fd = isatty(STDIN_FILENO) ? STDIN_FILENO : -1, .events = POLLIN}};
        /* The descriptor is ready when a frame is due. A signal may come just before the wait, and does not end it. */
        if (poll(watched, 2, SIGNAL_MS) < 0 && errno != EINTR)
            break;
        if (watched[1].revents) {
            handle_key(player);
            is_paused = !sdimage_player_is_playing(player);
        }
        if (watched[0].revents)
            sdimage_player_advance(player);
    }
    sdimage_player_unref(player);
    return true;
}

int run_play(const command_row *command, int argc, char **argv) {
    play_options options = {.screen = "", .rate = 1};
    screen screen;
    if (!parse_arguments(command, argc, argv, set_option, &options))
        return EXIT_USAGE;
    options.subject = argv[optind];
    /* Before the terminal is changed, which only the end of this function restores. */
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!open_screen(&screen, options.screen)) {
        complain("play: standard output is not a terminal");
        return EXIT_USAGE;
    }
    sdimage_image *image = load(&options, &screen);
    bool is_fine = image != NULL;
    if (is_fine && sdimage_image_is_animated(image))
        is_fine = play(&options, &screen, image);
    else if (is_fine)
        draw_on_screen(&screen, image);
    sdimage_image_unref(image);
    close_screen(&screen);
    return is_fine ? EXIT_FINE : EXIT_NO_IMAGE;
}
