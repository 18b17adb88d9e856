/* The loader for ph: URLs: from an identifier to an asset, from an asset to a picture or bytes (PHO-5 to PHO-11). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sdimage/decoder.h>
#include <sdimage/source.h>

#include "library.h"
#include "probe.h"
#include "request.h"
#include "thumbnail.h"
#include "uri.h"

/* The first picture should be small enough to be there at once. */
enum { LIBRARY_LIMIT = 16, FIRST_SIDE = 256 };
static const uint64_t FILE_LIMIT = (uint64_t)256 << 20;

struct sdimage_photos_loader_config {
    sdphoto_object object;
    sdimage_photos_library *libraries[LIBRARY_LIMIT];
    size_t count;
    sdimage_photos_fetch_options *fetch_options;
    sdimage_photos_request_options *request_options;
    bool takes_all;
    uint64_t file_limit;
};

/* --- Configuration. */

sdimage_photos_loader_config *sdimage_photos_loader_config_new(void) {
    sdimage_photos_loader_config *config = sdphoto_new(SDPHOTO_LOADER_CONFIG, sizeof *config);
    if (config)
        config->file_limit = FILE_LIMIT;
    return config;
}

sdimage_photos_loader_config *sdimage_photos_loader_config_ref(sdimage_photos_loader_config *config) {
    return sdphoto_ref(config, SDPHOTO_LOADER_CONFIG);
}

void sdimage_photos_loader_config_unref(sdimage_photos_loader_config *config) {
    if (!sdphoto_unref(config, SDPHOTO_LOADER_CONFIG))
        return;
    for (size_t i = 0; i < config->count; i++)
        sdimage_photos_library_unref(config->libraries[i]);
    sdimage_photos_fetch_options_unref(config->fetch_options);
    sdimage_photos_request_options_unref(config->request_options);
    free(config);
}

static bool is_config(const sdimage_photos_loader_config *config) { return sdphoto_is(config, SDPHOTO_LOADER_CONFIG); }

bool sdimage_photos_loader_config_add_library(sdimage_photos_loader_config *config, sdimage_photos_library *library) {
    if (!is_config(config) || !sdphoto_is(library, SDPHOTO_LIBRARY) || config->count == LIBRARY_LIMIT)
        return false;
    config->libraries[config->count++] = sdimage_photos_library_ref(library);
    return true;
}

void sdimage_photos_loader_config_set_fetch_options(sdimage_photos_loader_config *config,
                                                    sdimage_photos_fetch_options *options) {
    if (!is_config(config))
        return;
    sdimage_photos_fetch_options *before = config->fetch_options;
    config->fetch_options = sdimage_photos_fetch_options_ref(options);
    sdimage_photos_fetch_options_unref(before);
}

void sdimage_photos_loader_config_set_request_options(sdimage_photos_loader_config *config,
                                                      sdimage_photos_request_options *options) {
    if (!is_config(config))
        return;
    sdimage_photos_request_options *before = config->request_options;
    config->request_options = sdimage_photos_request_options_ref(options);
    sdimage_photos_request_options_unref(before);
}

void sdimage_photos_loader_config_set_images_only(sdimage_photos_loader_config *config, bool images_only) {
    if (is_config(config))
        config->takes_all = !images_only;
}

void sdimage_photos_loader_config_set_max_file_bytes(sdimage_photos_loader_config *config, uint64_t bytes) {
    if (is_config(config))
        config->file_limit = bytes ? bytes : FILE_LIMIT;
}

/* --- One load. */

typedef enum mode { BY_ASSET, AS_DATA, AS_IMAGE } mode;

typedef struct load {
    sdimage_photos_loader_config *config;
    sdimage_load_sink *sink;
    char *identifier;
    sdimage_decode_options *decode;
    sdimage_photos_fetch_options *fetch_options;
    sdimage_photos_request_options *request_options;
    mode mode;
    size_t next;                     /* the library to be asked */
    sdimage_photos_library *library; /* that has the asset; NULL for one that came with the request */
    unsigned cancellations;
    sdimage_error *refusal; /* what the first library said that is more than "not here" */
} load;

