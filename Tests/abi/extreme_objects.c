/* extreme_objects.c: the objects that extreme_calls.c calls with extreme values, and the uses of the values. */
#include <float.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "extreme_calls.h"

enum { REGION = 1 << 30, MOST_COPIED = 16 << 20 };

void *region;
const char *const urls[] = {PNG_DATA_URL, "data:,"};
sdimage_image *frames[2];
sdimage_transformer *transformers[2];
sdimage_color out_color;

picture images[] = {{NULL, "rgb8"},
                    {NULL, "scale 1e300"},
                    {NULL, "scale DBL_MAX"},
                    {NULL, "scale DBL_TRUE_MIN"},
                    {NULL, "scale 1e-9"},
                    {NULL, "gray16"},
                    {NULL, "float"},
                    {NULL, "animation"},
                    {NULL, "1 x 64"},
                    {NULL, "left"},
                    {NULL, "floats without a number"},
                    {NULL, "large floats"}};
const size_t images_count = sizeof images / sizeof *images;
const char *images_text(size_t index) {
    return images[index].text;
}

/* --- Available memory. */

__extension__ typedef unsigned __int128 wide;

static wide product(size_t left, size_t right) {
    return (wide)left * right;
}

bool may_copy(uint32_t width, uint32_t height, size_t stride, sdimage_pixel_format format) {
    (void)width, (void)format;
    return product(height, stride) <= MOST_COPIED || product(height, stride) > REGION;
}

bool may_read(size_t length) {
    return length <= REGION || length > PTRDIFF_MAX;
}

bool may_load_batch(size_t size) {
    return size <= REGION || size > PTRDIFF_MAX;
}

static sdimage_status read_zeros(void *user_data, uint64_t offset, void *buffer, size_t length, size_t *read,
                                 sdimage_error **error) {
    (void)user_data, (void)offset, (void)error;
    *read = length < 4096 ? length : 4096;
    memset(buffer, 0, *read);
    return SDIMAGE_STATUS_OK;
}

const sdimage_source_vtable reading_table = {.size = sizeof reading_table, .read = read_zeros};

const char *output_path(void) {
    static char path[200];
    snprintf(path, sizeof path, "%s/written", temporary_folder());
    return path;
}

/* --- Objects. */

static sdimage_loader *downloader;
static bool is_random; /* calls are made in a random order */

sdimage_loader *new_downloader(void) {
    sdimage_loader_unref(downloader);
    CHECK_EQUAL(sdimage_downloader_new(NULL, &downloader, NULL), SDIMAGE_STATUS_OK);
    return downloader;
}

sdimage_manager *new_closing_manager(void) {
    static sdimage_manager *manager;
    sdimage_manager_unref(manager);
    return manager = new_manager(NULL, NULL, true);
}

sdimage_task *finished_task(void) {
    static sdimage_task *task;
    if (!task) {
        sdimage_request *request = new_request(PNG_DATA_URL);
        CHECK_EQUAL(sdimage_manager_load(good.manager, request, NULL, NULL, NULL, &task, NULL), SDIMAGE_STATUS_OK);
        CHECK_EQUAL(sdimage_task_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
        sdimage_request_unref(request);
    }
    return task;
}

static sdimage_image *scaled(double scale, sdimage_orientation orientation) {
    sdimage_metadata *metadata = NULL;
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_image_copy_metadata(images[0].image, &metadata, NULL), SDIMAGE_STATUS_OK);
    sdimage_metadata_set_scale(metadata, scale);
    sdimage_metadata_set_orientation(metadata, orientation);
    CHECK_EQUAL(sdimage_image_with_metadata(images[0].image, metadata, &image, NULL), SDIMAGE_STATUS_OK);
    sdimage_metadata_unref(metadata);
    return image;
}

/* 5 x 3 pixels with the four samples in every order. */
static sdimage_image *floats(const float *samples) {
    float pixels[3][5][4];
    for (size_t i = 0; i < 60; i++)
        (&pixels[0][0][0])[i] = samples[(i / 4 * 5 + i) % 4];
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_image_new(5, 3, sizeof pixels[0], SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT, pixels, &image, NULL),
                SDIMAGE_STATUS_OK);
    return image;
}

