/* getters.c: every property of the options of the photos plug-in can be read. */
#include <sdimage/plugins/photos_loader.h>
#include <sdimage/plugins/sys/photos_source.h>

#include "check.h"

static void fetchOptionsCanBeRead(void) {
    sdimage_photos_fetch_options *options = sdimage_photos_fetch_options_new();
    int64_t from = 1, until = 1;
    size_t offset = 1, limit = 1;
    CHECK_EQUAL(sdimage_photos_fetch_options_media(options), SDIMAGE_PHOTOS_MEDIA_ALL);
    CHECK_EQUAL(sdimage_photos_fetch_options_origins(options), SDIMAGE_PHOTOS_ORIGIN_ALL);
    CHECK(!sdimage_photos_fetch_options_album(options) && !sdimage_photos_fetch_options_is_album_nested(options));
    CHECK_EQUAL(sdimage_photos_fetch_options_rating(options), -1);
    CHECK_EQUAL(sdimage_photos_fetch_options_order(options), SDIMAGE_PHOTOS_ORDER_DATE);
    CHECK(sdimage_photos_fetch_options_is_order_descending(options));
    sdimage_photos_fetch_options_get_taken(options, &from, &until);
    sdimage_photos_fetch_options_get_page(options, &offset, &limit);
    CHECK(from == 0 && until == 0 && offset == 0 && limit == 0);

    sdimage_photos_fetch_options_set_media(options, SDIMAGE_PHOTOS_MEDIA_VIDEO);
    sdimage_photos_fetch_options_set_origins(options, SDIMAGE_PHOTOS_ORIGIN_OWN);
    sdimage_photos_fetch_options_set_album(options, "2024/May", true);
    sdimage_photos_fetch_options_set_rating(options, 3);
    sdimage_photos_fetch_options_set_order(options, SDIMAGE_PHOTOS_ORDER_SIZE, false);
    sdimage_photos_fetch_options_set_taken(options, 5, 9);
    sdimage_photos_fetch_options_set_page(options, 10, 20);
    CHECK_EQUAL(sdimage_photos_fetch_options_media(options), SDIMAGE_PHOTOS_MEDIA_VIDEO);
    CHECK_EQUAL(sdimage_photos_fetch_options_origins(options), SDIMAGE_PHOTOS_ORIGIN_OWN);
    CHECK(!strcmp(sdimage_photos_fetch_options_album(options), "2024/May"));
    CHECK(sdimage_photos_fetch_options_is_album_nested(options));
    CHECK_EQUAL(sdimage_photos_fetch_options_rating(options), 3);
    CHECK_EQUAL(sdimage_photos_fetch_options_order(options), SDIMAGE_PHOTOS_ORDER_SIZE);
    CHECK(!sdimage_photos_fetch_options_is_order_descending(options));
    sdimage_photos_fetch_options_get_taken(options, &from, &until);
    sdimage_photos_fetch_options_get_page(options, &offset, &limit);
    CHECK(from == 5 && until == 9 && offset == 10 && limit == 20);
    sdimage_photos_fetch_options_get_taken(NULL, &from, NULL);
    sdimage_photos_fetch_options_get_page(options, NULL, NULL);
    CHECK(from == 0);
    sdimage_photos_fetch_options_unref(options);
}

static void theTargetCanBeRead(void) {
    sdimage_photos_request_options *options = sdimage_photos_request_options_new();
    CHECK_EQUAL(sdimage_photos_request_options_target(options), SDIMAGE_PHOTOS_TARGET_MAXIMUM);
    sdimage_photos_request_options_set_target(options, 7, 9);
    CHECK_EQUAL(sdimage_photos_request_options_target(options), SDIMAGE_PHOTOS_TARGET_BOX);
    CHECK_EQUAL(sdimage_photos_request_options_target_size(options).width, 7);
    CHECK_EQUAL(sdimage_photos_request_options_target_size(options).height, 9);
    sdimage_photos_request_options_set_target_pixel_size(options);
    CHECK_EQUAL(sdimage_photos_request_options_target(options), SDIMAGE_PHOTOS_TARGET_PIXEL_SIZE);
    CHECK_EQUAL(sdimage_photos_request_options_target_size(options).width, 0);
    sdimage_photos_request_options_set_target_point_size(options);
    CHECK_EQUAL(sdimage_photos_request_options_target(options), SDIMAGE_PHOTOS_TARGET_POINT_SIZE);
    sdimage_photos_request_options_set_target_maximum(options);
    CHECK_EQUAL(sdimage_photos_request_options_target(options), SDIMAGE_PHOTOS_TARGET_MAXIMUM);
    sdimage_photos_request_options_unref(options);
}

