/* get.c: sdimage get. Everything runs on this one thread: a pollable dispatcher brings the deliveries here. */
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

/* Loads under way at once: enough to keep every connection busy, few enough to bound the pixels that wait here. */
enum { MOST_AT_ONCE = 32 };

/* What the command line asks for. */
typedef struct wish {
    const char *output, *cache;
    bool output_is_folder, no_cache, json;
    picture_wish picture;
    bool is_made; /* the output is made of the pixels, not the bytes as they came */
    char **urls;
    unsigned count;
} wish;

/* One get under way. */
typedef struct get {
    wish wish;
    sdimage_manager *manager;
    sdimage_dispatcher *dispatcher;
    char **names; /* file names used so far, where the output is a folder */
    unsigned running, done, failed;
    int64_t received;
} get;

/* --- Arguments. */

static bool parse_options(int argc, char **argv, wish *wish) {
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            PICTURE_OPTIONS,
                                            {"cache", required_argument, NULL, 'c'},
                                            {"no-cache", no_argument, NULL, 'n'},
                                            {"json", no_argument, NULL, 'j'},
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "o:", options, NULL)) != -1;) {
        switch (option) {
        case 'o':
            wish->output = optarg;
            break;
        case 'c':
            wish->cache = optarg;
            break;
        case 'n':
            wish->no_cache = true;
            break;
        case 'j':
            wish->json = true;
            break;
        default:
            if (option >= PICTURE_THUMBNAIL) {
                if (!parse_picture_option("get", option, optarg, &wish->picture))
                    return false;
                wish->is_made = true;
                break;
            }
            complain("get: wrong option %s; see sdimage --help", argv[optind - 1]);
            return false;
        }
    }
    wish->urls = argv + optind;
    wish->count = (unsigned)(argc - optind);
    return true;
}

static bool check(wish *wish) {
    struct stat status;
    if (wish->count == 0) {
        complain("get: a URL is missing; see sdimage --help");
        return false;
    }
    if (wish->cache && wish->no_cache) {
        complain("get: --cache and --no-cache exclude each other");
        return false;
    }
    if (!wish->output)
        return true;
    wish->output_is_folder = stat(wish->output, &status) == 0 && S_ISDIR(status.st_mode);
    if (wish->count > 1 && !wish->output_is_folder) {
        complain("get: the output of several URLs must be a folder that exists");
        return false;
    }
    if (!wish->output_is_folder && pixel_file_of(wish->output))
        wish->is_made = true;
    /* A folder gets the form that keeps alpha. */
    if (wish->is_made && wish->output_is_folder && wish->picture.format == SDIMAGE_FORMAT_UNDEFINED)
        wish->picture.format = SDIMAGE_FORMAT_PNG;
    if (wish->is_made && !wish->output_is_folder && wish->picture.format == SDIMAGE_FORMAT_UNDEFINED &&
        strcmp(wish->output, "-") && !pixel_file_of(wish->output) &&
        sdimage_format_of_name(wish->output) == SDIMAGE_FORMAT_UNDEFINED) {
        complain("get: %s: a name that tells no format; see --format", wish->output);
        return false;
    }
    return true;
}

/* --- Names. */

static bool is_taken(const get *get, const char *name) {
    for (unsigned i = 0; i < get->wish.count; i++) {
        if (get->names[i] && !strcmp(get->names[i], name))
            return true;
    }
    return false;
}

/* A file name for the `index`th URL: its last component, made unique in this run. */
static const char *choose_name(get *get, unsigned index, const char *url, const sdimage_image *image) {
    size_t end = strcspn(url, "?#"), start = end;
    while (start > 0 && url[start - 1] != '/')
        start--;
    char name[160], unique[192];
    snprintf(name, sizeof name, "%.*s", end - start > 120 ? 120 : (int)(end - start), url + start);
    if (!strncmp(url, "data:", 5) || !*name || !strcmp(name, ".") || !strcmp(name, ".."))
        snprintf(name, sizeof name, "image-%u", index + 1);
    if (get->wish.is_made)
        snprintf(name + strlen(name), 16, ".%s", sdimage_format_name(get->wish.picture.format));
    else if (!strchr(name, '.'))
        snprintf(name + strlen(name), 16, ".%s", sdimage_format_name(sdimage_image_format(image)));
    if (is_taken(get, name))
        snprintf(unique, sizeof unique, "%u-%s", index + 1, name);
    else
        snprintf(unique, sizeof unique, "%s", name);
    get->names[index] = strdup(unique);
    return get->names[index];
}

