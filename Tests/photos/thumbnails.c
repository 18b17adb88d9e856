/* thumbnails.c: thumbnails, and the parsers of untrusted data; compiled together with the plug-in's sources. */
#include <fcntl.h>
#include <sys/stat.h>

#include "album.h"

#include "exif.h"
#include "fnv.h"
#include "map.h"
#include "md5.h"
#include "probe.h"
#include "request.h"
#include "thumbnail.h"
#include "thumbnail_texts.h"
#include "uri.h"

/* RFC 1321, appendix A.5. */
static void md5IsThatOfTheRfc(void) {
    static const char *const vectors[][2] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        char text[33];
        sdcs_md5_text(vectors[i][0], strlen(vectors[i][0]), text);
        CHECK(!strcmp(text, vectors[i][1]));
    }
}

/* Names that begin at one slot of a table with a known hash, as a database of another program may contain them. */
static void chosenNamesAreSpreadInATable(void) {
    enum { COUNT = 1000, CAPACITY = 2048, LONGEST_RUN = 250 };
    static char names[COUNT][24];
    sdphoto_map map = {NULL, 0, 0};
    for (unsigned number = 0, count = 0; count < COUNT; number++) {
        char name[24];
        size_t length = (size_t)snprintf(name, sizeof name, "shotwell/photo/%u", number);
        uint64_t hash = sdcs_fnv1a(name, length);
        if ((hash ^ hash >> 32) % CAPACITY != 0)
            continue;
        memcpy(names[count], name, sizeof name);
        CHECK(sdphoto_map_set(&map, names[count], length, names[count]));
        count++;
    }
    CHECK_EQUAL(map.capacity, CAPACITY);
    size_t run = 0, longest = 0;
    for (size_t i = 0; i < map.capacity; i++) {
        run = map.slots[i].value ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    CHECK(longest < LONGEST_RUN);
    sdphoto_map_clear(&map);
}

/* The example of the thumbnail specification, and bytes whose escaping must match that of other programs. */
static void urisAreThoseOfFileManagers(void) {
    static const char *const pairs[][2] = {
        {"/home/jens/photos/me.png", "file:///home/jens/photos/me.png"},
        {"/a b/\xc3\xa4;[x].jpg", "file:///a%20b/%C3%A4%3B%5Bx%5D.jpg"},
        {"/it's (1)+2,3=4&5@6:7$8!9~0*.jpg", "file:///it's%20(1)+2,3=4&5@6:7$8!9~0*.jpg"},
        {"/100%?#\"<>\\^`{|}\xff", "file:///100%25%3F%23%22%3C%3E%5C%5E%60%7B%7C%7D%FF"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *uri = sdphoto_file_uri(pairs[i][0]);
        CHECK(uri && !strcmp(uri, pairs[i][1]));
        free(uri);
    }
    char text[33];
    sdcs_md5_text("file:///home/jens/photos/me.png", 31, text);
    CHECK(!strcmp(text, "c6ee772d9e49320e97ec29a7eb5b1697"));
}

/* --- Thumbnails in the user's cache. */

static char *thumbnail_path(const char *folder, const char *file) {
    static char path[700];
    char digest[33], *uri = sdphoto_file_uri(path_of(file));
    sdcs_md5_text(uri, strlen(uri), digest);
    free(uri);
    snprintf(path, sizeof path, "cache/thumbnails/%s/%s.png", folder, digest);
    return path;
}

static sdimage_photos_library *library;

static sdimage_photos_asset *album_with(uint32_t width, uint32_t height) {
    use_folders();
    write_photo("album/a b.jpg", (photo){.width = width, .height = height});
    library = open_album(false);
    return asset_named(library, "a b.jpg");
}

static void done(sdimage_photos_asset *asset) {
    sdimage_photos_asset_unref(asset);
    sdimage_photos_library_unref(library);
}

static void thumbnailsAreWrittenWhenAskedAsTheSpecificationWants(void) {
    sdimage_photos_asset *asset = album_with(600, 300);
    CHECK(!exists("cache/thumbnails"));
    CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 200, NULL), 0);
    const char *path = thumbnail_path("large", "album/a b.jpg");
    struct stat status;
    CHECK_EQUAL(stat(path_of(path), &status), 0);
    CHECK_EQUAL(status.st_mode & 0777, 0600);
    CHECK_EQUAL(stat(path_of("cache/thumbnails/large"), &status), 0);
    CHECK_EQUAL(status.st_mode & 0777, 0700);
    static char bytes[1 << 18];
    FILE *file = fopen(path_of(path), "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    sdimage_info *info = NULL;
    sdimage_data *json = NULL;
    CHECK_EQUAL(sdimage_info_new(bytes, length, NULL, &info, NULL), 0);
    CHECK_EQUAL(sdimage_info_to_json(info, &json, NULL), 0);
    sdimage_info_unref(info);
    const char *text = sdimage_data_bytes(json);
    size_t count = sdimage_data_length(json);
    char wanted[600], *uri = sdphoto_file_uri(path_of("album/a b.jpg"));
    snprintf(wanted, sizeof wanted, "\"Thumb::URI\": \"%s\"", uri);
    CHECK(memmem(text, count, wanted, strlen(wanted)) != NULL);
    snprintf(wanted, sizeof wanted, "\"Thumb::MTime\": \"%lld\"",
             (long long)(sdimage_photos_asset_modified_ns(asset) / 1000000000));
    CHECK(memmem(text, count, wanted, strlen(wanted)) != NULL);
    CHECK(memmem(text, count, "\"Thumb::Image::Width\": \"600\"", 28) != NULL);
    CHECK(memmem(text, count, "\"Thumb::Mimetype\": \"image/jpeg\"", 31) != NULL);
    CHECK(memmem(text, count, "\"width\": 256", 12) != NULL);
    free(uri);
    sdimage_data_unref(json);
    sdimage_image *image =
        sdphoto_thumbnail_find(path_of("album/a b.jpg"), sdimage_photos_asset_modified_ns(asset), 128);
    CHECK_EQUAL(sdimage_image_width(image), 256);
    sdimage_image_unref(image);
    done(asset);
}

static void thumbnailsOfAnotherTimeOrFileDoNotCount(void) {
    sdimage_photos_asset *asset = album_with(600, 300);
    int64_t modified = sdimage_photos_asset_modified_ns(asset);
    CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 128, NULL), 0);
    CHECK(sdphoto_thumbnail_find(path_of("album/a b.jpg"), modified + 1000000000, 128) == NULL);
    CHECK(sdphoto_thumbnail_find(path_of("album/a b.jpg"), modified - 1000000000, 128) == NULL);
    char path[700];
    snprintf(path, sizeof path, "%s", thumbnail_path("normal", "album/a b.jpg"));
    move_file(path, thumbnail_path("normal", "album/other.jpg"));
    CHECK(sdphoto_thumbnail_find(path_of("album/other.jpg"), modified, 128) == NULL);
    CHECK(sdphoto_thumbnail_find(path_of("album/a b.jpg"), modified, 128) == NULL);
    done(asset);
}

