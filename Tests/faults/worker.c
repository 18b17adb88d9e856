/* worker.c: one process that uses a cache while faults.py injects faults. The bytes of an entry encode its key and
 * version, so that every reader detects a wrong byte.
 *
 *   worker write FOLDER            what is expected on standard input; checks it, prints the outcome, then stores until
 *                                  it is killed: `try KEY VERSION` before and `done KEY VERSION` after each commit
 *   worker check FOLDER            only checks: `checked ENTRIES wrong W lost L opened MILLISECONDS` of CPU time
 *   worker script FOLDER PICTURE   the same calls each time, for failing.so: `try`, `done`, `load STATUS`, `calls N`,
 *                                  `resumed`
 *   worker bursts FOLDER           stores that share transactions, for failing.so: `dropped N`
 *   worker share FOLDER SECONDS SEED LIMIT
 *                                  stores, reads and removes beside others: `shared OPERATIONS wrong W failed F`
 *   worker keys FOLDER             10,000 hostile keys: `keys N wrong W accepted A` (A: invalid keys that were not
 *                                  refused)
 *
 * Expectations are lines `KEY LEAST MOST`: the versions that may be found; LEAST 0 if the entry may be missing. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sdimage.h>

enum { KEYS = 400, LARGEST = 300000, INLINE_LIMIT = 4096 };

static sdimage_cache *cache;
static long wrong, lost, failed;

static double milliseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void open_cache(const char *folder, uint64_t limit) {
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(config, folder);
    sdimage_cache_config_set_inline_entry_limit(config, limit ? 65536 : INLINE_LIMIT);
    sdimage_cache_config_set_max_disk_size(config, limit);
    const char *durable = getenv("WORKER_DURABLE");
    sdimage_cache_config_set_durable(config, durable && *durable);
    sdimage_error *error = NULL;
    if (sdimage_cache_new(config, &cache, &error) < 0) {
        fprintf(stderr, "cache: %s\n", sdimage_error_message(error));
        exit(2);
    }
    sdimage_cache_config_unref(config);
}

/* --- Self-describing entries. */

static size_t length_of(uint64_t key, uint64_t version, bool is_large) {
    uint64_t random = mix(key * 1000003 + version);
    if (is_large)
        return random % 16 ? 1000 + random % 60000 : 100000 + random % (LARGEST - 100000);
    return random % 4 ? random % INLINE_LIMIT + 16 : INLINE_LIMIT + random % 20000;
}

static size_t make_bytes(uint8_t *bytes, uint64_t key, uint64_t version, bool is_large) {
    size_t length = length_of(key, version, is_large);
    uint64_t words[2] = {key, version};
    memcpy(bytes, words, 16);
    for (size_t at = 16; at < length; at += 8) {
        uint64_t word = mix(key * 31 + version * 7 + at);
        memcpy(bytes + at, &word, length - at < 8 ? length - at : 8);
    }
    return length;
}

/* The version of an entry, or 0 if its bytes are not those of an entry. */
static uint64_t version_of(const sdimage_data *data, uint64_t key, bool is_large) {
    static uint8_t expected[LARGEST + 8];
    uint64_t words[2] = {0, 0};
    size_t length = sdimage_data_length(data);
    if (length < 16)
        return 0;
    memcpy(words, sdimage_data_bytes(data), 16);
    if (words[0] != key || !words[1] || length != length_of(key, words[1], is_large))
        return 0;
    make_bytes(expected, key, words[1], is_large);
    return memcmp(expected, sdimage_data_bytes(data), length) ? 0 : words[1];
}

static size_t name_of(uint64_t key, char name[64]) {
    return (size_t)snprintf(name, 64, "https://img.example.org/%" PRIu64 ".jpg", key);
}

static sdimage_data *new_entry(uint64_t key, uint64_t version, bool is_large) {
    static uint8_t bytes[LARGEST + 8];
    sdimage_data *data = NULL;
    if (sdimage_data_new(bytes, make_bytes(bytes, key, version, is_large), &data, NULL) < 0)
        exit(2);
    return data;
}

/* Version found, 0 for none; counts wrong bytes. */
static uint64_t find(uint64_t key, bool is_large) {
    char name[64];
    sdimage_data *data = NULL;
    size_t length = name_of(key, name);
    if (sdimage_cache_get_data(cache, name, length, &data, NULL) < 0)
        return 0;
    uint64_t version = version_of(data, key, is_large);
    wrong += !version;
    sdimage_data_unref(data);
    return version;
}

