/* Loads images while their workers are killed at random, and counts the results.
 *
 * soak LOADS MINUTES FILE…
 *
 * The loads start in groups, spread over that time; with 0 minutes at once. Each load must complete once: with an
 * image, or with DECODER_CRASHED by signal 9 or because its worker was killed before it was ready; at most one load
 * fails for each kill. At the end the numbers of descriptors and threads must be those of the start, and no memfd,
 * mapping of shared memory, worker or keeper may be left. Prints the counts; exit status 0 if nothing was wrong. */
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sdimage.h>

#include "processes.h"

enum { MOST_LOADS_AT_ONCE = 64, KILL_INTERVAL_MS = 150 };

static atomic_bool is_over;
static atomic_int kills;

/* Kills one worker again and again, at random times. */
static void *kill_workers(void *argument) {
    unsigned seed = 1;
    while (!atomic_load(&is_over)) {
        int ids[64], keepers, count = find_workers(ids, 64, &keepers);
        if (count > 0 && kill(ids[(unsigned)rand_r(&seed) % (unsigned)count], SIGKILL) == 0)
            atomic_fetch_add(&kills, 1);
        usleep((unsigned)rand_r(&seed) % (2000u * KILL_INTERVAL_MS));
    }
    return argument;
}

/* --- Loads. */

struct load {
    atomic_int results;
    char path[100];
};

static const char *folder;

/* Copies a file with further bytes at its end, which decoders ignore: equal images would share a decode, and would be
 * refused after two crashes. */
static void copy_file(const char *path, int number, struct load *load) {
    char bytes[65536];
    size_t length;
    const char *extension = strrchr(path, '.');
    snprintf(load->path, sizeof load->path, "%s/%d%s", folder, number, extension ? extension : "");
    FILE *from = fopen(path, "re"), *to = fopen(load->path, "we");
    if (from == NULL || to == NULL)
        exit(1);
    while ((length = fread(bytes, 1, sizeof bytes, from)) > 0)
        fwrite(bytes, 1, length, to);
    fprintf(to, "%08d", number);
    fclose(from);
    if (fclose(to) != 0)
        exit(1);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_ended = PTHREAD_COND_INITIALIZER;
static int running, loaded, crashed, not_started, wrong;

static bool was_killed(const sdimage_error *error) {
    return sdimage_error_system_error(error) == SIGKILL;
}

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    struct load *load = user_data;
    (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    sdimage_error *error = sdimage_result_error(result);
    atomic_fetch_add(&load->results, 1);
    remove(load->path);
    pthread_mutex_lock(&lock);
    if (sdimage_result_image(result) != NULL)
        loaded++;
    else if (sdimage_error_code(error) == SDIMAGE_STATUS_DECODER_CRASHED && was_killed(error))
        crashed++;
    else if (sdimage_error_code(error) == SDIMAGE_STATUS_DECODER_CRASHED &&
             strstr(sdimage_error_message(error), "start failed") != NULL)
        not_started++;
    else if (wrong++ < 5)
        fprintf(stderr, "%s: %s\n", sdimage_result_url(result), sdimage_error_message(error));
    running--;
    pthread_cond_signal(&one_ended);
    pthread_mutex_unlock(&lock);
}

static void start_load(sdimage_manager *manager, struct load *load) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    char url[120];
    snprintf(url, sizeof url, "file://%s", load->path);
    sdimage_request *request = sdimage_request_new(url);
    pthread_mutex_lock(&lock);
    while (running >= MOST_LOADS_AT_ONCE)
        pthread_cond_wait(&one_ended, &lock);
    running++;
    pthread_mutex_unlock(&lock);
    if (sdimage_manager_load(manager, request, &handler, load, NULL, NULL, NULL) < 0) {
        fprintf(stderr, "%s: refused\n", url);
        exit(1);
    }
    sdimage_request_unref(request);
}

/* Waits for the time of a group of loads. */
static void pace(int number, int count, int minutes, time_t start) {
    if (number % MOST_LOADS_AT_ONCE != 0)
        return;
    time_t due = start + (time_t)((double)minutes * 60 * number / count);
    while (time(NULL) < due)
        usleep(10000);
}