static void free_load(load *load) {
    sdimage_load_sink_unref(load->sink);
    sdimage_decode_options_unref(load->decode);
    sdimage_photos_fetch_options_unref(load->fetch_options);
    sdimage_photos_request_options_unref(load->request_options);
    sdimage_error_unref(load->refusal);
    sdimage_photos_loader_config_unref(load->config);
    free(load->identifier);
    free(load);
}

/* Ends a load with an error, which it takes over; where there is none, with the status. */
static void fail(load *load, sdimage_status status, sdimage_error *error) {
    if (!error)
        error =
            sdimage_error_new(status, status == SDIMAGE_STATUS_CANCELLED ? "cancelled" : "the photo cannot be loaded");
    sdimage_load_sink_finish(load->sink, error);
    sdimage_error_unref(error);
}

static void fail_with(load *load, sdimage_status status, const char *message) {
    fail(load, status, sdimage_error_new(status, message));
}

static bool is_cancelled(const load *load) {
    return sdimage_load_sink_is_cancelled(load->sink) ||
           (load->library && atomic_load(&load->library->cancellations) != load->cancellations);
}

/* A pointer of a bag, where it is one of this kind. */
static void *in_bag(const sdimage_options *bag, const char *name, sdphoto_kind kind) {
    void *value = bag ? sdimage_options_get_pointer(bag, name) : NULL;
    return sdphoto_is(value, kind) ? value : NULL;
}

/* What the request says, before what the loader was made with (PHO-4). */
static load *new_load(sdimage_photos_loader_config *config, const sdimage_request *request, sdimage_load_sink *sink) {
    const sdimage_options *bag = sdimage_request_options(request);
    sdimage_photos_fetch_options *fetch = in_bag(bag, SDIMAGE_PHOTOS_FETCH_OPTIONS, SDPHOTO_FETCH_OPTIONS);
    sdimage_photos_request_options *wanted = in_bag(bag, SDIMAGE_PHOTOS_REQUEST_OPTIONS, SDPHOTO_REQUEST_OPTIONS);
    load *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->config = sdimage_photos_loader_config_ref(config);
    made->sink = sdimage_load_sink_ref(sink);
    made->fetch_options = sdimage_photos_fetch_options_ref(fetch ? fetch : config->fetch_options);
    made->request_options = sdimage_photos_request_options_ref(wanted ? wanted : config->request_options);
    sdimage_request_copy_decode_options(request, &made->decode);
    if (bag && sdimage_options_has(bag, SDIMAGE_PHOTOS_REQUEST_DATA))
        made->mode = sdimage_options_get_bool(bag, SDIMAGE_PHOTOS_REQUEST_DATA, false) ? AS_DATA : AS_IMAGE;
    return made;
}

static void adopt_library(load *load, sdimage_photos_library *library) {
    load->library = library;
    load->cancellations = atomic_load(&library->cancellations);
}

/* PHO-5: what is no image is refused, and PHO-6: the mode. */
static bool is_wanted(load *load, const sdimage_photos_asset *asset) {
    if (asset->facts.media != SDIMAGE_PHOTOS_MEDIA_IMAGE && !load->config->takes_all) {
        fail_with(load, SDIMAGE_STATUS_PHOTOS_NOT_AN_IMAGE, "the asset is no image");
        return false;
    }
    if (load->mode == BY_ASSET)
        load->mode = asset->facts.playback == SDIMAGE_PHOTOS_PLAYBACK_ANIMATED ? AS_DATA : AS_IMAGE;
    return true;
}

/* --- Assets that are files. */

typedef struct file {
    int descriptor;
    int64_t modified_ns;
    uint8_t *head;
    size_t head_length;
    sdphoto_facts facts; /* of the asset, and of the head where that does not say */
} file;

static void close_file(file *file) {
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->head);
}

static bool open_file(const sdimage_photos_asset *asset, file *file) {
    struct stat status;
    *file = (struct file){.descriptor = sdphoto_open_file(AT_FDCWD, asset->path), .facts = asset->facts};
    if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0)
        return false;
    file->modified_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    return true;
}

