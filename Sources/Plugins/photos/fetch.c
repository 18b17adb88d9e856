/* fetch.c: the options of a fetch, and the test of an asset against them (see fetch.h).
 *
 * Options have one owner while they are set. Libraries and loaders then read them on other threads. */
#include "fetch.h"

#include <stdlib.h>
#include <string.h>

#include "asset.h"
#include "support.h"

sdimage_photos_fetch_options *sdimage_photos_fetch_options_new(void) {
    sdimage_photos_fetch_options *options = sdphoto_new(SDPHOTO_FETCH_OPTIONS, sizeof *options);
    if (!options)
        return NULL;
    options->media = SDIMAGE_PHOTOS_MEDIA_ALL;
    options->origins = SDIMAGE_PHOTOS_ORIGIN_ALL;
    options->rating = -1;
    return options;
}

sdimage_photos_fetch_options *sdimage_photos_fetch_options_ref(const sdimage_photos_fetch_options *options) {
    return sdphoto_ref(options, SDPHOTO_FETCH_OPTIONS);
}

/* Releases the filter; the destroy function of the host is called on this thread. */
static void drop_filter(sdimage_photos_fetch_options *options) {
    if (options->filter_destroy)
        options->filter_destroy(options->filter_data);
    options->filter = NULL;
    options->filter_destroy = NULL;
}

void sdimage_photos_fetch_options_unref(sdimage_photos_fetch_options *options) {
    if (!sdphoto_unref(options, SDPHOTO_FETCH_OPTIONS))
        return;
    drop_filter(options);
    free(options->album);
    free(options);
}

static bool is_options(const sdimage_photos_fetch_options *options) {
    return sdphoto_is(options, SDPHOTO_FETCH_OPTIONS);
}

void sdimage_photos_fetch_options_set_media(sdimage_photos_fetch_options *options, uint32_t media) {
    if (is_options(options))
        options->media = media;
}

void sdimage_photos_fetch_options_set_origins(sdimage_photos_fetch_options *options, uint32_t origins) {
    if (is_options(options))
        options->origins = origins;
}

void sdimage_photos_fetch_options_set_album(sdimage_photos_fetch_options *options, const char *album, bool nested) {
    if (!is_options(options))
        return;
    /* Copied first: the argument may be the album itself. */
    char *copy = album ? sdphoto_join(album, NULL, NULL) : NULL;
    free(options->album);
    options->album = copy;
    /* A failed copy must select no assets rather than all. */
    options->is_incomplete = album && !copy;
    options->nested = nested;
}

void sdimage_photos_fetch_options_set_taken(sdimage_photos_fetch_options *options, int64_t from_ns, int64_t until_ns) {
    if (!is_options(options))
        return;
    options->from_ns = from_ns;
    options->until_ns = until_ns;
}

void sdimage_photos_fetch_options_set_rating(sdimage_photos_fetch_options *options, int32_t least) {
    if (is_options(options))
        options->rating = least;
}

sdimage_status sdimage_photos_fetch_options_set_filter(sdimage_photos_fetch_options *options,
                                                       const sdimage_photos_filter_vtable *vtable, void *user_data,
                                                       sdimage_destroy_fn destroy, sdimage_error **error) {
    if (!is_options(options) || (vtable && (vtable->size < sizeof *vtable || !vtable->should_include))) {
        if (destroy)
            destroy(user_data);
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "photos: no options, or a table without its function");
    }
    drop_filter(options);
    options->filter = vtable ? vtable->should_include : NULL;
    options->filter_data = user_data;
    options->filter_destroy = destroy;
    return SDIMAGE_STATUS_OK;
}

void sdimage_photos_fetch_options_set_order(sdimage_photos_fetch_options *options, sdimage_photos_order order,
                                            bool descending) {
    if (!is_options(options))
        return;
    options->order = order;
    options->ascending = !descending;
}

void sdimage_photos_fetch_options_set_page(sdimage_photos_fetch_options *options, size_t offset, size_t limit) {
    if (!is_options(options))
        return;
    options->offset = offset;
    options->limit = limit;
}

uint32_t sdimage_photos_fetch_options_media(const sdimage_photos_fetch_options *options) {
    return is_options(options) ? options->media : 0;
}

uint32_t sdimage_photos_fetch_options_origins(const sdimage_photos_fetch_options *options) {
    return is_options(options) ? options->origins : 0;
}

const char *sdimage_photos_fetch_options_album(const sdimage_photos_fetch_options *options) {
    return is_options(options) ? options->album : NULL;
}

bool sdimage_photos_fetch_options_is_album_nested(const sdimage_photos_fetch_options *options) {
    return is_options(options) && options->nested;
}

void sdimage_photos_fetch_options_get_taken(const sdimage_photos_fetch_options *options, int64_t *from_ns,
                                            int64_t *until_ns) {
    if (from_ns)
        *from_ns = is_options(options) ? options->from_ns : 0;
    if (until_ns)
        *until_ns = is_options(options) ? options->until_ns : 0;
}

int32_t sdimage_photos_fetch_options_rating(const sdimage_photos_fetch_options *options) {
    return is_options(options) ? options->rating : -1;
}

sdimage_photos_order sdimage_photos_fetch_options_order(const sdimage_photos_fetch_options *options) {
    return is_options(options) ? options->order : SDIMAGE_PHOTOS_ORDER_DATE;
}

bool sdimage_photos_fetch_options_is_order_descending(const sdimage_photos_fetch_options *options) {
    return is_options(options) && !options->ascending;
}

void sdimage_photos_fetch_options_get_page(const sdimage_photos_fetch_options *options, size_t *offset, size_t *limit) {
    if (offset)
        *offset = is_options(options) ? options->offset : 0;
    if (limit)
        *limit = is_options(options) ? options->limit : 0;
}

/* Reports that an asset is in the selected album, or in one below it if these are selected, too. */
static bool is_in_album(const sdimage_photos_fetch_options *options, const sdimage_photos_asset *asset) {
    size_t length = strlen(options->album);
    for (size_t i = 0; i < asset->album_count; i++) {
        const char *album = asset->albums[i];
        if (strcmp(album, options->album) == 0)
            return true;
        /* All folders are below the library's folder. */
        if (options->nested && (length == 0 || (strncmp(album, options->album, length) == 0 && album[length] == '/')))
            return true;
    }
    return false;
}

bool sdimage_photos_fetch_options_should_include(const sdimage_photos_fetch_options *options,
                                                 const sdimage_photos_asset *asset) {
    if (!sdphoto_is(asset, SDPHOTO_ASSET))
        return false;
    if (!is_options(options))
        return true;
    int64_t taken = asset->info.taken_ns;
    /* The filter of the host comes last: it is called only for assets that meet all else. */
    return !options->is_incomplete && ((uint32_t)asset->info.media & options->media) &&
           ((uint32_t)asset->origin & options->origins) && asset->rating >= options->rating &&
           (options->from_ns == 0 || taken >= options->from_ns) &&
           (options->until_ns == 0 || taken < options->until_ns) && (!options->album || is_in_album(options, asset)) &&
           (!options->filter || options->filter(options->filter_data, asset));
}
