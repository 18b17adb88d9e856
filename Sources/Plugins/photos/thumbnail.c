/* thumbnail.c: thumbnails of the freedesktop specification, and in EXIF blocks (see thumbnail.h). Blocks; needs no
 * lock.
 *
 * The name of a thumbnail is the MD5 of the file's URI. It is valid if its texts name the same URI and the time of the
 * file. Other programs write to the same folder: nothing in it is trusted. */
#include "thumbnail.h"

#include <sdimage/data.h>
#include <sdimage/encode.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exif.h"
#include "fail.h"
#include "folders.h"
#include "md5.h"
#include "probe.h"
#include "support.h"
#include "thumbnail_texts.h"
#include "uri.h"

/* Limits: a thumbnail of the specification has at most 1,024 x 1,024 pixels of 32 bits, and those of cameras are not
 * much larger. BITMAP_LIMIT is for both: without it, a small file would take as much memory as a photo. */
enum { FILE_LIMIT = 8 << 20, BITMAP_LIMIT = 8 << 20, URI_LIMIT = 3 * 4096 + 16 };

/* Folders of the specification, and the longest side of their thumbnails in pixels. */
static const struct {
    const char *folder;
    uint32_t side;
} sizes[] = {{"normal", 128}, {"large", 256}, {"x-large", 512}, {"xx-large", 1024}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Reads a thumbnail if its URI and time match the file. */
static sdimage_data *read_valid(const char *path, const char *uri, int64_t modified_ns) {
    sdimage_data *data = NULL;
    char stored_uri[URI_LIMIT];
    int64_t seconds = 0;
    int descriptor = sdphoto_open_file(AT_FDCWD, path);
    if (descriptor < 0)
        return NULL;
    sdimage_status status = sdphoto_read_all(descriptor, FILE_LIMIT, &data, NULL);
    close(descriptor);
    if (status < 0)
        return NULL;
    /* Whole seconds, as the specification stores them. */
    if (sdphoto_thumbnail_texts(sdimage_data_bytes(data), sdimage_data_length(data), stored_uri, sizeof stored_uri,
                                &seconds) &&
        strcmp(stored_uri, uri) == 0 && seconds == sdphoto_thumbnail_seconds(modified_ns))
        return data;
    sdimage_data_unref(data);
    return NULL;
}

/* Returns thumbnails/FOLDER/DIGEST.png, to be freed. */
static char *thumbnail_path(const char *folder, const char *uri) {
    char digest[33], name[80];
    sdcs_md5_text(uri, strlen(uri), digest);
    snprintf(name, sizeof name, "%s/%s.png", folder, digest);
    char *thumbnails = sdphoto_cache_folder("thumbnails/");
    char *path = thumbnails ? sdphoto_join(thumbnails, name, NULL) : NULL;
    free(thumbnails);
    return path;
}

/* Decodes a thumbnail; NULL for a damaged or large one. */
static sdimage_image *decoded(const void *bytes, size_t length) {
    sdimage_image *image = NULL;
    sdimage_decode_options *options = sdimage_decode_options_new();
    if (!options)
        return NULL;
    sdimage_decode_options_set_max_bytes(options, BITMAP_LIMIT);
    sdimage_decode_options_set_first_frame_only(options, true);
    sdimage_decode(bytes, length, options, &image, NULL);
    sdimage_decode_options_unref(options);
    return image;
}

/* Finds and decodes the thumbnail in a folder; NULL for none. */
static sdimage_image *find_in(const char *folder, const char *uri, int64_t modified_ns) {
    char *path = thumbnail_path(folder, uri);
    sdimage_data *data = path ? read_valid(path, uri, modified_ns) : NULL;
    free(path);
    sdimage_image *image = data ? decoded(sdimage_data_bytes(data), sdimage_data_length(data)) : NULL;
    sdimage_data_unref(data);
    return image;
}

sdimage_image *sdphoto_thumbnail_find(const char *path, int64_t modified_ns, uint32_t side) {
    sdimage_image *image = NULL;
    char *uri = sdphoto_file_uri(path);
    if (!uri)
        return NULL;
    /* From the smallest that suffices upwards. */
    for (size_t i = 0; i < SIZES && !image; i++)
        if (sizes[i].side >= side)
            image = find_in(sizes[i].folder, uri, modified_ns);
    /* Else the largest of those that are too small. */
    for (size_t i = SIZES; i-- > 0 && !image;)
        if (sizes[i].side < side)
            image = find_in(sizes[i].folder, uri, modified_ns);
    free(uri);
    return image;
}

/* Reports that two images have the same aspect ratio up to rounding. Others were cropped, or have black bars. */
static bool has_shape(uint32_t width, uint32_t height, sdimage_size size) {
    if (!width || !height || !size.width || !size.height)
        return false;
    double ratio = (double)width / height * size.height / size.width;
    return ratio > 0.95 && ratio < 1.05;
}

/* Decodes the embedded JPEG with the orientation of the main image, because the JPEG has none of its own. An APP1
 * segment inserted after its first marker sets it. */
static sdimage_image *decode_turned(const uint8_t *jpeg, size_t length, sdimage_orientation orientation) {
    /* APP1 of 34 bytes: "Exif", and a big-endian TIFF structure of one directory with the tag 0x0112. */
    uint8_t segment[] = {0xff, 0xe1, 0, 34, 'E', 'x',  'i',  'f', 0, 0, 'M', 'M', 0, 42, 0,
                         0,    0,    8, 0,  1,   0x01, 0x12, 0,   3, 0, 0,   0,   1, 0,  (uint8_t)orientation,
                         0,    0,    0, 0,  0,   0};
    size_t room;
    if (length < 4 || __builtin_add_overflow(length, sizeof segment, &room))
        return NULL;
    uint8_t *bytes = malloc(room);
    if (!bytes)
        return NULL;
    memcpy(bytes, jpeg, 2);
    memcpy(bytes + 2, segment, sizeof segment);
    memcpy(bytes + 2 + sizeof segment, jpeg + 2, length - 2);
    sdimage_image *image = decoded(bytes, room);
    free(bytes);
    return image;
}

sdimage_image *sdphoto_thumbnail_in_exif(const void *head, size_t length, const sdphoto_info *info) {
    sdimage_info *header = NULL;
    if (sdimage_info_new(head, length, NULL, &header, NULL) < 0)
        return NULL;
    const sdimage_data *exif = sdimage_info_exif(header);
    sdphoto_exif read = sdphoto_exif_read(sdimage_data_bytes(exif), sdimage_data_length(exif));
    sdimage_image *image =
        read.thumbnail ? decode_turned(read.thumbnail, read.thumbnail_length, info->orientation) : NULL;
    sdimage_info_unref(header);
    if (image && !has_shape(sdimage_image_width(image), sdimage_image_height(image), info->size)) {
        sdimage_image_unref(image);
        return NULL;
    }
    return image;
}

/* --- Writing. */

/* Creates folders with access for the user only, as the specification requires. */
static bool make_folders(char *path) {
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!is_there)
            return false;
    }
    return true;
}