static bool read_head(file *file) {
    if (file->head)
        return true;
    file->head = malloc(SDPHOTO_HEAD);
    int64_t count = file->head ? sdphoto_read_at(file->descriptor, file->head, SDPHOTO_HEAD, 0) : -1;
    file->head_length = count > 0 ? (size_t)count : 0;
    if (count >= 0 && !file->facts.size.width && file->facts.media == SDIMAGE_PHOTOS_MEDIA_IMAGE)
        sdphoto_describe(file->head, file->head_length, &file->facts);
    return count >= 0;
}

static void finish_with_data(load *load, file *file) {
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdphoto_read_all(file->descriptor, load->config->file_limit, &data, &error);
    if (status < 0) {
        fail(load, status, error);
        return;
    }
    sdimage_load_sink_set_storable(load->sink, false);
    sdimage_load_sink_finish_with_data(load->sink, data);
    sdimage_data_unref(data);
}

/* The picture that is there already: the cache's, as long as it is of this file at this time, else that of the camera.
 */
static sdimage_image *small_picture(const sdimage_photos_asset *asset, file *file, uint32_t side) {
    sdimage_image *image = sdphoto_thumbnail_find(asset->path, file->modified_ns, side);
    if (!image && file->facts.media == SDIMAGE_PHOTOS_MEDIA_IMAGE && read_head(file))
        image = sdphoto_thumbnail_in_exif(file->head, file->head_length, &file->facts);
    return image;
}

/* Read from anywhere, as coders of videos do. */
static sdimage_status read_source(void *user_data, uint64_t offset, void *buffer, size_t length, size_t *read,
                                  sdimage_error **error) {
    int64_t count =
        offset <= INT64_MAX ? sdphoto_read_at((int)(intptr_t)user_data, buffer, length, (int64_t)offset) : -1;
    if (count < 0)
        return sdphoto_fail_file(error, errno);
    if (count == 0 && length)
        return sdphoto_fail(error, SDIMAGE_STATUS_TRUNCATED, "the file is shorter than it was");
    *read = (size_t)count;
    return SDIMAGE_STATUS_OK;
}

/* What a coder that is registered for such files makes of it; NULL when there is none. */
static sdimage_image *decoded_poster(file *file, const sdimage_decode_options *options) {
    static const sdimage_source_vtable table = {.size = sizeof table, .read = read_source};
    struct stat status;
    sdimage_source *source = NULL;
    sdimage_decoder *decoder = NULL;
    sdimage_image *image = NULL;
    if (!read_head(file) || !sdimage_can_decode(file->head, file->head_length) ||
        fstat(file->descriptor, &status) != 0 || status.st_size <= 0)
        return NULL;
    if (sdimage_source_new_custom(&table, (uint64_t)status.st_size, (void *)(intptr_t)file->descriptor, NULL, &source,
                                  NULL) >= 0 &&
        sdimage_decoder_new_with_source(source, options, NULL, &decoder, NULL) >= 0)
        sdimage_decoder_copy_image(decoder, &image, NULL);
    sdimage_decoder_unref(decoder);
    sdimage_source_unref(source);
    return image;
}

/* PHO-9. */
static void finish_with_poster(load *load, const sdimage_photos_asset *asset, file *file,
                               const sdimage_decode_options *options) {
    sdimage_image *image = decoded_poster(file, options);
    if (!image)
        image = sdphoto_thumbnail_find(asset->path, file->modified_ns, UINT32_MAX);
    if (image)
        sdimage_load_sink_finish_with_image(load->sink, image);
    else
        fail_with(load, SDIMAGE_STATUS_NOT_AN_IMAGE, "no coder and no thumbnail has a poster of the asset");
    sdimage_image_unref(image);
}

