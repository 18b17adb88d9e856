/* prefetch.c: sdimage prefetch. Fills the disk cache; callbacks come to this one thread by a pollable dispatcher. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

typedef struct prefetch {
    const char *cache;
    uint32_t jobs, width, height;
    char **urls; /* into the text of the list, or made of the names of files */
    size_t count, skipped;
    sdimage_manager *manager;
    sdimage_dispatcher *dispatcher;
    bool is_over;
} prefetch;

static bool parse_jobs(const char *text, uint32_t *jobs) {
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (errno || *end || end == text || *text == '-' || number < 1 || number > 1000) {
        complain("prefetch: --jobs %s: not a number from 1 to 1000", text);
        return false;
    }
    *jobs = (uint32_t)number;
    return true;
}

static bool parse_options(int argc, char **argv, prefetch *prefetch, const char **list) {
    static const struct option options[] = {{"jobs", required_argument, NULL, 'j'},
                                            {"thumbnail", required_argument, NULL, 't'},
                                            {"cache", required_argument, NULL, 'c'},
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "j:", options, NULL)) != -1;) {
        if (option == 'j' && parse_jobs(optarg, &prefetch->jobs))
            continue;
        if (option == 'j')
            return false;
        if (option == 'c') {
            prefetch->cache = optarg;
        } else if (option != 't') {
            complain("prefetch: wrong option %s; see sdimage --help", argv[optind - 1]);
            return false;
        } else if (!parse_size(optarg, &prefetch->width, &prefetch->height)) {
            complain("prefetch: --thumbnail %s: not WIDTHxHEIGHT", optarg);
            return false;
        }
    }
    if (optind + 1 != argc) {
        complain("prefetch: one file with URLs is wanted, or - for standard input; see sdimage --help");
        return false;
    }
    *list = argv[optind];
    return true;
}

/* One URL, or name of a file, a line; empty lines and those that begin with # do not count. Ends the lines where they lie. */
static bool split(prefetch *prefetch, char *text) {
    size_t room = 0;
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        line += strspn(line, " \t");
        line[strcspn(line, " \t")] = '\0';
        if (!*line || *line == '#')
            continue;
        if (prefetch->count == room) {
            room = room ? room * 2 : 256;
            char **grown = realloc(prefetch->urls, room * sizeof *grown);
            if (!grown)
                return false;
            prefetch->urls = grown;
        }
        prefetch->urls[prefetch->count] = is_url(line) ? strdup(line) : url_of_file(line);
        /* A file that is not there fails like a URL that is not. */
        if (!prefetch->urls[prefetch->count] && !(prefetch->urls[prefetch->count] = strdup(line)))
            return false;
        prefetch->count++;
    }
    return true;
}

static bool read_list(prefetch *prefetch, const char *path) {
    size_t length;
    char *bytes = read_file(path, &length);
    char *text = bytes ? malloc(length + 1) : NULL;
    bool is_read = text != NULL;
    if (text) {
        memcpy(text, bytes, length);
        text[length] = '\0';
        is_read = split(prefetch, text);
    }
    free(text);
    free(bytes);
    return is_read;
}

/* --- What is told. */

static void show_bar(const prefetch *prefetch, size_t finished) {
    struct winsize window = {.ws_col = 80};
    ioctl(STDERR_FILENO, TIOCGWINSZ, &window);
    char bar[64];
    int width = window.ws_col > 100 ? 60 : window.ws_col > 50 ? window.ws_col - 40 : 10;
    int full = prefetch->count ? (int)((double)finished / (double)prefetch->count * width) : width;
    for (int i = 0; i < width; i++)
        bar[i] = i < full ? '#' : '.';
    bar[width] = '\0';
    show_progress("[%s] %zu of %zu, %zu failed", bar, finished, prefetch->count, prefetch->skipped);
}

static void on_fetched(void *user_data, sdimage_prefetch_group *group, size_t index, sdimage_result *result) {
    prefetch *prefetch = user_data;
    char url[512];
    (void)group;
    if (sdimage_result_image(result))
        return;
    const sdimage_error *error = sdimage_result_error(result);
    prefetch->skipped++;
    shorten_url(prefetch->urls[index], url, sizeof url);
    complain("%s: %s: %s", url, sdimage_status_name(sdimage_error_code(error)), sdimage_error_message(error));
}

