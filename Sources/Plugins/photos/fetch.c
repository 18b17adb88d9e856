/* Selection and order of assets. */
#include <stdlib.h>
#include <string.h>

#include "asset.h"

struct sdimage_photos_fetch_options {
    sdphoto_object object;
    uint32_t media, origins;
    char *album;
    bool nested, is_incomplete;
    int64_t from_ns, until_ns;
    int32_t rating;
    sdimage_photos_filter_fn filter;
    void *filter_data;
    sdimage_destroy_fn filter_destroy;
    sdimage_photos_order order;
    bool ascending;
    size_t offset, limit;
};

sdimage_photos_fetch_options *sdimage_photos_fetch_options_new(void) {
    sdimage_photos_fetch_options *options = sdphoto_new(SDPHOTO_FETCH_OPTIONS, sizeof *options);
    if (!options)
        return NULL;
    options->media = SDIMAGE_PHOTOS_MEDIA_ALL;
    options->origins = SDIMAGE_PHOTOS_ORIGIN_ALL;
    options->rating = -1;
    return options;
}

sdimage_photos_fetch_options *sdimage_photos_fetch_options_ref(sdimage_photos_fetch_options *options) {
    return sdphoto_ref(options, SDPHOTO_FETCH_OPTIONS);
}

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
    free(options->album);
    options->album = album ? sdphoto_join(album, NULL, NULL) : NULL;
    /* A failed copy must select no assets rather than all. */
    options->is_incomplete = album && !options->album;
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

void sdimage_photos_fetch_options_set_filter(sdimage_photos_fetch_options *options, sdimage_photos_filter_fn filter,
                                             void *user_data, sdimage_destroy_fn destroy) {
    if (!is_options(options)) {
        if (destroy)
            destroy(user_data);
        return;
    }
    drop_filter(options);
    options->filter = filter;
    options->filter_data = user_data;
    options->filter_destroy = destroy;
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

bool sdimage_photos_fetch_options_accept(const sdimage_photos_fetch_options *options,
                                         const sdimage_photos_asset *asset) {
    if (!sdphoto_is(asset, SDPHOTO_ASSET))
        return false;
    if (!is_options(options))
        return true;
    int64_t taken = asset->info.taken_ns;
    return !options->is_incomplete && ((uint32_t)asset->info.media & options->media) &&
           ((uint32_t)asset->origin & options->origins) && asset->rating >= options->rating &&
           (options->from_ns == 0 || taken >= options->from_ns) &&
           (options->until_ns == 0 || taken < options->until_ns) && (!options->album || is_in_album(options, asset)) &&
           (!options->filter || options->filter(options->filter_data, asset));
}

static int order_of(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int compare(const sdimage_photos_asset *a, const sdimage_photos_asset *b, sdimage_photos_order order) {
    int taken = order_of(a->info.taken_ns, b->info.taken_ns), name = strcmp(a->name, b->name), first;
    switch (order) {
    case SDIMAGE_PHOTOS_ORDER_NAME: first = name ? name : taken; break;
    case SDIMAGE_PHOTOS_ORDER_MODIFIED: first = order_of(a->modified_ns, b->modified_ns); break;
    case SDIMAGE_PHOTOS_ORDER_SIZE: first = (a->file_size > b->file_size) - (a->file_size < b->file_size); break;
    default: first = taken ? taken : name; break;
    }
    if (first == 0)
        first = name ? name : strcmp(a->path, b->path);
    return first ? first : strcmp(a->identifier, b->identifier);
}

static int compare_for(const void *a, const void *b, void *order) {
    const sdimage_photos_asset *const *left = a, *const *right = b;
    const sdimage_photos_fetch_options *options = order;
    int result = compare(*left, *right, options ? options->order : SDIMAGE_PHOTOS_ORDER_DATE);
    return options && options->ascending ? result : -result;
}

sdimage_status sdphoto_list_new(sdimage_photos_asset *const *assets, size_t count,
                                const sdimage_photos_fetch_options *options, sdimage_photos_list **list,
                                sdimage_error **error) {
    sdimage_photos_list *made = sdphoto_new(SDPHOTO_LIST, sizeof *made);
    sdimage_photos_asset **selected = made ? calloc(count + 1, sizeof(sdimage_photos_asset *)) : NULL;
    if (!selected) {
        free(made);
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for a list");
    }
    for (size_t i = 0; i < count; i++)
        if (sdimage_photos_fetch_options_accept(options, assets[i]))
            selected[made->total++] = assets[i];
    qsort_r(selected, made->total, sizeof *selected, compare_for,
            (void *)(uintptr_t)(is_options(options) ? options : NULL));
    size_t offset = is_options(options) ? options->offset : 0, limit = is_options(options) ? options->limit : 0;
    offset = offset < made->total ? offset : made->total;
    made->count = limit && limit < made->total - offset ? limit : made->total - offset;
    memmove(selected, selected + offset, made->count * sizeof *selected);
    made->assets = selected;
    for (size_t i = 0; i < made->count; i++)
        sdimage_photos_asset_ref(selected[i]);
    *list = made;
    return SDIMAGE_STATUS_OK;
}

sdimage_photos_list *sdimage_photos_list_ref(sdimage_photos_list *list) {
    return sdphoto_ref(list, SDPHOTO_LIST);
}

void sdimage_photos_list_unref(sdimage_photos_list *list) {
    if (!sdphoto_unref(list, SDPHOTO_LIST))
        return;
    for (size_t i = 0; i < list->count; i++)
        sdimage_photos_asset_unref(list->assets[i]);
    free(list->assets);
    free(list);
}

size_t sdimage_photos_list_count(const sdimage_photos_list *list) {
    return sdphoto_is(list, SDPHOTO_LIST) ? list->count : 0;
}

size_t sdimage_photos_list_total(const sdimage_photos_list *list) {
    return sdphoto_is(list, SDPHOTO_LIST) ? list->total : 0;
}

sdimage_photos_asset *sdimage_photos_list_asset(const sdimage_photos_list *list, size_t index) {
    return sdphoto_is(list, SDPHOTO_LIST) && index < list->count ? list->assets[index] : NULL;
}