/* Writes all bytes; false with errno. */
static bool write_all(int descriptor, const uint8_t *bytes, size_t length) {
    while (length) {
        ssize_t count = write(descriptor, bytes, length);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        }
    }
    return true;
}

/* Writes a file atomically: to a temporary file beside it, which is then renamed. */
static sdimage_status write_file(char *path, const uint8_t *bytes, size_t length, sdimage_error **error) {
    char *temporary = sdphoto_join(path, ".XXXXXX", NULL);
    if (!temporary)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for a name");
    /* mkostemp sets mode 0600. */
    int descriptor = make_folders(path) ? mkostemp(temporary, O_CLOEXEC) : -1;
    bool is_written = descriptor >= 0 && write_all(descriptor, bytes, length);
    int number = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && is_written) {
        is_written = false;
        number = errno;
    }
    if (is_written && rename(temporary, path) != 0) {
        is_written = false;
        number = errno;
    }
    if (!is_written && descriptor >= 0)
        unlink(temporary);
    free(temporary);
    return is_written ? SDIMAGE_STATUS_OK : sdphoto_fail_file(error, number);
}

/* Encodes an image as PNG with the texts of an asset, and stores it in a folder. */
static sdimage_status write_thumbnail(const sdimage_image *image, const sdimage_photos_asset *asset, const char *folder,
                                      const char *uri, sdimage_error **error) {
    sdimage_data *png = NULL;
    sdimage_status status = sdimage_encode(image, SDIMAGE_FORMAT_PNG, NULL, &png, error);
    if (status < 0)
        return status;
    /* The texts are inserted into the PNG of the library. */
    sdphoto_buffer made = {0};
    char *path = thumbnail_path(folder, uri);
    if (path && sdphoto_thumbnail_put_texts(&made, png, asset, uri))
        status = write_file(path, made.bytes, made.length, error);
    else
        status =
            sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for a thumbnail, or its location is unknown");
    free(path);
    free(made.bytes);
    sdimage_data_unref(png);
    return status;
}

