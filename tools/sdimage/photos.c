/* photos.c: sdimage photos: lists photos of a library, and writes a photo or its thumbnail. The plug-in is opened by
 * dlopen, so that the other commands work without it. */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sdimage/plugins/photos.h>
#include <sdimage/plugins/photos_loader.h>

#include "cli.h"
#include "files.h"
#include "image.h"
#include "json.h"

/* The functions of the plug-in, each looked up by its name. */
#define FUNCTIONS(USE)                                                                                                 \
    USE(library_open)                                                                                                  \
    USE(library_open_shotwell)                                                                                         \
    USE(library_open_digikam)                                                                                          \
    USE(library_config_new)                                                                                            \
    USE(library_config_unref)                                                                                          \
    USE(library_config_set_watch)                                                                                      \
    USE(library_fetch)                                                                                                 \
    USE(library_scan)                                                                                                  \
    USE(library_unref)                                                                                                 \
    USE(fetch_options_new)                                                                                             \
    USE(fetch_options_unref)                                                                                           \
    USE(fetch_options_set_album)                                                                                       \
    USE(fetch_options_set_order)                                                                                       \
    USE(fetch_options_set_page)                                                                                        \
    USE(fetch_options_set_media)                                                                                       \
    USE(list_count)                                                                                                    \
    USE(list_asset)                                                                                                    \
    USE(list_unref)                                                                                                    \
    USE(asset_identifier)                                                                                              \
    USE(asset_path)                                                                                                    \
    USE(asset_type)                                                                                                    \
    USE(asset_album)                                                                                                   \
    USE(asset_pixel_size)                                                                                              \
    USE(asset_taken_ns)                                                                                                \
    USE(asset_file_size)                                                                                               \
    USE(asset_rating)                                                                                                  \
    USE(url_of_identifier)                                                                                             \
    USE(free)                                                                                                          \
    USE(loader_config_new)                                                                                             \
    USE(loader_config_add_library)                                                                                     \
    USE(loader_config_set_images_only)                                                                                 \
    USE(loader_config_unref)                                                                                           \
    USE(loader_new)

/* The addresses of the functions, with the types that the headers declare. */
#define POINTER(name) __typeof__(&sdimage_photos_##name) name;
static struct { FUNCTIONS(POINTER) } photos;

/* Opens the plug-in for the life of the process. Returns false after printing a line on stderr. */
static bool open_plugin(void) {
    void *file = dlopen("libsdimage-photos.so.1", RTLD_NOW);
    if (!file) {
        complain("photos: the photo library plug-in, libsdimage-photos.so.1, is not installed");
        return false;
    }
#define FIND(name)                                                                                                     \
    *(void **)(void *)&photos.name = dlsym(file, "sdimage_photos_" #name);                                             \
    if (!photos.name) {                                                                                                \
        complain("photos: the plug-in lacks sdimage_photos_" #name);                                                   \
        return false;                                                                                                  \
    }
    FUNCTIONS(FIND)
    return true;
}

/* The arguments of the command line. */
typedef struct options {
    const char *tree, *shotwell, *digikam, *album, *output; /* NULL if not given */
    bool is_shotwell, is_digikam, ascending, json;          /* `ascending`: --reverse was given */
    sdimage_photos_order order;
    uint32_t media; /* a bit of sdimage_photos_media; 0 for all */
    size_t limit;   /* 0 for none */
    image_options image;
} options;

/* Sets an option whose argument is one of a few words. */
static parse_result set_word(options *options, option_id option, const char *text) {
    static const struct {
        option_id option;
        const char *name;
        uint32_t value;
    } words[] = {
        {OPTION_SORT, "date", SDIMAGE_PHOTOS_ORDER_DATE},    {OPTION_SORT, "name", SDIMAGE_PHOTOS_ORDER_NAME},
        {OPTION_SORT, "size", SDIMAGE_PHOTOS_ORDER_SIZE},    {OPTION_SORT, "modified", SDIMAGE_PHOTOS_ORDER_MODIFIED},
        {OPTION_MEDIA, "image", SDIMAGE_PHOTOS_MEDIA_IMAGE}, {OPTION_MEDIA, "video", SDIMAGE_PHOTOS_MEDIA_VIDEO},
        {OPTION_MEDIA, "audio", SDIMAGE_PHOTOS_MEDIA_AUDIO}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].option != option || strcmp(words[i].name, text))
            continue;
        if (option == OPTION_MEDIA)
            options->media = words[i].value;
        else
            options->order = (sdimage_photos_order)words[i].value;
        return PARSE_OK;
    }
    return PARSE_INVALID;
}

