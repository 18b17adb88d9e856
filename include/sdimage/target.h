/* target.h: targets, which load images into the widgets of a program, with any toolkit.
 *
 * A target represents one widget, or one cell that is reused. It does what a widget needs: a load of another URL
 * cancels the previous one, no late image is shown, a placeholder is shown meanwhile, and an image in memory is set
 * before the starting call returns. A target has slots, identified by keys: a button has one for each of its states.
 *
 * All callbacks of a target run on its dispatcher, in order and serialized: the functions of the table below and the
 * handlers of its loads. The dispatcher of a request is ignored. Functions that start or end a load make their
 * callbacks:
 * - before they return, if called on the dispatcher's thread;
 * - right after the current callback returns, if called from a callback of the same target;
 * - later, if called on another thread.
 *
 * A load makes these calls, in this order; (f) functions of the table, (h) of the load's handler:
 *   the previous load of the same key: (f) indicator_stop, transition_end; (h) result with CANCELLED
 *   (f) set_image with the placeholder, or NULL; indicator_start
 *   (f) indicator_update, (h) progress, as bytes arrive
 *   (f) set_image with partial images; and with a cached image while it is refreshed, then (h) result, CACHED
 *   (f) indicator_stop; transition_prepare, set_image, transition_animate; (h) result, FINAL
 *   (f) transition_end, after the duration
 *
 * After an error the shown image stays, unless the placeholder is to be shown on failure. Cancellation counts as an
 * error here, except that its placeholder has no transition; a load that is replaced, or whose target is closed, shows
 * none. The FINAL of a refresh that found no change is not set again.
 *
 * Classes: sdimage_target synchronized, sdimage_target_options single-owner.
 *   static void set_image(void *cell, const char *key, sdimage_image *image, sdimage_result *result) {
 *       cell_show(cell, image);
 *   }
 *   sdimage_target_vtable table = {.size = sizeof table, .set_image = set_image};
 *   sdimage_target_new(manager, main_loop, &table, cell, NULL, &target, NULL);
 *   sdimage_target_load(target, request, options, NULL, NULL, NULL, NULL, NULL);
 * */
#ifndef SDIMAGE_TARGET_H
#define SDIMAGE_TARGET_H

#include "animated_view.h"
#include "base.h"
#include "data.h"
#include "dispatcher.h"
#include "error.h"
#include "image.h"
#include "manager.h"
#include "request.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Transition from one image to the next. The library reports its times, the program draws it. Values from 1000 on are
 * defined by the program. */
typedef enum SDIMAGE_ENUM sdimage_transition {
    SDIMAGE_TRANSITION_NONE = 0,             /* immediate */
    SDIMAGE_TRANSITION_FADE = 1,             /* the new image fades in over the old one */
    SDIMAGE_TRANSITION_FLIP_FROM_LEFT = 2,   /* turned over about its vertical axis, from the left */
    SDIMAGE_TRANSITION_FLIP_FROM_RIGHT = 3,  /* the same from the right */
    SDIMAGE_TRANSITION_FLIP_FROM_TOP = 4,    /* turned over about its horizontal axis, from the top */
    SDIMAGE_TRANSITION_FLIP_FROM_BOTTOM = 5, /* the same from the bottom */
    SDIMAGE_TRANSITION_CURL_UP = 6,          /* the old image is peeled off upwards */
    SDIMAGE_TRANSITION_CURL_DOWN = 7         /* the new image is laid on downwards */
} sdimage_transition;

/* The functions of a widget; each may be NULL. Arguments are borrowed for the call. */
typedef struct sdimage_target_vtable {
    size_t size;
    /* Shows an image; NULL clears. `result` has kind, data, source and URL of the loaded image; NULL for a
     * placeholder. */
    void (*set_image)(void *user_data, const char *key, sdimage_image *image, sdimage_result *result);
    /* Starts an activity indicator. Each start is followed by exactly one stop, unless the target is closed. */
    void (*indicator_start)(void *user_data, const char *key);
    /* Stops the activity indicator. */
    void (*indicator_stop)(void *user_data, const char *key);
    /* Updates the activity indicator. `fraction` is from 0 to 1, and 0 while the length is unknown. */
    void (*indicator_update)(void *user_data, const char *key, double fraction);
    /* Prepares a transition, before set_image. If the three functions of transitions are NULL, there are none. */
    void (*transition_prepare)(void *user_data, const char *key, sdimage_transition transition, uint32_t duration_ms,
                               sdimage_image *image, sdimage_result *result);
    /* Animates a transition, right after set_image. */
    void (*transition_animate)(void *user_data, const char *key, sdimage_transition transition, uint32_t duration_ms,
                               sdimage_image *image);
    /* Ends a transition: when its duration has passed (`finished`), or earlier if another load, a cancellation or the
     * next transition of the key ends it. */
    void (*transition_end)(void *user_data, const char *key, bool finished);
} sdimage_target_vtable;

