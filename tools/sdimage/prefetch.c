/* prefetch.c: sdimage prefetch: fills the disk cache. A pollable dispatcher delivers the callbacks on this one thread.
 *
 * read_list makes URLs of the lines, fetch_all passes them to a prefetcher and waits for its completion, flush waits
 * for the disk. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "files.h"
#include "folder.h"
#include "image.h"
#include "json.h"
#include "url.h"

/* The arguments of the command line, and the state of the prefetch. */
typedef struct prefetch {
    const char *cache;            /* NULL for the default */
    uint32_t jobs, width, height; /* `jobs`: concurrent loads; the size of a thumbnail, 0 for none */
    char **urls;                  /* owned: copies from the list, or made from file names */
    size_t count, skipped;        /* URLs, and those that failed */
    sdimage_manager *manager;
    sdimage_dispatcher *dispatcher;
    bool is_over, json; /* `is_over`: the prefetcher has completed */
} prefetch;

/* Stores an option for parse_arguments. At most 1,000 loads run at once. */
static parse_result set_option(void *user_data, option_id option, const char *value) {
    prefetch *prefetch = user_data;
    unsigned long long jobs;
    switch (option) {
    case OPTION_JOBS:
        if (!parse_number(value, 1, 1000, &jobs))
            return PARSE_INVALID;
        prefetch->jobs = (uint32_t)jobs;
        return PARSE_OK;
    case OPTION_THUMBNAIL: return parse_size(value, &prefetch->width, &prefetch->height) ? PARSE_OK : PARSE_INVALID;
    case OPTION_CACHE: prefetch->cache = value; return PARSE_OK;
    default: prefetch->json = true; return PARSE_OK;
    }
}

/* Ends a line before the spaces and tabs at its end. */
static void trim(char *line) {
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t", line[length - 1]))
        line[--length] = '\0';
}

/* Splits a list of one URL or file name per line, skipping empty lines and those that begin with #. Terminates the
 * lines in place. */
static bool split(prefetch *prefetch, char *text) {
    size_t room = 0;
    /* strtok skips empty lines, and accepts the line ends of all systems. */
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        line += strspn(line, " \t");
        trim(line);
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
        /* A missing file is a failure like that of a missing URL. */
        if (!prefetch->urls[prefetch->count] && !(prefetch->urls[prefetch->count] = strdup(line)))
            return false;
        prefetch->count++;
    }
    return true;
}