static void make_images(void) {
    static const uint8_t pixels[64 * 4];
    images[0].image = good.image;
    images[1].image = scaled(1e300, SDIMAGE_ORIENTATION_UP);
    images[2].image = scaled(DBL_MAX, SDIMAGE_ORIENTATION_UP);
    images[3].image = scaled(DBL_TRUE_MIN, SDIMAGE_ORIENTATION_UP);
    images[4].image = scaled(1e-9, SDIMAGE_ORIENTATION_UP);
    CHECK_EQUAL(sdimage_image_convert(good.image, SDIMAGE_PIXEL_FORMAT_GRAY16, &images[5].image, NULL),
                SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_convert(good.image, SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT, &images[6].image, NULL),
                SDIMAGE_STATUS_OK);
    sdimage_image_new_provider(good.frame_provider, &images[7].image, NULL);
    CHECK(images[7].image);
    CHECK_EQUAL(sdimage_image_new(1, 64, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, &images[8].image, NULL),
                SDIMAGE_STATUS_OK);
    images[9].image = scaled(2, SDIMAGE_ORIENTATION_LEFT);
    images[10].image = floats((const float[]){NAN, INFINITY, -INFINITY, -NAN});
    images[11].image = floats((const float[]){FLT_MAX, -FLT_MAX, FLT_TRUE_MIN, 1e10f});
    frames[0] = frames[1] = good.image;
    transformers[0] = transformers[1] = good.transformer;
}

