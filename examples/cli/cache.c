/* cache.c: sdimage cache: what lies in a disk cache, and what to do about it. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

/* What the command line asks for, and the cache it is about. */
typedef struct wish {
    const char *directory, *name, *prefix;
    bool json, repair;
    char **arguments;
    int count;
    sdimage_cache *cache;
} wish;

static bool parse(int argc, char **argv, wish *wish) {
    static const struct option options[] = {{"cache", required_argument, NULL, 'c'},
                                            {"namespace", required_argument, NULL, 'n'},
                                            {"prefix", required_argument, NULL, 'p'},
                                            {"repair", no_argument, NULL, 'r'},
                                            {"json", no_argument, NULL, 'j'},
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'c':
            wish->directory = optarg;
            break;
        case 'n':
            wish->name = optarg;
            break;
        case 'p':
            wish->prefix = optarg;
            break;
        case 'r':
            wish->repair = true;
            break;
        case 'j':
            wish->json = true;
            break;
        default:
            complain("cache: wrong option %s; see sdimage --help", argv[optind - 1]);
            return false;
        }
    }
    wish->arguments = argv + optind;
    wish->count = argc - optind;
    return true;
}

static bool open_cache(wish *wish) {
    sdimage_error *error = NULL;
    sdimage_cache_config *config = sdimage_cache_config_new();
    if (wish->directory)
        sdimage_cache_config_set_directory(config, wish->directory);
    if (wish->name)
        sdimage_cache_config_set_namespace(config, wish->name);
    /* Looking must not make entries younger or remove old ones: no limit of age while this command runs. */
    sdimage_cache_config_set_max_disk_age(config, -1);
    sdimage_status status = sdimage_cache_new(config, &wish->cache, &error);
    sdimage_cache_config_unref(config);
    if (status < 0)
        complain_of("cache", error);
    return status >= 0;
}

/* True, or a line on stderr. */
static bool fine(sdimage_status status, const char *subject, sdimage_error **error) {
    if (status < 0)
        complain_of(subject, *error);
    return status >= 0;
}

/* --- ls */

/* A key on a line: bytes that are no text show as they are, but line breaks. */
static void show_entry(const sdimage_cache_page *page, size_t index, bool json) {
    const char *key = sdimage_cache_page_key(page, index, NULL);
    unsigned long long bytes = sdimage_cache_page_length(page, index);
    time_t used = (time_t)(sdimage_cache_page_used_ns(page, index) / 1000000000u);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime(&used));
    if (!json) {
        printf("%10llu  %s  ", bytes, date);
        for (; *key; key++)
            putchar(*key == '\n' || *key == '\r' ? '?' : *key);
        putchar('\n');
        return;
    }
    fputs("{\"key\":", stdout);
    put_json_string(stdout, key);
    printf(",\"bytes\":%llu,\"stored_ns\":%llu,\"used_ns\":%llu,\"is_file\":%s}\n", bytes,
           (unsigned long long)sdimage_cache_page_stored_ns(page, index),
           (unsigned long long)sdimage_cache_page_used_ns(page, index),
           sdimage_cache_page_is_file(page, index) ? "true" : "false");
}

static bool run_ls(wish *wish) {
    sdimage_cache_query *query = sdimage_cache_query_new();
    sdimage_cache_page *page = NULL, *next = NULL;
    sdimage_error *error = NULL;
    bool is_last = false, is_fine = true;
    if (wish->prefix)
        sdimage_cache_query_set_prefix(query, wish->prefix, strlen(wish->prefix));
    while (is_fine && !is_last) {
        is_fine = fine(sdimage_cache_list(wish->cache, query, page, 500, &next, &error), "ls", &error);
        sdimage_cache_page_unref(page);
        page = is_fine ? next : NULL;
        for (size_t i = 0; i < sdimage_cache_page_count(page); i++)
            show_entry(page, i, wish->json);
        is_last = sdimage_cache_page_is_last(page);
    }
    sdimage_cache_page_unref(page);
    sdimage_cache_query_unref(query);
    return is_fine;
}

/* --- The others. */