static void say(const char *word, uint64_t key, uint64_t version) {
    char line[80];
    int length = snprintf(line, sizeof line, "%s %" PRIu64 " %" PRIu64 "\n", word, key, version);
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        _exit(3);
}

static bool store(uint64_t key, uint64_t version) {
    char name[64];
    size_t length = name_of(key, name);
    sdimage_data *data = new_entry(key, version, false);
    say("try", key, version);
    bool is_stored = sdimage_cache_store_data(cache, name, length, data, NULL) >= 0;
    sdimage_data_unref(data);
    if (is_stored)
        say("done", key, version);
    return is_stored;
}

/* --- check, write. */

/* Checks the expected entries; returns the highest version among them. */
static uint64_t check(const char *folder) {
    unsigned long long key, least, most, highest = 0;
    long entries = 0;
    double started = milliseconds(CLOCK_PROCESS_CPUTIME_ID), opened = 0, before = milliseconds(CLOCK_MONOTONIC);
    open_cache(folder, 0);
    while (scanf("%llu %llu %llu", &key, &least, &most) == 3) {
        uint64_t version = find(key, false);
        highest = most > highest ? most : highest;
        if (!entries++) {
            double waited = milliseconds(CLOCK_MONOTONIC) - before;
            /* Other processes cause delays of seconds, a lock that is never released longer ones. */
            opened = waited > 120000 ? waited : milliseconds(CLOCK_PROCESS_CPUTIME_ID) - started;
        }
        if (version ? version < least || version > most : least > 0) {
            fprintf(stderr, "%llu is %llu, not %llu to %llu\n", key, (unsigned long long)version, least, most);
            lost++;
        }
    }
    printf("checked %ld wrong %ld lost %ld opened %.1f\n", entries, wrong, lost, opened);
    fflush(stdout);
    return highest;
}

/* Runs after an asynchronous commit. */
static void stored(void *user_data, sdimage_error *error) {
    uint64_t *entry = user_data;
    if (!error)
        say("done", entry[0], entry[1]);
}

static void write_until_killed(const char *folder) {
    sdimage_cache_handler handler = {.size = sizeof handler, .completed = stored};
    uint64_t random = mix((uint64_t)getpid()), version = check(folder);
    for (;;) {
        random = mix(random + 1);
        uint64_t key = random % KEYS + 1;
        if (random >> 60) {
            store(key, ++version);
            continue;
        }
        /* A burst of stores that share a commit. */
        for (int i = 0; i < 40; i++) {
            char name[64];
            key = mix(random + (uint64_t)i) % KEYS + 1;
            uint64_t *entry = malloc(16);
            entry[0] = key, entry[1] = ++version;
            sdimage_data *data = new_entry(key, version, false);
            say("try", key, version);
            sdimage_cache_store_data_async(cache, name, name_of(key, name), data, &handler, entry, free, NULL);
            sdimage_data_unref(data);
        }
    }
}

/* --- script. */

static void load(const char *picture) {
    char url[4200];
    snprintf(url, sizeof url, "file://%s", picture);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager *manager = NULL;
    sdimage_result *result = NULL;
    sdimage_error *error = NULL;
    sdimage_request *request = sdimage_request_new(url);
    sdimage_request_set_wait_for_store(request, true);
    sdimage_status status = sdimage_manager_new(config, &manager, &error);
    if (status >= 0)
        status = sdimage_manager_load_sync(manager, request, &result, &error);
    printf("load %s %u\n", status >= 0 ? "OK" : sdimage_error_message(error),
           sdimage_image_width(sdimage_result_image(result)));
    fflush(stdout);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_manager_config_unref(config);
}

/* Functions of failing.so. */
static long (*count)(void);
static void (*stop)(void);

static void find_shim(void) {
    *(void **)&count = dlsym(RTLD_DEFAULT, "failing_count");
    *(void **)&stop = dlsym(RTLD_DEFAULT, "failing_stop");
}

