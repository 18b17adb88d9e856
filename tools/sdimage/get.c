/* get.c: sdimage get and sdimage thumb. All code runs on this one thread: a pollable dispatcher delivers the results
 * here.
 *
 * 1. check decides if the output is the received bytes or an image made from pixels.
 * 2. load_all keeps up to MOST_AT_ONCE loads running, and waits for the descriptor of the dispatcher.
 * 3. on_result writes each image as it arrives, and prints a line or an object.
 * 4. flush_cache waits for the disk cache. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "files.h"
#include "folder.h"
#include "image.h"
#include "json.h"
#include "url.h"

/* Maximum number of concurrent loads: enough to use every connection, few enough to bound the pixels in memory. */
enum { MOST_AT_ONCE = 32 };

/* The arguments of the command line. */
typedef struct options {
    const char *output, *cache; /* NULL if not given */
    bool output_is_folder, no_cache, json;
    image_options image;
    bool is_made;              /* the output is made from pixels, not from the received bytes */
    const char *output_option; /* an option of the output, NULL for none */
    char **urls;               /* URLs and file names, `count` of them */
    unsigned count;
} options;

/* The state of one get. */
typedef struct get {
    options options;
    sdimage_manager *manager;
    sdimage_dispatcher *dispatcher;
    char **names;                   /* file names used so far if the output is a folder */
    unsigned running, done, failed; /* numbers of loads; `failed` includes those that did not start */
    int64_t received;               /* bytes of all finished loads */
} get;

/* --- Arguments. */

/* Stores an option for parse_arguments, and notes if the output is made of pixels. */
static parse_result set_option(void *user_data, option_id option, const char *value) {
    options *options = user_data;
    if (is_image_option(option)) {
        options->is_made = true;
        /* All others affect only the output, and need one. */
        if (option != OPTION_THUMBNAIL && option != OPTION_FIRST_FRAME)
            options->output_option = option_row_of(option)->name;
        return set_image_option(&options->image, option, value);
    }
    switch (option) {
    case OPTION_OUTPUT: options->output = value; return PARSE_OK;
    case OPTION_SIZE: return set_image_option(&options->image, OPTION_THUMBNAIL, value);
    case OPTION_CACHE: options->cache = value; return PARSE_OK;
    case OPTION_NO_CACHE: options->no_cache = true; return PARSE_OK;
    default: options->json = true; return PARSE_OK;
    }
}

/* Checks options against each other, and decides about the output. Returns false after printing a line on stderr. */
static bool check(const command_row *command, options *options) {
    struct stat status;
    if (options->cache && options->no_cache) {
        complain("%s: --cache and --no-cache exclude each other", command->name);
        return false;
    }
    /* Without an output the option would have no effect. */
    if (!options->output && options->output_option) {
        complain("%s: --%s needs -o OUT; see sdimage %s --help", command->name, options->output_option, command->name);
        return false;
    }
    if (!options->output)
        return true;
    options->output_is_folder = stat(options->output, &status) == 0 && S_ISDIR(status.st_mode);
    if (options->count > 1 && !options->output_is_folder) {
        complain("%s: the output of several URLs must be an existing folder", command->name);
        return false;
    }
    /* PPM, PAM and PFM hold pixels, not the received bytes. */
    if (!options->output_is_folder && pixel_file_of(options->output))
        options->is_made = true;
    /* In a folder the default format is one that supports alpha. */
    if (options->is_made && options->output_is_folder && options->image.format == SDIMAGE_FORMAT_UNKNOWN)
        options->image.format = SDIMAGE_FORMAT_PNG;
    return !options->is_made || check_output(command, options->output, &options->image);
}

/* --- Names. */