/* Makes a target that loads with `manager` and calls on `dispatcher` (NULL: the library's callback thread).
 * `destroy(user_data)` is called once, after the last callback, also when this call fails. Errors: INVALID_ARGUMENT,
 * BAD_HANDLE, FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_target_new(sdimage_manager *manager, sdimage_dispatcher *dispatcher,
                                              const sdimage_target_vtable *vtable, void *user_data,
                                              sdimage_destroy_fn destroy, sdimage_target **target,
                                              sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_target *sdimage_target_ref(const sdimage_target *target);
/* Releases a reference; NULL has no effect. The last one closes the target. */
SDIMAGE_API void sdimage_target_unref(sdimage_target *target);

/* Closes the target when its widget is destroyed. After this has returned on the dispatcher's thread, no function of
 * the table is called; after a call on another thread, one may still be running. Loads under way complete with
 * CANCELLED. New ones return SHUTDOWN. A second call is harmless. */
SDIMAGE_API void sdimage_target_close(sdimage_target *target);

/* Shows a slot (NULL: the default key) in a view from now on: each image is set in the view before set_image is called,
 * on the target's dispatcher. Animations play there while the view is visible, those of progressive loads as far as
 * they have arrived; a still, a placeholder or NULL ends them. With a clock on the same dispatcher, all calls of `show`
 * are on one thread. An image that the view refuses leaves it empty, and is logged. Another view replaces it, NULL
 * removes it. Closing the target releases the view without stopping it. */
SDIMAGE_API void sdimage_target_set_view(sdimage_target *target, const char *key, sdimage_animated_view *view);
/* Returns the view of a slot (NULL: the default key); the caller owns *view. NULL for none. */
SDIMAGE_API void sdimage_target_get_view(const sdimage_target *target, const char *key, sdimage_animated_view **view);

/* --- Options of one load. */

/* Time at which the placeholder is shown. */
typedef enum SDIMAGE_ENUM sdimage_placeholder_time {
    SDIMAGE_PLACEHOLDER_TIME_NOW = 0,       /* while the image is loaded, the default */
    SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE = 1 /* at the end, if there is no image; until then the shown image stays */
} sdimage_placeholder_time;

/* Cached images of the same URL that may be shown in place of the placeholder. */
typedef enum SDIMAGE_ENUM sdimage_cached_placeholder {
    SDIMAGE_CACHED_PLACEHOLDER_NONE = 0, /* none */
    /* The largest image in memory that differs in size only: the original, or one of the latest four thumbnails of
     * the image, except those that FILL may have stretched. */
    SDIMAGE_CACHED_PLACEHOLDER_MEMORY = 1,
    /* Also the requested image itself from the disk; the starting call waits for it. For loads that refresh. */
    SDIMAGE_CACHED_PLACEHOLDER_MEMORY_AND_DISK = 2
} sdimage_cached_placeholder;

/* Effect on a load under way with the same key. */
typedef enum SDIMAGE_ENUM sdimage_previous_load {
    SDIMAGE_PREVIOUS_LOAD_CANCEL = 0, /* it ends with CANCELLED, the default */
    SDIMAGE_PREVIOUS_LOAD_KEEP = 1    /* both show their images when they arrive */
} sdimage_previous_load;

/* Code that shows the image. */
typedef enum SDIMAGE_ENUM sdimage_image_setting {
    SDIMAGE_IMAGE_SETTING_AUTOMATIC = 0, /* the target, with set_image */
    SDIMAGE_IMAGE_SETTING_MANUAL = 1     /* the program, in the handler, which also receives parts; no transition */
} sdimage_image_setting;

/* Images that are shown with the transition. */
typedef enum SDIMAGE_ENUM sdimage_transition_rule {
    /* Images that took time, the default: from network and loaders, and from disk and remote caches unless the
     * starting call waited for them (SDIMAGE_BLOCKING_READS_DISK). */
    SDIMAGE_TRANSITION_RULE_WAITED = 0,
    SDIMAGE_TRANSITION_RULE_ALWAYS = 1 /* every image, also those from memory */
} sdimage_transition_rule;

