/* photos.c: sdimage photos, the photo library on the command line; it opens the plug-in when it is asked for. */
#include <dlfcn.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sdimage/plugins/photos.h>
#include <sdimage/plugins/photos_loader.h>

#include "cli.h"

/* What is called of the plug-in; each found by its name. */
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

#define POINTER(name) __typeof__(&sdimage_photos_##name) name;
static struct {
    FUNCTIONS(POINTER)
} photos;

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

typedef struct wish {
    const char *tree, *shotwell, *digikam, *album, *output;
    bool is_shotwell, is_digikam, ascending, json;
    sdimage_photos_order order;
    uint32_t media, width, height;
    size_t limit;
} wish;

enum {
    LIBRARY = 'L',
    SHOTWELL = 'S',
    DIGIKAM = 'D',
    ALBUM = 'a',
    SORT = 's',
    REVERSE = 'r',
    LIMIT = 'l',
    MEDIA = 'm',
    SIZE = 'z'
};

static bool parse_word(const char *text, wish *wish, int option) {
    static const struct {
        int option;
        const char *name;
        uint32_t value;
    } words[] = {{SORT, "date", SDIMAGE_PHOTOS_ORDER_DATE},    {SORT, "name", SDIMAGE_PHOTOS_ORDER_NAME},
                 {SORT, "size", SDIMAGE_PHOTOS_ORDER_SIZE},    {SORT, "modified", SDIMAGE_PHOTOS_ORDER_MODIFIED},
                 {MEDIA, "image", SDIMAGE_PHOTOS_MEDIA_IMAGE}, {MEDIA, "video", SDIMAGE_PHOTOS_MEDIA_VIDEO},
                 {MEDIA, "audio", SDIMAGE_PHOTOS_MEDIA_AUDIO}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].option != option || strcmp(words[i].name, text))
            continue;
        if (option == MEDIA)
            wish->media = words[i].value;
        else
            wish->order = (sdimage_photos_order)words[i].value;
        return true;
    }
    return false;
}

static bool parse_limit(const char *text, size_t *limit) {
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 10);
    *limit = (size_t)value;
    return *text >= '0' && *text <= '9' && !*end && value > 0;
}

static bool parse(int argc, char **argv, wish *wish) {
    static const struct option options[] = {{"library", required_argument, NULL, LIBRARY},
                                            {"shotwell", optional_argument, NULL, SHOTWELL},
                                            {"digikam", optional_argument, NULL, DIGIKAM},
                                            {"album", required_argument, NULL, ALBUM},
                                            {"sort", required_argument, NULL, SORT},
                                            {"reverse", no_argument, NULL, REVERSE},
                                            {"limit", required_argument, NULL, LIMIT},
                                            {"media", required_argument, NULL, MEDIA},
                                            {"size", required_argument, NULL, SIZE},
                                            {"output", required_argument, NULL, 'o'},
                                            {"json", no_argument, NULL, 'j'},
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "o:", options, NULL)) != -1;) {
        bool is_fine = true;
        switch (option) {
        case LIBRARY: wish->tree = optarg; break;
        case SHOTWELL: wish->is_shotwell = true, wish->shotwell = optarg; break;
        case DIGIKAM: wish->is_digikam = true, wish->digikam = optarg; break;
        case ALBUM: wish->album = optarg; break;
        case REVERSE: wish->ascending = true; break;
        case 'j': wish->json = true; break;
        case 'o': wish->output = optarg; break;
        case LIMIT: is_fine = parse_limit(optarg, &wish->limit); break;
        case SIZE: is_fine = parse_size(optarg, &wish->width, &wish->height); break;
        case SORT:
        case MEDIA: is_fine = parse_word(optarg, wish, option); break;
        default: is_fine = false; break;
        }
        if (!is_fine) {
            complain("photos: wrong option %s; see sdimage --help", argv[optind - 1]);
            return false;
        }
    }
    return true;
}

static bool tell(void *user_data, uint64_t found, uint64_t read) {
    (void)user_data;
    if (read)
        show_progress("%" PRIu64 " files, %" PRIu64 " of them new", found, read);
    return true;
}

/* NULL after a line on stderr. */
static sdimage_photos_library *open_library(const wish *wish) {
    sdimage_photos_library *library = NULL;
    sdimage_error *error = NULL;
    sdimage_status status;
    if (wish->is_shotwell) {
        status = photos.library_open_shotwell(wish->shotwell, &library, &error);
    } else if (wish->is_digikam) {
        status = photos.library_open_digikam(wish->digikam, &library, &error);
    } else {
        sdimage_photos_library_config *config = photos.library_config_new();
        photos.library_config_set_watch(config, false);
        status = photos.library_open(wish->tree, config, &library, &error);
        photos.library_config_unref(config);
        if (status >= 0)
            status = photos.library_scan(library, tell, NULL, &error);
        show_progress("%s", "");
    }
    if (status >= 0)
        return library;
    complain_of(wish->tree ? wish->tree : "photos", error);
    photos.library_unref(library);
    return NULL;
}

static void put_date(const sdimage_photos_asset *asset, char *text, size_t size) {
    time_t seconds = (time_t)(photos.asset_taken_ns(asset) / 1000000000);
    struct tm date;
    *text = 0;
    if (gmtime_r(&seconds, &date))
        strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &date);
}

