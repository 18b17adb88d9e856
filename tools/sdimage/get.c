/* get.c: sdimage get and sdimage thumb. All code runs on this one thread: a pollable dispatcher delivers the results
 * here. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

/* Maximum number of concurrent loads: enough to use every connection, few enough to bound the pixels in memory. */
enum { MOST_AT_ONCE = 32 };

/* The arguments of the command line. */
typedef struct wish {
    const char *output, *cache;
    bool output_is_folder, no_cache, json;
    picture_wish picture;
    bool is_made; /* the output is made from pixels, not from the received bytes */
    char **urls;
    unsigned count;
} wish;

/* The state of one get. */
typedef struct get {
    wish wish;
    sdimage_manager *manager;
    sdimage_dispatcher *dispatcher;
    char **names; /* file names used so far if the output is a folder */
    unsigned running, done, failed;
    int64_t received;
} get;

/* --- Arguments. */

static taken take(void *user_data, option_id option, const char *value) {
    wish *wish = user_data;
    if (is_picture_option(option)) {
        wish->is_made = true;
        return take_picture_option(&wish->picture, option, value);
    }
    switch (option) {
    case OPTION_OUTPUT: wish->output = value; return TAKEN;
    case OPTION_SIZE: return take_picture_option(&wish->picture, OPTION_THUMBNAIL, value);
    case OPTION_CACHE: wish->cache = value; return TAKEN;
    case OPTION_NO_CACHE: wish->no_cache = true; return TAKEN;
    default: wish->json = true; return TAKEN;
    }
}

