/* hostile.c: runs sdimage_decode on every hostile file of the corpus: it must return an image or an error, within
 * two seconds of processor time and within the documented memory limits. SDIMAGE_CORPUS names the corpus. */
#include <ftw.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

/* The defaults allow 256 MiB of bitmap and the same amount of working memory; the rest is the process itself. */
enum { LONGEST_CPU_SECONDS = 2, MOST_ADDRESS_SPACE_MB = 1400 };

static int decoded, refused, files, bad;

static void decode(const char *path) {
    struct rlimit limit = {(rlim_t)MOST_ADDRESS_SPACE_MB << 20, (rlim_t)MOST_ADDRESS_SPACE_MB << 20};
    setrlimit(RLIMIT_AS, &limit);
    /* Processor time, because other processes delay the rest; a hang ends by the alarm. */
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = LONGEST_CPU_SECONDS}, NULL);
    alarm(LONGEST_TEST_SECONDS);
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_max_work_ms(options, LONGEST_TEST_SECONDS * 1000);
    sdimage_status status = sdimage_decode_file(path, options, &image, &error);
    if (status < 0 ? image || !error || sdimage_error_code(error) != status : !image || !sdimage_image_pixels(image))
        _exit(3);
    _exit(status < 0 ? 1 : 0);
}

static int decode_in_a_child(const char *path, const struct stat *status, int type, struct FTW *where) {
    (void)status, (void)where;
    if (type != FTW_F)
        return 0;
    files++;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        decode(path);
    int ended = -1;
    waitpid(child, &ended, 0);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) <= 1) {
        *(WEXITSTATUS(ended) ? &refused : &decoded) += 1;
        return 0;
    }
    bad++;
    if (WIFSIGNALED(ended))
        printf("not ok hostile %s: %s\n", path,
               WTERMSIG(ended) == SIGPROF ? "more than two seconds" : strsignal(WTERMSIG(ended)));
    else
        printf("not ok hostile %s: neither a picture nor an error\n", path);
    return 0;
}

int main(void) {
    const char *corpus = getenv("SDIMAGE_CORPUS");
    char folder[4096];
    if (!corpus) {
        puts("skip the hostile files: SDIMAGE_CORPUS is not set");
        return 0;
    }
    snprintf(folder, sizeof folder, "%s/hostile", corpus);
    nftw(folder, decode_in_a_child, 16, FTW_PHYS);
    if (files == 0)
        printf("not ok the hostile files: none in %s\n", folder);
    else if (bad == 0)
        printf("ok %d hostile files: %d decoded, %d refused\n", files, decoded, refused);
    return bad || files == 0;
}