/* The folder in which programs record thumbnails they could not make; each program has its own. */
static const char failures[] = "fail/libsdimage-1";

/* Reports that this version of the file was recorded as a failure. */
static bool has_failed_before(const char *uri, int64_t modified_ns) {
    char *path = thumbnail_path(failures, uri);
    sdimage_data *data = path ? read_valid(path, uri, modified_ns) : NULL;
    free(path);
    sdimage_data_unref(data);
    return data != NULL;
}

/* Records that the file cannot be decoded: by a thumbnail of one clear pixel. */
static void note_failure(const sdimage_photos_asset *asset, const char *uri) {
    static const uint8_t clear[4] = {0, 0, 0, 0};
    sdimage_image *image = NULL;
    if (sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, clear, &image, NULL) >= 0)
        write_thumbnail(image, asset, failures, uri, NULL);
    sdimage_image_unref(image);
}

/* Decodes the file to a thumbnail of at most `side` pixels. */
static sdimage_status decode_small(const sdimage_photos_asset *asset, uint32_t side, sdimage_image **image,
                                   sdimage_error **error) {
    sdimage_data *data = NULL;
    struct stat status_of_file;
    int descriptor = sdphoto_open_file(AT_FDCWD, asset->path);
    if (descriptor < 0)
        return errno == ENOENT ? sdcs_fail(error, SDIMAGE_STATUS_PHOTOS_NOT_FOUND, "photos: file no longer exists")
                               : sdphoto_fail_file(error, errno);
    /* Otherwise the thumbnail would carry the time of another version of the file. */
    bool is_same = fstat(descriptor, &status_of_file) == 0 &&
                   sdphoto_thumbnail_seconds(sdphoto_nanoseconds(status_of_file.st_mtim)) ==
                       sdphoto_thumbnail_seconds(asset->modified_ns);
    sdimage_status status = is_same
                                ? sdphoto_read_all(descriptor, (uint64_t)256 << 20, &data, error)
                                : sdcs_fail(error, SDIMAGE_STATUS_BUSY, "photos: file has changed since the last scan");
    close(descriptor);
    sdimage_decode_options *options = status >= 0 ? sdimage_decode_options_new() : NULL;
    if (options) {
        sdimage_decode_options_set_thumbnail_size(options, side, side, SDIMAGE_SCALE_MODE_ASPECT_FIT);
        sdimage_decode_options_set_first_frame_only(options, true);
        status = sdimage_decode(sdimage_data_bytes(data), sdimage_data_length(data), options, image, error);
    }
    sdimage_decode_options_unref(options);
    sdimage_data_unref(data);
    return status;
}

/* Reports errors that the same bytes cause again, unlike those of memory or time. */
static bool is_of_the_bytes(sdimage_status status) {
    return status == SDIMAGE_STATUS_BAD_DATA || status == SDIMAGE_STATUS_TRUNCATED ||
           status == SDIMAGE_STATUS_NOT_AN_IMAGE || status == SDIMAGE_STATUS_TOO_LARGE ||
           status == SDIMAGE_STATUS_EMPTY_DATA;
}

sdimage_status sdimage_photos_asset_write_thumbnail(sdimage_photos_asset *asset, uint32_t side, sdimage_error **error) {
    if (asset && !sdphoto_is(asset, SDPHOTO_ASSET))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_HANDLE, "photos: not an asset");
    if (!asset || !*asset->path || !side)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: asset is not a file, or size is 0");
    size_t size = 0;
    /* The smallest that holds `side`, or the largest. */
    while (size < SIZES - 1 && sizes[size].side < side)
        size++;
    char *uri = sdphoto_file_uri(asset->path), *thumbnails = sdphoto_cache_folder("thumbnails/");
    sdimage_image *image = NULL;
    sdimage_status status;
    if (!uri || !thumbnails)
        status = sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY,
                           "photos: no memory for a path, or location of the thumbnails is unknown");
    /* Thumbnails of thumbnails would fill the folder. */
    else if (strncmp(asset->path, thumbnails, strlen(thumbnails)) == 0)
        status = sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: asset is itself a thumbnail");
    else if (has_failed_before(uri, asset->modified_ns))
        status = sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "photos: unchanged file could not be decoded before");
    else {
        status = decode_small(asset, sizes[size].side, &image, error);
        if (status >= 0)
            status = write_thumbnail(image, asset, sizes[size].folder, uri, error);
        else if (is_of_the_bytes(status))
            note_failure(asset, uri);
    }
    sdimage_image_unref(image);
    free(uri);
    free(thumbnails);
    return status;
}