static void whatFailedIsNotTriedAgainUntilItChanges(void) {
    use_folders();
    write_bytes("album/a b.jpg", "\xff\xd8\xff\xe0 and nothing more", 21);
    library = open_album(false);
    sdimage_photos_asset *asset = asset_named(library, "a b.jpg");
    CHECK(sdimage_photos_asset_write_thumbnail(asset, 128, NULL) < 0);
    CHECK(exists(thumbnail_path("fail/libsdimage-1", "album/a b.jpg")));
    CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 128, NULL), SDIMAGE_STATUS_BAD_DATA);
    sdimage_photos_asset_unref(asset);
    write_photo("album/a b.jpg", (photo){.width = 20, .height = 20});
    static const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
    CHECK_EQUAL(utimensat(AT_FDCWD, path_of("album/a b.jpg"), times, 0), 0);
    asset = asset_named(library, "a b.jpg");
    CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 128, NULL), 0);
    CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 0, NULL), SDIMAGE_STATUS_INVALID_ARGUMENT);
    remove_file("album/a b.jpg");
    CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 128, NULL), SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    done(asset);
}

static void aThumbnailIsTheFirstPictureAndThePoster(void) {
    use_folders();
    write_photo("album/a b.jpg", (photo){.width = 300, .height = 300, .shade = 200});
    library = open_album(false);
    sdimage_photos_asset *asset = asset_named(library, "a b.jpg");
    CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 128, NULL), 0);
    /* Another file replaces it within the same second: the thumbnail is taken for that of the new file. */
    int64_t seconds = sdimage_photos_asset_modified_ns(asset) / 1000000000;
    write_video("album/a b.jpg");
    struct timespec times[2] = {{seconds, 5}, {seconds, 5}};
    CHECK_EQUAL(utimensat(AT_FDCWD, path_of("album/a b.jpg"), times, 0), 0);
    sdimage_manager *manager = new_photo_manager(library, false);
    const char *identifier = identifier_of(library, "a b.jpg");
    deliveries result = load_identifier(manager, identifier, NULL);
    CHECK_EQUAL(result.status, 0);
    CHECK_EQUAL(result.last.width, 128);
    CHECK(result.red > 0.7);
    sdimage_manager_unref(manager);
    done(asset);
}