/* Stores an option for parse_arguments. --size has the effect that --thumbnail has in other commands. */
static parse_result set_option(void *user_data, option_id option, const char *value) {
    options *options = user_data;
    unsigned long long limit;
    if (is_image_option(option))
        return set_image_option(&options->image, option, value);
    switch (option) {
    case OPTION_LIBRARY: options->tree = value; return PARSE_OK;
    case OPTION_SHOTWELL: options->is_shotwell = true, options->shotwell = value; return PARSE_OK;
    case OPTION_DIGIKAM: options->is_digikam = true, options->digikam = value; return PARSE_OK;
    case OPTION_ALBUM: options->album = value; return PARSE_OK;
    case OPTION_REVERSE: options->ascending = true; return PARSE_OK;
    case OPTION_OUTPUT: options->output = value; return PARSE_OK;
    case OPTION_SIZE: return set_image_option(&options->image, OPTION_THUMBNAIL, value);
    case OPTION_SORT:
    case OPTION_MEDIA: return set_word(options, option, value);
    case OPTION_LIMIT:
        if (!parse_number(value, 1, SIZE_MAX, &limit))
            return PARSE_INVALID;
        options->limit = (size_t)limit;
        return PARSE_OK;
    default: options->json = true; return PARSE_OK;
    }
}

/* Shows the progress of a scan that reads new files. Never stops it. */
static bool on_scan_progress(void *user_data, uint64_t found, uint64_t read) {
    (void)user_data;
    if (read)
        show_progress("%" PRIu64 " files, %" PRIu64 " of them new", found, read);
    return true;
}

/* The library as messages name it. */
static const char *library_name(const options *options) {
    if (options->is_shotwell)
        return options->shotwell ? options->shotwell : "Shotwell";
    if (options->is_digikam)
        return options->digikam ? options->digikam : "digiKam";
    return options->tree ? options->tree : "the Pictures folder (see --library)";
}

/* Opens the library that the options choose; of a tree, brings the index up to date. Returns NULL after printing a line
 * on stderr. */
static sdimage_photos_library *open_library(const options *options) {
    sdimage_photos_library *library = NULL;
    sdimage_error *error = NULL;
    sdimage_status status;
    if (options->is_shotwell) {
        status = photos.library_open_shotwell(options->shotwell, &library, &error);
    } else if (options->is_digikam) {
        status = photos.library_open_digikam(options->digikam, &library, &error);
    } else {
        sdimage_photos_scan_handler handler = {.size = sizeof handler, .progress = on_scan_progress};
        sdimage_photos_library_config *config = photos.library_config_new();
        /* The command ends soon: it scans itself, with progress, and needs no watches. */
        photos.library_config_set_watch(config, false);
        status = photos.library_open(options->tree, config, &library, &error);
        photos.library_config_unref(config);
        if (status >= 0)
            status = photos.library_scan(library, &handler, NULL, NULL, &error);
        show_progress("%s", "");
    }
    if (status >= 0)
        return library;
    report_failure(options->json, "library", library_name(options), error);
    photos.library_unref(library);
    return NULL;
}

/* Writes the time when a photo was taken, in UTC; "" for a year that does not fit. */
static void put_date(const sdimage_photos_asset *asset, char *text, size_t size) {
    time_t seconds = (time_t)(photos.asset_taken_ns(asset) / 1000000000);
    struct tm date;
    *text = 0;
    if (gmtime_r(&seconds, &date))
        strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &date);
}

/* Prints a photo as a line of identifier, date, size and path. */
static void put_as_line(const sdimage_photos_asset *asset, const char *date, sdimage_size size) {
    printf("%s  %s  %5ux%-5u  ", photos.asset_identifier(asset), date, size.width, size.height);
    put_plain(stdout, photos.asset_path(asset));
    putchar('\n');
}

/* Prints a photo as an object on one line. Its albums are an array. */
static void put_as_json(const sdimage_photos_asset *asset, const char *date) {
    sdimage_size size = photos.asset_pixel_size(asset);
    json object = begin_json(stdout, "identifier", photos.asset_identifier(asset));
    add_json_text(&object, "path", photos.asset_path(asset));
    add_json_text(&object, "type", photos.asset_type(asset));
    add_json_literal(&object, "width", "%u", size.width);
    add_json_literal(&object, "height", "%u", size.height);
    add_json_text(&object, "taken", date);
    add_json_literal(&object, "bytes", "%" PRIu64, photos.asset_file_size(asset));
    add_json_literal(&object, "rating", "%d", photos.asset_rating(asset));
    add_json_literal(&object, "albums", "[");
    for (size_t i = 0; photos.asset_album(asset, i); i++) {
        if (i)
            putchar(',');
        put_json_string(stdout, photos.asset_album(asset, i));
    }
    putchar(']');
    end_json(&object);
}

