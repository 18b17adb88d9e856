#include "album.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>

const char *path_of(const char *name) {
    static char paths[16][400];
    static atomic_uint next;
    char *path = paths[atomic_fetch_add(&next, 1) % 16];
    snprintf(path, sizeof paths[0], "%s/%s", temporary_folder(), name);
    return path;
}

void make_folder(const char *name) {
    if (mkdir(path_of(name), 0777) != 0 && errno != EEXIST)
        fail_test(__FILE__, __LINE__, "%s: %s", name, strerror(errno));
}

void write_bytes(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(path_of(name), "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
        fail_test(__FILE__, __LINE__, "%s: %s", name, strerror(errno));
}

/* --- An EXIF block, little-endian: IFD0, the inner directory, and IFD1 with a JPEG. */

typedef struct block {
    uint8_t bytes[65536];
    size_t length;
} block;

static void number(block *block, uint32_t value, int width) {
    for (int i = 0; i < width; i++)
        block->bytes[block->length++] = (uint8_t)(value >> 8 * i);
}

static void entry(block *block, uint32_t tag, uint32_t type, uint32_t count, uint32_t value) {
    number(block, tag, 2);
    number(block, type, 2);
    number(block, count, 4);
    number(block, value, 4);
}

static void text(block *block, const char *value, size_t length) {
    memcpy(block->bytes + block->length, value, length);
    block->length += length;
}

static sdimage_data *encode_gray(uint32_t width, uint32_t height, uint8_t shade, sdimage_data *exif) {
    sdimage_image *image = NULL;
    sdimage_data *data = NULL;
    uint8_t *pixels = malloc((size_t)width * height * 3);
    /* A gradient, so that the file has a realistic size. */
    for (size_t i = 0; i < (size_t)width * height * 3; i++)
        pixels[i] = (uint8_t)(shade + (i / 3 / width) % 8);
    CHECK_EQUAL(sdimage_image_new(width, height, (size_t)width * 3, SDIMAGE_PIXEL_FORMAT_RGB8, pixels, &image, NULL),
                0);
    sdimage_encode_options *options = sdimage_encode_options_new();
    if (exif)
        sdimage_encode_options_set_exif(options, exif);
    CHECK_EQUAL(sdimage_encode(image, SDIMAGE_FORMAT_JPEG, options, &data, NULL), 0);
    sdimage_encode_options_unref(options);
    sdimage_image_unref(image);
    free(pixels);
    return data;
}

static sdimage_data *exif_of(photo photo) {
    enum { INNER = 8 + 2 + 2 * 12 + 4, TEXTS = INNER + 2 + 2 * 12 + 4, SECOND = TEXTS + 20 + 8 };
    block *block = calloc(1, sizeof *block);
    text(block, "II*\0\x08\0\0\0", 8);
    number(block, 2, 2);
    entry(block, 0x0112, 3, 1, (uint32_t)(photo.orientation ? photo.orientation : 1));
    entry(block, 0x8769, 4, 1, INNER);
    number(block, photo.thumbnail_width ? SECOND : 0, 4);
    number(block, 2, 2);
    entry(block, photo.date ? 0x9003 : 0x9999, 2, 20, TEXTS);
    entry(block, photo.offset ? 0x9011 : 0x9998, 2, 7, TEXTS + 20);
    number(block, 0, 4);
    text(block, photo.date ? photo.date : "0000:00:00 00:00:00", 20);
    text(block, photo.offset ? photo.offset : "+00:00", 7);
    number(block, 0, 1);
    if (photo.thumbnail_width) {
        sdimage_data *small = encode_gray(photo.thumbnail_width, photo.thumbnail_height, photo.shade, NULL);
        size_t length = sdimage_data_length(small);
        number(block, 2, 2);
        entry(block, 0x0201, 4, 1, SECOND + 2 + 2 * 12 + 4);
        entry(block, 0x0202, 4, 1, (uint32_t)length);
        number(block, 0, 4);
        CHECK(block->length + length < sizeof block->bytes);
        text(block, sdimage_data_bytes(small), length);
        sdimage_data_unref(small);
    }
    sdimage_data *data = new_data(block->bytes, block->length);
    free(block);
    return data;
}

/* Overwrites the orientation of the encoder, which is always upright. */
static void set_orientation(uint8_t *bytes, size_t length, int orientation) {
    uint8_t *tag = memmem(bytes, length, "\x12\x01\x03\0\x01\0\0\0", 8);
    CHECK(tag != NULL);
    tag[8] = (uint8_t)orientation;
}

void write_photo(const char *name, photo photo) {
    bool has_exif = photo.date || photo.orientation || photo.thumbnail_width;
    sdimage_data *exif = has_exif ? exif_of(photo) : NULL;
    sdimage_data *data = encode_gray(photo.width, photo.height, photo.shade, exif);
    size_t length = sdimage_data_length(data);
    uint8_t *bytes = malloc(length);
    memcpy(bytes, sdimage_data_bytes(data), length);
    if (has_exif)
        set_orientation(bytes, length, photo.orientation ? photo.orientation : 1);
    write_bytes(name, bytes, length);
    free(bytes);
    sdimage_data_unref(exif);
    sdimage_data_unref(data);
}

void write_gif(const char *name) {
    static const uint8_t dark[4] = {0, 0, 0, 255}, light[4] = {255, 255, 255, 255};
    static const uint32_t durations[2] = {100, 100};
    sdimage_image *frames[2] = {NULL, NULL}, *moving = NULL;
    sdimage_data *data = NULL;
    CHECK_EQUAL(sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, dark, &frames[0], NULL), 0);
    CHECK_EQUAL(sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, light, &frames[1], NULL), 0);
    CHECK_EQUAL(sdimage_image_new_animation(frames, durations, 2, 0, &moving, NULL), 0);
    CHECK_EQUAL(sdimage_encode(moving, SDIMAGE_FORMAT_GIF, NULL, &data, NULL), 0);
    write_bytes(name, sdimage_data_bytes(data), sdimage_data_length(data));
    sdimage_data_unref(data);
    sdimage_image_unref(moving);
    sdimage_image_unref(frames[0]);
    sdimage_image_unref(frames[1]);
}

