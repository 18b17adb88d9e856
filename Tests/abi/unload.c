/* unload.c: uses the library by dlopen: loading it has no side effects, and closing it is harmless. Not linked
 * against it.
 *
 *   unload PATH/libsdimage.so.1 */
#include <dlfcn.h>

#include "check.h"

static const char *library;

static void *open_library(void) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail_test(__FILE__, __LINE__, "%s", dlerror());
    return handle;
}

static void *find(void *handle, const char *name) {
    void *symbol = dlsym(handle, name);
    if (!symbol)
        fail_test(__FILE__, __LINE__, "%s", dlerror());
    return symbol;
}

static void loadingStartsNoThreadAndOpensNoFile(void) {
    size_t threads = thread_count(), descriptors = descriptor_count();
    open_library();
    CHECK_EQUAL(thread_count(), threads);
    CHECK_EQUAL(descriptor_count(), descriptors);
}

static void loadingBringsNoSwiftLibrary(void) {
    open_library();
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    char line[600];
    while (fgets(line, sizeof line, maps)) {
        const char *path = strrchr(line, '/');
        if (path && (strstr(path, "swift") || strstr(path, "Foundation") || strstr(path, "dispatch")))
            fail_test(__FILE__, __LINE__, "%s is mapped", path);
    }
    fclose(maps);
}

/* A load through a manager runs Swift tasks; their code must outlive dlclose. */
static void decode_and_load(void *handle) {
    sdimage_status (*decode)(const void *, size_t, const sdimage_decode_options *, sdimage_image **, sdimage_error **);
    sdimage_status (*new_manager)(const sdimage_manager_config *, sdimage_manager **, sdimage_error **);
    sdimage_request *(*new_request)(const char *, size_t);
    sdimage_status (*load)(sdimage_manager *, const sdimage_request *, sdimage_result **, sdimage_error **);
    void (*unref[4])(void *);
    *(void **)&decode = find(handle, "sdimage_decode");
    *(void **)&new_manager = find(handle, "sdimage_manager_new");
    *(void **)&new_request = find(handle, "sdimage_request_new");
    *(void **)&load = find(handle, "sdimage_manager_load_sync");
    *(void **)&unref[0] = find(handle, "sdimage_image_unref");
    *(void **)&unref[1] = find(handle, "sdimage_result_unref");
    *(void **)&unref[2] = find(handle, "sdimage_request_unref");
    *(void **)&unref[3] = find(handle, "sdimage_manager_unref");

    sdimage_image *image = NULL;
    sdimage_manager *manager = NULL;
    sdimage_result *result = NULL;
    CHECK_EQUAL(decode(png_2x2, sizeof png_2x2, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(new_manager(NULL, &manager, NULL), SDIMAGE_STATUS_OK);
    sdimage_request *request = new_request(PNG_DATA_URL, SDIMAGE_NUL_TERMINATED);
    CHECK_EQUAL(load(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    unref[0](image);
    unref[1](result);
    unref[2](request);
    unref[3](manager);
}

static void theHostGoesOnAfterClosing(void) {
    setenv("XDG_CACHE_HOME", temporary_folder(), 1);
    for (int i = 0; i < 5; i++) {
        void *handle = open_library();
        decode_and_load(handle);
        CHECK_EQUAL(dlclose(handle), 0);
        sched_yield();
    }
    CHECK(dlopen(library, RTLD_NOW | RTLD_NOLOAD) != NULL);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        TEST(loadingStartsNoThreadAndOpensNoFile),
        TEST(loadingBringsNoSwiftLibrary),
        TEST(theHostGoesOnAfterClosing),
    };
    if (argc != 2)
        return 2;
    library = argv[1];
    return run_tests(tests, sizeof tests / sizeof *tests);
}
