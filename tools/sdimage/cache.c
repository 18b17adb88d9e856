/* cache.c: sdimage cache: lists and maintains a disk cache. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

/* The arguments of the command line, and the cache. */
typedef struct wish {
    const char *command, *directory, *name, *prefix;
    uint64_t bytes;
    bool json, repair;
    char **arguments;
    int count;
    sdimage_cache *cache;
} wish;

static taken take(void *user_data, option_id option, const char *value) {
    wish *wish = user_data;
    switch (option) {
    case OPTION_CACHE: wish->directory = value; break;
    case OPTION_NAMESPACE: wish->name = value; break;
    case OPTION_PREFIX: wish->prefix = value; break;
    case OPTION_REPAIR: wish->repair = true; break;
    default: wish->json = true; break;
    }
    return TAKEN;
}

static bool open_cache(wish *wish) {
    sdimage_error *error = NULL;
    sdimage_cache_config *config = sdimage_cache_config_new();
    if (wish->directory)
        sdimage_cache_config_set_directory(config, wish->directory);
    if (wish->name)
        sdimage_cache_config_set_namespace(config, wish->name);
    /* Listing must neither refresh entries nor remove old ones: this command runs without an age limit. */
    sdimage_cache_config_set_max_disk_age(config, -1);
    sdimage_status status = sdimage_cache_new(config, &wish->cache, &error);
    sdimage_cache_config_unref(config);
    if (status < 0)
        tell_failure(wish->json, "command", "cache", error);
    return status >= 0;
}

/* Returns true, or prints a line on stderr. */
static bool fine(const wish *wish, sdimage_status status, sdimage_error **error) {
    if (status < 0)
        tell_failure(wish->json, "command", wish->command, *error);
    return status >= 0;
}

/* --- ls */

static void show_entry(const sdimage_cache_page *page, size_t index, bool json) {
    const char *key = sdimage_cache_page_key(page, index, NULL);
    unsigned long long bytes = sdimage_cache_page_length(page, index);
    time_t used = (time_t)(sdimage_cache_page_used_ns(page, index) / 1000000000u);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime(&used));
    if (!json) {
        printf("%10llu  %s  ", bytes, date);
        put_plain(stdout, key);
        putchar('\n');
        return;
    }
    struct json object = begin_json(stdout, "key", key);
    add_json_literal(&object, "bytes", "%llu", bytes);
    add_json_literal(&object, "stored_ns", "%llu", (unsigned long long)sdimage_cache_page_stored_ns(page, index));
    add_json_literal(&object, "used_ns", "%llu", (unsigned long long)sdimage_cache_page_used_ns(page, index));
    add_json_literal(&object, "is_file", sdimage_cache_page_is_file(page, index) ? "true" : "false");
    end_json(&object);
}