/* --- Results. */

static bool keep(get *get, unsigned index, const sdimage_result *result) {
    const sdimage_image *image = sdimage_result_image(result);
    const sdimage_data *data = sdimage_result_data(result);
    char path[PATH_MAX];
    if (!get->wish.output_is_folder) {
        snprintf(path, sizeof path, "%s", get->wish.output);
    } else {
        const char *name = choose_name(get, index, sdimage_result_url(result), image);
        if (!name || snprintf(path, sizeof path, "%s/%s", get->wish.output, name) >= (int)sizeof path) {
            complain("%s: no name for a file", sdimage_result_url(result));
            return false;
        }
    }
    if (get->wish.is_made)
        return write_picture(path, image, &get->wish.picture);
    if (data)
        return write_bytes(path, sdimage_data_bytes(data), sdimage_data_length(data));
    complain("%s: this source has no encoded bytes: see --format", sdimage_result_url(result));
    return false;
}

static void report(const wish *wish, const sdimage_result *result, const char *url) {
    const sdimage_image *image = sdimage_result_image(result);
    const char *source = sdimage_image_source_name(sdimage_result_source(result));
    const char *format = sdimage_format_name(sdimage_image_format(image));
    double ms = (double)sdimage_result_time_ns(result, SDIMAGE_STAGE_TOTAL) / 1e6;
    size_t bytes = sdimage_data_length(sdimage_result_data(result));
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    /* With the bytes on standard output the line goes where people still see it. */
    FILE *out = wish->output && !strcmp(wish->output, "-") ? stderr : stdout;
    show_progress("%s", "");
    if (!wish->json) {
        char size[32];
        snprintf(size, sizeof size, "%ux%u", width, height);
        fprintf(out, "%-8s %-11s %-5s %9.1f ms  %s\n", source, size, format, ms, url);
        return;
    }
    fputs("{\"url\":", out);
    put_json_string(out, url);
    fprintf(out, ",\"source\":\"%s\",\"width\":%u,\"height\":%u,\"format\":\"%s\",\"bytes\":%zu,\"ms\":%.3f}\n", source,
            width, height, format, bytes, ms);
}

static void report_failure(const wish *wish, const sdimage_error *error, const char *url) {
    const char *code = sdimage_status_name(sdimage_error_code(error));
    complain("%s: %s: %s", url, code, sdimage_error_message(error));
    if (!wish->json)
        return;
    fputs("{\"url\":", stdout);
    put_json_string(stdout, url);
    printf(",\"error\":\"%s\",\"message\":", code);
    put_json_string(stdout, sdimage_error_message(error));
    printf(",\"http_status\":%d}\n", sdimage_error_http_status(error));
}

/* The load's own number travels beside the get. */
typedef struct ticket {
    get *get;
    unsigned index;
} ticket;

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    ticket *ticket = user_data;
    get *get = ticket->get;
    char url[512];
    (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    get->running--;
    get->done++;
    get->received += (int64_t)sdimage_data_length(sdimage_result_data(result));
    shorten_url(sdimage_result_url(result), url, sizeof url);
    if (!sdimage_result_image(result)) {
        get->failed++;
        report_failure(&get->wish, sdimage_result_error(result), url);
    } else if (get->wish.output && !keep(get, ticket->index, result)) {
        get->failed++;
    } else {
        report(&get->wish, result, url);
    }
}

/* --- Loading. */

