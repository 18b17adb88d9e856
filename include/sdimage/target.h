/* target.h: pictures for the widgets of a program, whatever its toolkit.
 *
 * A target stands for one widget, or one cell that is used again and again. It sees to what a widget needs: a load for
 * another URL cancels the one before, nothing late is shown, a placeholder stands meanwhile, a picture in memory is
 * there before the starting call returns. A target has slots, told apart by keys: a button has one for each of its
 * states.
 *
 * Everything of a target runs on its dispatcher, in order and never two calls at once: the table below and the
 * callbacks of its loads; the dispatcher of a request does not count. Called on the dispatcher's thread, functions that
 * start or end a load make their calls before they return; called from inside a callback of the same target, right
 * after that one returns; called on another thread, later.
 *
 * What a load calls, in this order; (f) functions of the table, (h) of the load's handler:
 *
 *   the load before it under the same key: (f) indicator_stop, transition_end; (h) result with CANCELLED
 *   (f) set_image with the placeholder, or NULL; indicator_start
 *   (f) indicator_update, (h) progress, as bytes arrive
 *   (f) set_image with parts of the picture; and with a cached one that is being refreshed, then (h) result, CACHED
 *   (f) indicator_stop; transition_prepare, set_image, transition_animate; (h) result, FINAL
 *   (f) transition_end, after the duration
 *
 * An error leaves what is shown, unless the placeholder was to come on failure. The FINAL of a refresh that brought
 * nothing new is not set again.
 *
 * Classes: sdimage_target synchronised, sdimage_target_options single-owner.
 *
 *   static void set_image(void *cell, const char *key, sdimage_image *image, sdimage_result *result) {
 *       cell_show(cell, image);
 *   }
 *   sdimage_target_vtable table = {.size = sizeof table, .set_image = set_image};
 *   sdimage_target_new(manager, main_loop, &table, cell, NULL, &target, NULL);
 *   sdimage_target_load(target, request, options, NULL, NULL, NULL, NULL, NULL); */
#ifndef SDIMAGE_TARGET_H
#define SDIMAGE_TARGET_H

#include "animated_view.h"
#include "base.h"
#include "data.h"
#include "dispatcher.h"
#include "error.h"
#include "image.h"
#include "manager.h"
#include "progress.h"
#include "request.h"
#include "result.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How one picture takes the place of another. The library tells when and for how long, the program draws. Numbers from
 * 1000 on are the program's own. */
typedef enum SDIMAGE_ENUM sdimage_transition {
    SDIMAGE_TRANSITION_NONE = 0,             /* at once */
    SDIMAGE_TRANSITION_FADE = 1,             /* the new picture shines through the old one */
    SDIMAGE_TRANSITION_FLIP_FROM_LEFT = 2,   /* turned over about its vertical axis, from the left */
    SDIMAGE_TRANSITION_FLIP_FROM_RIGHT = 3,  /* the same from the right */
    SDIMAGE_TRANSITION_FLIP_FROM_TOP = 4,    /* turned over about its horizontal axis, from the top */
    SDIMAGE_TRANSITION_FLIP_FROM_BOTTOM = 5, /* the same from the bottom */
    SDIMAGE_TRANSITION_CURL_UP = 6,          /* the old picture is peeled off upwards */
    SDIMAGE_TRANSITION_CURL_DOWN = 7         /* the new picture is laid on downwards */
} sdimage_transition;

/* What a widget does; each may be NULL. What is given is borrowed for the call. */
typedef struct sdimage_target_vtable {
    size_t size;
    /* Shows a picture; NULL clears. `result` has kind, data, source and URL of what was loaded; NULL for a
       placeholder. */
    void (*set_image)(void *user_data, const char *key, sdimage_image *image, sdimage_result *result);
    /* Something is under way. Each start is followed by exactly one stop, unless the target is closed; updates in 0 to
     * 1, 0 while the length is unknown. */
    void (*indicator_start)(void *user_data, const char *key);
    void (*indicator_stop)(void *user_data, const char *key);
    void (*indicator_update)(void *user_data, const char *key, double fraction);
    /* Around set_image: before it, right after it, and once more when the duration is over (`finished`), or at once
     * when another load, a cancellation or the next transition of the key comes before. Without all three there are no
     * transitions. */
    void (*transition_prepare)(void *user_data, const char *key, sdimage_transition transition, uint32_t duration_ms,
                               sdimage_image *image, sdimage_result *result);
    void (*transition_animate)(void *user_data, const char *key, sdimage_transition transition, uint32_t duration_ms,
                               sdimage_image *image);
    void (*transition_end)(void *user_data, const char *key, bool finished);
} sdimage_target_vtable;