static void valuesOfARequestCanBeRead(void) {
    sdimage_options *bag = sdimage_options_new();
    sdimage_photos_request_options *request = sdimage_photos_request_options_new(), *request_read = NULL;
    sdimage_photos_fetch_options *fetch = sdimage_photos_fetch_options_new(), *fetch_read = NULL;
    sdimage_photos_asset_config *config = sdimage_photos_asset_config_new("a");
    sdimage_photos_asset *asset = sdimage_photos_asset_new(config), *asset_read = NULL;
    sdimage_photos_get_request_options(bag, &request_read);
    sdimage_photos_get_fetch_options(bag, &fetch_read);
    sdimage_photos_get_asset(bag, &asset_read);
    CHECK(!request_read && !fetch_read && !asset_read);
    sdimage_photos_set_request_options(bag, request);
    sdimage_photos_set_fetch_options(bag, fetch);
    sdimage_photos_set_asset(bag, asset);
    sdimage_photos_get_request_options(bag, &request_read);
    sdimage_photos_get_fetch_options(bag, &fetch_read);
    sdimage_photos_get_asset(bag, &asset_read);
    CHECK(request_read == request && fetch_read == fetch && asset_read == asset);
    sdimage_photos_get_asset(NULL, NULL);
    sdimage_options_unref(bag);
    sdimage_photos_request_options_unref(request_read);
    sdimage_photos_request_options_unref(request);
    sdimage_photos_fetch_options_unref(fetch_read);
    sdimage_photos_fetch_options_unref(fetch);
    sdimage_photos_asset_unref(asset_read);
    sdimage_photos_asset_unref(asset);
    sdimage_photos_asset_config_unref(config);
}

static void no_fetch(void *user_data, const char *identifier, const sdimage_photos_fetch_options *options,
                     sdimage_photos_reply *reply) {
    (void)user_data, (void)identifier, (void)options;
    sdimage_photos_reply_unref(reply);
}

static sdimage_status no_image(void *user_data, sdimage_photos_asset *asset, sdimage_size size,
                               const sdimage_photos_request_options *options, sdimage_load_sink *sink) {
    (void)user_data, (void)asset, (void)size, (void)options, (void)sink;
    return SDIMAGE_STATUS_UNSUPPORTED;
}

