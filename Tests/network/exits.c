/* exits URL COUNT: ends while COUNT loads over TLS receive their bodies, and goes on for a while after the other exit
 * handlers. Exit status 3: a load got a result meanwhile; 4: the manager could not be closed then. */
#include <sdimage.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static sdimage_manager *manager;
static atomic_int receiving, results;

static void note_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task, (void)result;
    atomic_fetch_add(&results, 1);
}

static void note_progress(void *user_data, sdimage_task *task, int64_t received, int64_t expected) {
    (void)user_data, (void)task, (void)received, (void)expected;
    atomic_fetch_add(&receiving, 1);
}

static void wait_ms(int count) {
    nanosleep(&(struct timespec){.tv_nsec = count * 1000000L}, NULL);
}

/* Registered before any handler of a library, and so called after all of them (atexit(3)). */
static void end(void) {
    wait_ms(300);
    if (atomic_load(&results))
        _exit(3);
    if (sdimage_manager_close(manager, 60000, NULL) != SDIMAGE_STATUS_OK)
        _exit(4);
    sdimage_manager_unref(manager);
}

int main(int count, char **arguments) {
    sdimage_load_handler handler = {.size = sizeof handler, .result = note_result, .progress = note_progress};
    if (count != 3 || atexit(end) != 0 || sdimage_manager_get_shared(&manager, NULL) != SDIMAGE_STATUS_OK)
        return 2;
    for (int i = 0; i < atoi(arguments[2]); i++) {
        char url[256];
        snprintf(url, sizeof url, "%s?%d", arguments[1], i);
        sdimage_request *request = sdimage_request_new(url);
        sdimage_request_set_accept_invalid_certificates(request, true);
        if (sdimage_manager_load(manager, request, &handler, NULL, NULL, NULL, NULL) != SDIMAGE_STATUS_OK)
            return 2;
        sdimage_request_unref(request);
    }
    while (atomic_load(&receiving) < 2)
        wait_ms(1);
    return 0;
}