/* How the picture is decoded (PHO-7); NULL when memory is refused. */
static sdimage_decode_options *decode_options(load *load, file *file) {
    sdimage_decode_options *options =
        load->decode ? sdimage_decode_options_ref(load->decode) : sdimage_decode_options_new();
    if (!options)
        return NULL;
    sdphoto_wish wish = sdphoto_wish_of(load->decode, load->request_options, file->facts.size);
    if (wish.box.width && wish.box.height && !file->facts.size.width && read_head(file))
        wish = sdphoto_wish_of(load->decode, load->request_options, file->facts.size);
    sdimage_size size = sdphoto_size_of(wish, file->facts.size);
    sdimage_decode_options_set_thumbnail_size(options, size.width, size.height, true);
    /* An animation that is asked for as an image is a still. */
    sdimage_decode_options_set_first_frame_only(options, true);
    return options;
}

static void finish_with_picture(load *load, file *file, const sdimage_decode_options *options) {
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdphoto_read_all(file->descriptor, load->config->file_limit, &data, &error);
    if (status < 0)
        fail(load, status, error);
    else if (is_cancelled(load))
        fail(load, SDIMAGE_STATUS_CANCELLED, NULL);
    else
        sdimage_load_sink_finish_with_encoded(load->sink, data, options);
    sdimage_data_unref(data);
}

static void bring_image(load *load, const sdimage_photos_asset *asset, file *file) {
    sdimage_photos_delivery delivery = sdimage_photos_request_options_delivery(load->request_options);
    sdimage_decode_options *options = decode_options(load, file);
    if (!options) {
        fail(load, SDIMAGE_STATUS_NO_MEMORY, NULL);
        return;
    }
    if (delivery != SDIMAGE_PHOTOS_DELIVERY_HIGH_QUALITY) {
        sdimage_size size = sdimage_decode_options_thumbnail_size(options);
        uint32_t side = size.width > size.height ? size.width : size.height;
        bool is_last = delivery == SDIMAGE_PHOTOS_DELIVERY_FAST;
        sdimage_image *image = small_picture(asset, file, side && (is_last || side < FIRST_SIDE) ? side : FIRST_SIDE);
        if (image && is_last)
            sdimage_load_sink_finish_with_image(load->sink, image);
        else if (image)
            sdimage_load_sink_show(load->sink, image);
        sdimage_image_unref(image);
        if (image && is_last) {
            sdimage_decode_options_unref(options);
            return;
        }
    }
    if (is_cancelled(load))
        fail(load, SDIMAGE_STATUS_CANCELLED, NULL);
    else if (asset->facts.media == SDIMAGE_PHOTOS_MEDIA_IMAGE)
        finish_with_picture(load, file, options);
    else
        finish_with_poster(load, asset, file, options);
    sdimage_decode_options_unref(options);
}

/* Where the asset is now: its file was moved, and nobody has noticed yet. NULL when it is gone. */
static sdimage_photos_asset *find_again(load *load, const sdimage_photos_asset *asset) {
    for (size_t i = 0; i < load->config->count; i++) {
        sdimage_photos_library *library = load->config->libraries[i];
        sdimage_photos_asset *known = library->of->refresh ? sdphoto_library_look(library, asset->identifier) : NULL;
        if (!known)
            continue;
        sdimage_photos_asset_unref(known);
        library->of->refresh(library, SDPHOTO_NEED_NOW, (sdphoto_watcher){NULL, NULL}, NULL);
        return sdphoto_library_look(library, asset->identifier);
    }
    return NULL;
}

static void bring_file(load *load, sdimage_photos_asset *asset) {
    file file;
    sdimage_photos_asset *current = sdimage_photos_asset_ref(asset);
    bool is_open = open_file(current, &file);
    int number = errno;
    if (!is_open && (number == ENOENT || number == ENOTDIR)) {
        close_file(&file);
        sdimage_photos_asset_unref(current);
        current = find_again(load, asset);
        is_open = current && open_file(current, &file);
        number = current ? errno : ENOENT;
    }
    if (!is_open && (number == ENOENT || number == ENOTDIR)) {
        fail_with(load, SDIMAGE_STATUS_PHOTOS_NOT_FOUND, "the file of the photo is gone");
    } else if (!is_open) {
        sdimage_error *error = NULL;
        sdimage_status status = sdphoto_fail_file(&error, number);
        fail(load, status, error);
    } else if (is_cancelled(load)) {
        fail(load, SDIMAGE_STATUS_CANCELLED, NULL);
    } else if (load->mode == AS_DATA) {
        finish_with_data(load, &file);
    } else {
        bring_image(load, current, &file);
    }
    if (current)
        close_file(&file);
    sdimage_photos_asset_unref(current);
}