static void configurationsCanBeRead(void) {
    const sdimage_photos_library_vtable table = {.size = sizeof table, .fetch = no_fetch, .image = no_image};
    sdimage_photos_loader_config *config = sdimage_photos_loader_config_new();
    sdimage_photos_library *library = NULL, *library_read = NULL;
    sdimage_photos_fetch_options *fetch = sdimage_photos_fetch_options_new(), *fetch_read = NULL;
    sdimage_photos_request_options *request = sdimage_photos_request_options_new(), *request_read = NULL;
    CHECK_EQUAL(sdimage_photos_library_new_custom("own", &table, NULL, NULL, &library, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_photos_loader_config_library_count(config), 0);
    CHECK(sdimage_photos_loader_config_add_library(config, library));
    CHECK_EQUAL(sdimage_photos_loader_config_library_count(config), 1);
    sdimage_photos_loader_config_get_library(config, 0, &library_read);
    CHECK(library_read == library);
    sdimage_photos_library_unref(library_read);
    sdimage_photos_loader_config_get_library(config, 1, &library_read);
    CHECK(!library_read);
    CHECK(sdimage_photos_loader_config_is_images_only(config));
    sdimage_photos_loader_config_set_images_only(config, false);
    CHECK(!sdimage_photos_loader_config_is_images_only(config));
    CHECK_EQUAL(sdimage_photos_loader_config_max_file_bytes(config), 256 << 20);
    sdimage_photos_loader_config_set_max_file_bytes(config, 9);
    CHECK_EQUAL(sdimage_photos_loader_config_max_file_bytes(config), 9);
    sdimage_photos_loader_config_set_max_file_bytes(config, 0);
    CHECK_EQUAL(sdimage_photos_loader_config_max_file_bytes(config), 256 << 20);
    sdimage_photos_loader_config_set_fetch_options(config, fetch);
    sdimage_photos_loader_config_set_request_options(config, request);
    sdimage_photos_loader_config_get_fetch_options(config, &fetch_read);
    sdimage_photos_loader_config_get_request_options(config, &request_read);
    CHECK(fetch_read == fetch && request_read == request);
    sdimage_photos_fetch_options_unref(fetch_read);
    sdimage_photos_fetch_options_unref(fetch);
    sdimage_photos_request_options_unref(request_read);
    sdimage_photos_request_options_unref(request);
    sdimage_photos_loader_config_unref(config);
    sdimage_photos_library_unref(library);

    sdimage_photos_library_config *tree = sdimage_photos_library_config_new();
    CHECK(!sdimage_photos_library_config_index_folder(tree) && sdimage_photos_library_config_should_watch(tree));
    sdimage_photos_library_config_set_index_folder(tree, "/tmp/index");
    sdimage_photos_library_config_set_watch(tree, false);
    CHECK(!strcmp(sdimage_photos_library_config_index_folder(tree), "/tmp/index"));
    CHECK(!sdimage_photos_library_config_should_watch(tree));
    sdimage_photos_library_config_unref(tree);
}

static void aTextCanBeSetToItself(void) {
    sdimage_photos_fetch_options *options = sdimage_photos_fetch_options_new();
    sdimage_photos_fetch_options_set_album(options, "2024/May", false);
    sdimage_photos_fetch_options_set_album(options, sdimage_photos_fetch_options_album(options), true);
    CHECK(!strcmp(sdimage_photos_fetch_options_album(options), "2024/May"));
    CHECK(sdimage_photos_fetch_options_is_album_nested(options));
    sdimage_photos_fetch_options_unref(options);
    sdimage_photos_library_config *tree = sdimage_photos_library_config_new();
    sdimage_photos_library_config_set_index_folder(tree, "/tmp/index");
    sdimage_photos_library_config_set_index_folder(tree, sdimage_photos_library_config_index_folder(tree));
    CHECK(!strcmp(sdimage_photos_library_config_index_folder(tree), "/tmp/index"));
    sdimage_photos_library_config_unref(tree);
}

static void newAssetsCanBeRead(void) {
    sdimage_photos_asset_config *config = sdimage_photos_asset_config_new("a");
    int64_t taken = 1, modified = 1;
    CHECK_EQUAL(sdimage_photos_asset_config_media(config), SDIMAGE_PHOTOS_MEDIA_IMAGE);
    CHECK_EQUAL(sdimage_photos_asset_config_origin(config), SDIMAGE_PHOTOS_ORIGIN_OWN);
    CHECK_EQUAL(sdimage_photos_asset_config_playback(config), SDIMAGE_PHOTOS_PLAYBACK_STILL);
    CHECK_EQUAL(sdimage_photos_asset_config_format(config), SDIMAGE_FORMAT_UNKNOWN);
    sdimage_photos_asset_config_set_format(config, SDIMAGE_FORMAT_GIF);
    CHECK_EQUAL(sdimage_photos_asset_config_format(config), SDIMAGE_FORMAT_GIF);
    CHECK_EQUAL(sdimage_photos_asset_config_playback(config), SDIMAGE_PHOTOS_PLAYBACK_ANIMATED);
    sdimage_photos_asset_config_set_media(config, SDIMAGE_PHOTOS_MEDIA_VIDEO);
    CHECK_EQUAL(sdimage_photos_asset_config_media(config), SDIMAGE_PHOTOS_MEDIA_VIDEO);
    CHECK_EQUAL(sdimage_photos_asset_config_playback(config), SDIMAGE_PHOTOS_PLAYBACK_VIDEO);
    sdimage_photos_asset_config_set_playback(config, SDIMAGE_PHOTOS_PLAYBACK_STILL);
    CHECK_EQUAL(sdimage_photos_asset_config_playback(config), SDIMAGE_PHOTOS_PLAYBACK_STILL);
    sdimage_photos_asset_config_set_origin(config, SDIMAGE_PHOTOS_ORIGIN_SYNCED);
    CHECK_EQUAL(sdimage_photos_asset_config_origin(config), SDIMAGE_PHOTOS_ORIGIN_SYNCED);
    sdimage_photos_asset_config_set_pixel_size(config, 7, 9);
    CHECK_EQUAL(sdimage_photos_asset_config_pixel_size(config).height, 9);
    sdimage_photos_asset_config_get_dates(config, &taken, &modified);
    CHECK(taken == 0 && modified == 0);
    sdimage_photos_asset_config_set_dates(config, 5, 9);
    sdimage_photos_asset_config_get_dates(config, &taken, &modified);
    CHECK(taken == 5 && modified == 9);
    sdimage_photos_asset_config_set_rating(config, 4);
    CHECK_EQUAL(sdimage_photos_asset_config_rating(config), 4);
    CHECK(!strcmp(sdimage_photos_asset_config_name(config), ""));
    sdimage_photos_asset_config_set_name(config, "a.gif");
    CHECK(!strcmp(sdimage_photos_asset_config_name(config), "a.gif"));
    CHECK(!sdimage_photos_asset_config_album(config, 0));
    sdimage_photos_asset_config_add_album(config, "May");
    CHECK(!strcmp(sdimage_photos_asset_config_album(config, 0), "May"));
    CHECK(!sdimage_photos_asset_config_album(config, 1));
    CHECK(!strcmp(sdimage_photos_asset_config_name(NULL), ""));
    sdimage_photos_asset_config_unref(config);
}

int main(void) {
    static const test tests[] = {
        TEST(fetchOptionsCanBeRead),   TEST(theTargetCanBeRead),    TEST(valuesOfARequestCanBeRead),
        TEST(configurationsCanBeRead), TEST(aTextCanBeSetToItself), TEST(newAssetsCanBeRead),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