static void run_script(const char *folder, const char *picture) {
    char name[64];
    find_shim();
    sdimage_data *path = NULL;
    open_cache(folder, 0);
    for (uint64_t key = 1; key <= 8; key++)
        store(key, 1);
    load(picture);
    for (uint64_t key = 1; key <= 8; key++)
        find(key, false);
    for (uint64_t key = 3; key <= 6; key++)
        store(key, 2);
    sdimage_data *extra = NULL;
    sdimage_data_new("extra", 5, &extra, NULL);
    sdimage_cache_set_extended_data(cache, name, name_of(1, name), extra, NULL);
    sdimage_data_unref(extra);
    if (sdimage_cache_get_path(cache, name, name_of(2, name), &path, NULL) >= 0) {
        sdimage_cache_unpin(cache, sdimage_data_bytes(path), NULL);
        sdimage_data_unref(path);
    }
    say("try", 8, 0);
    if (sdimage_cache_remove(cache, name, name_of(8, name), SDIMAGE_CACHE_LAYERS_ALL, NULL) >= 0)
        say("done", 8, 0);
    sdimage_cache_remove_expired(cache, NULL);
    load(picture);
    if (stop)
        stop();
    double started = milliseconds(CLOCK_MONOTONIC);
    uint64_t version = 3;
    while (!store(9, version) && milliseconds(CLOCK_MONOTONIC) - started < 60000) {
        usleep(50000);
        version++;
    }
    printf("resumed %s\ncalls %ld\n", find(9, false) == version ? "yes" : "no", count ? count() : 0);
    printf("script wrong %ld\n", wrong);
    sdimage_data *json = NULL;
    if (sdimage_cache_statistics_to_json(cache, &json, NULL) >= 0)
        printf("%.*s\n", (int)sdimage_data_length(json), (const char *)sdimage_data_bytes(json));
    sdimage_data_unref(json);
    fflush(stdout);
    sdimage_cache_unref(cache);
}

/* --- bursts. */

enum { BURST = 250 };

/* Replaces some entries and adds others in one transaction, whose journal is larger than what the library gathers for
 * one write. */
static void store_burst(uint8_t version) {
    uint8_t bytes[3000];
    char name[64];
    memset(bytes, version, sizeof bytes);
    for (uint64_t key = version * BURST / 2u; key < version * BURST / 2u + BURST; key++) {
        sdimage_data *data = NULL;
        if (sdimage_data_new(bytes, sizeof bytes - mix(key + version) % 2900, &data, NULL) < 0)
            exit(2);
        sdimage_cache_store_data_async(cache, name, name_of(key, name), data, NULL, NULL, NULL, NULL);
        sdimage_data_unref(data);
    }
    sdimage_cache_flush(cache, NULL);
}

/* The last burst is stored after the fault, by the connection that has seen it. */
static void store_bursts(const char *folder) {
    find_shim();
    open_cache(folder, 0);
    store_burst(1);
    store_burst(2);
    if (stop)
        stop();
    store_burst(3);
    sdimage_cache_statistics statistics = {.size = sizeof statistics};
    sdimage_cache_get_statistics(cache, &statistics, NULL);
    printf("dropped %" PRIu64 "\n", statistics.disk_dropped_stores);
    fflush(stdout);
    sdimage_cache_unref(cache);
}

/* --- share. */

/* Judges a call that began at `started`. It may fail with BUSY after waiting for two seconds for another process, which
 * had no processor or was stopped. */
static bool is_fault(sdimage_status status, double started) {
    bool has_waited = milliseconds(CLOCK_MONOTONIC) - started >= 2000;
    return status < 0 && !(status == SDIMAGE_STATUS_BUSY && has_waited);
}

static void share(const char *folder, double seconds, uint64_t seed, uint64_t limit) {
    long operations = 0;
    char name[64];
    open_cache(folder, limit);
    double end = milliseconds(CLOCK_MONOTONIC) + seconds * 1e3;
    for (uint64_t random = mix(seed); milliseconds(CLOCK_MONOTONIC) < end; operations++) {
        random = mix(random + seed);
        uint64_t key = random % 4000 + 1, kind = (random >> 32) % 100;
        size_t length = name_of(key, name);
        sdimage_error *error = NULL;
        double started = milliseconds(CLOCK_MONOTONIC);
        if (kind < 35) {
            sdimage_data *data = new_entry(key, random >> 40 | 1, true);
            if (is_fault(sdimage_cache_store_data(cache, name, length, data, &error), started)) {
                if (!failed++)
                    fprintf(stderr, "store: %s\n", sdimage_error_message(error));
            }
            sdimage_data_unref(data);
        } else if (kind < 90) {
            find(key, true);
        } else if (kind < 94) {
            failed += is_fault(sdimage_cache_remove(cache, name, length, SDIMAGE_CACHE_LAYERS_DISK, &error), started);
        } else if (kind < 96) {
            sdimage_data *path = NULL;
            if (sdimage_cache_get_path(cache, name, length, &path, NULL) >= 0) {
                wrong += access(sdimage_data_bytes(path), R_OK) != 0;
                wrong += sdimage_cache_unpin(cache, sdimage_data_bytes(path), NULL) < 0;
                sdimage_data_unref(path);
            }
        } else if (kind == 99 && random >> 60 == 0) {
            failed += is_fault(sdimage_cache_remove_expired(cache, &error), started);
        }
        sdimage_error_unref(error);
    }
    printf("shared %ld wrong %ld failed %ld\n", operations, wrong, failed);
    fflush(stdout);
    sdimage_cache_unref(cache);
}

