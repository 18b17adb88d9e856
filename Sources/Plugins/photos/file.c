/* file.c: loads of assets that are files (see file.h). Runs without locks, on a thread that may block: that of the
 * loader, or that of a library for which the load has waited.
 *
 * 1. The file is opened once, and everything is read through its descriptor. If it was moved, the library is scanned
 *    for it.
 * 2. Data mode passes all bytes to the sink.
 * 3. Image mode shows a small image that exists already: a thumbnail of the cache, or that in the EXIF block.
 * 4. Then the encoded image goes to the sink, which decodes it on a worker. The poster of a video is decoded here. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sdimage/decode.h>
#include <sdimage/sys/source.h>

#include "fail.h"
#include "probe.h"
#include "support.h"
#include "thumbnail.h"

/* The first image must be small enough to be available at once. */
enum { FIRST_SIDE = 256 };

/* An open file. `head`: its first bytes, read when they are needed. */
typedef struct file {
    int descriptor;
    int64_t modified_ns;
    uint8_t *head;
    size_t head_length;
    sdphoto_info info; /* properties of the asset, completed from the head */
} file;

/* Closes the file, also after open_file failed. */
static void close_file(file *file) {
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->head);
}

/* Opens the file of an asset; false with errno. */
static bool open_file(const sdimage_photos_asset *asset, file *file) {
    struct stat status;
    *file = (struct file){.descriptor = sdphoto_open_file(AT_FDCWD, asset->path), .info = asset->info};
    if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0)
        return false;
    file->modified_ns = sdphoto_nanoseconds(status.st_mtim);
    return true;
}

/* Reads the beginning of the file once, and completes the size of an image; false if that fails. */
static bool read_head(file *file) {
    if (file->head)
        return true;
    file->head = malloc(SDPHOTO_HEAD);
    int64_t count = file->head ? sdphoto_read_at(file->descriptor, file->head, SDPHOTO_HEAD, 0) : -1;
    file->head_length = count > 0 ? (size_t)count : 0;
    if (count >= 0 && !file->info.size.width && file->info.media == SDIMAGE_PHOTOS_MEDIA_IMAGE)
        sdphoto_describe(file->head, file->head_length, &file->info);
    return count >= 0;
}

/* Ends the load with the bytes of the file. */
static void finish_with_data(sdphoto_load *load, file *file) {
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdphoto_read_all(file->descriptor, load->config->file_limit, &data, &error);
    if (status < 0) {
        sdphoto_load_fail(load, status, error);
        return;
    }
    /* The file is on this machine: a disk cache would hold a second copy. */
    sdimage_load_sink_set_storable(load->sink, false);
    sdimage_load_sink_finish_with_data(load->sink, data);
    sdimage_data_unref(data);
}

/* Returns an existing small image: the thumbnail in the cache if it matches the file and its time, else that of the
 * camera. */
static sdimage_image *small_image(const sdimage_photos_asset *asset, file *file, uint32_t side) {
    sdimage_image *image = sdphoto_thumbnail_find(asset->path, file->modified_ns, side);
    if (!image && file->info.media == SDIMAGE_PHOTOS_MEDIA_IMAGE && read_head(file))
        image = sdphoto_thumbnail_in_exif(file->head, file->head_length, &file->info);
    return image;
}

/* Reads at any offset, as video coders require. */
static sdimage_status read_source(void *user_data, uint64_t offset, void *buffer, size_t length, size_t *read,
                                  sdimage_error **error) {
    int64_t count =
        offset <= INT64_MAX ? sdphoto_read_at((int)(intptr_t)user_data, buffer, length, (int64_t)offset) : -1;
    if (count < 0)
        return sdphoto_fail_file(error, errno);
    if (count == 0 && length)
        return sdcs_fail(error, SDIMAGE_STATUS_TRUNCATED, "photos: file was truncated while it was read");
    *read = (size_t)count;
    return SDIMAGE_STATUS_OK;
}

static void close_source(void *user_data) {
    close((int)(intptr_t)user_data);
}

/* Decodes the poster with a registered coder; NULL if there is none. The source has a descriptor of its own: a decode
 * that exceeds its time limit goes on reading for a while after its call has returned. */
static sdimage_image *decoded_poster(file *file, const sdimage_decode_options *options) {
    static const sdimage_source_vtable table = {.size = sizeof table, .read = read_source};
    struct stat status;
    int descriptor = -1;
    sdimage_source *source = NULL;
    sdimage_decoder *decoder = NULL;
    sdimage_image *image = NULL;
    if (!read_head(file) || !sdimage_can_decode(file->head, file->head_length) ||
        fstat(file->descriptor, &status) != 0 || status.st_size <= 0 ||
        (descriptor = fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0)) < 0)
        return NULL;
    if (sdimage_source_new_custom((uint64_t)status.st_size, &table, (void *)(intptr_t)descriptor, close_source, &source,
                                  NULL) >= 0 &&
        sdimage_decoder_new_source(source, options, NULL, &decoder, NULL) >= 0)
        sdimage_decoder_get_image(decoder, &image, NULL);
    sdimage_decoder_unref(decoder);
    sdimage_source_unref(source);
    return image;
}

/* Completes the load with the poster of a video. */
static void finish_with_poster(sdphoto_load *load, const sdimage_photos_asset *asset, file *file,
                               const sdimage_decode_options *options) {
    sdimage_image *image = decoded_poster(file, options);
    if (!image)
        image = sdphoto_thumbnail_find(asset->path, file->modified_ns, UINT32_MAX);
    if (image)
        sdimage_load_sink_finish_with_image(load->sink, image);
    else
        sdphoto_load_fail_with(load, SDIMAGE_STATUS_NOT_AN_IMAGE,
                               "photos: no coder or thumbnail provides a poster image");
    sdimage_image_unref(image);
}