static void make_disk_cache(void) {
    char folder[200];
    snprintf(folder, sizeof folder, "%s/cache", temporary_folder());
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(config, folder);
    sdimage_cache_unref(good.cache);
    CHECK_EQUAL(sdimage_cache_new(config, &good.cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_cache_config_unref(config);
}

static bool keeps_objects(void);

#define RENEW(kind)                                                                                                    \
    void renew_##kind(void) {                                                                                          \
        if (keeps_objects())                                                                                           \
            return;                                                                                                    \
        sdimage_##kind##_unref(good.kind);                                                                             \
        good.kind = sdimage_##kind##_new();                                                                            \
    }

RENEW(cache_config)
RENEW(cache_query)
RENEW(decode_options)
RENEW(downloader_config)
RENEW(encode_options)
RENEW(manager_config)
RENEW(options)
RENEW(target_options)

void renew_batch_options(void) {
    if (keeps_objects())
        return;
    sdimage_batch_options_unref(good.batch_options);
    good.batch_options = sdimage_batch_options_new(2, 2);
}

void renew_request(void) {
    if (keeps_objects())
        return;
    sdimage_request_unref(good.request);
    good.request = new_request(PNG_DATA_URL);
}

void renew_response(void) {
    if (keeps_objects())
        return;
    sdimage_response_unref(good.response);
    good.response = sdimage_response_new(200);
}

void renew_metadata(void) {
    if (keeps_objects())
        return;
    sdimage_metadata_unref(good.metadata);
    CHECK_EQUAL(sdimage_image_copy_metadata(good.image, &good.metadata, NULL), SDIMAGE_STATUS_OK);
}

/* --- Uses. */

static void use_image(sdimage_image *image) {
    if (!image)
        return;
    const uint8_t *pixels = sdimage_image_pixels(image);
    uint32_t height = sdimage_image_height(image);
    size_t row = sdimage_image_width(image) * sdimage_pixel_format_bytes(sdimage_image_pixel_format(image));
    volatile uint8_t sum = pixels[0];
    sum += pixels[(height - 1) * sdimage_image_stride(image) + row - 1];
    (void)sdimage_image_memory_cost(image);
    (void)sdimage_image_duration_ms(image);
    sdimage_image *frame = NULL;
    sdimage_image_get_frame(image, sdimage_image_frame_count(image) - 1, &frame, NULL);
    sdimage_image_unref(frame);
}

static void use_transformer(sdimage_transformer *transformer) {
    for (size_t i = 0; transformer && i < images_count; i++) {
        sdimage_image *result = NULL;
        sdimage_image_transform(images[i].image, transformer, &result, NULL);
        use_image(result);
        sdimage_image_unref(result);
    }
}

static void load(sdimage_manager *manager, sdimage_request *request) {
    sdimage_task *task = NULL;
    sdimage_manager_load(manager, request, NULL, NULL, NULL, &task, NULL);
    if (task)
        CHECK_EQUAL(sdimage_task_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_result *result = NULL;
    sdimage_task_get_result(task, &result);
    use_image(sdimage_result_image(result));
    sdimage_result_unref(result);
    sdimage_task_unref(task);
}

void use_request(sdimage_request *request) {
    if (!request)
        return;
    load(good.manager, request);
    sdimage_data *key = NULL;
    sdimage_manager_get_cache_key(good.manager, request, &key, NULL);
    sdimage_data_unref(key);
}

void use_decode_options(sdimage_decode_options *options) {
    sdimage_image *image = NULL;
    sdimage_decode(png_2x2, sizeof png_2x2, options, &image, NULL);
    use_image(image);
    sdimage_image_unref(image);
    /* Random calls may have removed both size and time limits, and 900 million pixels would be decoded. */
    if (!is_random) {
        image = NULL;
        sdimage_decode(png_30000x30000, sizeof png_30000x30000, options, &image, NULL);
        sdimage_image_unref(image);
    }
    sdimage_decoder *decoder = NULL;
    sdimage_decoder_new(options, NULL, &decoder, NULL);
    sdimage_decoder_append(decoder, gif_1x1, sizeof gif_1x1, true, NULL);
    sdimage_decoder_unref(decoder);
    renew_request();
    sdimage_request_set_decode_options(good.request, options);
    load(good.manager, good.request);
}

void use_encode_options(sdimage_encode_options *options) {
    static const sdimage_format formats[] = {SDIMAGE_FORMAT_JPEG, SDIMAGE_FORMAT_PNG, SDIMAGE_FORMAT_GIF,
                                             SDIMAGE_FORMAT_WEBP, SDIMAGE_FORMAT_BMP, SDIMAGE_FORMAT_ICO};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        for (size_t j = 0; j < images_count; j++) {
            sdimage_data *data = NULL;
            sdimage_encode(images[j].image, formats[i], options, &data, NULL);
            sdimage_data_unref(data);
        }
    }
}

void use_metadata(sdimage_metadata *metadata) {
    sdimage_image *image = NULL;
    sdimage_image_with_metadata(good.image, metadata, &image, NULL);
    if (!image)
        return;
    use_image(image);
    static const sdimage_format formats[] = {SDIMAGE_FORMAT_JPEG, SDIMAGE_FORMAT_PNG, SDIMAGE_FORMAT_WEBP};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        sdimage_data *data = NULL;
        sdimage_encode(image, formats[i], NULL, &data, NULL);
        sdimage_data_unref(data);
    }
    sdimage_cache_set_memory_image(good.cache, "metadata", 8, image, NULL);
    sdimage_image *result = NULL;
    sdimage_image_resize(image, 3, 3, SDIMAGE_SCALE_MODE_ASPECT_FIT, &result, NULL);
    sdimage_image_unref(result);
    sdimage_image_unref(image);
}

void use_cache(sdimage_cache *cache) {
    sdimage_cache_store_data(cache, "used", 4, good.data, NULL);
    sdimage_cache_flush(cache, NULL);
    sdimage_cache_remove_expired(cache, NULL);
    sdimage_cache_set_memory_image(cache, "used", 4, good.image, NULL);
    sdimage_image_unref(memory_image(cache, "used", 4));
    sdimage_data *data = NULL;
    sdimage_cache_get_data(cache, "used", 4, &data, NULL);
    sdimage_data_unref(data);
}

void use_cache_config(sdimage_cache_config *config) {
    static unsigned number;
    char folder[200];
    snprintf(folder, sizeof folder, "%s/cache%u", temporary_folder(), number++);
    sdimage_cache_config_set_directory(config, folder);
    sdimage_cache *cache = NULL;
    sdimage_cache_new(config, &cache, NULL);
    if (!cache)
        return;
    use_cache(cache);
    sdimage_cache_close(cache, NULL);
    sdimage_cache_unref(cache);
}