/* Lists the selected photos. Returns the exit status. */
static int list_photos(sdimage_photos_library *library, const options *options) {
    sdimage_photos_fetch_options *fetch = photos.fetch_options_new();
    sdimage_photos_list *list = NULL;
    sdimage_error *error = NULL;
    /* Names ascend by default; the newest, largest or last changed come first. */
    photos.fetch_options_set_order(fetch, options->order,
                                   options->ascending != (options->order != SDIMAGE_PHOTOS_ORDER_NAME));
    photos.fetch_options_set_page(fetch, 0, options->limit);
    if (options->album)
        photos.fetch_options_set_album(fetch, options->album, true);
    if (options->media)
        photos.fetch_options_set_media(fetch, options->media);
    sdimage_status status = photos.library_fetch(library, fetch, &list, &error);
    photos.fetch_options_unref(fetch);
    if (status < 0) {
        report_failure(options->json, "command", "photos", error);
        return EXIT_NO_IMAGE;
    }
    for (size_t i = 0; i < photos.list_count(list); i++) {
        const sdimage_photos_asset *asset = photos.list_asset(list, i);
        sdimage_size size = photos.asset_pixel_size(asset);
        char date[32];
        put_date(asset, date, sizeof date);
        if (options->json)
            put_as_json(asset, date);
        else
            put_as_line(asset, date, size);
    }
    photos.list_unref(list);
    return EXIT_FINE;
}

/* A manager without a cache. Returns NULL after printing a line on stderr. */
static sdimage_manager *open_manager(sdimage_photos_library *library, bool json) {
    sdimage_photos_loader_config *loading = photos.loader_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_loader *loader = NULL;
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    photos.loader_config_add_library(loading, library);
    /* A video is shown as its poster. */
    photos.loader_config_set_images_only(loading, false);
    sdimage_status status = photos.loader_new(loading, &loader, &error);
    if (status >= 0) {
        sdimage_manager_config_set_loader(config, loader);
        sdimage_manager_config_set_cache(config, NULL);
        status = sdimage_manager_new(config, &manager, &error);
    }
    if (status < 0)
        report_failure(json, "command", "photos", error);
    sdimage_loader_unref(loader);
    sdimage_manager_config_unref(config);
    photos.loader_config_unref(loading);
    return manager;
}

/* Writes a photo, at the size of the options. Returns the exit status. */
static int write_thumbnail(sdimage_photos_library *library, const char *identifier, const options *options) {
    char *url = photos.url_of_identifier(identifier);
    sdimage_manager *manager = url ? open_manager(library, options->json) : NULL;
    sdimage_request *request = manager ? sdimage_request_new(url) : NULL;
    sdimage_result *result = NULL;
    sdimage_image *written = NULL;
    sdimage_error *error = NULL;
    /* An empty identifier has no URL. */
    if (!*identifier)
        report_failure(options->json, "identifier", identifier,
                       sdimage_error_new(SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: identifier is empty"));
    else if (!url || (manager && !request))
        report_failure(options->json, "identifier", identifier, error_of_errno(ENOMEM));
    if (request) {
        sdimage_request_set_decode_options(request, options->image.decoding);
        if (sdimage_manager_load_sync(manager, request, &result, &error) < 0)
            report_failure(options->json, "identifier", identifier, error);
        else if (!write_image(options->output, sdimage_result_image(result), &options->image, &written, &error))
            report_write_failure(options->json, "identifier", identifier, options->output, error);
    }
    if (written && options->json) {
        /* When the image goes to standard output, the object goes to stderr. */
        json object = begin_json(strcmp(options->output, "-") ? stdout : stderr, "identifier", identifier);
        add_json_text(&object, "output", options->output);
        add_json_length(&object, options->output);
        add_json_literal(&object, "width", "%u", sdimage_image_width(written));
        add_json_literal(&object, "height", "%u", sdimage_image_height(written));
        end_json(&object);
    }
    bool is_fine = written != NULL;
    sdimage_image_unref(written);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    photos.free(url);
    return is_fine ? EXIT_FINE : EXIT_NO_IMAGE;
}

/* Checks that at most one library was chosen. Returns false after printing a line on stderr. */
static bool check_library(const command_row *command, const options *options) {
    if ((options->tree != NULL) + options->is_shotwell + options->is_digikam < 2)
        return true;
    complain("%s: --library, --shotwell and --digikam exclude each other", command->name);
    return false;
}

int run_photos(const command_row *command, int argc, char **argv) {
    options options = {.tree = NULL};
    int code = EXIT_USAGE;
    /* The last word of the command is "ls" or "thumb". */
    bool is_list = !strcmp(argv[0], "ls");
    if (init_image_options(&options.image) && parse_arguments(command, argc, argv, set_option, &options) &&
        check_library(command, &options) && (is_list || check_output(command, options.output, &options.image))) {
        /* Opened last, so that usage errors are reported without the plug-in too. */
        sdimage_photos_library *library = open_plugin() ? open_library(&options) : NULL;
        code = !library  ? EXIT_NO_IMAGE
               : is_list ? list_photos(library, &options)
                         : write_thumbnail(library, argv[optind], &options);
        if (library)
            photos.library_unref(library);
    }
    release_image_options(&options.image);
    return code;
}