static bool run_ls(wish *wish) {
    sdimage_cache_query *query = sdimage_cache_query_new();
    sdimage_cache_page *page = NULL, *next = NULL;
    sdimage_error *error = NULL;
    bool is_last = false, is_fine = true;
    if (wish->prefix)
        sdimage_cache_query_set_prefix(query, wish->prefix, strlen(wish->prefix));
    while (is_fine && !is_last) {
        is_fine = fine(wish, sdimage_cache_list(wish->cache, query, page, 500, &next, &error), &error);
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

/* --- Other commands. */

/* Bytes and entries on disk, and the folder, which the caller frees. */
static bool measure(wish *wish, uint64_t *bytes, uint64_t *count, sdimage_data **folder) {
    sdimage_error *error = NULL;
    return fine(wish, sdimage_cache_disk_totals(wish->cache, bytes, count, &error), &error) &&
           fine(wish, sdimage_cache_directory(wish->cache, folder, &error), &error);
}

/* Prints the current totals. */
static void show_totals(const wish *wish, uint64_t bytes, uint64_t count, const char *folder) {
    if (!wish->json) {
        printf("%" PRIu64 " bytes in %" PRIu64 " entries: %s\n", bytes, count, folder);
        return;
    }
    json object = begin_json(stdout, "directory", folder);
    add_json_literal(&object, "bytes", "%" PRIu64, bytes);
    add_json_literal(&object, "entries", "%" PRIu64, count);
    end_json(&object);
}

static bool run_du(wish *wish) {
    uint64_t bytes = 0, count = 0;
    sdimage_data *folder = NULL;
    bool is_fine = measure(wish, &bytes, &count, &folder);
    if (is_fine)
        show_totals(wish, bytes, count, sdimage_data_bytes(folder));
    sdimage_data_unref(folder);
    return is_fine;
}

static bool run_path(wish *wish) {
    sdimage_data *path = NULL;
    sdimage_error *error = NULL;
    const char *key = wish->arguments[0];
    if (sdimage_cache_path(wish->cache, key, SDIMAGE_NUL_TERMINATED, &path, &error) < 0) {
        tell_failure(wish->json, "key", key, error);
        return false;
    }
    if (wish->json) {
        json object = begin_json(stdout, "key", key);
        add_json_text(&object, "path", sdimage_data_bytes(path));
        end_json(&object);
    } else {
        puts(sdimage_data_bytes(path));
    }
    sdimage_data_unref(path);
    return true;
}

static bool remove_entry(const wish *wish, const char *key, sdimage_error **error) {
    if (sdimage_cache_contains(wish->cache, key, SDIMAGE_NUL_TERMINATED) & SDIMAGE_CACHE_LAYERS_DISK)
        return sdimage_cache_remove(wish->cache, key, SDIMAGE_NUL_TERMINATED, SDIMAGE_CACHE_LAYERS_DISK, error) >= 0;
    *error = sdimage_error_new(SDIMAGE_STATUS_NOT_FOUND, "no such entry");
    return false;
}

static bool run_rm(wish *wish) {
    bool is_fine = true;
    for (int i = 0; i < wish->count; i++) {
        const char *key = wish->arguments[i];
        sdimage_error *error = NULL;
        if (!remove_entry(wish, key, &error)) {
            tell_failure(wish->json, "key", key, error);
            is_fine = false;
        } else if (wish->json) {
            json object = begin_json(stdout, "key", key);
            add_json_literal(&object, "removed", "true");
            end_json(&object);
        }
    }
    return is_fine;
}

/* Removes entries and, for JSON, prints what is left. */
static bool shrink(wish *wish, sdimage_status (*act)(struct wish *wish, sdimage_error **error)) {
    sdimage_error *error = NULL;
    if (!fine(wish, act(wish, &error), &error))
        return false;
    return !wish->json || run_du(wish);
}

static sdimage_status clear(wish *wish, sdimage_error **error) {
    return sdimage_cache_clear(wish->cache, SDIMAGE_CACHE_LAYERS_DISK, error);
}

static bool run_clear(wish *wish) {
    return shrink(wish, clear);
}

static sdimage_status trim(wish *wish, sdimage_error **error) {
    return sdimage_cache_trim(wish->cache, wish->bytes, error);
}

static bool run_trim(wish *wish) {
    return shrink(wish, trim);
}

static bool run_verify(wish *wish) {
    sdimage_data *report = NULL;
    sdimage_error *error = NULL;
    if (!fine(wish, sdimage_cache_verify(wish->cache, wish->repair, &report, &error), &error))
        return false;
    const char *text = sdimage_data_bytes(report);
    int length = (int)sdimage_data_length(report);
    if (wish->json)
        printf("%.*s\n", length, text);
    else
        put_object_as_text(stdout, text, (size_t)length, 0);
    static const char sound[] = "\"sound\": true";
    bool is_sound = memmem(text, (size_t)length, sound, sizeof sound - 1) != NULL;
    sdimage_data_unref(report);
    if (!is_sound && !wish->repair)
        complain("verify: the cache is damaged; --repair mends it");
    return is_sound || wish->repair;
}

int run_cache(const command_row *command, int argc, char **argv) {
    static const struct {
        const char *name;
        bool (*run)(wish *wish);
    } commands[] = {{"ls", run_ls},       {"du", run_du},     {"path", run_path},    {"rm", run_rm},
                    {"clear", run_clear}, {"trim", run_trim}, {"verify", run_verify}};
    wish wish = {.command = argv[0]};
    unsigned long long bytes = 0;
    if (!parse_arguments(command, argc, argv, take, &wish))
        return EXIT_USAGE;
    wish.arguments = argv + optind;
    wish.count = argc - optind;
    if (!strcmp(wish.command, "trim") && !parse_number(wish.arguments[0], 0, UINT64_MAX, &bytes)) {
        complain("cache trim: '%s' is no number of bytes", wish.arguments[0]);
        return EXIT_USAGE;
    }
    wish.bytes = bytes;
    bool is_fine = open_cache(&wish);
    for (size_t i = 0; is_fine && i < sizeof commands / sizeof *commands; i++) {
        if (!strcmp(wish.command, commands[i].name)) {
            is_fine = commands[i].run(&wish);
            break;
        }
    }
    sdimage_cache_unref(wish.cache);
    return is_fine ? EXIT_FINE : EXIT_NO_IMAGE;
}