/* Creates options with the defaults; the caller owns them. NULL when memory is refused. */
SDIMAGE_API sdimage_target_options *sdimage_target_options_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_target_options *sdimage_target_options_ref(const sdimage_target_options *options);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_target_options_unref(sdimage_target_options *options);

/* Sets the slot; hooks find it as "setImageOperationKey" in the request's options. NULL, the default: the target's own,
 * "image". */
SDIMAGE_API void sdimage_target_options_set_key(sdimage_target_options *options, const char *key);
/* Returns the key of the slot. Borrowed until it is set again or the options are freed. */
SDIMAGE_API const char *sdimage_target_options_key(const sdimage_target_options *options);

/* Sets a manager in place of the target's. NULL, the default: the target's. */
SDIMAGE_API void sdimage_target_options_set_manager(sdimage_target_options *options, sdimage_manager *manager);
/* Returns the manager set; the caller owns *manager. NULL for the target's. */
SDIMAGE_API void sdimage_target_options_get_manager(const sdimage_target_options *options, sdimage_manager **manager);

/* Sets an image as the placeholder, in place of a hash. NULL, the default: no placeholder, the target is cleared. */
SDIMAGE_API void sdimage_target_options_set_placeholder(sdimage_target_options *options, sdimage_image *image);
/* Returns the image set as the placeholder; the caller owns *image. NULL for a hash, and for none. */
SDIMAGE_API void sdimage_target_options_get_placeholder(const sdimage_target_options *options, sdimage_image **image);

/* Sets a BlurHash (placeholder.h) as the placeholder, drawn when needed at a size in pixels, in place of an image or
 * another hash. NULL: none. An invalid hash counts as no placeholder. */
SDIMAGE_API void sdimage_target_options_set_blurhash(sdimage_target_options *options, const char *text, size_t length,
                                                     uint32_t width, uint32_t height);
/* Returns the BlurHash set as the placeholder and its length; NULL for none. `length` may be NULL. Borrowed until
 * the placeholder is set again or the options are freed. */
SDIMAGE_API const char *sdimage_target_options_blurhash(const sdimage_target_options *options, size_t *length);
/* Returns the size in pixels of the BlurHash; 0 x 0 without one. */
SDIMAGE_API sdimage_size sdimage_target_options_blurhash_size(const sdimage_target_options *options);

/* Sets a ThumbHash (placeholder.h) as the placeholder, drawn when needed, in place of an image or another hash.
 * NULL: none. An invalid hash counts as no placeholder. */
SDIMAGE_API void sdimage_target_options_set_thumbhash(sdimage_target_options *options, const void *hash, size_t length);
/* Returns the ThumbHash set as the placeholder and its length; NULL for none. `length` may be NULL. Borrowed until
 * the placeholder is set again or the options are freed. */
SDIMAGE_API const void *sdimage_target_options_thumbhash(const sdimage_target_options *options, size_t *length);

/* Sets the time at which the placeholder is shown. Default NOW. */
SDIMAGE_API void sdimage_target_options_set_placeholder_time(sdimage_target_options *options,
                                                             sdimage_placeholder_time time);
/* Returns the time at which the placeholder is shown. */
SDIMAGE_API sdimage_placeholder_time sdimage_target_options_placeholder_time(const sdimage_target_options *options);

/* Sets the cached images that may be shown in place of the placeholder. Default NONE. */
SDIMAGE_API void sdimage_target_options_set_cached_placeholder(sdimage_target_options *options,
                                                               sdimage_cached_placeholder cached);
/* Returns the cached images that may be shown in place of the placeholder. */
SDIMAGE_API sdimage_cached_placeholder sdimage_target_options_cached_placeholder(const sdimage_target_options *options);

/* Sets the effect on the previous load. Default CANCEL. */
SDIMAGE_API void sdimage_target_options_set_previous_load(sdimage_target_options *options,
                                                          sdimage_previous_load previous);
/* Returns the effect on the previous load. */
SDIMAGE_API sdimage_previous_load sdimage_target_options_previous_load(const sdimage_target_options *options);

/* Sets the code that shows the image. Default AUTOMATIC. */
SDIMAGE_API void sdimage_target_options_set_image_setting(sdimage_target_options *options,
                                                          sdimage_image_setting setting);
/* Returns the code that shows the image. */
SDIMAGE_API sdimage_image_setting sdimage_target_options_image_setting(const sdimage_target_options *options);

/* Sets the transition and its duration. Default NONE; a `duration_ms` of 0 is 500 milliseconds. */
SDIMAGE_API void sdimage_target_options_set_transition(sdimage_target_options *options, sdimage_transition transition,
                                                       uint32_t duration_ms);
