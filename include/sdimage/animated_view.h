/* animated_view.h: a picture in a widget: still, moving, or still arriving.
 *
 *   sdimage_animated_view_new(&handler, widget, NULL, &view, &error);        handler.show queues a redraw of the widget
 *   sdimage_animated_view_set_clock(view, SDIMAGE_PLAYER_CLOCK_LIBRARY, main_loop, NULL);
 *   sdimage_animated_view_set_image(view, image, NULL);                      whatever a load brings, parts too
 *   sdimage_animated_view_set_visible(view, false);                          scrolled away: stops, and goes on when back
 *
 * Whoever loads by a target gives the view to that instead of setting images: sdimage_target_set_view.
 *
 * It shows what it is given at once, and plays what moves while it is visible. A part of an animation that is on its
 * way plays as far as it has come and waits there; the next part goes on, and the complete picture starts anew.
 *
 * Class: synchronised. `show` and `loop` run on the thread that sets, ticks or advances, or on the clock's dispatcher,
 * under no lock. */
#ifndef SDIMAGE_ANIMATED_VIEW_H
#define SDIMAGE_ANIMATED_VIEW_H

#include "base.h"
#include "error.h"
#include "image.h"
#include "player.h"
#include "transformer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a view has to say; either may be NULL. */
typedef struct sdimage_animated_view_handler {
    size_t size;
    /* This is to be drawn; NULL: nothing. The image is borrowed for the call. */
    void (*show)(void *user_data, sdimage_animated_view *view, const sdimage_image *image);
    /* A round is over: so many are. */
    void (*loop)(void *user_data, sdimage_animated_view *view, uint32_t count);
} sdimage_animated_view_handler;

/* An empty view, visible. `handler` may be NULL, and is copied. `destroy(user_data)` is called once, after the last
 * call, also when this fails. Errors: FORKED, NO_MEMORY, INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_animated_view_new(const sdimage_animated_view_handler *handler, void *user_data,
                                                     sdimage_destroy_fn destroy, sdimage_animated_view **view,
                                                     sdimage_error **error);
SDIMAGE_API sdimage_animated_view *sdimage_animated_view_ref(sdimage_animated_view *view);
SDIMAGE_API void sdimage_animated_view_unref(sdimage_animated_view *view);

/* Shows an image, or nothing for NULL; `show` is called before this returns. The same image again changes nothing. What
 * had been played of another is forgotten, unless both are parts of one animation. When threads set images at once,
 * `show` may be called twice with one of them; the last call has the image that stays. Errors: those of the
 * transformer; FORKED. */
SDIMAGE_API sdimage_status sdimage_animated_view_set_image(sdimage_animated_view *view, const sdimage_image *image,
                                                           sdimage_error **error);
/* What is to be drawn now, the caller's to unref; NULL for nothing. */
SDIMAGE_API void sdimage_animated_view_copy_image(const sdimage_animated_view *view, sdimage_image **image);
/* The player of a moving picture, the caller's to unref; NULL for a still. Another one after the next image. */
SDIMAGE_API void sdimage_animated_view_copy_player(const sdimage_animated_view *view, sdimage_player **player);

/* Whether it can be seen. With autoplay, becoming visible starts and becoming invisible stops. */
SDIMAGE_API void sdimage_animated_view_set_visible(sdimage_animated_view *view, bool visible);
SDIMAGE_API bool sdimage_animated_view_is_visible(const sdimage_animated_view *view);
/* Starts, or goes on; nothing while it is invisible. */
SDIMAGE_API void sdimage_animated_view_start(sdimage_animated_view *view);
/* Pauses; rewinds and empties as set below. */
SDIMAGE_API void sdimage_animated_view_stop(sdimage_animated_view *view);
/* Whether time goes on for what is shown. */
SDIMAGE_API bool sdimage_animated_view_is_animating(const sdimage_animated_view *view);

/* Time, as for a player (player.h): its clock serves one picture after the other. */
SDIMAGE_API bool sdimage_animated_view_tick(sdimage_animated_view *view, uint64_t nanoseconds);
SDIMAGE_API sdimage_status sdimage_animated_view_set_clock(sdimage_animated_view *view, sdimage_player_clock clock,
                                                           sdimage_dispatcher *dispatcher, sdimage_error **error);
SDIMAGE_API int sdimage_animated_view_descriptor(const sdimage_animated_view *view);
SDIMAGE_API bool sdimage_animated_view_advance(sdimage_animated_view *view);

/* --- Settings, at any time: for the picture that is shown and those to come. */

/* Whether what moves plays by itself while it is visible. Default true. */
SDIMAGE_API void sdimage_animated_view_set_autoplay(sdimage_animated_view *view, bool autoplay);
SDIMAGE_API bool sdimage_animated_view_autoplay(const sdimage_animated_view *view);
/* How often every picture plays, 0 = for ever; reset, the default: as each picture says. */
SDIMAGE_API void sdimage_animated_view_set_loop_limit(sdimage_animated_view *view, uint32_t loops);
SDIMAGE_API void sdimage_animated_view_reset_loop_limit(sdimage_animated_view *view);
/* Whether what is still arriving moves; else its first frame is shown. Default true. */
SDIMAGE_API void sdimage_animated_view_set_incremental(sdimage_animated_view *view, bool incremental);
SDIMAGE_API bool sdimage_animated_view_incremental(const sdimage_animated_view *view);
/* Whether stopping lets go of frames that are held, and goes back to the start. Default false. */
SDIMAGE_API void sdimage_animated_view_set_clears_buffer_when_stopped(sdimage_animated_view *view, bool clears);
SDIMAGE_API bool sdimage_animated_view_clears_buffer_when_stopped(const sdimage_animated_view *view);
SDIMAGE_API void sdimage_animated_view_set_rewinds_when_stopped(sdimage_animated_view *view, bool rewinds);
SDIMAGE_API bool sdimage_animated_view_rewinds_when_stopped(const sdimage_animated_view *view);
/* Done to every frame of the pictures set from now on, to the first one by the thread that sets it. NULL for none. */
SDIMAGE_API void sdimage_animated_view_set_transformer(sdimage_animated_view *view,
                                                       const sdimage_transformer *transformer);
/* As of a player (player.h): rate, mode, frames held ahead, late frames. */
SDIMAGE_API void sdimage_animated_view_set_rate(sdimage_animated_view *view, double rate);
SDIMAGE_API double sdimage_animated_view_rate(const sdimage_animated_view *view);
SDIMAGE_API void sdimage_animated_view_set_mode(sdimage_animated_view *view, sdimage_playback_mode mode);
SDIMAGE_API sdimage_playback_mode sdimage_animated_view_mode(const sdimage_animated_view *view);
SDIMAGE_API void sdimage_animated_view_set_max_buffer_size(sdimage_animated_view *view, size_t bytes);
SDIMAGE_API size_t sdimage_animated_view_max_buffer_size(const sdimage_animated_view *view);
SDIMAGE_API void sdimage_animated_view_set_drops_late_frames(sdimage_animated_view *view, bool drops);
SDIMAGE_API bool sdimage_animated_view_drops_late_frames(const sdimage_animated_view *view);
SDIMAGE_API void sdimage_animated_view_set_decodes_when_due(sdimage_animated_view *view, bool decodes);
SDIMAGE_API bool sdimage_animated_view_decodes_when_due(const sdimage_animated_view *view);

#ifdef __cplusplus
}
#endif

#endif
