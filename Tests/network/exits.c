/* exits URL COUNT: ends while COUNT loads over TLS receive their bodies, and goes on for a while after the other exit
 * handlers. Exit status 3: a load got a result at once; 4: another load did not end with SHUTDOWN; 5: the manager could
 * not be closed. */
#include <sdimage.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static sdimage_manager *manager;
static const char *base;
static atomic_int receiving, results;
static int loads;

static void note_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task, (void)result;
    atomic_fetch_add(&results, 1);
}

static void note_progress(void *user_data, sdimage_task *task, int64_t received, int64_t expected) {
    (void)user_data, (void)task, (void)expected;
    if (received > 0)
        atomic_fetch_add(&receiving, 1);
}

static void wait_ms(int count) {
    nanosleep(&(struct timespec){.tv_nsec = count * 1000000L}, NULL);
}

static sdimage_request *new_request(int number) {
    char url[256];
    snprintf(url, sizeof url, "%s?%d", base, number);
    sdimage_request *request = sdimage_request_new(url);
    sdimage_request_set_accept_invalid_certificates(request, true);
    return request;
}

/* Registered before any handler of a library, and so called after all of them (atexit(3)). */
static void end(void) {
    wait_ms(300);
    if (atomic_load(&results))
        _exit(3);
    sdimage_request *late = new_request(-1);
    sdimage_result *result = NULL;
    if (sdimage_manager_load_sync(manager, late, &result, NULL) != SDIMAGE_STATUS_SHUTDOWN)
        _exit(4);
    sdimage_result_unref(result);
    sdimage_request_unref(late);
    while (atomic_load(&results) < loads)
        wait_ms(10);
    if (sdimage_manager_close(manager, 60000, NULL) != SDIMAGE_STATUS_OK)
        _exit(5);
    sdimage_manager_unref(manager);
}

int main(int count, char **arguments) {
    sdimage_load_handler handler = {.size = sizeof handler, .result = note_result, .progress = note_progress};
    if (count != 3 || atexit(end) != 0 || sdimage_manager_get_shared(&manager, NULL) != SDIMAGE_STATUS_OK)
        return 2;
    base = arguments[1];
    loads = atoi(arguments[2]);
    for (int i = 0; i < loads; i++) {
        sdimage_request *request = new_request(i);
        if (sdimage_manager_load(manager, request, &handler, NULL, NULL, NULL, NULL) != SDIMAGE_STATUS_OK)
            return 2;
        sdimage_request_unref(request);
    }
    while (atomic_load(&receiving) < 2)
        wait_ms(1);
    return 0;
}
