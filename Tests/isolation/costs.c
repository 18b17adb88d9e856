/* costs.c: measures isolated decoding against decoding in this process.
 *
 *   costs AVIF HEIC FILE…
 *
 * AVIF: a small image, whose warm decodes are compared; HEIC: a large one; FILE: the mixed images. Runs alternate, and
 * medians are printed: the first image, of a new process each time; one warm image; the large one; all files; and the
 * memory of an idle worker. Needs an idle machine. */
#include <sdimage.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_RUNS = 15, WARM_RUNS = 401, LARGE_RUNS = 11, MIXED_RUNS = 5, MOST_FILES = 500 };

typedef struct file {
    char *bytes;
    size_t length;
} file;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static file read_file(const char *path) {
    file file = {NULL, 0};
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return file;
    fseek(stream, 0, SEEK_END);
    file.length = (size_t)ftell(stream);
    rewind(stream);
    file.bytes = malloc(file.length + 1);
    if (!file.bytes || fread(file.bytes, 1, file.length, stream) != file.length)
        file.length = 0;
    fclose(stream);
    return file;
}

/* Milliseconds of a decode. */
static double decode(const file *file, sdimage_isolation isolation) {
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_isolation(options, isolation);
    sdimage_image *image = NULL;
    double start = now();
    sdimage_decode(file->bytes, file->length, options, &image, NULL);
    double end = now();
    sdimage_image_unref(image);
    sdimage_decode_options_unref(options);
    return end - start;
}

static int order(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, order);
    return values[count / 2];
}

static void print(const char *what, double *here, double *isolated, size_t count) {
    double a = median(here, count), b = median(isolated, count);
    printf("%-12s here %9.3f ms, isolated %9.3f ms, difference %8.3f ms, ratio %.3f\n", what, a, b, b - a, b / a);
}

static void measure(const char *what, const file *files, size_t count, size_t runs) {
    double here[WARM_RUNS], isolated[WARM_RUNS];
    for (size_t run = 0; run < runs + 1; run++) {
        double sums[2] = {0, 0};
        for (size_t i = 0; i < count; i++) {
            sums[0] += decode(&files[i], SDIMAGE_ISOLATION_NONE);
            sums[1] += decode(&files[i], SDIMAGE_ISOLATION_ALL);
        }
        /* The first run opens modules and starts workers. */
        if (run > 0)
            here[run - 1] = sums[0], isolated[run - 1] = sums[1];
    }
    print(what, here, isolated, runs);
}

/* The first image of a process: the time from its start of decoding, in a child. */
static double first(const file *file, sdimage_isolation isolation) {
    int ends[2];
    double time = 0;
    if (pipe(ends) < 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        time = decode(file, isolation);
        _exit(write(ends[1], &time, sizeof time) != sizeof time);
    }
    close(ends[1]);
    if (read(ends[0], &time, sizeof time) != sizeof time)
        time = -1;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return time;
}

/* Prints the memory of the workers from their /proc files: each is the child of a keeper of this process. */
static void print_memory(void) {
    char command[400];
    sleep(2);
    fflush(stdout);
    snprintf(
        command, sizeof command,
        "for keeper in $(pgrep -P %d); do for each in $(pgrep -P $keeper sdimage-decode); do "
        "echo worker: $(grep -h -e '^Rss' -e '^Pss:' -e '^Private_Dirty' -e '^Anonymous' /proc/$each/smaps_rollup | "
        "tr -s ' '); done; done",
        getpid());
    if (system(command) != 0)
        printf("no memory\n");
}

int main(int count, char **arguments) {
    if (count < 3)
        return 2;
    file small = read_file(arguments[1]), large = read_file(arguments[2]);
    double here[FIRST_RUNS], isolated[FIRST_RUNS];
    for (int i = 0; i < FIRST_RUNS; i++) {
        here[i] = first(&small, SDIMAGE_ISOLATION_NONE);
        isolated[i] = first(&small, SDIMAGE_ISOLATION_ALL);
    }
    print("first image", here, isolated, FIRST_RUNS);
    measure("small", &small, 1, WARM_RUNS - 1);
    print_memory();
    measure("large", &large, 1, LARGE_RUNS);
    static file files[MOST_FILES];
    size_t number = 0;
    for (int i = 3; i < count && number < MOST_FILES; i++)
        files[number++] = read_file(arguments[i]);
    if (number > 0)
        measure("mixed", files, number, MIXED_RUNS);
    print_memory();
    return 0;
}
