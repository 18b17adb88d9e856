/* rules.c: the specification of the photo library loader, rule by rule. */
#include <sys/stat.h>

#include "album.h"

/* --- URLs. */

static void urlsAndIdentifiersGoBothWays(void) {
    static const char *const pairs[][2] = {
        {"B84E8479-475C-4727-A4A4-B77AA9980897/L0/001", "ph://B84E8479-475C-4727-A4A4-B77AA9980897/L0/001"},
        {"a b?c#d%e", "ph://a%20b%3Fc%23d%25e"},
        {"\xc3\xa9", "ph://%C3%A9"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *url = sdimage_photos_url_of_identifier(pairs[i][0]);
        CHECK(url && !strcmp(url, pairs[i][1]));
        char *identifier = sdimage_photos_identifier_of_url(url, SDIMAGE_NUL_TERMINATED);
        CHECK(identifier && !strcmp(identifier, pairs[i][0]));
        sdimage_photos_free(identifier);
        sdimage_photos_free(url);
    }
    char *identifier = sdimage_photos_identifier_of_url("PH://one?two#three", SDIMAGE_NUL_TERMINATED);
    CHECK(identifier && !strcmp(identifier, "one"));
    sdimage_photos_free(identifier);
    static const char *const others[] = {"",         "ph:",     "ph://",    "ph://?a", "ph:/a",
                                         "http://a", "phx://a", "ph://a%0", "ph://%00"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(sdimage_photos_identifier_of_url(others[i], SDIMAGE_NUL_TERMINATED) == NULL);
    CHECK(sdimage_photos_url_of_identifier("") == NULL);
    CHECK(sdimage_photos_url_of_identifier(NULL) == NULL);
    CHECK(sdimage_photos_identifier_of_url(NULL, 0) == NULL);
}

static void never_fetch(void *user_data, const char *identifier, const sdimage_photos_fetch_options *options,
                        sdimage_photos_reply *reply) {
    (void)user_data, (void)options, (void)reply;
    fail_test(__FILE__, __LINE__, "%s was looked for", identifier);
}

static sdimage_status never_image(void *user_data, sdimage_photos_asset *asset, sdimage_size size,
                                  const sdimage_photos_request_options *options, sdimage_load_sink *sink) {
    (void)user_data, (void)asset, (void)size, (void)options, (void)sink;
    return SDIMAGE_STATUS_INTERNAL_ERROR;
}

static void aRequestCanCarryTheAssetItself(void) {
    static const sdimage_photos_library_vtable table = {
        .size = sizeof table, .fetch = never_fetch, .image = never_image};
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 16});
    sdimage_photos_library *album = open_album(false), *other = NULL;
    sdimage_photos_asset *asset = asset_named(album, "a.jpg");
    sdimage_request *request = NULL;
    CHECK_EQUAL(sdimage_photos_asset_request(asset, &request, NULL), 0);
    CHECK(sdimage_photos_asset_of_request(request) == asset);
    CHECK_EQUAL(sdimage_photos_library_new_custom("other", &table, NULL, NULL, &other, NULL), 0);
    sdimage_manager *manager = new_photo_manager(other, true);
    deliveries result = load(manager, request);
    CHECK_EQUAL(result.status, SDIMAGE_STATUS_OK);
    CHECK_EQUAL(result.last.width, 32);
    sdimage_manager_unref(manager);
    sdimage_request_unref(request);
    sdimage_photos_asset_unref(asset);
    sdimage_photos_library_unref(other);
    sdimage_photos_library_unref(album);
}