/* Makes the options for decoding the image; NULL if memory is exhausted. */
static sdimage_decode_options *decode_options(sdphoto_load *load, file *file) {
    sdimage_decode_options *options =
        load->decode ? sdimage_decode_options_ref(load->decode) : sdimage_decode_options_new();
    if (!options)
        return NULL;
    /* The target may depend on the size of the image. Databases may not have it, but the head of the file does. */
    sdphoto_bounds bounds = sdphoto_bounds_of(load->decode, load->request_options, file->info.size);
    if (bounds.box.width && bounds.box.height && !file->info.size.width && read_head(file))
        bounds = sdphoto_bounds_of(load->decode, load->request_options, file->info.size);
    sdimage_size size = sdphoto_size_of(bounds, file->info.size);
    sdimage_decode_options_set_thumbnail_size(options, size.width, size.height, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    /* An animation requested as an image is a still. */
    sdimage_decode_options_set_first_frame_only(options, true);
    return options;
}

/* Ends the load with the encoded image, which a worker decodes. */
static void finish_with_image(sdphoto_load *load, file *file, const sdimage_decode_options *options) {
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdphoto_read_all(file->descriptor, load->config->file_limit, &data, &error);
    if (status < 0)
        sdphoto_load_fail(load, status, error);
    /* Reading a file from a slow disk takes long. */
    else if (sdphoto_load_is_cancelled(load))
        sdphoto_load_fail(load, SDIMAGE_STATUS_CANCELLED, NULL);
    else
        sdimage_load_sink_finish_with_encoded(load->sink, data, options);
    sdimage_data_unref(data);
}

/* Performs a load in image mode: small image, then the requested one, as the delivery requires. */
static void load_image(sdphoto_load *load, const sdimage_photos_asset *asset, file *file) {
    sdimage_photos_delivery delivery = sdimage_photos_request_options_delivery(load->request_options);
    sdimage_decode_options *options = decode_options(load, file);
    if (!options) {
        sdphoto_load_fail(load, SDIMAGE_STATUS_NO_MEMORY, NULL);
        return;
    }
    if (delivery != SDIMAGE_PHOTOS_DELIVERY_HIGH_QUALITY) {
        sdimage_size size = sdimage_decode_options_thumbnail_size(options);
        uint32_t side = size.width > size.height ? size.width : size.height;
        /* The only image has the requested size, if there is one; a first one is small in any case. */
        bool is_last = delivery == SDIMAGE_PHOTOS_DELIVERY_FAST;
        sdimage_image *image = small_image(asset, file, side && (is_last || side < FIRST_SIDE) ? side : FIRST_SIDE);
        if (image && is_last)
            sdimage_load_sink_finish_with_image(load->sink, image);
        else if (image)
            sdimage_load_sink_show(load->sink, image);
        sdimage_image_unref(image);
        /* FAST without a small image continues with the requested one. */
        if (image && is_last) {
            sdimage_decode_options_unref(options);
            return;
        }
    }
    if (sdphoto_load_is_cancelled(load))
        sdphoto_load_fail(load, SDIMAGE_STATUS_CANCELLED, NULL);
    else if (asset->info.media == SDIMAGE_PHOTOS_MEDIA_IMAGE)
        finish_with_image(load, file, options);
    else
        finish_with_poster(load, asset, file, options);
    sdimage_decode_options_unref(options);
}

/* Finds the current location of an asset whose file was moved unnoticed. NULL if it is gone. */
static sdimage_photos_asset *relocate(sdphoto_load *load, const sdimage_photos_asset *asset) {
    for (size_t i = 0; i < load->config->count; i++) {
        sdimage_photos_library *library = load->config->libraries[i];
        sdimage_photos_asset *known =
            library->kind->refresh ? sdphoto_library_lookup(library, asset->identifier) : NULL;
        if (!known)
            continue;
        sdimage_photos_asset_unref(known);
        /* The scan recognizes the moved file and keeps its identifier. */
        library->kind->refresh(library, SDPHOTO_NEED_NOW, (sdphoto_progress){NULL, NULL}, NULL);
        return sdphoto_library_lookup(library, asset->identifier);
    }
    return NULL;
}

void sdphoto_load_file(sdphoto_load *load, sdimage_photos_asset *asset) {
    file file;
    /* The asset may be an older state: its file can have moved since it was fetched. */
    sdimage_photos_asset *current = sdimage_photos_asset_ref(asset);
    bool is_open = open_file(current, &file);
    int number = errno;
    if (!is_open && (number == ENOENT || number == ENOTDIR)) {
        close_file(&file);
        sdimage_photos_asset_unref(current);
        current = relocate(load, asset);
        is_open = current && open_file(current, &file);
        number = current ? errno : ENOENT;
    }
    if (!is_open && (number == ENOENT || number == ENOTDIR)) {
        sdphoto_load_fail_with(load, SDIMAGE_STATUS_PHOTOS_NOT_FOUND, "photos: file of the photo no longer exists");
    } else if (!is_open) {
        sdimage_error *error = NULL;
        sdimage_status status = sdphoto_fail_file(&error, number);
        sdphoto_load_fail(load, status, error);
    } else if (sdphoto_load_is_cancelled(load)) {
        sdphoto_load_fail(load, SDIMAGE_STATUS_CANCELLED, NULL);
    } else if (load->mode == SDPHOTO_AS_DATA) {
        finish_with_data(load, &file);
    } else {
        load_image(load, current, &file);
    }
    /* Without a current asset the file is closed already. */
    if (current)
        close_file(&file);
    sdimage_photos_asset_unref(current);
}