static void theSmallestThumbnailThatIsLargeEnoughIsTaken(void) {
    sdimage_photos_asset *asset = album_with(1200, 1200);
    static const uint32_t sides[] = {128, 256, 512, 1024};
    const char *path = sdimage_photos_asset_path(asset);
    int64_t modified = sdimage_photos_asset_modified_ns(asset);
    for (size_t i = 0; i < 4; i++)
        CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, sides[i], NULL), 0);
    static const uint32_t cases[][2] = {{1, 128}, {128, 128}, {129, 256}, {600, 1024}, {5000, 1024}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sdimage_image *image = sdphoto_thumbnail_find(path, modified, cases[i][0]);
        CHECK_EQUAL(sdimage_image_width(image), cases[i][1]);
        sdimage_image_unref(image);
    }
    done(asset);
}

/* A thumbnail of another program, whose file is small: 12 MB of pixels of one color. */
static void largeThumbnailsDoNotCount(void) {
    enum { SIDE = 2000 };
    sdimage_photos_asset *asset = album_with(600, 600);
    int64_t modified = sdimage_photos_asset_modified_ns(asset);
    char *uri = sdphoto_file_uri(sdimage_photos_asset_path(asset));
    CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 128, NULL), 0);
    uint8_t *pixels = calloc(SIDE * SIDE, 3);
    sdimage_image *image = NULL;
    sdimage_data *png = NULL;
    sdphoto_buffer made = {0};
    CHECK_EQUAL(sdimage_image_new(SIDE, SIDE, SIDE * 3, SDIMAGE_PIXEL_FORMAT_RGB8, pixels, &image, NULL), 0);
    CHECK_EQUAL(sdimage_encode(image, SDIMAGE_FORMAT_PNG, NULL, &png, NULL), 0);
    CHECK(sdphoto_thumbnail_put_texts(&made, png, asset, uri));
    write_bytes(thumbnail_path("normal", "album/a b.jpg"), made.bytes, made.length);
    CHECK(sdphoto_thumbnail_find(sdimage_photos_asset_path(asset), modified, 128) == NULL);
    sdimage_data_unref(png);
    sdimage_image_unref(image);
    free(made.bytes);
    free(pixels);
    free(uri);
    done(asset);
}

/* --- Sizes. */

static void aPictureThatCoversABoxIsCutNowhere(void) {
    sdphoto_bounds bounds = {{100, 100}, SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL};
    sdimage_size size = sdphoto_size_of(bounds, (sdimage_size){201, 150});
    CHECK_EQUAL(size.width, 134);
    CHECK_EQUAL(size.height, 100);
    size = sdphoto_size_of(bounds, (sdimage_size){150, 201});
    CHECK_EQUAL(size.width, 100);
    CHECK_EQUAL(size.height, 134);
    CHECK_EQUAL(sdphoto_size_of(bounds, (sdimage_size){50, 200}).width, 0);
    CHECK_EQUAL(sdphoto_size_of(bounds, (sdimage_size){0, 0}).width, 100);
    CHECK_EQUAL(sdphoto_size_of((sdphoto_bounds){{UINT32_MAX, UINT32_MAX}, SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL},
                                (sdimage_size){UINT32_MAX, 1})
                    .width,
                0);
    bounds.content = SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT;
    CHECK_EQUAL(sdphoto_size_of(bounds, (sdimage_size){201, 150}).width, 100);
}

/* --- Arbitrary input. */

static uint32_t state = 1;