static void onlyPhUrlsAreTaken(void) {
    use_folders();
    sdimage_photos_library *library = open_album(false);
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_request *request = new_request("other://a");
    CHECK_EQUAL(load(manager, request).status, SDIMAGE_STATUS_SCHEME_FORBIDDEN);
    sdimage_request_set_url(request, "PH://nobody", SDIMAGE_NUL_TERMINATED);
    CHECK_EQUAL(load(manager, request).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

/* --- properties of an asset. */

static void anAssetTellsWhatItIs(void) {
    use_folders();
    make_folder("album/sub");
    write_photo(
        "album/sub/turned.jpg",
        (photo){.width = 40, .height = 20, .orientation = 6, .date = "2024:05:01 12:00:00", .offset = "+02:00"});
    write_gif("album/moving.gif");
    write_video("album/clip.jpg");
    write_bytes("album/sound.mp3", "ID3\3\0\0\0\0\0\0", 10);
    write_bytes("album/notes.txt", "no photo", 8);
    sdimage_photos_library *library = open_album(false);
    sdimage_photos_asset *turned = asset_named(library, "turned.jpg"), *moving = asset_named(library, "moving.gif");
    sdimage_photos_asset *clip = asset_named(library, "clip.jpg"), *sound = asset_named(library, "sound.mp3");
    CHECK_EQUAL(sdimage_photos_asset_media(turned), SDIMAGE_PHOTOS_MEDIA_IMAGE);
    CHECK_EQUAL(sdimage_photos_asset_playback(turned), SDIMAGE_PHOTOS_PLAYBACK_STILL);
    CHECK_EQUAL(sdimage_photos_asset_format(turned), SDIMAGE_FORMAT_JPEG);
    CHECK(!strcmp(sdimage_photos_asset_type(turned), "image/jpeg"));
    CHECK_EQUAL(sdimage_photos_asset_pixel_size(turned).width, 20);
    CHECK_EQUAL(sdimage_photos_asset_pixel_size(turned).height, 40);
    CHECK_EQUAL(sdimage_photos_asset_orientation(turned), SDIMAGE_ORIENTATION_RIGHT);
    CHECK_EQUAL(sdimage_photos_asset_taken_ns(turned), 1714557600LL * 1000000000);
    CHECK_EQUAL(sdimage_photos_asset_album_count(turned), 1);
    CHECK(!strcmp(sdimage_photos_asset_album(turned, 0), "sub"));
    CHECK(sdimage_photos_asset_album(turned, 1) == NULL);
    CHECK_EQUAL(strlen(sdimage_photos_asset_identifier(turned)), 36);
    CHECK_EQUAL(sdimage_photos_asset_origin(turned), SDIMAGE_PHOTOS_ORIGIN_OWN);
    CHECK_EQUAL(sdimage_photos_asset_playback(moving), SDIMAGE_PHOTOS_PLAYBACK_ANIMATED);
    CHECK_EQUAL(sdimage_photos_asset_taken_ns(moving), sdimage_photos_asset_modified_ns(moving));
    CHECK(sdimage_photos_asset_file_size(moving) > 20);
    CHECK_EQUAL(sdimage_photos_asset_media(clip), SDIMAGE_PHOTOS_MEDIA_VIDEO);
    CHECK_EQUAL(sdimage_photos_asset_playback(clip), SDIMAGE_PHOTOS_PLAYBACK_VIDEO);
    CHECK(!strcmp(sdimage_photos_asset_type(clip), "video/mp4"));
    CHECK_EQUAL(sdimage_photos_asset_media(sound), SDIMAGE_PHOTOS_MEDIA_AUDIO);
    sdimage_photos_list *all = fetch(library, NULL);
    CHECK_EQUAL(sdimage_photos_list_count(all), 4);
    sdimage_photos_list_unref(all);
    sdimage_photos_asset_unref(turned);
    sdimage_photos_asset_unref(moving);
    sdimage_photos_asset_unref(clip);
    sdimage_photos_asset_unref(sound);
    sdimage_photos_library_unref(library);
}

/* --- defaults, and requests that override them. */

static void requestsOverrideWhatTheLoaderWasMadeWith(void) {
    sdimage_photos_request_options *defaults = sdimage_photos_request_options_new();
    CHECK(sdimage_photos_request_options_has_network_access(defaults));
    CHECK_EQUAL(sdimage_photos_request_options_resize(defaults), SDIMAGE_PHOTOS_RESIZE_FAST);
    CHECK_EQUAL(sdimage_photos_request_options_delivery(defaults), SDIMAGE_PHOTOS_DELIVERY_OPPORTUNISTIC);
    CHECK_EQUAL(sdimage_photos_request_options_version(defaults), SDIMAGE_PHOTOS_VERSION_CURRENT);
    CHECK_EQUAL(sdimage_photos_request_options_content(defaults), SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT);
    sdimage_photos_request_options_unref(defaults);

    use_folders();
    write_photo("album/a.jpg", (photo){.width = 64, .height = 32});
    sdimage_photos_library *library = open_album(false);
    sdimage_photos_loader_config *config = sdimage_photos_loader_config_new();
    sdimage_photos_request_options *small = sdimage_photos_request_options_new();
    sdimage_photos_request_options_set_target(small, 16, 16);
    sdimage_photos_fetch_options *videos = sdimage_photos_fetch_options_new();
    sdimage_photos_fetch_options_set_media(videos, SDIMAGE_PHOTOS_MEDIA_VIDEO);
    sdimage_photos_loader_config_add_library(config, library);
    sdimage_photos_loader_config_set_request_options(config, small);
    sdimage_photos_loader_config_set_fetch_options(config, videos);
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_photos_loader_new(config, &loader, NULL), 0);
    sdimage_photos_loader_config_unref(config);
    sdimage_manager *manager = new_manager(NULL, loader, false);
    const char *identifier = identifier_of(library, "a.jpg");
    CHECK_EQUAL(load_identifier(manager, identifier, NULL).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    sdimage_options *bag = sdimage_options_new();
    sdimage_photos_fetch_options *all = sdimage_photos_fetch_options_new();
    sdimage_photos_set_fetch_options(bag, all);
    CHECK_EQUAL(load_identifier(manager, identifier, bag).last.width, 16);
    sdimage_photos_request_options *larger = sdimage_photos_request_options_new();
    sdimage_photos_request_options_set_target(larger, 48, 48);
    sdimage_photos_set_request_options(bag, larger);
    CHECK_EQUAL(load_identifier(manager, identifier, bag).last.width, 48);
    sdimage_photos_set_request_options(bag, NULL);
    CHECK_EQUAL(load_identifier(manager, identifier, bag).last.width, 16);
    sdimage_options_set_bool(bag, SDIMAGE_PHOTOS_REQUEST_DATA, true);
    deliveries data = load_identifier(manager, identifier, bag);
    CHECK(data.has_data);
    CHECK_EQUAL(data.last.width, 64);
    sdimage_options_unref(bag);
    sdimage_photos_request_options_unref(small);
    sdimage_photos_request_options_unref(larger);
    sdimage_photos_fetch_options_unref(videos);
    sdimage_photos_fetch_options_unref(all);
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
    sdimage_photos_library_unref(library);
}

/* --- the steps and their errors. */

static void eachStepHasItsError(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 8, .height = 8});
    write_photo("album/closed.jpg", (photo){.width = 8, .height = 8, .shade = 50});
    write_video("album/clip.mp4");
    stop_being_root();
    sdimage_photos_library *library = open_album(false);
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_request *request = new_request("ph://");
    CHECK_EQUAL(load(manager, request).status, SDIMAGE_STATUS_INVALID_URL);
    sdimage_request_unref(request);
    CHECK_EQUAL(load_identifier(manager, "nobody", NULL).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    CHECK_EQUAL(load_identifier(manager, identifier_of(library, "clip.mp4"), NULL).status,
                SDIMAGE_STATUS_PHOTOS_NOT_AN_IMAGE);
    CHECK_EQUAL(load_identifier(manager, identifier_of(library, "a.jpg"), NULL).status, SDIMAGE_STATUS_OK);
    const char *closed = identifier_of(library, "closed.jpg");
    CHECK_EQUAL(chmod(path_of("album/closed.jpg"), 0), 0);
    CHECK_EQUAL(load_identifier(manager, closed, NULL).status, SDIMAGE_STATUS_PERMISSION_DENIED);
    sdimage_options *bag = sdimage_options_new();
    sdimage_photos_fetch_options *shared = sdimage_photos_fetch_options_new();
    sdimage_photos_fetch_options_set_origins(shared, SDIMAGE_PHOTOS_ORIGIN_SHARED);
    sdimage_photos_set_fetch_options(bag, shared);
    CHECK_EQUAL(load_identifier(manager, identifier_of(library, "a.jpg"), bag).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    CHECK_EQUAL(chmod(path_of("album"), 0), 0);
    CHECK_EQUAL(load_identifier(manager, "somebody", NULL).status, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED);
    sdimage_photos_library *none = NULL;
    CHECK_EQUAL(sdimage_photos_library_open(path_of("album"), NULL, &none, NULL), SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED);
    CHECK_EQUAL(chmod(path_of("album"), 0755), 0);
    CHECK_EQUAL(sdimage_photos_library_open(path_of("nothing"), NULL, &none, NULL), SDIMAGE_STATUS_NOT_FOUND);
    CHECK_EQUAL(sdimage_photos_library_open(path_of("album/a.jpg"), NULL, &none, NULL), SDIMAGE_STATUS_NOT_A_FILE);
    sdimage_photos_fetch_options_unref(shared);
    sdimage_options_unref(bag);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

/* --- bytes. */

static void animationsComeAsDataUnlessToldOtherwise(void) {
    use_folders();
    write_gif("album/moving.gif");
    write_photo("album/a.jpg", (photo){.width = 8, .height = 8});
    sdimage_photos_library *library = open_album(false);
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_options *as_data = sdimage_options_new(), *as_image = sdimage_options_new();
    sdimage_options_set_bool(as_data, SDIMAGE_PHOTOS_REQUEST_DATA, true);
    sdimage_options_set_bool(as_image, SDIMAGE_PHOTOS_REQUEST_DATA, false);
    const char *moving = identifier_of(library, "moving.gif"), *still = identifier_of(library, "a.jpg");
    deliveries result = load_identifier(manager, moving, NULL);
    CHECK(result.has_data);
    CHECK_EQUAL(result.frame_count, 2);
    result = load_identifier(manager, moving, as_image);
    CHECK_EQUAL(result.status, 0);
    CHECK(!result.has_data);
    CHECK_EQUAL(result.frame_count, 1);
    CHECK(!load_identifier(manager, still, NULL).has_data);
    CHECK(load_identifier(manager, still, as_data).has_data);
    sdimage_options_unref(as_data);
    sdimage_options_unref(as_image);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static void dataIsDecodedWhateverTheTarget(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 64, .height = 32, .thumbnail_width = 16, .thumbnail_height = 8});
    sdimage_photos_library *library = open_album(false);
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_photos_request_options *options = sdimage_photos_request_options_new();
    sdimage_photos_request_options_set_target(options, 16, 16);
    sdimage_photos_request_options_set_content(options, SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL);
    sdimage_options *bag = sdimage_options_new();
    sdimage_photos_set_request_options(bag, options);
    sdimage_options_set_bool(bag, SDIMAGE_PHOTOS_REQUEST_DATA, true);
    deliveries result = load_identifier(manager, identifier_of(library, "a.jpg"), bag);
    CHECK_EQUAL(result.last.width, 64);
    CHECK_EQUAL(result.partial, 0);
    CHECK(result.has_data);
    sdimage_photos_request_options_unref(options);
    sdimage_options_unref(bag);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

/* --- sizes and deliveries. */

typedef struct size_case {
    void (*set_target)(sdimage_photos_request_options *options);
    sdimage_size thumbnail;
    bool keeps_ratio;
    sdimage_photos_resize resize;
    sdimage_photos_content content;
    double scale;
    sdimage_size expected;
} size_case;

static void explicit_box(sdimage_photos_request_options *options) {
    sdimage_photos_request_options_set_target(options, 50, 50);
}

static void check_size(const size_case *one, size_t number, sdimage_manager *manager, const char *url) {
    sdimage_photos_request_options *options = sdimage_photos_request_options_new();
    sdimage_decode_options *decode = sdimage_decode_options_new();
    sdimage_options *bag = sdimage_options_new();
    sdimage_request *request = new_request(url);
    if (one->set_target)
        one->set_target(options);
    sdimage_photos_request_options_set_resize(options, one->resize);
    sdimage_photos_request_options_set_content(options, one->content);
    sdimage_photos_set_request_options(bag, options);
    sdimage_decode_options_set_scale(decode, one->scale);
    sdimage_decode_options_set_thumbnail_size(decode, one->thumbnail.width, one->thumbnail.height,
                                              one->keeps_ratio ? SDIMAGE_SCALE_MODE_ASPECT_FIT
                                                               : SDIMAGE_SCALE_MODE_FILL);
    sdimage_request_set_decode_options(request, decode);
    sdimage_request_set_options(request, bag);
    deliveries result = load(manager, request);
    if (result.last.width != one->expected.width || result.last.height != one->expected.height)
        fail_test(__FILE__, __LINE__, "case %zu: %u x %u, not %u x %u (%s)", number, result.last.width,
                  result.last.height, one->expected.width, one->expected.height, sdimage_status_name(result.status));
    CHECK(!result.has_data);
    sdimage_request_unref(request);
    sdimage_options_unref(bag);
    sdimage_decode_options_unref(decode);
    sdimage_photos_request_options_unref(options);
}

static void theTargetSizeIsThatOfTheRequestOrOfTheOptions(void) {
    static const size_case cases[] = {
        {NULL, {0, 0}, true, SDIMAGE_PHOTOS_RESIZE_FAST, SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT, 1, {200, 100}},
        {sdimage_photos_request_options_set_target_maximum,
         {0, 0},
         true,
         SDIMAGE_PHOTOS_RESIZE_FAST,
         SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT,
         1,
         {200, 100}},
        {sdimage_photos_request_options_set_target_pixel_size,
         {0, 0},
         true,
         SDIMAGE_PHOTOS_RESIZE_FAST,
         SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT,
         1,
         {200, 100}},
        {sdimage_photos_request_options_set_target_point_size,
         {0, 0},
         true,
         SDIMAGE_PHOTOS_RESIZE_FAST,
         SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT,
         2,
         {100, 50}},
        {sdimage_photos_request_options_set_target_point_size,
         {0, 0},
         true,
         SDIMAGE_PHOTOS_RESIZE_FAST,
         SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT,
         0.5,
         {200, 100}},
        {explicit_box, {0, 0}, true, SDIMAGE_PHOTOS_RESIZE_FAST, SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT, 1, {50, 25}},
        {explicit_box, {0, 0}, true, SDIMAGE_PHOTOS_RESIZE_FAST, SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL, 1, {100, 50}},
        {explicit_box, {0, 0}, true, SDIMAGE_PHOTOS_RESIZE_NONE, SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT, 1, {200, 100}},
        {explicit_box, {40, 40}, true, SDIMAGE_PHOTOS_RESIZE_FAST, SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL, 1, {40, 20}},
        {explicit_box, {40, 40}, false, SDIMAGE_PHOTOS_RESIZE_FAST, SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT, 1, {80, 40}},
        {NULL, {1000, 1000}, true, SDIMAGE_PHOTOS_RESIZE_FAST, SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT, 1, {200, 100}},
        {NULL, {1000, 1000}, false, SDIMAGE_PHOTOS_RESIZE_FAST, SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT, 1, {200, 100}},
    };
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 100, .height = 200, .orientation = 6});
    sdimage_photos_library *library = open_album(false);
    sdimage_manager *manager = new_photo_manager(library, true);
    char *url = sdimage_photos_url_of_identifier(identifier_of(library, "a.jpg"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_size(&cases[i], i, manager, url);
    sdimage_photos_free(url);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

/* The final image replaces a thumbnail that was not delivered yet: then the load is repeated. */
static deliveries load_until_partial(sdimage_manager *manager, const char *identifier) {
    deliveries result = load_identifier(manager, identifier, NULL);
    for (int i = 0; i < 50 && result.partial == 0; i++)
        result = load_identifier(manager, identifier, NULL);
    return result;
}

static void aSmallPictureComesFirstWhereThatIsWanted(void) {
    use_folders();
    write_photo(
        "album/a.jpg",
        (photo){.width = 3000, .height = 1500, .orientation = 8, .thumbnail_width = 40, .thumbnail_height = 20});
    write_photo("album/plain.jpg", (photo){.width = 400, .height = 200, .shade = 9});
    sdimage_photos_library *library = open_album(false);
    sdimage_manager *manager = new_photo_manager(library, true);
    const char *identifier = identifier_of(library, "a.jpg");
    deliveries result = load_until_partial(manager, identifier);
    CHECK_EQUAL(result.partial, 1);
    /* Upright, like the final image. */
    CHECK_EQUAL(result.first.width, 20);
    CHECK_EQUAL(result.first.height, 40);
    CHECK_EQUAL(result.last.width, 1500);
    CHECK_EQUAL(load_identifier(manager, identifier_of(library, "plain.jpg"), NULL).partial, 0);
    sdimage_options *bag = sdimage_options_new();
    sdimage_photos_request_options *options = sdimage_photos_request_options_new();
    sdimage_photos_set_request_options(bag, options);
    sdimage_photos_request_options_set_delivery(options, SDIMAGE_PHOTOS_DELIVERY_HIGH_QUALITY);
    result = load_identifier(manager, identifier, bag);
    CHECK_EQUAL(result.partial, 0);
    CHECK_EQUAL(result.last.width, 1500);
    sdimage_photos_request_options_set_delivery(options, SDIMAGE_PHOTOS_DELIVERY_FAST);
    result = load_identifier(manager, identifier, bag);
    CHECK_EQUAL(result.partial, 0);
    CHECK_EQUAL(result.last.width, 20);
    CHECK_EQUAL(load_identifier(manager, identifier_of(library, "plain.jpg"), bag).last.width, 400);
    sdimage_photos_request_options_unref(options);
    sdimage_options_unref(bag);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

typedef struct cell {
    atomic_int set;
    uint32_t widths[8];
} cell;

/* A host that delays the second image until the first one is shown. */
static gate shown = GATE_CLOSED;

static void fetch_any(void *user_data, const char *identifier, const sdimage_photos_fetch_options *options,
                      sdimage_photos_reply *reply) {
    (void)user_data, (void)options;
    sdimage_photos_asset_config *config = sdimage_photos_asset_config_new(identifier);
    sdimage_photos_asset *asset = sdimage_photos_asset_new(config);
    sdimage_photos_reply_complete(reply, asset);
    sdimage_photos_reply_unref(reply);
    sdimage_photos_asset_unref(asset);
    sdimage_photos_asset_config_unref(config);
}

static sdimage_image *gray_image(uint32_t side) {
    sdimage_image *image = NULL;
    uint8_t *pixels = calloc(side, side);
    CHECK_EQUAL(sdimage_image_new(side, side, side, SDIMAGE_PIXEL_FORMAT_GRAY8, pixels, &image, NULL), 0);
    free(pixels);
    return image;
}

static sdimage_status show_twice(void *user_data, sdimage_photos_asset *asset, sdimage_size size,
                                 const sdimage_photos_request_options *options, sdimage_load_sink *sink) {
    sdimage_image *small = gray_image(4), *large = gray_image(40);
    (void)user_data, (void)asset, (void)size, (void)options;
    sdimage_load_sink_show(sink, small);
    gate_wait(&shown, 1);
    sdimage_load_sink_finish_with_image(sink, large);
    /* Calls after finish are ignored. */
    sdimage_load_sink_show(sink, small);
    sdimage_image_unref(small);
    sdimage_image_unref(large);
    return SDIMAGE_STATUS_OK;
}

static void set_image(void *user_data, const char *key, sdimage_image *image, sdimage_result *result) {
    cell *cell = user_data;
    (void)key;
    if (!image)
        return;
    cell->widths[atomic_fetch_add(&cell->set, 1) % 8] = sdimage_image_width(image);
    if (sdimage_result_kind(result) == SDIMAGE_DELIVERY_KIND_PARTIAL)
        gate_open(&shown);
}

static void theSmallPictureRefreshesATarget(void) {
    static const sdimage_target_vtable table = {.size = sizeof table, .set_image = set_image};
    static const sdimage_photos_library_vtable host = {.size = sizeof host, .fetch = fetch_any, .image = show_twice};
    sdimage_photos_library *library = NULL;
    CHECK_EQUAL(sdimage_photos_library_new_custom("host", &host, NULL, NULL, &library, NULL), 0);
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_request *request = new_request("ph://any");
    deliveries result = {.over = GATE_CLOSED, .progressed = GATE_CLOSED};
    cell cell = {0};
    sdimage_target *target = NULL;
    CHECK_EQUAL(sdimage_target_new(manager, NULL, &table, &cell, NULL, &target, NULL), 0);
    CHECK_EQUAL(sdimage_target_load(target, request, NULL, &delivery_handler, &result, NULL, NULL, NULL), 0);
    wait_for_end(&result);
    CHECK_EQUAL(result.final, 1);
    CHECK_EQUAL(atomic_load(&cell.set), 2);
    CHECK_EQUAL(cell.widths[0], 4);
    CHECK_EQUAL(cell.widths[1], 40);
    sdimage_target_unref(target);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

/* --- posters. */

static bool is_clip(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return length > 12 && !memcmp((const char *)bytes + 4, "ftypisom", 8);
}

static sdimage_status refuse(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error) {
    (void)user_data, (void)bytes, (void)length, (void)options, (void)image, (void)error;
    return SDIMAGE_STATUS_UNSUPPORTED;
}

static sdimage_status open_clip(void *user_data, const sdimage_source *source, const sdimage_decode_options *options,
                                void **instance, sdimage_error **error) {
    char bytes[4];
    size_t count = 0;
    (void)options;
    CHECK_EQUAL(sdimage_source_size(source), 64);
    sdimage_status status = sdimage_source_read(source, 4, bytes, 4, &count, error);
    CHECK(count == 4 && !memcmp(bytes, "ftyp", 4));
    *instance = user_data;
    return status;
}

static sdimage_status poster(void *user_data, void *instance, sdimage_image **image, sdimage_error **error) {
    static const uint8_t pixels[12] = {9};
    (void)user_data, (void)instance;
    return sdimage_image_new(2, 2, 6, SDIMAGE_PIXEL_FORMAT_RGB8, pixels, image, error);
}

static sdimage_status no_update(void *user_data, void *instance, const void *bytes, size_t length, bool finished,
                                sdimage_error **error) {
    (void)user_data, (void)instance, (void)bytes, (void)length, (void)finished, (void)error;
    return SDIMAGE_STATUS_OK;
}

static sdimage_status no_open(void *user_data, const sdimage_decode_options *options, void **instance,
                              sdimage_error **error) {
    (void)options, (void)error;
    *instance = user_data;
    return SDIMAGE_STATUS_OK;
}

static void videosHavePostersOfACoderOrNone(void) {
    static const sdimage_coder_vtable table = {.size = sizeof table,
                                               .can_decode = is_clip,
                                               .decode = refuse,
                                               .open = no_open,
                                               .instance_update = no_update,
                                               .instance_image = poster,
                                               .open_source = open_clip};
    use_folders();
    write_video("album/clip.mp4");
    sdimage_photos_library *library = open_album(false);
    sdimage_manager *manager = new_photo_manager(library, false);
    const char *identifier = identifier_of(library, "clip.mp4");
    deliveries result = load_identifier(manager, identifier, NULL);
    CHECK_EQUAL(result.status, SDIMAGE_STATUS_NOT_AN_IMAGE);
    sdimage_coder *coder = NULL;
    CHECK_EQUAL(sdimage_coder_new_custom("clip", &table, NULL, NULL, &coder, NULL), 0);
    CHECK_EQUAL(sdimage_coder_register(coder, NULL), 0);
    sdimage_manager_forget_failed(manager, NULL, 0);
    result = load_identifier(manager, identifier, NULL);
    CHECK_EQUAL(result.status, SDIMAGE_STATUS_OK);
    CHECK_EQUAL(result.last.width, 2);
    sdimage_coder_unregister(coder, NULL);
    sdimage_coder_unref(coder);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

/* --- beside other loaders and caches. */

static void onlyWhatWillNotChangeIsRememberedAsFailed(void) {
    use_folders();
    write_video("album/clip.mp4");
    write_bytes("album/broken.png", "\x89PNG\r\n\x1a\n and nothing that makes any sense", 40);
    sdimage_photos_library *library = open_album(false);
    sdimage_manager *manager = new_photo_manager(library, true);
    const char *clip = identifier_of(library, "clip.mp4"), *broken = identifier_of(library, "broken.png");
    CHECK_EQUAL(load_identifier(manager, clip, NULL).status, SDIMAGE_STATUS_PHOTOS_NOT_AN_IMAGE);
    CHECK_EQUAL(load_identifier(manager, clip, NULL).status, SDIMAGE_STATUS_FAILED_URL);
    CHECK_EQUAL(load_identifier(manager, broken, NULL).status, SDIMAGE_STATUS_BAD_DATA);
    CHECK_EQUAL(load_identifier(manager, broken, NULL).status, SDIMAGE_STATUS_FAILED_URL);
    CHECK_EQUAL(load_identifier(manager, "nobody", NULL).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    CHECK_EQUAL(load_identifier(manager, "nobody", NULL).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static size_t disk_count(sdimage_cache *cache) {
    sdimage_cache_page *page = NULL;
    CHECK_EQUAL(sdimage_cache_list(cache, NULL, NULL, 100, &page, NULL), 0);
    size_t count = sdimage_cache_page_count(page);
    sdimage_cache_page_unref(page);
    return count;
}

static void theDiskCacheKeepsNoPhoto(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 64, .height = 32});
    sdimage_photos_library *library = open_album(false);
    sdimage_loader *loader = new_photo_loader(library, true);
    sdimage_cache_config *cache_config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(cache_config, path_of("pictures"));
    sdimage_cache *cache = NULL;
    CHECK_EQUAL(sdimage_cache_new(cache_config, &cache, NULL), 0);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager_config_set_loader(config, loader);
    sdimage_manager *manager = NULL;
    CHECK_EQUAL(sdimage_manager_new(config, &manager, NULL), 0);
    char *url = sdimage_photos_url_of_identifier(identifier_of(library, "a.jpg"));
    for (int as_data = 0; as_data < 2; as_data++) {
        sdimage_options *bag = sdimage_options_new();
        sdimage_options_set_bool(bag, SDIMAGE_PHOTOS_REQUEST_DATA, as_data);
        sdimage_request *request = new_request(url);
        sdimage_request_set_options(request, bag);
        sdimage_request_set_thumbnail_size(request, 16, 16, SDIMAGE_SCALE_MODE_ASPECT_FIT);
        sdimage_request_set_source_policy(request, SDIMAGE_SOURCE_POLICY_LOADER_ONLY);
        sdimage_request_set_wait_for_store(request, true);
        CHECK_EQUAL(load(manager, request).last.width, 16);
        CHECK_EQUAL(disk_count(cache), 0);
        sdimage_request_unref(request);
        sdimage_options_unref(bag);
    }
    sdimage_photos_free(url);
    sdimage_manager_unref(manager);
    sdimage_manager_config_unref(config);
    sdimage_cache_unref(cache);
    sdimage_cache_config_unref(cache_config);
    sdimage_loader_unref(loader);
    sdimage_photos_library_unref(library);
}

static void anEditedPhotoIsReloadedByTheRequestOfItsAsset(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 64, .height = 32});
    sdimage_photos_library *library = open_album(false);
    sdimage_loader *loader = new_photo_loader(library, true);
    sdimage_manager *manager = new_manager(NULL, loader, true);
    for (uint32_t width = 64; width >= 32; width -= 32) {
        sdimage_photos_asset *asset = asset_named(library, "a.jpg");
        sdimage_request *request = NULL;
        CHECK_EQUAL(sdimage_photos_asset_request(asset, &request, NULL), 0);
        CHECK_EQUAL(load(manager, request).last.width, width);
        CHECK_EQUAL(load(manager, request).last.width, width);
        sdimage_request_unref(request);
        sdimage_photos_asset_unref(asset);
        write_photo("album/a.jpg", (photo){.width = 32, .height = 32});
    }
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
    sdimage_photos_library_unref(library);
}

static bool takes_http(void *user_data, const sdimage_request *request) {
    (void)user_data;
    return !strncmp(sdimage_request_url(request, NULL), "http:", 5);
}

static sdimage_status load_png(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)user_data, (void)request;
    sdimage_data *data = new_data(png_2x2, sizeof png_2x2);
    sdimage_load_sink_finish_with_data(sink, data);
    sdimage_data_unref(data);
    return SDIMAGE_STATUS_OK;
}

static void httpAndPhWorkThroughOneManager(void) {
    static const sdimage_loader_vtable table = {.size = sizeof table, .can_load = takes_http, .load = load_png};
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 64, .height = 32});
    sdimage_photos_library *library = open_album(false);
    sdimage_loader *http = NULL, *chain = NULL, *photos = new_photo_loader(library, true);
    CHECK_EQUAL(sdimage_loader_new_custom("http", &table, NULL, NULL, &http, NULL), 0);
    CHECK_EQUAL(sdimage_loader_new_chain(&chain, NULL), 0);
    CHECK_EQUAL(sdimage_loader_chain_add(chain, http, NULL), 0);
    CHECK_EQUAL(sdimage_loader_chain_add(chain, photos, NULL), 0);
    CHECK(!strcmp(sdimage_loader_name(photos), "photos"));
    sdimage_manager *manager = new_manager(NULL, chain, false);
    sdimage_request *request = new_request("http://nowhere.example/a.png");
    CHECK_EQUAL(load(manager, request).last.width, 2);
    sdimage_request_unref(request);
    CHECK_EQUAL(load_identifier(manager, identifier_of(library, "a.jpg"), NULL).last.width, 64);
    sdimage_manager_unref(manager);
    sdimage_loader_unref(chain);
    sdimage_loader_unref(http);
    sdimage_loader_unref(photos);
    sdimage_photos_library_unref(library);
}

int main(void) {
    static const test tests[] = {
        TEST(urlsAndIdentifiersGoBothWays),
        TEST(aRequestCanCarryTheAssetItself),
        TEST(onlyPhUrlsAreTaken),
        TEST(anAssetTellsWhatItIs),
        TEST(requestsOverrideWhatTheLoaderWasMadeWith),
        TEST(eachStepHasItsError),
        TEST(animationsComeAsDataUnlessToldOtherwise),
        TEST(theTargetSizeIsThatOfTheRequestOrOfTheOptions),
        TEST(aSmallPictureComesFirstWhereThatIsWanted),
        TEST(theSmallPictureRefreshesATarget),
        TEST(dataIsDecodedWhateverTheTarget),
        TEST(videosHavePostersOfACoderOrNone),
        TEST(onlyWhatWillNotChangeIsRememberedAsFailed),
        TEST(theDiskCacheKeepsNoPhoto),
        TEST(anEditedPhotoIsReloadedByTheRequestOfItsAsset),
        TEST(httpAndPhWorkThroughOneManager),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