/* Returns the transition. */
SDIMAGE_API sdimage_transition sdimage_target_options_transition(const sdimage_target_options *options);
/* Returns the duration of the transition in milliseconds. */
SDIMAGE_API uint32_t sdimage_target_options_transition_duration_ms(const sdimage_target_options *options);

/* Sets the images that are shown with the transition. Default WAITED. */
SDIMAGE_API void sdimage_target_options_set_transition_rule(sdimage_target_options *options,
                                                            sdimage_transition_rule rule);
/* Returns the images that are shown with the transition. */
SDIMAGE_API sdimage_transition_rule sdimage_target_options_transition_rule(const sdimage_target_options *options);

/* Calls set_image between prepare and animate; false if these show the image themselves. Default true. */
SDIMAGE_API void sdimage_target_options_set_show_image_in_transition(sdimage_target_options *options, bool show);
/* Returns true if set_image is called between prepare and animate. */
SDIMAGE_API bool sdimage_target_options_should_show_image_in_transition(const sdimage_target_options *options);

/* Delays FINAL to the handler until the transition has ended. Default false: right after the image was set. */
SDIMAGE_API void sdimage_target_options_set_wait_for_transition(sdimage_target_options *options, bool wait);
/* Returns true if FINAL waits for the end of the transition. */
SDIMAGE_API bool sdimage_target_options_should_wait_for_transition(const sdimage_target_options *options);

/* --- Loading. */

/* Loads an image into a slot and returns. `request` and `options` are copied; NULL options are the defaults. A NULL
 * request, or one without a URL, shows the placeholder and ends with INVALID_URL. The handler may be NULL. It receives
 * CACHED results and exactly one FINAL. FINAL is CANCELLED if the load was replaced, cancelled, or its target closed
 * before the image was set; so is the result of its task then, even if the image had arrived. *task, if requested, is
 * the caller's: NULL without a URL.
 *
 * `destroy(user_data)` is called once, after the last callback, also when this call fails. A refused load never calls
 * back. Errors: INVALID_ARGUMENT, BAD_HANDLE, SHUTDOWN, FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_target_load(sdimage_target *target, const sdimage_request *request,
                                               const sdimage_target_options *options,
                                               const sdimage_load_handler *handler, void *user_data,
                                               sdimage_destroy_fn destroy, sdimage_task **task, sdimage_error **error);

/* Cancels the loads under way in a slot (NULL: the default key). After this has returned on the dispatcher's thread,
 * none of their images is shown. A placeholder to be shown on failure is shown. */
SDIMAGE_API void sdimage_target_cancel(sdimage_target *target, const char *key);
/* Cancels the loads under way in the slot of the latest load, in the same way. */
SDIMAGE_API void sdimage_target_cancel_latest(sdimage_target *target);

/* Returns the load under way in a slot (NULL: the default key), until the end of its last callback; otherwise NULL. For
 * the caller to unref. */
SDIMAGE_API void sdimage_target_get_task(const sdimage_target *target, const char *key, sdimage_task **task);

/* Changes the priority of the loads under way in a slot (NULL: the default key), for example when its widget scrolls
 * into view or out of it: see sdimage_task_set_priority. */
SDIMAGE_API void sdimage_target_set_priority(sdimage_target *target, const char *key, sdimage_priority priority);
/* Returns the priority of the load under way in a slot (NULL: the default key); NORMAL if there is none. */
SDIMAGE_API sdimage_priority sdimage_target_priority(const sdimage_target *target, const char *key);

/* Puts a load started by the program itself into a slot. Other loads under way there are cancelled; the next load in
 * the slot cancels this one. Its image is not shown. */
SDIMAGE_API void sdimage_target_set_task(sdimage_target *target, const char *key, sdimage_task *task);

/* Removes the loads under way from a slot: they continue and show their images, and no other load of the slot cancels
 * them. */
SDIMAGE_API void sdimage_target_remove_task(sdimage_target *target, const char *key);

/* Returns the key of the latest load; empty if there was none. The caller owns *key. */
SDIMAGE_API void sdimage_target_get_latest_key(const sdimage_target *target, sdimage_data **key);
/* Returns the URL of the latest load of a slot (NULL: of the latest load of all); empty if there was none. The
 * caller owns *url. */
SDIMAGE_API void sdimage_target_get_url(const sdimage_target *target, const char *key, sdimage_data **url);

#ifdef __cplusplus
}
#endif

#endif