/* A target that loads with `manager`, on `dispatcher` (NULL: the library's callback thread). `destroy(user_data)` is
 * called once, after the last call, also when this fails. Errors: INVALID_ARGUMENT, BAD_HANDLE, FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_target_new(sdimage_manager *manager, sdimage_dispatcher *dispatcher,
                                              const sdimage_target_vtable *vtable, void *user_data,
                                              sdimage_destroy_fn destroy, sdimage_target **target,
                                              sdimage_error **error);
SDIMAGE_API sdimage_target *sdimage_target_ref(sdimage_target *target);

/* The last reference closes the target. */
SDIMAGE_API void sdimage_target_unref(sdimage_target *target);

/* What to do with a widget that goes away: no function of the table is called after this returned on the dispatcher's
 * thread (on another thread one may still be running). Loads under way are cancelled, and completed with CANCELLED. New
 * ones give SHUTDOWN. A second call is harmless. */
SDIMAGE_API void sdimage_target_close(sdimage_target *target);

/* From now on shows a slot (NULL: the default key) in a view: whatever set_image is called with is set in the view
 * first, on the target's dispatcher. Animations play there while it is visible, those of progressive loads as far as
 * they have come; a still, a placeholder or nothing ends them. A clock on the same dispatcher brings all of `show` to
 * one thread. What the view refuses leaves it empty, and is logged. Another view replaces it, NULL none. Closing the
 * target lets go of the view, and does not stop it. */
SDIMAGE_API void sdimage_target_set_view(sdimage_target *target, const char *key, sdimage_animated_view *view);

/* --- Options of one load. */

/* When the placeholder is shown. */
typedef enum SDIMAGE_ENUM sdimage_placeholder_time {
    SDIMAGE_PLACEHOLDER_TIME_NOW = 0,       /* while the picture is loaded */
    SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE = 1 /* at the end, where there is no picture; meanwhile what is shown stays */
} sdimage_placeholder_time;

/* Which cached pictures of the same URL may stand in for the placeholder. */
typedef enum SDIMAGE_ENUM sdimage_cached_placeholder {
    SDIMAGE_CACHED_PLACEHOLDER_NONE = 0, /* none */
    /* The largest one in memory that differs in size only: the whole picture for a thumbnail, a thumbnail for the
       whole. */
    SDIMAGE_CACHED_PLACEHOLDER_MEMORY = 1,
    /* Also the very picture asked for from the disk, which the starting call then waits for: for loads that refresh. */
    SDIMAGE_CACHED_PLACEHOLDER_MEMORY_AND_DISK = 2
} sdimage_cached_placeholder;

/* What becomes of a load under way with the same key. */
typedef enum SDIMAGE_ENUM sdimage_previous_load {
    SDIMAGE_PREVIOUS_LOAD_CANCEL = 0, /* it ends with CANCELLED */
    SDIMAGE_PREVIOUS_LOAD_KEEP = 1    /* both show their pictures when they come */
} sdimage_previous_load;

/* Who shows the picture. */
typedef enum SDIMAGE_ENUM sdimage_image_setting {
    SDIMAGE_IMAGE_SETTING_AUTOMATIC = 0, /* the target, with set_image */
    SDIMAGE_IMAGE_SETTING_MANUAL = 1     /* the program, in the handler, which hears of parts too; no transition runs */
} sdimage_image_setting;

/* Which pictures come with the transition. */
typedef enum SDIMAGE_ENUM sdimage_transition_rule {
    /* What somebody had to wait for: network, loaders, and the disk unless the starting call waited for it. */
    SDIMAGE_TRANSITION_RULE_WAITED = 0,
    SDIMAGE_TRANSITION_RULE_ALWAYS = 1 /* every picture, those from memory too */
} sdimage_transition_rule;

/* Options with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_target_options *sdimage_target_options_new(void);
SDIMAGE_API sdimage_target_options *sdimage_target_options_ref(sdimage_target_options *options);
SDIMAGE_API void sdimage_target_options_unref(sdimage_target_options *options);

/* The slot; hooks find it as "setImageOperationKey" among the request's options. NULL, the default: the target's own,
   "image". */
SDIMAGE_API void sdimage_target_options_set_key(sdimage_target_options *options, const char *key);

/* Loads with another manager than the target's. NULL, the default: the target's. */
SDIMAGE_API void sdimage_target_options_set_manager(sdimage_target_options *options, sdimage_manager *manager);

/* What stands in for the picture: an image, or a hash that is drawn when needed (placeholder.h; of a BlurHash with the
 * given size in pixels). The last one set counts; NULL, the default, is none: the target is cleared. A hash that is
 * none counts as none. */