/* Reports that another image of this run has the file name. */
static bool is_used(const get *get, const char *name) {
    for (unsigned i = 0; i < get->options.count; i++) {
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
    /* Shortened, because file systems limit names, usually to 255 bytes. */
    snprintf(name, sizeof name, "%.*s", end - start > 120 ? 120 : (int)(end - start), url + start);
    /* A data: URL and an empty component are no names, and the dots name folders. */
    if (!strncmp(url, "data:", 5) || !*name || !strcmp(name, ".") || !strcmp(name, ".."))
        snprintf(name, sizeof name, "image-%u", index + 1);
    /* The extension of the new format follows the one of the URL. */
    if (get->options.is_made)
        snprintf(name + strlen(name), 16, ".%s", sdimage_format_name(get->options.image.format));
    else if (!strchr(name, '.'))
        snprintf(name + strlen(name), 16, ".%s", sdimage_format_name(sdimage_image_format(image)));
    snprintf(unique, sizeof unique, "%s", name);
    /* The number of the URL, or the next one with which no image has the name. */
    for (unsigned number = index + 1; is_used(get, unique); number++)
        snprintf(unique, sizeof unique, "%u-%s", number, name);
    get->names[index] = strdup(unique);
    return get->names[index];
}

/* --- Results. */

/* The output path of the `index`th image. */
static bool choose_path(get *get, unsigned index, const sdimage_result *result, char path[PATH_MAX]) {
    if (!get->options.output_is_folder)
        return snprintf(path, PATH_MAX, "%s", get->options.output) < PATH_MAX;
    const char *name = choose_name(get, index, sdimage_result_url(result), sdimage_result_image(result));
    return name && snprintf(path, PATH_MAX, "%s/%s", get->options.output, name) < PATH_MAX;
}

static bool is_heif(sdimage_format format) {
    return format == SDIMAGE_FORMAT_HEIC || format == SDIMAGE_FORMAT_HEIF || format == SDIMAGE_FORMAT_AVIF;
}

/* Prints a line if the extension of the output names another format than that of the received bytes. */
static void note_format(const options *options, const sdimage_image *image) {
    sdimage_format named = sdimage_format_of_name(options->output), format = sdimage_image_format(image);
    if (options->output_is_folder || named == SDIMAGE_FORMAT_UNKNOWN || named == format)
        return;
    /* HEIF is the container of the others, and a name for each. */
    if ((named == SDIMAGE_FORMAT_HEIF || format == SDIMAGE_FORMAT_HEIF) && is_heif(named) && is_heif(format))
        return;
    complain("%s: contains %s, the original bytes; --format converts them", options->output,
             sdimage_format_name(format));
}

/* Writes the received bytes, or an image made from pixels. Sources that provide images have no bytes. */
static bool write_output(const get *get, const sdimage_result *result, const char *path, sdimage_error **error) {
    const sdimage_image *image = sdimage_result_image(result);
    const sdimage_data *data = sdimage_result_data(result);
    sdimage_image *written = NULL;
    if (!get->options.is_made && data)
        return write_bytes(path, sdimage_data_bytes(data), sdimage_data_length(data), error);
    if (!get->options.is_made) {
        *error = sdimage_error_new(SDIMAGE_STATUS_UNSUPPORTED, "this source provides no encoded data; use --format");
        return false;
    }
    bool is_fine = write_image(path, image, &get->options.image, &written, error);
    sdimage_image_unref(written);
    return is_fine;
}

/* Prints the line or object of a loaded image. `path` is NULL if nothing was written. */
static void print_result(const options *options, const sdimage_result *result, const char *url, const char *path) {
    const sdimage_image *image = sdimage_result_image(result);
    const char *source = sdimage_image_source_name(sdimage_result_source(result));
    const char *format = sdimage_format_name(sdimage_image_format(image));
    double ms = (double)sdimage_result_time_ns(result, SDIMAGE_STAGE_TOTAL) / 1e6;
    size_t bytes = sdimage_data_length(sdimage_result_data(result));
    uint32_t width = sdimage_image_width(image), height = sdimage_image_height(image);
    /* When the bytes go to standard output, the line goes to stderr, where the user still sees it. */
    FILE *out = options->output && !strcmp(options->output, "-") ? stderr : stdout;
    show_progress("%s", "");
    if (!options->json) {
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
typedef struct load_context {
    get *get;
    unsigned index;
} load_context;

/* Writes the image and reports it. Returns false after printing a line on stderr. */
static bool finish(get *get, unsigned index, const sdimage_result *result) {
    const options *options = &get->options;
    char shown[512], path[PATH_MAX];
    const char *url = sdimage_result_url(result);
    sdimage_error *error = NULL;
    shorten_url(url, shown, sizeof shown);
    /* A data: URL would repeat the whole image. */
    if (options->json && strncmp(url, "data:", 5) == 0)
        url = shown;
    if (!sdimage_result_image(result)) {
        report_failure(options->json, "url", options->json ? url : shown,
                       sdimage_error_ref(sdimage_result_error(result)));
        return false;
    }
    if (options->output && !choose_path(get, index, result, path)) {
        report_write_failure(options->json, "url", url, options->output, error_of_errno(ENAMETOOLONG));
        return false;
    }
    if (options->output && !write_output(get, result, path, &error)) {
        report_write_failure(options->json, "url", url, path, error);
        return false;
    }
    print_result(options, result, options->json ? url : shown, options->output ? path : NULL);
    if (options->output && !options->is_made)
        note_format(options, sdimage_result_image(result));
    return true;
}

/* The handler of all loads. Partial images are not shown. */
static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    load_context *context = user_data;
    get *get = context->get;
    (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    get->running--;
    get->done++;
    get->received += (int64_t)sdimage_data_length(sdimage_result_data(result));
    get->failed += !finish(get, context->index, result);
}

/* --- Loading. */

/* Starts the load of an argument. A failure to start counts like a failed load. */
static void start(get *get, unsigned index) {
    const char *argument = get->options.urls[index];
    char *from_file = is_url(argument) ? NULL : url_of_file(argument);
    load_context *context = malloc(sizeof *context);
    if ((!is_url(argument) && !from_file) || !context) {
        report_failure(get->options.json, "url", argument, error_of_errno(errno));
        get->failed++;
        free(from_file);
        free(context);
        return;
    }
    *context = (struct load_context){get, index};
    sdimage_request *request = sdimage_request_new(from_file ? from_file : argument);
    sdimage_request_set_decode_options(request, get->options.image.decoding);
    /* A hit in the memory cache has no bytes, and the disk cache stores the original, not the thumbnail. */
    sdimage_cache_policy policy = SDIMAGE_CACHE_POLICY_DISK_ONLY;
    if (get->options.image.width > 0)
        policy |= SDIMAGE_CACHE_POLICY_SKIP_DISK_WRITE;
    sdimage_request_set_cache_policy(request, policy);
    sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    sdimage_error *error = NULL;
    /* Before the load: it may deliver before it returns. */
    get->running++;
    if (sdimage_manager_load(get->manager, request, &handler, context, free, NULL, &error) < 0) {
        get->running--;
        get->failed++;
        report_failure(get->options.json, "url", argument, error);
    }
    sdimage_request_unref(request);
    free(from_file);
}

/* Waits up to a second for results, and runs their handlers. */
static void wait_for_deliveries(get *get) {
    struct pollfd watched = {.fd = sdimage_dispatcher_descriptor(get->dispatcher), .events = POLLIN};
    if (get->options.count > 1)
        show_progress("%u of %u, %.1f MB", get->done, get->options.count, (double)get->received / 1e6);
    else
        show_progress("loading");
    if (poll(&watched, 1, 1000) > 0)
        sdimage_dispatcher_drain(get->dispatcher);
}

/* Runs all loads, in the order of the arguments. */
static void load_all(get *get) {
    for (unsigned next = 0; next < get->options.count || get->running > 0;) {
        while (next < get->options.count && get->running < MOST_AT_ONCE)
            start(get, next++);
        if (get->running > 0)
            wait_for_deliveries(get);
    }
    show_progress("%s", "");
}

/* Makes the dispatcher and the manager. The dispatcher belongs to this thread. */
static sdimage_status open_manager(get *get, sdimage_error **error) {
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_status status = sdimage_dispatcher_new_pollable(&get->dispatcher, error);
    if (status >= 0)
        status = sdimage_dispatcher_bind_current_thread(get->dispatcher, error);
    sdimage_manager_config_set_dispatcher(config, get->dispatcher);
    if (get->options.no_cache)
        sdimage_manager_config_set_cache(config, NULL);
    else if (get->options.cache && status >= 0)
        status = set_cache_folder(config, get->options.cache, error);
    if (status >= 0)
        status = sdimage_manager_new(config, &get->manager, error);
    sdimage_manager_config_unref(config);
    return status;
}

/* Waits until all loads are on disk, because the process exits next. A cache failure is not a load failure. */
static void flush_cache(const get *get) {
    sdimage_cache *cache = NULL;
    sdimage_error *error = NULL;
    sdimage_manager_get_cache(get->manager, &cache);
    sdimage_status status = cache ? sdimage_cache_flush(cache, &error) : SDIMAGE_STATUS_OK;
    /* The flush reports stores that failed; a named folder that is unusable is an error without a store, too. */
    if (status >= 0 && get->options.cache && cache)
        status = sdimage_cache_check(cache, &error);
    if (status < 0)
        report_error("cache", error);
    sdimage_cache_unref(cache);
}

/* Performs the loads. Returns the exit status. */
static int load_and_report(get *get) {
    get->names = calloc(get->options.count, sizeof *get->names);
    sdimage_error *error = NULL;
    sdimage_status status = get->names ? open_manager(get, &error) : SDIMAGE_STATUS_NO_MEMORY;
    if (status < 0)
        report_failure(get->options.json, "command", "get", error);
    else
        load_all(get);
    flush_cache(get);
    sdimage_manager_unref(get->manager);
    sdimage_dispatcher_unref(get->dispatcher);
    for (unsigned i = 0; get->names && i < get->options.count; i++)
        free(get->names[i]);
    free(get->names);
    return status < 0 || get->failed ? EXIT_NO_IMAGE : EXIT_FINE;
}

/* Parses the arguments and performs the command. Returns the exit status. */
static int run(const command_row *command, int argc, char **argv, bool is_thumb) {
    get get = {.manager = NULL};
    options *options = &get.options;
    int status = EXIT_USAGE;
    options->is_made = is_thumb;
    if (init_image_options(&options->image) && parse_arguments(command, argc, argv, set_option, options)) {
        options->urls = argv + optind;
        options->count = (unsigned)(argc - optind);
        /* The default of thumb. */
        if (is_thumb && !options->image.width)
            set_image_option(&options->image, OPTION_THUMBNAIL, "256x256");
        if (check(command, options))
            status = load_and_report(&get);
    }
    release_image_options(&options->image);
    return status;
}

int run_get(const command_row *command, int argc, char **argv) {
    return run(command, argc, argv, false);
}

int run_thumb(const command_row *command, int argc, char **argv) {
    return run(command, argc, argv, true);
}