static bool check(const command_row *command, wish *wish) {
    struct stat status;
    if (wish->cache && wish->no_cache) {
        complain("%s: --cache and --no-cache exclude each other", command->name);
        return false;
    }
    if (!wish->output)
        return true;
    wish->output_is_folder = stat(wish->output, &status) == 0 && S_ISDIR(status.st_mode);
    if (wish->count > 1 && !wish->output_is_folder) {
        complain("%s: the output of several URLs must be a folder that exists", command->name);
        return false;
    }
    if (!wish->output_is_folder && pixel_file_of(wish->output))
        wish->is_made = true;
    /* In a folder the default format is one that supports alpha. */
    if (wish->is_made && wish->output_is_folder && wish->picture.format == SDIMAGE_FORMAT_UNDEFINED)
        wish->picture.format = SDIMAGE_FORMAT_PNG;
    return !wish->is_made || check_output(command, wish->output, &wish->picture);
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

/* The output path of the `index`th image. */
static bool choose_path(get *get, unsigned index, const sdimage_result *result, char path[PATH_MAX]) {
    if (!get->wish.output_is_folder)
        return snprintf(path, PATH_MAX, "%s", get->wish.output) < PATH_MAX;
    const char *name = choose_name(get, index, sdimage_result_url(result), sdimage_result_image(result));
    return name && snprintf(path, PATH_MAX, "%s/%s", get->wish.output, name) < PATH_MAX;
}

static bool keep(const get *get, const sdimage_result *result, const char *path, sdimage_error **error) {
    const sdimage_image *image = sdimage_result_image(result);
    const sdimage_data *data = sdimage_result_data(result);
    sdimage_image *written = NULL;
    if (!get->wish.is_made && data)
        return write_bytes(path, sdimage_data_bytes(data), sdimage_data_length(data), error);
    if (!get->wish.is_made) {
        *error = sdimage_error_new(SDIMAGE_STATUS_UNSUPPORTED, "this source has no encoded bytes: see --format");
        return false;
    }
    bool is_fine = write_picture(path, image, &get->wish.picture, &written, error);
    sdimage_image_unref(written);
    return is_fine;
}

/* `path` is NULL if nothing was written. */
static void report(const wish *wish, const sdimage_result *result, const char *url, const char *path) {
    const sdimage_image *image = sdimage_result_image(result);
    const char *source = sdimage_image_source_name(sdimage_result_source(result));
    const char *format = sdimage_format_name(sdimage_image_format(image));
    double ms = (double)sdimage_result_time_ns(result, SDIMAGE_STAGE_TOTAL) / 1e6;
    size_t bytes = sdimage_data_length(sdimage_result_data(result));
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    /* When the bytes go to standard output, the line goes to stderr, where the user still sees it. */
    FILE *out = wish->output && !strcmp(wish->output, "-") ? stderr : stdout;
    show_progress("%s", "");
    if (!wish->json) {
        char size[32];
        snprintf(size, sizeof size, "%ux%u", width, height);
        fprintf(out, "%-8s %-11s %-5s %9.1f ms  ", source, size, format, ms);
        put_plain(out, url);
        fputc('\n', out);
        return;
    }
    json object = begin_json(out, "url", url);
    add_json_text(&object, "source", source);
    add_json_literal(&object, "width", "%u", width);
    add_json_literal(&object, "height", "%u", height);
    add_json_text(&object, "format", format);
    add_json_literal(&object, "bytes", "%zu", bytes);
    add_json_literal(&object, "ms", "%.3f", ms);
    if (path)
        add_json_text(&object, "output", path);
    end_json(&object);
}

/* The index of a load together with its get. */
typedef struct ticket {
    get *get;
    unsigned index;
} ticket;

/* Writes the image and reports it. Returns false after printing a line on stderr. */
static bool finish(get *get, unsigned index, const sdimage_result *result) {
    const wish *wish = &get->wish;
    char shown[512], path[PATH_MAX];
    const char *url = sdimage_result_url(result);
    sdimage_error *error = NULL;
    shorten_url(url, shown, sizeof shown);
    if (wish->json && strncmp(url, "data:", 5) == 0)
        url = shown;
    if (!sdimage_result_image(result)) {
        tell_failure(wish->json, "url", wish->json ? url : shown, sdimage_error_ref(sdimage_result_error(result)));
        return false;
    }
    if (wish->output && !choose_path(get, index, result, path)) {
        tell_unwritten(wish->json, "url", url, wish->output, error_of_errno(ENAMETOOLONG));
        return false;
    }
    if (wish->output && !keep(get, result, path, &error)) {
        tell_unwritten(wish->json, "url", url, path, error);
        return false;
    }
    report(wish, result, wish->json ? url : shown, wish->output ? path : NULL);
    return true;
}

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    ticket *ticket = user_data;
    get *get = ticket->get;
    (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    get->running--;
    get->done++;
    get->received += (int64_t)sdimage_data_length(sdimage_result_data(result));
    get->failed += !finish(get, ticket->index, result);
}

/* --- Loading. */

static void start(get *get, unsigned index) {
    const char *argument = get->wish.urls[index];
    char *from_file = is_url(argument) ? NULL : url_of_file(argument);
    ticket *ticket = malloc(sizeof *ticket);
    if ((!is_url(argument) && !from_file) || !ticket) {
        tell_failure(get->wish.json, "url", argument, error_of_errno(errno));
        get->failed++;
        free(from_file);
        free(ticket);
        return;
    }
    *ticket = (struct ticket){get, index};
    sdimage_request *request = sdimage_request_new(from_file ? from_file : argument, SDIMAGE_NUL_TERMINATED);
    sdimage_request_set_decode_options(request, get->wish.picture.decoding);
    /* A hit in the memory cache has no bytes, and the disk cache stores the original, not the thumbnail. */
    sdimage_request_set_query_layers(request, SDIMAGE_CACHE_LAYERS_DISK);
    bool is_thumbnail = get->wish.picture.width > 0;
    sdimage_request_set_store_layers(request, is_thumbnail ? SDIMAGE_CACHE_LAYERS_NONE : SDIMAGE_CACHE_LAYERS_DISK);
    sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    sdimage_error *error = NULL;
    get->running++;
    if (sdimage_manager_load(get->manager, request, &handler, ticket, free, NULL, &error) < 0) {
        get->running--;
        get->failed++;
        tell_failure(get->wish.json, "url", argument, error);
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

/* Waits until all loads are on disk, because the process exits next. A cache failure is not a load failure. */
static void flush_cache(const get *get) {
    sdimage_cache *cache = NULL;
    sdimage_error *error = NULL;
    sdimage_manager_copy_cache(get->manager, &cache);
    if (cache && sdimage_cache_flush(cache, &error) < 0)
        complain_of("cache", error);
    sdimage_cache_unref(cache);
}

static int load_and_tell(get *get) {
    get->names = calloc(get->wish.count, sizeof *get->names);
    sdimage_error *error = NULL;
    sdimage_status status = get->names ? open_manager(get, &error) : SDIMAGE_STATUS_NO_MEMORY;
    if (status < 0)
        tell_failure(get->wish.json, "command", "get", error);
    else
        load_all(get);
    flush_cache(get);
    sdimage_manager_unref(get->manager);
    sdimage_dispatcher_unref(get->dispatcher);
    for (unsigned i = 0; get->names && i < get->wish.count; i++)
        free(get->names[i]);
    free(get->names);
    return status < 0 || get->failed ? EXIT_NO_IMAGE : EXIT_FINE;
}

static int run(const command_row *command, int argc, char **argv, bool is_thumb) {
    get get = {.manager = NULL};
    wish *wish = &get.wish;
    int status = EXIT_USAGE;
    wish->is_made = is_thumb;
    if (open_picture_wish(&wish->picture) && parse_arguments(command, argc, argv, take, wish)) {
        wish->urls = argv + optind;
        wish->count = (unsigned)(argc - optind);
        if (is_thumb && !wish->picture.width)
            take_picture_option(&wish->picture, OPTION_THUMBNAIL, "256x256");
        if (check(command, wish))
            status = load_and_tell(&get);
    }
    close_picture_wish(&wish->picture);
    return status;
}

int run_get(const command_row *command, int argc, char **argv) {
    return run(command, argc, argv, false);
}

int run_thumb(const command_row *command, int argc, char **argv) {
    return run(command, argc, argv, true);
}