/* Writes the beginning of a video, which is all that the library reads here. */
void write_video(const char *name) {
    static const char bytes[64] = "\0\0\0\x20"
                                  "ftypisom\0\0\2\0isomiso2avc1mp41";
    write_bytes(name, bytes, sizeof bytes);
}

void remove_file(const char *name) {
    if (remove(path_of(name)) != 0)
        fail_test(__FILE__, __LINE__, "%s: %s", name, strerror(errno));
}

void move_file(const char *from, const char *to) {
    if (rename(path_of(from), path_of(to)) != 0)
        fail_test(__FILE__, __LINE__, "%s: %s", from, strerror(errno));
}

bool exists(const char *name) {
    return access(path_of(name), F_OK) == 0;
}

/* --- Libraries. */

void use_folders(void) {
    make_folder("album");
    make_folder("cache");
    setenv("XDG_CACHE_HOME", path_of("cache"), 1);
    setenv("TZ", "UTC", 1);
}

sdimage_photos_library *open_album(bool watches) {
    sdimage_photos_library *library = NULL;
    sdimage_photos_library_config *config = sdimage_photos_library_config_new();
    sdimage_photos_library_config_set_watch(config, watches);
    CHECK_EQUAL(sdimage_photos_library_open(path_of("album"), config, &library, NULL), 0);
    sdimage_photos_library_config_unref(config);
    return library;
}

sdimage_photos_list *fetch(sdimage_photos_library *library, const sdimage_photos_fetch_options *options) {
    sdimage_photos_list *list = NULL;
    CHECK_EQUAL(sdimage_photos_library_fetch(library, options, &list, NULL), 0);
    return list;
}

sdimage_photos_asset *asset_named(sdimage_photos_library *library, const char *name) {
    sdimage_photos_list *list = fetch(library, NULL);
    sdimage_photos_asset *found = NULL;
    for (size_t i = 0; i < sdimage_photos_list_count(list); i++) {
        sdimage_photos_asset *asset = sdimage_photos_list_asset(list, i);
        if (!strcmp(sdimage_photos_asset_name(asset), name))
            found = sdimage_photos_asset_ref(asset);
    }
    sdimage_photos_list_unref(list);
    if (!found)
        fail_test(__FILE__, __LINE__, "%s is not in the library", name);
    return found;
}