static void start(get *get, unsigned index) {
    const char *argument = get->wish.urls[index];
    char *from_file = is_url(argument) ? NULL : url_of_file(argument);
    ticket *ticket = malloc(sizeof *ticket);
    if ((!is_url(argument) && !from_file) || !ticket) {
        get->failed++;
        free(from_file);
        free(ticket);
        return;
    }
    *ticket = (struct ticket){get, index};
    sdimage_request *request = sdimage_request_new(from_file ? from_file : argument, SDIMAGE_NUL_TERMINATED);
    sdimage_request_set_decode_options(request, get->wish.picture.decoding);
    /* A picture from memory would come without its bytes; and the disk keeps the original, not the thumbnail. */
    sdimage_request_set_query_layers(request, SDIMAGE_CACHE_LAYERS_DISK);
    bool is_thumbnail = get->wish.picture.width > 0;
    sdimage_request_set_store_layers(request, is_thumbnail ? SDIMAGE_CACHE_LAYERS_NONE : SDIMAGE_CACHE_LAYERS_DISK);
    sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    sdimage_error *error = NULL;
    get->running++;
    if (sdimage_manager_load(get->manager, request, &handler, ticket, free, NULL, &error) < 0) {
        get->running--;
        get->failed++;
        complain_of(argument, error);
    }
    sdimage_request_unref(request);
    free(from_file);
}

static void wait_for_deliveries(get *get) {
    struct pollfd watched = {.fd = sdimage_dispatcher_descriptor(get->dispatcher), .events = POLLIN};
    if (get->wish.count > 1)
        show_progress("%u of %u, %.1f MB", get->done, get->wish.count, (double)get->received / 1e6);
    else
        show_progress("loading");
    if (poll(&watched, 1, 1000) > 0)
        sdimage_dispatcher_drain(get->dispatcher);
}

static void load_all(get *get) {
    for (unsigned next = 0; next < get->wish.count || get->running > 0;) {
        while (next < get->wish.count && get->running < MOST_AT_ONCE)
            start(get, next++);
        if (get->running > 0)
            wait_for_deliveries(get);
    }
    show_progress("%s", "");
}

static sdimage_status open_manager(get *get, sdimage_error **error) {
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_status status = sdimage_dispatcher_new_pollable(&get->dispatcher, error);
    if (status >= 0)
        status = sdimage_dispatcher_bind_current_thread(get->dispatcher, error);
    sdimage_manager_config_set_dispatcher(config, get->dispatcher);
    if (get->wish.no_cache) {
        sdimage_manager_config_set_cache(config, NULL);
    } else if (get->wish.cache && status >= 0) {
        sdimage_cache *cache = NULL;
        sdimage_cache_config *cache_config = sdimage_cache_config_new();
        sdimage_cache_config_set_directory(cache_config, get->wish.cache);
        status = sdimage_cache_new(cache_config, &cache, error);
        sdimage_cache_config_unref(cache_config);
        sdimage_manager_config_set_cache(config, cache);
        sdimage_cache_unref(cache);
    }
    if (status >= 0)
        status = sdimage_manager_new(config, &get->manager, error);
    sdimage_manager_config_unref(config);
    return status;
}

/* Waits until what was loaded is on disk: the process ends right after. A cache that fails is no failure of a load. */
static void flush_cache(const get *get) {
    sdimage_cache *cache = NULL;
    sdimage_error *error = NULL;
    sdimage_manager_copy_cache(get->manager, &cache);
    if (cache && sdimage_cache_flush(cache, &error) < 0)
        complain_of("cache", error);
    sdimage_cache_unref(cache);
}

int run_get(int argc, char **argv) {
    get get = {.manager = NULL};
    if (!open_picture_wish(&get.wish.picture) || !parse_options(argc, argv, &get.wish) || !check(&get.wish)) {
        close_picture_wish(&get.wish.picture);
        return EXIT_USAGE;
    }
    get.names = calloc(get.wish.count, sizeof *get.names);
    sdimage_error *error = NULL;
    sdimage_status status = get.names ? open_manager(&get, &error) : SDIMAGE_STATUS_NO_MEMORY;
    if (status < 0)
        complain_of("get", error);
    else
        load_all(&get);
    flush_cache(&get);
    sdimage_manager_unref(get.manager);
    sdimage_dispatcher_unref(get.dispatcher);
    for (unsigned i = 0; get.names && i < get.wish.count; i++)
        free(get.names[i]);
    free(get.names);
    close_picture_wish(&get.wish.picture);
    return status < 0 || get.failed ? EXIT_NO_IMAGE : EXIT_FINE;
}