void use_cache_query(sdimage_cache_query *query) {
    sdimage_cache_page *page = NULL, *next = NULL;
    sdimage_cache_list(good.cache, query, NULL, 1, &page, NULL);
    if (page)
        sdimage_cache_list(good.cache, query, page, SIZE_MAX, &next, NULL);
    sdimage_cache_page_unref(next);
    sdimage_cache_page_unref(page);
}

/* A port that refuses connections: the first attempt is immediate, the next follows the configured delay. */
void use_downloader_config(sdimage_downloader_config *config) {
    sdimage_loader *loader = NULL;
    sdimage_downloader_new(config, &loader, NULL);
    if (!loader)
        return;
    sdimage_request *request = new_request("http://127.0.0.1:1/");
    sdimage_request_set_loader(request, loader);
    sdimage_task *task = NULL;
    sdimage_manager_load(good.manager, request, NULL, NULL, NULL, &task, NULL);
    sdimage_task_wait(task, 5, NULL);
    sdimage_task_cancel_and_wait(task, 60000, NULL);
    CHECK(sdimage_task_is_finished(task));
    sdimage_task_unref(task);
    sdimage_request_unref(request);
    sdimage_loader_unref(loader);
}

void use_manager_config(sdimage_manager_config *config) {
    sdimage_manager *manager = NULL;
    sdimage_manager_new(config, &manager, NULL);
    if (!manager)
        return;
    static const char *const urls[] = {PNG_DATA_URL, "data:,none", "data:,none"};
    for (size_t i = 0; i < 3; i++) {
        sdimage_request *request = new_request(urls[i]);
        load(manager, request);
        sdimage_request_unref(request);
    }
    sdimage_manager_close(manager, 60000, NULL);
    sdimage_manager_unref(manager);
}

/* Numbers by name in an options bag: the parameters of filters and of coders. */
void use_options(sdimage_options *options) {
    static const char *const named[] = {"CIGaussianBlur", "CIUnsharpMask", "CIVignette", "CIBoxBlur",
                                        "CISharpenLuminance"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        sdimage_transformer *transformer = NULL;
        sdimage_transformer_new_filter(named[i], options, &transformer, NULL);
        use_transformer(transformer);
        sdimage_transformer_unref(transformer);
    }
    sdimage_decode_options *decode_options = sdimage_decode_options_new();
    sdimage_decode_options_set_options(decode_options, options);
    use_decode_options(decode_options);
    sdimage_decode_options_unref(decode_options);
}