SDIMAGE_API void sdimage_target_options_set_placeholder(sdimage_target_options *options, sdimage_image *image);
SDIMAGE_API void sdimage_target_options_set_blurhash(sdimage_target_options *options, const char *text, size_t length,
                                                     uint32_t width, uint32_t height);
SDIMAGE_API void sdimage_target_options_set_thumbhash(sdimage_target_options *options, const void *hash, size_t length);

/* When the placeholder is shown. Default NOW. */
SDIMAGE_API void sdimage_target_options_set_placeholder_time(sdimage_target_options *options,
                                                             sdimage_placeholder_time time);

/* Goes before the placeholder, where there is such a picture. Default NONE. */
SDIMAGE_API void sdimage_target_options_set_cached_placeholder(sdimage_target_options *options,
                                                               sdimage_cached_placeholder cached);

/* What becomes of the load before. Default CANCEL. */
SDIMAGE_API void sdimage_target_options_set_previous_load(sdimage_target_options *options,
                                                          sdimage_previous_load previous);

/* Who shows the picture. Default AUTOMATIC. */
SDIMAGE_API void sdimage_target_options_set_image_setting(sdimage_target_options *options,
                                                          sdimage_image_setting setting);

/* How the picture comes in, and how long that takes. Default NONE; 500 milliseconds where `duration_ms` is 0. */
SDIMAGE_API void sdimage_target_options_set_transition(sdimage_target_options *options, sdimage_transition transition,
                                                       uint32_t duration_ms);

/* Which pictures come with the transition. Default WAITED. */
SDIMAGE_API void sdimage_target_options_set_transition_rule(sdimage_target_options *options,
                                                            sdimage_transition_rule rule);

/* Whether set_image is called between prepare and animate; false where these show the picture. Default true. */
SDIMAGE_API void sdimage_target_options_set_transition_sets_image(sdimage_target_options *options, bool sets_image);

/* FINAL is told to the handler when the transition has ended. Default false: right after the picture was set. */
SDIMAGE_API void sdimage_target_options_set_wait_for_transition(sdimage_target_options *options, bool wait);

/* --- Loading. */

/* Loads a picture into a slot and returns. `request` and `options` are copied; NULL options are the defaults. A NULL
 * request, or one without a URL, shows the placeholder and ends with INVALID_URL. The handler may be NULL; it hears of
 * CACHED and of exactly one FINAL, which says CANCELLED when the load was overtaken, cancelled, or its target closed
 * before the picture was set. *task, if asked for, is the caller's: NULL without a URL. `destroy(user_data)` is called
 * once, after the last callback, also when this fails. A refused load never calls back. Errors: INVALID_ARGUMENT,
 * BAD_HANDLE, SHUTDOWN, FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_target_load(sdimage_target *target, const sdimage_request *request,
                                               const sdimage_target_options *options,
                                               const sdimage_load_handler *handler, void *user_data,
                                               sdimage_destroy_fn destroy, sdimage_task **task, sdimage_error **error);

/* Cancels what is under way in a slot, or in that of the latest load. Nothing of it is shown any more when this
 * returned on the dispatcher's thread. */
SDIMAGE_API void sdimage_target_cancel(sdimage_target *target, const char *key);
SDIMAGE_API void sdimage_target_cancel_latest(sdimage_target *target);

/* The load under way in a slot (NULL: the default key), up to the end of its last callback; else NULL. The caller's. */
SDIMAGE_API void sdimage_target_copy_task(const sdimage_target *target, const char *key, sdimage_task **task);

/* Puts a load of the program's own into a slot, in place of what is under way there, which is cancelled; the next load
 * there cancels it. What it brings is not shown. */
SDIMAGE_API void sdimage_target_set_task(sdimage_target *target, const char *key, sdimage_task *task);

/* Takes what is under way out of a slot: it goes on, shows its picture, and no other load of the slot cancels it. */
SDIMAGE_API void sdimage_target_remove_task(sdimage_target *target, const char *key);

/* The key of the latest load, and the URL of the latest load of a slot (NULL: of the latest of all); empty when there
 * was none. The caller's. */
SDIMAGE_API void sdimage_target_copy_latest_key(const sdimage_target *target, sdimage_data **key);
SDIMAGE_API void sdimage_target_copy_url(const sdimage_target *target, const char *key, sdimage_data **url);

/* How far the load of a slot is (NULL: of the latest one), in bytes; the caller's. Made when first asked for, or given
 * by the program; it is 0 of 0 when a load begins, and whole when one succeeded: 1 of 1 where nothing was
 * transferred. */
SDIMAGE_API void sdimage_target_copy_progress(const sdimage_target *target, const char *key,
                                              sdimage_progress **progress);
SDIMAGE_API void sdimage_target_set_progress(sdimage_target *target, const char *key, sdimage_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