/* A name must not end the line, nor speak to the terminal. */
static void put_as_line(const sdimage_photos_asset *asset, const char *date, sdimage_size size) {
    printf("%s  %s  %5ux%-5u  ", photos.asset_identifier(asset), date, size.width, size.height);
    for (const char *path = photos.asset_path(asset); *path; path++)
        putchar((unsigned char)*path < ' ' || *path == 0x7f ? '?' : *path);
    putchar('\n');
}

static void put_as_json(const sdimage_photos_asset *asset, const char *date) {
    sdimage_size size = photos.asset_pixel_size(asset);
    fputs("{\"identifier\":", stdout);
    put_json_string(stdout, photos.asset_identifier(asset));
    fputs(",\"path\":", stdout);
    put_json_string(stdout, photos.asset_path(asset));
    printf(",\"type\":\"%s\",\"width\":%u,\"height\":%u,\"taken\":\"%s\",\"bytes\":%" PRIu64
           ",\"rating\":%d,\"albums\":[",
           photos.asset_type(asset), size.width, size.height, date, photos.asset_file_size(asset),
           photos.asset_rating(asset));
    for (size_t i = 0; photos.asset_album(asset, i); i++) {
        if (i)
            putchar(',');
        put_json_string(stdout, photos.asset_album(asset, i));
    }
    puts("]}");
}

static int list_photos(sdimage_photos_library *library, const wish *wish) {
    sdimage_photos_fetch_options *options = photos.fetch_options_new();
    sdimage_photos_list *list = NULL;
    sdimage_error *error = NULL;
    photos.fetch_options_set_order(options, wish->order, wish->ascending != (wish->order != SDIMAGE_PHOTOS_ORDER_NAME));
    photos.fetch_options_set_page(options, 0, wish->limit);
    if (wish->album)
        photos.fetch_options_set_album(options, wish->album, true);
    if (wish->media)
        photos.fetch_options_set_media(options, wish->media);
    sdimage_status status = photos.library_fetch(library, options, &list, &error);
    photos.fetch_options_unref(options);
    if (status < 0) {
        complain_of("photos", error);
        return EXIT_NO_IMAGE;
    }
    for (size_t i = 0; i < photos.list_count(list); i++) {
        const sdimage_photos_asset *asset = photos.list_asset(list, i);
        sdimage_size size = photos.asset_pixel_size(asset);
        char date[32];
        put_date(asset, date, sizeof date);
        if (wish->json)
            put_as_json(asset, date);
        else
            put_as_line(asset, date, size);
    }
    photos.list_unref(list);
    return EXIT_FINE;
}

/* A manager without a cache; NULL after a line on stderr. */
static sdimage_manager *open_manager(sdimage_photos_library *library) {
    sdimage_photos_loader_config *loading = photos.loader_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_loader *loader = NULL;
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    photos.loader_config_add_library(loading, library);
    photos.loader_config_set_images_only(loading, false);
    sdimage_status status = photos.loader_new(loading, &loader, &error);
    if (status >= 0) {
        sdimage_manager_config_set_loader(config, loader);
        sdimage_manager_config_set_cache(config, NULL);
        status = sdimage_manager_new(config, &manager, &error);
    }
    if (status < 0)
        complain_of("photos", error);
    sdimage_loader_unref(loader);
    sdimage_manager_config_unref(config);
    photos.loader_config_unref(loading);
    return manager;
}

static int write_thumbnail(sdimage_photos_library *library, const char *identifier, const wish *wish) {
    char *url = photos.url_of_identifier(identifier);
    sdimage_manager *manager = url ? open_manager(library) : NULL;
    sdimage_request *request = manager ? sdimage_request_new(url, SDIMAGE_NUL_TERMINATED) : NULL;
    sdimage_result *result = NULL;
    sdimage_error *error = NULL;
    picture_wish picture = {.format = SDIMAGE_FORMAT_UNDEFINED};
    int code = EXIT_NO_IMAGE;
    bool is_open = open_picture_wish(&picture);
    if (request && is_open) {
        if (wish->width)
            sdimage_request_set_thumbnail_size(request, wish->width, wish->height, true);
        if (sdimage_manager_load_sync(manager, request, &result, &error) < 0)
            complain_of(identifier, error);
        else if (write_picture(wish->output, sdimage_result_image(result), &picture))
            code = EXIT_FINE;
    }
    close_picture_wish(&picture);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    photos.free(url);
    return code;
}

int run_photos(int argc, char **argv) {
    wish wish = {0};
    if (!parse(argc, argv, &wish))
        return EXIT_USAGE;
    const char *command = optind < argc ? argv[optind] : "";
    bool is_list = !strcmp(command, "ls") && argc - optind == 1 && !wish.output && !wish.width;
    bool is_thumb = !strcmp(command, "thumb") && argc - optind == 2 && *argv[optind + 1] && wish.output;
    if (!is_list && !is_thumb) {
        complain("photos: ls, or thumb ID -o OUT; see sdimage --help");
        return EXIT_USAGE;
    }
    if (!open_plugin())
        return EXIT_NO_IMAGE;
    sdimage_photos_library *library = open_library(&wish);
    if (!library)
        return EXIT_NO_IMAGE;
    int code = is_list ? list_photos(library, &wish) : write_thumbnail(library, argv[optind + 1], &wish);
    photos.library_unref(library);
    return code;
}
