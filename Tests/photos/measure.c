/* measure.c: measures a large photo library. Not a test: prints milliseconds.
 *
 *   measure [PHOTOS] */
#include <time.h>

#include "album.h"

enum { VARIETY = 100, LOADS = 100 };

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int photos = 10000;

/* Photos of two megapixels with a thumbnail of a camera's size, under many names that the library treats as separate
 * files; in folders of a hundred. */
static void make_tree(void) {
    for (int i = 0; i < photos; i++) {
        char name[64], source[64];
        snprintf(source, sizeof source, "source%d.jpg", i % VARIETY);
        if (i < VARIETY)
            write_photo(source, (photo){.width = 1600,
                                        .height = 1200,
                                        .shade = (uint8_t)i,
                                        .date = "2024:05:01 12:00:00",
                                        .thumbnail_width = 160,
                                        .thumbnail_height = 120});
        snprintf(name, sizeof name, "album/%d", i / 100);
        if (i % 100 == 0)
            make_folder(name);
        snprintf(name, sizeof name, "album/%d/%d.jpg", i / 100, i);
        CHECK_EQUAL(link(path_of(source), path_of(name)), 0);
    }
}

static int compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void print_times(const char *what, double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, compare);
    if (count)
        printf("%-44s median %.2f ms, 95 %% %.2f ms (%d)\n", what, times[count / 2], times[count * 95 / 100], count);
}

static void measure_loads(sdimage_photos_library *library, const char *what) {
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_photos_list *list = fetch(library, NULL);
    double first[LOADS], last[LOADS];
    int shown = 0;
    for (int i = 0; i < LOADS; i++) {
        size_t at = (size_t)i * sdimage_photos_list_count(list) / LOADS;
        double began = now_ms();
        deliveries result =
            load_identifier(manager, sdimage_photos_asset_identifier(sdimage_photos_list_asset(list, at)), NULL);
        CHECK_EQUAL(result.status, 0);
        last[i] = now_ms() - began;
        if (result.partial)
            first[shown++] = (double)result.first_ns / 1e6;
    }
    char line[80];
    snprintf(line, sizeof line, "first picture, %s", what);
    print_times(line, first, shown);
    snprintf(line, sizeof line, "full picture of 2 Mpx, %s", what);
    print_times(line, last, LOADS);
    sdimage_photos_list_unref(list);
    sdimage_manager_unref(manager);
}

static void timesOfALargeLibrary(void) {
    use_folders();
    make_tree();
    double began = now_ms();
    sdimage_photos_library *library = open_album(false);
    sdimage_photos_list_unref(fetch(library, NULL));
    printf("index of %d photos, cold                  %.0f ms\n", photos, now_ms() - began);
    sdimage_photos_library_unref(library);
    began = now_ms();
    library = open_album(false);
    printf("opening it again                             %.1f ms\n", now_ms() - began);
    sdimage_photos_list_unref(fetch(library, NULL));
    printf("opening, looking at the tree, and a list     %.1f ms\n", now_ms() - began);
    began = now_ms();
    sdimage_photos_list_unref(fetch(library, NULL));
    printf("looking at the tree once more, and a list    %.1f ms\n", now_ms() - began);
    measure_loads(library, "small one in EXIF");
    sdimage_photos_library_unref(library);
    library = open_album(true);
    sdimage_photos_list *list = fetch(library, NULL);
    for (size_t i = 0; i < LOADS; i++)
        sdimage_photos_asset_write_thumbnail(
            sdimage_photos_list_asset(list, i * sdimage_photos_list_count(list) / LOADS), 256, NULL);
    sdimage_photos_list_unref(list);
    began = now_ms();
    sdimage_photos_list_unref(fetch(library, NULL));
    printf("a list while it watches                      %.1f ms\n", now_ms() - began);
    measure_loads(library, "small one in the user's cache");
    sdimage_photos_library_unref(library);
}

int main(int argc, char **argv) {
    static const test tests[] = {TEST(timesOfALargeLibrary)};
    if (argc > 1)
        photos = atoi(argv[1]);
    return run_tests(tests, 1);
}