static uint32_t random_number(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void mutate(uint8_t *bytes, size_t length) {
    for (uint32_t i = 0, changes = 1 + random_number() % 8; i < changes && length; i++)
        bytes[random_number() % length] =
            (uint8_t)(random_number() % 4 ? random_number() : (random_number() % 2 ? 0xff : 0));
}

/* Each input has memory of its own, so that a read beyond its end is detected. */
static void feed(const void *bytes, size_t length, void (*parse)(const uint8_t *bytes, size_t length)) {
    uint8_t *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    parse(copy, length);
    free(copy);
}

static void parse_exif(const uint8_t *bytes, size_t length) {
    sdphoto_exif exif = sdphoto_exif_read(bytes, length);
    uint8_t sum = 0;
    for (size_t i = 0; i < exif.thumbnail_length; i++)
        sum ^= exif.thumbnail[i];
    CHECK(exif.orientation <= 8 && (sum || !sum));
}

static void parse_texts(const uint8_t *bytes, size_t length) {
    char uri[64];
    int64_t seconds;
    if (sdphoto_thumbnail_texts(bytes, length, uri, sizeof uri, &seconds))
        CHECK(strlen(uri) < sizeof uri);
}

static void parse_url(const uint8_t *bytes, size_t length) {
    char *identifier = sdimage_photos_identifier_of_url((const char *)bytes, length);
    if (!identifier)
        return;
    /* An identifier that was parsed can be written, and parsed again. */
    char *url = sdimage_photos_url_of_identifier(identifier);
    char *again = url ? sdimage_photos_identifier_of_url(url, SDIMAGE_NUL_TERMINATED) : NULL;
    CHECK(!*identifier || (again && !strcmp(again, identifier)));
    free(again);
    free(url);
    free(identifier);
}

static void sniff(const uint8_t *bytes, size_t length) {
    sdphoto_info info;
    sdphoto_sniff(bytes, length, &info);
    CHECK(strlen(info.type) < sizeof info.type);
}

static void arbitraryBytesBreakNoParser(void) {
    static uint8_t seeds[4][200] = {
        "II*\0\x08\0\0\0\x02\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\x69\x87\x04\0\x01\0\0\0\x26\0\0\0\x40\0\0\0"
        "\x01\0\x03\x90\x02\0\x14\0\0\0\x60\0\0\0\0\0\0\0",
        "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89\0\0\0\x12tEXtThumb::URI\0file:///"
        "xxxx\0\0\0\x10tEXtThumb::MTime\0123xxxx\0\0\0\0IEND",
        "ph://B84E8479%2F475C?a#b",
        "\0\0\0\x20"
        "ftypisom\0\0\2\0isomiso2"};
    static void (*const parsers[4])(const uint8_t *, size_t) = {parse_exif, parse_texts, parse_url, sniff};
    const char *wanted = getenv("SDIMAGE_FUZZ_ROUNDS");
    long rounds = wanted ? atol(wanted) : 20000;
    for (long i = 0; i < rounds; i++) {
        uint8_t bytes[200];
        size_t which = (size_t)i % 4;
        memcpy(bytes, seeds[which], sizeof bytes);
        mutate(bytes, sizeof bytes);
        feed(bytes, random_number() % 3 ? sizeof bytes : random_number() % sizeof bytes, parsers[which]);
    }
}

static void datesAndOffsetsOfExifAreChecked(void) {
    static const struct {
        const char *date, *offset;
        bool has_date;
        int64_t seconds;
    } cases[] = {
        {"2024:02:29 23:59:59", "+00:00", true, 1709251199},  {"2024:02:29 23:59:59", "-01:30", true, 1709256599},
        {"2024:02:29 23:59:59", "rubbish", true, 1709251199}, {"2024-02-29 23:59:59", "+00:00", false, 0},
        {"0000:00:00 00:00:00", "+00:00", false, 0},          {"2024:13:01 00:00:00", "+00:00", false, 0}};
    use_folders();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_photo("album/a.jpg", (photo){.width = 8, .height = 8, .date = cases[i].date, .offset = cases[i].offset});
        library = open_album(false);
        sdimage_photos_asset *asset = asset_named(library, "a.jpg");
        int64_t taken = sdimage_photos_asset_taken_ns(asset);
        CHECK_EQUAL(taken, cases[i].has_date ? cases[i].seconds * 1000000000 : sdimage_photos_asset_modified_ns(asset));
        done(asset);
        remove_file("album/a.jpg");
    }
}

int main(void) {
    static const test tests[] = {
        TEST(md5IsThatOfTheRfc),
        TEST(chosenNamesAreSpreadInATable),
        TEST(urisAreThoseOfFileManagers),
        TEST(thumbnailsAreWrittenWhenAskedAsTheSpecificationWants),
        TEST(thumbnailsOfAnotherTimeOrFileDoNotCount),
        TEST(whatFailedIsNotTriedAgainUntilItChanges),
        TEST(aThumbnailIsTheFirstPictureAndThePoster),
        TEST(theSmallestThumbnailThatIsLargeEnoughIsTaken),
        TEST(largeThumbnailsDoNotCount),
        TEST(aPictureThatCoversABoxIsCutNowhere),
        TEST(datesAndOffsetsOfExifAreChecked),
        TEST(arbitraryBytesBreakNoParser),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