/* --- Assets of hosts. */

static void bring_from_host(load *load, sdimage_photos_asset *asset) {
    void *user_data = NULL;
    const sdimage_photos_library_vtable *table = sdphoto_host_table(load->library, &user_data);
    sdimage_status status;
    if (load->mode == AS_DATA && table->bytes) {
        status = table->bytes(user_data, asset, load->sink);
    } else {
        sdphoto_wish wish = sdphoto_wish_of(load->decode, load->request_options, asset->facts.size);
        sdimage_photos_request_options *options = sdimage_photos_request_options_new();
        if (options && load->request_options) {
            sdphoto_object object = {options->object.kind, 1};
            *options = *load->request_options;
            options->object = object;
        }
        if (options)
            options->content = wish.content;
        status = options ? table->image(user_data, asset, wish.box, options, load->sink) : SDIMAGE_STATUS_NO_MEMORY;
        sdimage_photos_request_options_unref(options);
    }
    if (status < 0)
        fail(load, status, NULL);
}

static void ask_libraries(load *load);

/* On the thread of the host's library. */
static void fetched(void *user_data, sdimage_photos_asset *asset, sdimage_status status, sdimage_error *error) {
    load *load = user_data;
    if (asset) {
        if (is_cancelled(load))
            fail(load, SDIMAGE_STATUS_CANCELLED, NULL);
        else if (is_wanted(load, asset))
            bring_from_host(load, asset);
        free_load(load);
        return;
    }
    if (status == SDIMAGE_STATUS_CANCELLED) {
        fail(load, status, NULL);
        free_load(load);
        return;
    }
    if (status != SDIMAGE_STATUS_PHOTOS_NOT_FOUND && !load->refusal)
        load->refusal =
            error ? sdimage_error_ref(error) : sdimage_error_new(status, "the host could not look for the photo");
    load->library = NULL;
    ask_libraries(load);
}

/* --- From the URL to the asset. */

static void end_without_asset(load *load) {
    if (load->refusal)
        fail(load, SDIMAGE_STATUS_PHOTOS_NOT_FOUND, sdimage_error_ref(load->refusal));
    else
        fail_with(load, SDIMAGE_STATUS_PHOTOS_NOT_FOUND, "no photo of that identifier");
    free_load(load);
}

/* One after the other; those of hosts answer later, and then the next is asked. */
static void ask_libraries(load *load) {
    while (load->next < load->config->count) {
        sdimage_photos_library *library = load->config->libraries[load->next++];
        sdimage_photos_asset *asset = NULL;
        sdimage_error *error = NULL;
        adopt_library(load, library);
        if (sdphoto_is_host(library)) {
            sdimage_status status =
                sdphoto_host_fetch(library, load->identifier, load->fetch_options, load->sink, fetched, load);
            if (status >= 0)
                return;
            load->refusal = load->refusal ? load->refusal : sdimage_error_new(status, "the host cannot be asked");
            continue;
        }
        sdimage_status status =
            sdimage_photos_library_find(library, load->identifier, load->fetch_options, &asset, &error);
        if (status >= 0) {
            if (is_wanted(load, asset))
                bring_file(load, asset);
            sdimage_photos_asset_unref(asset);
            free_load(load);
            return;
        }
        if (status != SDIMAGE_STATUS_PHOTOS_NOT_FOUND && !load->refusal)
            load->refusal = error;
        else
            sdimage_error_unref(error);
        load->library = NULL;
    }
    end_without_asset(load);
}

/* The host's library that an asset is of; of those that say nothing, the first. */
static sdimage_photos_library *host_of(const load *load, const sdimage_photos_asset *asset) {
    for (size_t i = 0; i < load->config->count; i++) {
        sdimage_photos_library *library = load->config->libraries[i];
        if (sdphoto_is_host(library) && (!asset->library || asset->library == library->number))
            return library;
    }
    return NULL;
}