/* Reads the list. Returns false if that fails. */
static bool read_list(prefetch *prefetch, const char *path) {
    size_t length;
    char *bytes = read_file(path, &length);
    if (!bytes)
        report_failure(prefetch->json, "file", path, error_of_errno(errno));
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

/* --- Output. */

/* Shows a bar as wide as the terminal permits; 80 columns if its width is unknown. */
static void show_bar(const prefetch *prefetch, size_t finished) {
    struct winsize window = {.ws_col = 80};
    ioctl(STDERR_FILENO, TIOCGWINSZ, &window);
    char bar[64];
    /* Leaves 40 columns for the numbers, unless the terminal has fewer than 50. */
    int width = window.ws_col > 100 ? 60 : window.ws_col > 50 ? window.ws_col - 40 : 10;
    int full = prefetch->count ? (int)((double)finished / (double)prefetch->count * width) : width;
    for (int i = 0; i < width; i++)
        bar[i] = i < full ? '#' : '.';
    bar[width] = '\0';
    show_progress("[%s] %zu of %zu, %zu failed", bar, finished, prefetch->count, prefetch->skipped);
}

/* Reports each URL as it is done; without JSON only failures. */
static void on_fetched(void *user_data, sdimage_prefetch_group *group, size_t index, sdimage_result *result) {
    prefetch *prefetch = user_data;
    char shown[512];
    const char *url = prefetch->urls[index];
    (void)group;
    shorten_url(url, shown, sizeof shown);
    if (!prefetch->json || strncmp(url, "data:", 5) == 0)
        url = shown;
    if (!sdimage_result_image(result)) {
        prefetch->skipped++;
        report_failure(prefetch->json, "url", url, sdimage_error_ref(sdimage_result_error(result)));
    } else if (prefetch->json) {
        json object = begin_json(stdout, "url", url);
        add_json_text(&object, "source", sdimage_image_source_name(sdimage_result_source(result)));
        end_json(&object);
    }
}

static void on_progress(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t total) {
    (void)group, (void)total;
    show_bar(user_data, finished);
}

/* Prints the totals and ends the loop of fetch_all. */
static void on_completed(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t skipped,
                         sdimage_error *error) {
    prefetch *prefetch = user_data;
    (void)group, (void)error;
    prefetch->is_over = true;
    show_progress("%s", "");
    if (!prefetch->json) {
        printf("%zu fetched, %zu failed\n", finished - skipped, skipped);
        return;
    }
    json object = {stdout, false};
    add_json_literal(&object, "fetched", "%zu", finished - skipped);
    add_json_literal(&object, "failed", "%zu", skipped);
    end_json(&object);
}

/* --- Loading. */

/* Loads succeed without a disk cache, but to fill it is all that this command is for. */
static sdimage_status check_cache(sdimage_manager *manager, sdimage_error **error) {
    sdimage_cache *cache = NULL;
    sdimage_manager_get_cache(manager, &cache);
    sdimage_status status = sdimage_cache_check(cache, error);
    sdimage_cache_unref(cache);
    return status;
}

/* Makes the dispatcher and the manager. */
static sdimage_status open_manager(prefetch *prefetch, sdimage_error **error) {
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_status status = sdimage_dispatcher_new_pollable(&prefetch->dispatcher, error);
    if (prefetch->cache && status >= 0)
        status = set_cache_folder(config, prefetch->cache, error);
    if (status >= 0)
        status = sdimage_manager_new(config, &prefetch->manager, error);
    sdimage_manager_config_unref(config);
    return status >= 0 ? check_cache(prefetch->manager, error) : status;
}

/* Runs the prefetcher until it has completed. Failed URLs are no error of this function. */
static sdimage_status fetch_all(prefetch *prefetch, sdimage_error **error) {
    sdimage_prefetcher *prefetcher = NULL;
    sdimage_status status = sdimage_prefetcher_new(prefetch->manager, prefetch->dispatcher, &prefetcher, error);
    if (status < 0)
        return status;
    sdimage_prefetcher_set_max_concurrent(prefetcher, prefetch->jobs);
    sdimage_request *request = sdimage_request_new("");
    /* The template of all loads; the prefetcher sets their URLs. */
    sdimage_request_set_priority(request, SDIMAGE_PRIORITY_LOW);
    sdimage_request_set_thumbnail_size(request, prefetch->width, prefetch->height, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    /* The process exits before anything could use its memory cache. */
    sdimage_request_set_cache_policy(request, SDIMAGE_CACHE_POLICY_SKIP_MEMORY_WRITE);
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

/* Waits until all loads are on disk. */
static sdimage_status flush(const prefetch *prefetch, sdimage_error **error) {
    sdimage_cache *cache = NULL;
    sdimage_manager_get_cache(prefetch->manager, &cache);
    sdimage_status status = cache ? sdimage_cache_flush(cache, error) : SDIMAGE_STATUS_OK;
    sdimage_cache_unref(cache);
    return status;
}

int run_prefetch(const command_row *command, int argc, char **argv) {
    prefetch prefetch = {.jobs = 6};
    sdimage_error *error = NULL;
    sdimage_status status = SDIMAGE_STATUS_IO_ERROR;
    if (!parse_arguments(command, argc, argv, set_option, &prefetch))
        return EXIT_USAGE;
    if (read_list(&prefetch, argv[optind])) {
        status = open_manager(&prefetch, &error);
        if (status >= 0)
            status = fetch_all(&prefetch, &error);
        if (status >= 0)
            status = flush(&prefetch, &error);
        if (status < 0)
            report_failure(prefetch.json, "command", "prefetch", error);
    }
    sdimage_manager_unref(prefetch.manager);
    sdimage_dispatcher_unref(prefetch.dispatcher);
    for (size_t i = 0; i < prefetch.count; i++)
        free(prefetch.urls[i]);
    free(prefetch.urls);
    return status < 0 || prefetch.skipped ? EXIT_NO_IMAGE : EXIT_FINE;
}