static bool run_du(wish *wish) {
    uint64_t bytes = 0, count = 0;
    sdimage_data *path = NULL;
    sdimage_error *error = NULL;
    bool is_fine = fine(sdimage_cache_disk_totals(wish->cache, &bytes, &count, &error), "du", &error) &&
                   fine(sdimage_cache_directory(wish->cache, &path, &error), "du", &error);
    if (is_fine && wish->json) {
        printf("{\"bytes\":%llu,\"entries\":%llu,\"directory\":", (unsigned long long)bytes, (unsigned long long)count);
        put_json_string(stdout, sdimage_data_bytes(path));
        puts("}");
    } else if (is_fine) {
        printf("%llu bytes in %llu entries: %s\n", (unsigned long long)bytes, (unsigned long long)count,
               (const char *)sdimage_data_bytes(path));
    }
    sdimage_data_unref(path);
    return is_fine;
}

static bool run_path(wish *wish) {
    sdimage_data *path = NULL;
    sdimage_error *error = NULL;
    const char *key = wish->arguments[0];
    if (!fine(sdimage_cache_path(wish->cache, key, SDIMAGE_NUL_TERMINATED, &path, &error), key, &error))
        return false;
    puts(sdimage_data_bytes(path));
    sdimage_data_unref(path);
    return true;
}

static bool run_rm(wish *wish) {
    bool is_fine = true;
    for (int i = 0; i < wish->count; i++) {
        const char *key = wish->arguments[i];
        sdimage_error *error = NULL;
        if (!(sdimage_cache_contains(wish->cache, key, SDIMAGE_NUL_TERMINATED) & SDIMAGE_CACHE_LAYERS_DISK)) {
            complain("%s: NOT_FOUND: no such entry", key);
            is_fine = false;
        } else if (!fine(sdimage_cache_remove(wish->cache, key, SDIMAGE_NUL_TERMINATED, SDIMAGE_CACHE_LAYERS_DISK, &error),
                         key, &error)) {
            is_fine = false;
        }
    }
    return is_fine;
}

static bool run_clear(wish *wish) {
    sdimage_error *error = NULL;
    return fine(sdimage_cache_clear(wish->cache, SDIMAGE_CACHE_LAYERS_DISK, &error), "clear", &error);
}

static bool run_trim(wish *wish) {
    sdimage_error *error = NULL;
    char *end = NULL;
    unsigned long long bytes = strtoull(wish->arguments[0], &end, 10);
    if (*wish->arguments[0] < '0' || *wish->arguments[0] > '9' || *end) {
        complain("trim: '%s' is no number of bytes", wish->arguments[0]);
        return false;
    }
    return fine(sdimage_cache_trim(wish->cache, bytes, &error), "trim", &error);
}

static bool run_verify(wish *wish) {
    sdimage_data *report = NULL;
    sdimage_error *error = NULL;
    if (!fine(sdimage_cache_verify(wish->cache, wish->repair, &report, &error), "verify", &error))
        return false;
    const char *text = sdimage_data_bytes(report);
    int length = (int)sdimage_data_length(report);
    if (wish->json)
        printf("%.*s\n", length, text);
    else
        put_object_as_text(stdout, text, (size_t)length, 0);
    bool is_sound = strstr(text, "\"sound\":true") || strstr(text, "\"sound\": true");
    sdimage_data_unref(report);
    if (!is_sound && !wish->repair)
        complain("verify: the cache is damaged; --repair mends it");
    return is_sound || wish->repair;
}

int run_cache(int argc, char **argv) {
    static const struct {
        const char *name;
        bool (*run)(wish *wish);
        int least, most;
    } commands[] = {{"ls", run_ls, 0, 0},       {"du", run_du, 0, 0},     {"path", run_path, 1, 1},
                    {"rm", run_rm, 1, 1 << 20}, {"clear", run_clear, 0, 0}, {"trim", run_trim, 1, 1},
                    {"verify", run_verify, 0, 0}};
    wish wish = {0};
    if (argc < 2) {
        complain("cache: wants ls, du, path, rm, clear, trim or verify; see sdimage --help");
        return EXIT_USAGE;
    }
    if (!parse(argc - 1, argv + 1, &wish))
        return EXIT_USAGE;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name))
            continue;
        if (wish.count < commands[i].least || wish.count > commands[i].most) {
            complain("cache %s: wrong arguments; see sdimage --help", argv[1]);
            return EXIT_USAGE;
        }
        bool is_fine = open_cache(&wish) && commands[i].run(&wish);
        sdimage_cache_unref(wish.cache);
        return is_fine ? EXIT_FINE : EXIT_NO_IMAGE;
    }
    complain("cache: no such command '%s'; see sdimage --help", argv[1]);
    return EXIT_USAGE;
}