/* An asset that came with the request: nothing has to be fetched. */
static void take_asset(load *load, sdimage_photos_asset *asset) {
    sdimage_photos_library *library = *asset->path ? NULL : host_of(load, asset);
    if (*asset->path) {
        if (is_wanted(load, asset))
            bring_file(load, asset);
    } else if (!library) {
        fail_with(load, SDIMAGE_STATUS_PHOTOS_NOT_FOUND, "the library of the asset is not the loader's");
    } else {
        adopt_library(load, library);
        sdimage_status status = sdphoto_host_take(library, asset, load->sink, fetched, load);
        if (status >= 0)
            return;
        fail(load, status, NULL);
    }
    free_load(load);
}

static bool can_load(void *user_data, const sdimage_request *request) {
    size_t length = 0;
    const char *url = sdimage_request_url(request, &length);
    (void)user_data;
    return sdphoto_is_ph(url, length);
}

/* On a thread that may block. */
static sdimage_status start(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    size_t length = 0;
    const char *url = sdimage_request_url(request, &length);
    char *identifier = sdimage_photos_identifier_of_url(url, length);
    if (!identifier) {
        sdimage_error *error = sdimage_error_new(SDIMAGE_STATUS_INVALID_URL, "no ph: URL with an identifier");
        sdimage_load_sink_finish(sink, error);
        sdimage_error_unref(error);
        return SDIMAGE_STATUS_OK;
    }
    load *load = new_load(user_data, request, sink);
    if (!load) {
        free(identifier);
        return SDIMAGE_STATUS_NO_MEMORY;
    }
    load->identifier = identifier;
    sdimage_photos_asset *asset = sdimage_photos_asset_ref(sdimage_photos_asset_of_request(request));
    if (asset)
        take_asset(load, asset);
    else
        ask_libraries(load);
    sdimage_photos_asset_unref(asset);
    return SDIMAGE_STATUS_OK;
}

/* Files are not waited for long enough: they notice it themselves. */
static void cancel(void *user_data, sdimage_load_sink *sink) {
    const sdimage_photos_loader_config *config = user_data;
    for (size_t i = 0; i < config->count; i++) {
        sdimage_photos_library *library = config->libraries[i];
        if (!sdphoto_is_host(library))
            continue;
        void *host = NULL;
        const sdimage_photos_library_vtable *table = sdphoto_host_table(library, &host);
        sdphoto_host_cancel(library, sink);
        if (table->cancel)
            table->cancel(host, sink);
    }
}

/* What is loaded depends on the size that is wanted. */
static bool can_share(void *user_data, const sdimage_request *request) {
    (void)user_data;
    (void)request;
    return false;
}

static void destroy(void *user_data) { sdimage_photos_loader_config_unref(user_data); }

/* A copy, so that the caller may change his. */
static sdimage_photos_loader_config *copy_of(const sdimage_photos_loader_config *config) {
    sdimage_photos_loader_config *copy = sdimage_photos_loader_config_new();
    if (!copy)
        return NULL;
    for (size_t i = 0; i < config->count; i++)
        sdimage_photos_loader_config_add_library(copy, config->libraries[i]);
    sdimage_photos_loader_config_set_fetch_options(copy, config->fetch_options);
    sdimage_photos_loader_config_set_request_options(copy, config->request_options);
    copy->takes_all = config->takes_all;
    copy->file_limit = config->file_limit;
    return copy;
}

sdimage_status sdimage_photos_loader_new(const sdimage_photos_loader_config *config, sdimage_loader **loader,
                                         sdimage_error **error) {
    static const sdimage_loader_vtable table = {
        .size = sizeof table, .can_load = can_load, .load = start, .cancel = cancel, .can_share = can_share};
    if (config && !is_config(config))
        return sdphoto_fail(error, SDIMAGE_STATUS_BAD_HANDLE, "no configuration of a loader");
    if (!config || !config->count || !loader)
        return sdphoto_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "no library, or no place for the loader");
    sdimage_photos_loader_config *copy = copy_of(config);
    if (!copy)
        return sdphoto_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for a loader");
    return sdimage_loader_new_custom("photos", &table, copy, destroy, loader, error);
}