const char *identifier_of(sdimage_photos_library *library, const char *name) {
    static char identifiers[16][64];
    static int next;
    char *identifier = identifiers[next++ % 16];
    sdimage_photos_asset *asset = asset_named(library, name);
    snprintf(identifier, sizeof identifiers[0], "%s", sdimage_photos_asset_identifier(asset));
    sdimage_photos_asset_unref(asset);
    return identifier;
}

sdimage_loader *new_photo_loader(sdimage_photos_library *library, bool images_only) {
    sdimage_loader *loader = NULL;
    sdimage_photos_loader_config *config = sdimage_photos_loader_config_new();
    CHECK(sdimage_photos_loader_config_add_library(config, library));
    sdimage_photos_loader_config_set_images_only(config, images_only);
    CHECK_EQUAL(sdimage_photos_loader_new(config, &loader, NULL), 0);
    sdimage_photos_loader_config_unref(config);
    return loader;
}

sdimage_manager *new_photo_manager(sdimage_photos_library *library, bool images_only) {
    sdimage_loader *loader = new_photo_loader(library, images_only);
    sdimage_manager *manager = new_manager(NULL, loader, false);
    sdimage_loader_unref(loader);
    return manager;
}

/* --- Loads. */

static void delivered(void *user_data, sdimage_task *task, sdimage_result *result) {
    deliveries *deliveries = user_data;
    sdimage_image *image = sdimage_result_image(result);
    sdimage_size size = {sdimage_image_width(image), sdimage_image_height(image)};
    sdimage_color color = {0, 0, 0, 0};
    (void)task;
    if (image)
        sdimage_image_color_at(image, 0, 0, &color, NULL);
    deliveries->red = color.red;
    if (sdimage_result_kind(result) == SDIMAGE_DELIVERY_KIND_PARTIAL) {
        CHECK_EQUAL(deliveries->final, 0);
        deliveries->partial++;
        deliveries->first = size;
        deliveries->first_ns = sdimage_result_time_ns(result, SDIMAGE_STAGE_TOTAL);
        return;
    }
    deliveries->final++;
    deliveries->last = size;
    deliveries->status = sdimage_error_code(sdimage_result_error(result));
    deliveries->has_data = sdimage_result_data(result) != NULL;
    deliveries->frame_count = sdimage_image_frame_count(image);
    gate_open(&deliveries->over);
}

static void progressed(void *user_data, sdimage_task *task, int64_t received, int64_t expected) {
    deliveries *deliveries = user_data;
    (void)task;
    deliveries->progress++;
    deliveries->received = received;
    deliveries->expected = expected;
    gate_open(&deliveries->progressed);
}

const sdimage_load_handler delivery_handler = {
    .size = sizeof delivery_handler, .result = delivered, .progress = progressed};

void wait_for_end(deliveries *deliveries) {
    gate_wait(&deliveries->over, 1);
}

deliveries load(sdimage_manager *manager, const sdimage_request *request) {
    deliveries deliveries = {.over = GATE_CLOSED, .progressed = GATE_CLOSED};
    CHECK_EQUAL(sdimage_manager_load(manager, request, &delivery_handler, &deliveries, NULL, NULL, NULL), 0);
    wait_for_end(&deliveries);
    CHECK_EQUAL(deliveries.final, 1);
    return deliveries;
}

deliveries load_identifier(sdimage_manager *manager, const char *identifier, const sdimage_options *bag) {
    char *url = sdimage_photos_url_of_identifier(identifier);
    sdimage_request *request = new_request(url);
    sdimage_request_set_options(request, bag);
    deliveries result = load(manager, request);
    sdimage_request_unref(request);
    sdimage_photos_free(url);
    return result;
}

static int open_to_all(const char *path, const struct stat *status, int type, struct FTW *where) {
    (void)status, (void)type, (void)where;
    return lchown(path, 65534, 65534);
}

void stop_being_root(void) {
    if (geteuid() != 0)
        return;
    CHECK_EQUAL(nftw(temporary_folder(), open_to_all, 16, FTW_PHYS), 0);
    CHECK_EQUAL(setresgid(65534, 65534, 65534), 0);
    CHECK_EQUAL(setresuid(65534, 65534, 65534), 0);
}