static void run_loads(struct load *loads, int count, int minutes, char **files, int file_count) {
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager *manager = NULL;
    sdimage_manager_config_set_cache(config, NULL);
    if (sdimage_manager_new(config, &manager, NULL) < 0)
        exit(1);
    sdimage_manager_config_unref(config);
    time_t start = time(NULL);
    for (int i = 0; i < count; i++) {
        pace(i, count, minutes, start);
        copy_file(files[i % file_count], i, &loads[i]);
        start_load(manager, &loads[i]);
    }
    pthread_mutex_lock(&lock);
    while (running > 0)
        pthread_cond_wait(&one_ended, &lock);
    pthread_mutex_unlock(&lock);
    if (sdimage_manager_close(manager, 60000, NULL) < 0)
        fprintf(stderr, "the manager did not close\n");
    sdimage_manager_unref(manager);
}

/* --- Remains. */

static int entries(const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count;
}

static int shared_mappings(void) {
    char line[PATH_MAX + 200];
    int count = 0;
    FILE *file = fopen("/proc/self/maps", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        count += strstr(line, "/memfd:") != NULL;
    if (file != NULL)
        fclose(file);
    return count;
}

/* Descriptors that are memfds. */
static int memory_descriptors(void) {
    char path[300], target[300];
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int count = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        count += length > 7 && strncmp(target, "/memfd:", 7) == 0;
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

struct remains {
    int descriptors, threads, memories, mappings, workers, keepers;
};

static struct remains remains(void) {
    struct remains now = {
        entries("/proc/self/fd"), entries("/proc/self/task"), memory_descriptors(), shared_mappings(), 0, 0};
    int ids[64];
    now.workers = find_workers(ids, 64, &now.keepers);
    return now;
}

static bool has_ended(const struct remains *before, const struct remains *after) {
    return after->descriptors == before->descriptors && after->threads == before->threads && after->memories == 0 &&
           after->mappings == 0 && after->workers == 0 && after->keepers == 0;
}

/* Remains after all that is about to end has ended: the same several times in a row. */
static struct remains remains_at_rest(void) {
    struct remains last = remains();
    for (int same = 0, i = 0; same < 10 && i < 600; i++) {
        usleep(100000);
        struct remains now = remains();
        same = memcmp(&now, &last, sizeof now) == 0 ? same + 1 : 0;
        last = now;
    }
    return last;
}

int main(int argc, char **argv) {
    if (argc < 4)
        return fprintf(stderr, "usage: soak LOADS MINUTES FILE...\n"), 2;
    char *end = argv[2];
    int count = atoi(argv[1]), minutes = (int)strtol(argv[2], &end, 10), missing = 0;
    if (*end != 0)
        return fprintf(stderr, "soak: MINUTES is a number, not %s\n", argv[2]), 2;
    struct load *loads = calloc((size_t)count, sizeof *loads);
    struct load first = {0};
    pthread_t killer;
    char name[] = "/tmp/sdimage-soak-XXXXXX";
    folder = mkdtemp(name);
    if (folder == NULL || loads == NULL)
        return 1;
    sdimage_plugins_load_all(NULL, NULL);
    sdimage_set_isolation(SDIMAGE_ISOLATION_ALL);
    run_loads(&first, 1, 0, argv + 3, 1); /* the first use opens descriptors and starts threads that remain */
    sdimage_isolation_end_idle();
    struct remains before = remains_at_rest(), after;
    loaded = 0;
    pthread_create(&killer, NULL, kill_workers, NULL);
    run_loads(loads, count, minutes, argv + 3, argc - 3);
    atomic_store(&is_over, true);
    pthread_join(killer, NULL);
    for (int i = 0; i < count; i++)
        missing += atomic_load(&loads[i].results) != 1;
    sdimage_isolation_statistics statistics = {.size = sizeof statistics};
    sdimage_isolation_get_statistics(&statistics, NULL);
    sdimage_isolation_end_idle();
    rmdir(folder);
    after = remains();
    for (int i = 0; i < 600 && !has_ended(&before, &after); i++) {
        usleep(100000);
        after = remains();
    }
    printf("%d loads: %d images, %d crashes, %d without a worker, %d other errors; %d not completed once; %d kills\n",
           count, loaded, crashed, not_started, wrong, missing, kills);
    printf("%llu workers, %llu results, %llu crashes, %llu refused\n", (unsigned long long)statistics.started,
           (unsigned long long)statistics.calls, (unsigned long long)statistics.crashes,
           (unsigned long long)statistics.refused);
    printf("descriptors %d, before %d; threads %d, before %d; memfds %d, mappings %d, workers %d, keepers %d\n",
           after.descriptors, before.descriptors, after.threads, before.threads, after.memories, after.mappings,
           after.workers, after.keepers);
    bool is_explained = crashed + not_started <= kills;
    if (!is_explained)
        printf("more loads failed than workers were killed\n");
    return missing == 0 && wrong == 0 && is_explained && has_ended(&before, &after) ? 0 : 1;
}