void use_target_options(sdimage_target_options *options) {
    sdimage_task *task = NULL;
    renew_request();
    sdimage_target_load(good.target, good.request, options, NULL, NULL, NULL, &task, NULL);
    if (task)
        CHECK_EQUAL(sdimage_task_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_task_unref(task);
}

void use_batch_options(sdimage_batch_options *options) {
    size_t size = sdimage_batch_options_array_size(options, 2);
    sdimage_prefetch_group *group = NULL;
    if (!options || size > MOST_COPIED)
        return;
    sdimage_manager_load_batch(good.manager, options, urls, NULL, 2, region, size, NULL, NULL, NULL, &group, NULL);
    if (group)
        CHECK_EQUAL(sdimage_prefetch_group_wait(group, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_prefetch_group_unref(group);
}

void use_prefetcher(sdimage_prefetcher *prefetcher) {
    sdimage_prefetch_group *group = NULL;
    sdimage_prefetcher_start(prefetcher, urls, NULL, 2, NULL, NULL, NULL, NULL, &group, NULL);
    if (group)
        CHECK_EQUAL(sdimage_prefetch_group_wait(group, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_prefetch_group_unref(group);
}

void use_player(sdimage_player *player) {
    static uint64_t now;
    sdimage_player_start(player);
    sdimage_player_tick(player, now += 25000000);
    sdimage_player_tick(player, now += 25000000);
    sdimage_player_advance(player);
    sdimage_player_update(player);
    sdimage_player_pause(player);
    sdimage_player_stop(player);
}

void use_animated_view(sdimage_animated_view *view) {
    static uint64_t now;
    sdimage_animated_view_start(view);
    sdimage_animated_view_tick(view, now += 25000000);
    sdimage_animated_view_tick(view, now += 25000000);
    sdimage_animated_view_advance(view);
    sdimage_animated_view_stop(view);
}

void use_response(sdimage_response *response) {
    sdimage_download_hooks *hooks = NULL;
    sdimage_download_hooks_new_fixed(NULL, response, &hooks, NULL);
    sdimage_download_hooks_unref(hooks);
}

void use_outputs(void) {
    use_image(out.image);
    use_transformer(out.transformer);
    if (out.source) {
        sdimage_decoder *decoder = NULL;
        sdimage_decoder_new_source(out.source, NULL, NULL, &decoder, NULL);
        sdimage_decoder_unref(decoder);
    }
    if (out.prefetch_group)
        sdimage_prefetch_group_wait(out.prefetch_group, 60000, NULL);
}

/* --- Calls. */

static const function *calling;
static size_t values[16], calls;

/* Runs in a signal handler: writes the call that crashed. */
static void report(int signal) {
    char line[900];
    int length = snprintf(line, sizeof line, "not ok %s: signal %d in a call of %s(", running_test(), signal,
                          calling ? calling->name : "");
    for (size_t i = 0; calling && i < calling->count; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%s%s = %s", i ? ", " : "",
                           calling->components[i].name, calling->components[i].text(values[i]));
    length += snprintf(line + length, sizeof line - (size_t)length, "), call %zu\n", calls);
    ssize_t written = write(STDOUT_FILENO, line, (size_t)length);
    _exit(written < 0 ? 1 : FAILED_WITH_REASON);
}

static void make_extreme_objects(void) {
    static const int caught[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
    make_good_objects();
    region = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(region != MAP_FAILED);
    make_images();
    make_disk_cache();
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        signal(caught[i], report);
}

static void reset(void) {
    sdimage_frame_budget_set_limit(64 << 20);
    sdimage_set_default_limit_bytes(0);
    sdimage_manager_set_offline(good.manager, false);
}

static void call(const function *function) {
    calling = function;
    function->call(values);
    calls++;
}

static void call_with_pair(const function *function, size_t first, size_t second) {
    for (values[first] = 0; values[first] < *function->components[first].count; values[first]++) {
        for (values[second] = 0; values[second] < *function->components[second].count; values[second]++)
            call(function);
        values[second] = 0;
    }
    values[first] = 0;
}

static void call_pairs(const function *function) {
    if (function->count == 1)
        for (values[0] = 0; values[0] < *function->components[0].count; values[0]++)
            call(function);
    memset(values, 0, sizeof values);
    for (size_t first = 0; first < function->count; first++)
        for (size_t second = first + 1; second < function->count; second++)
            call_with_pair(function, first, second);
}

void call_pairwise(const function *functions, size_t count) {
    make_extreme_objects();
    for (size_t i = 0; i < count; i++) {
        call_pairs(&functions[i]);
        reset();
    }
    CHECK(calls > count);
}

/* --- In a random order. */

static uint64_t random_state;

/* SplitMix64. */
static uint64_t next_random(void) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static bool keeps_objects(void) {
    return is_random && next_random() % 8;
}

static uint64_t number(const char *variable, uint64_t otherwise) {
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

void call_at_random(const function *functions, size_t count) {
    uint64_t most = number("EXTREME_CALLS", 5000);
    random_state = number("EXTREME_SEED", 1);
    make_extreme_objects();
    is_random = true;
    while (calls < most) {
        const function *function = &functions[next_random() % count];
        for (size_t i = 0; i < function->count; i++)
            values[i] = next_random() % *function->components[i].count;
        alarm(LONGEST_TEST_SECONDS);
        call(function);
        if (calls % 64 == 0)
            reset();
    }
}