/* --- keys. */

static size_t hostile_key(uint8_t *key, unsigned number) {
    static const struct {
        const char *text;
        size_t length;
    } parts[] = {
        {"../", 3},          {"/etc/passwd", 11},
        {"\0", 1},           {"%2e%2e%2f", 9},
        {".jpg", 4},         {"a.png/../../x.gif", 17},
        {"\r\n", 2},         {"caf\xc3\xa9", 5},
        {"cafe\xcc\x81", 6}, {"\xef\xbc\x8e\xef\xbc\x8e\xef\xbc\x8f", 9},
        {"-rf", 3},          {"~", 1},
        {"\xd0\xb0", 2},     {"a", 1},
        {"\xe2\x80\xae", 3}, {"'; DROP TABLE entry; --", 23},
    };
    size_t length = 0;
    /* The number makes every key unique, whatever its parts. */
    for (unsigned rest = number; rest; rest /= 16) {
        memcpy(key + length, parts[rest % 16].text, parts[rest % 16].length);
        length += parts[rest % 16].length;
    }
    if (number % 2500 == 1) {
        memset(key + length, 'k', 1 << 20);
        length += 1 << 20;
    }
    return length + (size_t)sprintf((char *)key + length, "#%u", number);
}

static void try_keys(const char *folder) {
    static const char *const invalid[] = {"\xff",     "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                          "\xe2\x82", "\x80"};
    static uint8_t key[(1 << 20) + 4096];
    long accepted = 0, count = 10000;
    open_cache(folder, 0);
    for (unsigned number = 0; number < count; number++) {
        size_t length = hostile_key(key, number);
        sdimage_data *data = new_entry(number + 1, 1, false);
        wrong += sdimage_cache_store_data_async(cache, key, length, data, NULL, NULL, NULL, NULL) < 0;
        sdimage_data_unref(data);
    }
    sdimage_cache_flush(cache, NULL);
    for (unsigned number = 0; number < count; number++) {
        sdimage_data *data = NULL;
        size_t length = hostile_key(key, number);
        if (sdimage_cache_get_data(cache, key, length, &data, NULL) < 0 || version_of(data, number + 1, false) != 1)
            wrong++;
        sdimage_data_unref(data);
    }
    uint64_t entries = 0;
    sdimage_cache_get_disk_totals(cache, NULL, &entries, NULL);
    wrong += entries != (uint64_t)count;
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        sdimage_data *data = new_entry(1, 1, false);
        size_t length = strlen(invalid[i]);
        accepted += sdimage_cache_store_data(cache, invalid[i], length, data, NULL) != SDIMAGE_STATUS_INVALID_ARGUMENT;
        sdimage_data_unref(data);
        data = NULL;
        accepted += sdimage_cache_get_data(cache, invalid[i], length, &data, NULL) != SDIMAGE_STATUS_INVALID_ARGUMENT;
        accepted += sdimage_cache_contains(cache, invalid[i], length) != SDIMAGE_CACHE_LAYERS_NONE;
    }
    printf("keys %ld wrong %ld accepted %ld\n", count, wrong, accepted);
    sdimage_cache_unref(cache);
}

int main(int count, char **arguments) {
    const char *what = count > 2 ? arguments[1] : "";
    if (!strcmp(what, "check"))
        check(arguments[2]), sdimage_cache_unref(cache);
    else if (!strcmp(what, "write"))
        write_until_killed(arguments[2]);
    else if (!strcmp(what, "script") && count > 3)
        run_script(arguments[2], arguments[3]);
    else if (!strcmp(what, "bursts"))
        store_bursts(arguments[2]);
    else if (!strcmp(what, "share") && count > 5)
        share(arguments[2], atof(arguments[3]), strtoull(arguments[4], NULL, 10), strtoull(arguments[5], NULL, 10));
    else if (!strcmp(what, "keys"))
        try_keys(arguments[2]);
    else
        return 2;
    return 0;
}
