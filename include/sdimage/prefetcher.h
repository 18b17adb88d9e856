/* prefetcher.h: pictures loaded before anybody asks for them.
 *
 * Lists of URLs, each of them one load of the manager, a few at a time over all lists. What is loaded for whoever waits
 * goes first: loads of priority LOW start on connections, and on processors, that visible loads leave free, and not
 * while these transfer; a visible load of the same URL takes over what is under way.
 *
 * Classes: sdimage_prefetcher and sdimage_prefetch_group synchronised. Callbacks run on the prefetcher's dispatcher, in
 * order, never two at once; any function of the library may be called from them.
 *
 *   static void done(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t skipped, sdimage_error
 *   *error) { printf("%zu fetched, %zu failed\n", finished - skipped, skipped); } sdimage_prefetch_handler handler =
 *   {.size = sizeof handler, .completed = done}; sdimage_prefetcher_start(prefetcher, urls, NULL, count, NULL,
 *   &handler, NULL, NULL, NULL, NULL); */
#ifndef SDIMAGE_PREFETCHER_H
#define SDIMAGE_PREFETCHER_H

#include "base.h"
#include "data.h"
#include "dispatcher.h"
#include "error.h"
#include "manager.h"
#include "request.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A prefetcher on a manager, best the one that shows the pictures later: then keys agree and transfers are shared.
 * NULL: a manager of its own on the default cache and loader, without transformer or other settings. `dispatcher` is
 * where callbacks run; NULL: the library's callback thread. Errors: FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_prefetcher_new(sdimage_manager *manager, sdimage_dispatcher *dispatcher,
                                                  sdimage_prefetcher **prefetcher, sdimage_error **error);

/* The prefetcher that the process shares, with a manager of its own and a reference for the caller. It is made by
 * whoever asks first, and lives as long as somebody holds it. Errors: FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_prefetcher_shared(sdimage_prefetcher **prefetcher, sdimage_error **error);

SDIMAGE_API sdimage_prefetcher *sdimage_prefetcher_ref(sdimage_prefetcher *prefetcher);

/* The last reference cancels what is under way. */
SDIMAGE_API void sdimage_prefetcher_unref(sdimage_prefetcher *prefetcher);

/* Loads at once over all groups. Takes effect at once; what runs goes on. Default 3; 0 counts as 1. */
SDIMAGE_API void sdimage_prefetcher_set_max_concurrent(sdimage_prefetcher *prefetcher, uint32_t count);
SDIMAGE_API uint32_t sdimage_prefetcher_max_concurrent(const sdimage_prefetcher *prefetcher);

/* What the loads of groups without a request of their own ask for; copied, its URL, cache key and dispatcher do not
 * count. Default, and NULL: a plain request of priority LOW. */
SDIMAGE_API void sdimage_prefetcher_set_request(sdimage_prefetcher *prefetcher, const sdimage_request *request);

/* What is told of all groups together; each may be NULL. */
typedef struct sdimage_prefetch_observer_vtable {
    size_t size;
    /* One more URL is done, be it with an error, before its group's own callbacks. The numbers are sums over the groups
     * that are under way. The URL is without user and password, borrowed for the call. */
    void (*fetched)(void *user_data, const char *url, size_t finished, size_t total);
    /* The last group ends; before its own `completed`. */
    void (*idle)(void *user_data, size_t total, size_t skipped);
} sdimage_prefetch_observer_vtable;

/* Replaces the observer; NULL for none. `destroy(user_data)` is called once, after its last call, also when this fails.
 * Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_prefetcher_set_observer(sdimage_prefetcher *prefetcher,
                                                           const sdimage_prefetch_observer_vtable *vtable,
                                                           void *user_data, sdimage_destroy_fn destroy,
                                                           sdimage_error **error);

/* What is told of one group; each may be NULL. What is given is borrowed for the call. */
typedef struct sdimage_prefetch_handler {
    size_t size;
    /* The URL at `index` of the list is done; the result is that of its load, be it an error. */
    void (*fetched)(void *user_data, sdimage_prefetch_group *group, size_t index, sdimage_result *result);
    /* After each: how many are done, failed ones included. */
    void (*progress)(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t total);
    /* The last call, exactly once: how many are done, and how many of these have no picture. `error` is NULL, or
     * CANCELLED. `group` is NULL for an empty list. */
    void (*completed)(void *user_data, sdimage_prefetch_group *group, size_t finished, size_t skipped,
                      sdimage_error *error);
} sdimage_prefetch_handler;