static void on_progress(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t total) {
    (void)group, (void)total;
    show_bar(user_data, finished);
}

static void on_completed(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t skipped,
                         sdimage_error *error) {
    prefetch *prefetch = user_data;
    (void)group, (void)error;
    prefetch->is_over = true;
    show_progress("%s", "");
    printf("%zu fetched, %zu failed\n", finished - skipped, skipped);
}

/* --- Loading. */

static sdimage_status open_manager(prefetch *prefetch, sdimage_error **error) {
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_status status = sdimage_dispatcher_new_pollable(&prefetch->dispatcher, error);
    if (prefetch->cache && status >= 0) {
        sdimage_cache *cache = NULL;
        sdimage_cache_config *cache_config = sdimage_cache_config_new();
        sdimage_cache_config_set_directory(cache_config, prefetch->cache);
        status = sdimage_cache_new(cache_config, &cache, error);
        sdimage_cache_config_unref(cache_config);
        sdimage_manager_config_set_cache(config, cache);
        sdimage_cache_unref(cache);
    }
    if (status >= 0)
        status = sdimage_manager_new(config, &prefetch->manager, error);
    sdimage_manager_config_unref(config);
    return status;
}

static sdimage_status fetch_all(prefetch *prefetch, sdimage_error **error) {
    sdimage_prefetcher *prefetcher = NULL;
    sdimage_status status = sdimage_prefetcher_new(prefetch->manager, prefetch->dispatcher, &prefetcher, error);
    if (status < 0)
        return status;
    sdimage_prefetcher_set_max_concurrent(prefetcher, prefetch->jobs);
    sdimage_request *request = sdimage_request_new("", 0);
    sdimage_request_set_priority(request, SDIMAGE_PRIORITY_LOW);
    sdimage_request_set_thumbnail_size(request, prefetch->width, prefetch->height, true);
    /* The process ends before anybody could look into its memory. */
    sdimage_request_set_store_layers(request, SDIMAGE_CACHE_LAYERS_DISK);
    sdimage_prefetch_handler handler = {
        .size = sizeof handler, .fetched = on_fetched, .progress = on_progress, .completed = on_completed};
    status = sdimage_prefetcher_start(prefetcher, (const char *const *)prefetch->urls, NULL, prefetch->count, request,
                                      &handler, prefetch, NULL, NULL, error);
    struct pollfd watched = {.fd = sdimage_dispatcher_descriptor(prefetch->dispatcher), .events = POLLIN};
    while (status >= 0 && !prefetch->is_over) {
        if (poll(&watched, 1, -1) > 0)
            sdimage_dispatcher_drain(prefetch->dispatcher);
    }
    sdimage_request_unref(request);
    sdimage_prefetcher_unref(prefetcher);
    return status;
}

/* Waits until what was loaded is on disk. */
static sdimage_status flush(const prefetch *prefetch, sdimage_error **error) {
    sdimage_cache *cache = NULL;
    sdimage_manager_copy_cache(prefetch->manager, &cache);
    sdimage_status status = cache ? sdimage_cache_flush(cache, error) : SDIMAGE_STATUS_OK;
    sdimage_cache_unref(cache);
    return status;
}

int run_prefetch(int argc, char **argv) {
    prefetch prefetch = {.jobs = 6};
    const char *list = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = SDIMAGE_STATUS_IO_ERROR;
    if (!parse_options(argc, argv, &prefetch, &list))
        return EXIT_USAGE;
    if (read_list(&prefetch, list)) {
        status = open_manager(&prefetch, &error);
        if (status >= 0)
            status = fetch_all(&prefetch, &error);
        if (status >= 0)
            status = flush(&prefetch, &error);
        if (status < 0)
            complain_of("prefetch", error);
    }
    sdimage_manager_unref(prefetch.manager);
    sdimage_dispatcher_unref(prefetch.dispatcher);
    for (size_t i = 0; i < prefetch.count; i++)
        free(prefetch.urls[i]);
    free(prefetch.urls);
    return status < 0 || prefetch.skipped ? EXIT_NO_IMAGE : EXIT_FINE;
}
