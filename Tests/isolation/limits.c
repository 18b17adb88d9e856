/* Decodes in workers that inherit limits of their host. */
#include <sys/resource.h>

#include "attack_decodes.h"

/* Less than the arena of a worker: without it, pixels are in memory of their own. */
static void a_limit_of_files_does_not_end_workers(void) {
    const struct rlimit limit = {16 << 20, 16 << 20};
    sdimage_image *image = NULL;
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    start_isolation();
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(decode_attack("picture", "", 60000, &image), SDIMAGE_STATUS_OK);
        sdimage_image_unref(image);
        image = NULL;
    }
    CHECK_EQUAL(isolation_counts().started, 1);
}

int main(void) {
    static const test tests[] = {TEST(a_limit_of_files_does_not_end_workers)};
    return run_tests(tests, sizeof tests / sizeof *tests);
}