/* Starts a list of `count` URLs and returns; other groups go on, those started before it first. `lengths` in bytes may
 * be NULL: all end at their NUL. URLs are copied; each counts, equal ones too. `request` replaces the prefetcher's own
 * altogether, its priority included; NULL: that one. *group, if asked for, is the caller's; releasing it does not
 * cancel. An empty list gives none, and is completed with 0 and 0, before this returns where the dispatcher is
 * immediate or this is its thread. `destroy(user_data)` is called once, after the last callback, also when this fails.
 * Errors: INVALID_ARGUMENT, BAD_HANDLE, FORKED, NO_MEMORY. What a load refuses is told as that URL's error. */
SDIMAGE_API sdimage_status sdimage_prefetcher_start(sdimage_prefetcher *prefetcher, const char *const *urls,
                                                    const size_t *lengths, size_t count, const sdimage_request *request,
                                                    const sdimage_prefetch_handler *handler, void *user_data,
                                                    sdimage_destroy_fn destroy, sdimage_prefetch_group **group,
                                                    sdimage_error **error);

/* Cancels every group that is under way. */
SDIMAGE_API void sdimage_prefetcher_cancel_all(sdimage_prefetcher *prefetcher);

/* --- Groups. */

SDIMAGE_API sdimage_prefetch_group *sdimage_prefetch_group_ref(sdimage_prefetch_group *group);
SDIMAGE_API void sdimage_prefetch_group_unref(sdimage_prefetch_group *group);

/* Ends its loads; URLs that were not started never are. `completed` says CANCELLED, with the counts up to here: before
 * this returns on the dispatcher's own thread. Does nothing to a group that is over. */
SDIMAGE_API void sdimage_prefetch_group_cancel(sdimage_prefetch_group *group);

/* Waits until nothing of the group is under way, told or not. Errors: TIMEOUT after `timeout_ms` milliseconds
 * (UINT32_MAX: no limit); WOULD_DEADLOCK on a thread of the library, always. */
SDIMAGE_API sdimage_status sdimage_prefetch_group_wait(sdimage_prefetch_group *group, uint32_t timeout_ms,
                                                       sdimage_error **error);

/* Whether everything is done, or it was cancelled. */
SDIMAGE_API bool sdimage_prefetch_group_is_finished(const sdimage_prefetch_group *group);
SDIMAGE_API bool sdimage_prefetch_group_is_cancelled(const sdimage_prefetch_group *group);

/* URLs in the list; those that are done; those of them without a picture. */
SDIMAGE_API size_t sdimage_prefetch_group_total_count(const sdimage_prefetch_group *group);
SDIMAGE_API size_t sdimage_prefetch_group_finished_count(const sdimage_prefetch_group *group);
SDIMAGE_API size_t sdimage_prefetch_group_skipped_count(const sdimage_prefetch_group *group);

/* The URL at `index`, the caller's. Errors: NOT_FOUND beyond the last. */
SDIMAGE_API sdimage_status sdimage_prefetch_group_copy_url(const sdimage_prefetch_group *group, size_t index,
                                                           sdimage_data **url, sdimage_error **error);

/* The `number`th of those that failed, in the order of failing: its place in the list, and why; both the caller's.
 * Either may be NULL. Errors: NOT_FOUND beyond the last one. */
SDIMAGE_API sdimage_status sdimage_prefetch_group_copy_failure(const sdimage_prefetch_group *group, size_t number,
                                                               size_t *index, sdimage_error **failure,
                                                               sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
