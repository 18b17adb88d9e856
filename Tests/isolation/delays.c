/* Measures how long after its time limit an isolated decode of an attack ends, and how long one that crashes takes.
 *
 *   delays [ROUNDS]
 *
 * Prints the longest of the rounds in milliseconds. Every other round uses a worker that is running already. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "attack_coder.h"

enum { LIMIT_MS = 300 };

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Decodes the image that runs the attack; returns the duration. */
static double measure(const char *attack, int number, sdimage_status *status) {
    char text[200];
    sdimage_image *image = NULL;
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_max_work_ms(options, LIMIT_MS);
    int length = snprintf(text, sizeof text, "ATTACK %s\n%d", attack, number);
    double start = now_ms();
    *status = sdimage_decode(text, (size_t)length, options, &image, NULL);
    double duration = now_ms() - start;
    sdimage_image_unref(image);
    sdimage_decode_options_unref(options);
    return duration;
}

int main(int argc, char **argv) {
    static const char *const attacks[] = {"loop",      "sleep_forever", "start_threads",   "fill_memory",
                                          "allocate",  "abort",         "overflow_stack",  "open_file",
                                          "fork_bomb", "send_garbage",  "send_descriptors"};
    int rounds = argc > 1 ? atoi(argv[1]) : 10, number = 0;
    sdimage_coder *coder = NULL;
    sdimage_status status;
    find_attack_module();
    if (sdimage_attack_coder_new(&coder, NULL) < 0 || sdimage_coder_register(coder, NULL) < 0)
        return 1;
    sdimage_coder_unref(coder);
    sdimage_set_isolation(SDIMAGE_ISOLATION_RISKY);
    printf("time limit %d ms, %d rounds\n%-18s %-16s %8s %13s\n", LIMIT_MS, rounds, "attack", "status", "longest",
           "beyond limit");
    for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++) {
        double longest = 0;
        for (int round = 0; round < rounds; round++) {
            sdimage_status ignored;
            if (round % 2 == 1)
                measure("picture", number++, &ignored);
            double duration = measure(attacks[i], number++, &status);
            longest = duration > longest ? duration : longest;
        }
        printf("%-18s %-16s %8.1f %13.1f\n", attacks[i], sdimage_status_name(status), longest,
               longest > LIMIT_MS ? longest - LIMIT_MS : 0);
    }
    return 0;
}
