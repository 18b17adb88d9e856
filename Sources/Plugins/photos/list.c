/* list.c: making of a list: selection, order, page (see list.h). Lists are immutable. */
#include "list.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "fetch.h"

/* Three-way comparison; a difference could overflow. */
static int order_of(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

/* Compares two assets in ascending order. Equal keys are ordered by name, path and identifier, so that pages of a list
 * do not overlap. */
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

/* For qsort_r. */
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
        if (sdimage_photos_fetch_options_should_include(options, assets[i]))
            selected[made->total++] = assets[i];
    qsort_r(selected, made->total, sizeof *selected, compare_for,
            (void *)(uintptr_t)(sdphoto_is(options, SDPHOTO_FETCH_OPTIONS) ? options : NULL));
    /* The page is cut after sorting; the total is that of the selection. */
    size_t offset = sdphoto_is(options, SDPHOTO_FETCH_OPTIONS) ? options->offset : 0,
           limit = sdphoto_is(options, SDPHOTO_FETCH_OPTIONS) ? options->limit : 0;
    offset = offset < made->total ? offset : made->total;
    made->count = limit && limit < made->total - offset ? limit : made->total - offset;
    memmove(selected, selected + offset, made->count * sizeof *selected);
    made->assets = selected;
    /* Only assets of the page are referenced. */
    for (size_t i = 0; i < made->count; i++)
        sdimage_photos_asset_ref(selected[i]);
    *list = made;
    return SDIMAGE_STATUS_OK;
}

sdimage_photos_list *sdimage_photos_list_ref(const sdimage_photos_list *list) {
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
