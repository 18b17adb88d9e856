/* animated_view.h: an image in a widget: still, animated, or partial.
 *
 *   sdimage_animated_view_new(&handler, widget, NULL, &view, &error);        handler.show queues a redraw of the widget
 *   sdimage_animated_view_set_clock(view, SDIMAGE_PLAYER_CLOCK_LIBRARY, main_loop, NULL);
 *   sdimage_animated_view_set_image(view, image, NULL);                      any image of a load, also a partial one
 *   sdimage_animated_view_set_visible(view, false);                          scrolled away: stops until visible again
 *
 * Callers that load through a target pass the view to sdimage_target_set_view instead of setting images.
 *
 * A view shows its image at once, and plays an animation while it is visible. A partial animation plays the frames
 * received so far and waits at the last one. The next part continues it; the complete image starts at the first frame.
 *
 * Class: synchronized. `show` and `loop` run on the thread that sets, ticks or advances, or on the dispatcher of the
 * clock, without a lock. */
#ifndef SDIMAGE_ANIMATED_VIEW_H
#define SDIMAGE_ANIMATED_VIEW_H

#include "base.h"
#include "error.h"
#include "image.h"
#include "player.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The callbacks of a view; either may be NULL. */
typedef struct sdimage_animated_view_handler {
    size_t size;
    /* Called with the image to draw; NULL for none. The image is borrowed for the call. */
    void (*show)(void *user_data, sdimage_animated_view *view, const sdimage_image *image);
    /* Called at the end of each loop with the number of completed loops. */
    void (*loop)(void *user_data, sdimage_animated_view *view, uint32_t count);
} sdimage_animated_view_handler;

/* Creates an empty, visible view. `handler` may be NULL, and is copied. `destroy(user_data)` is called once, after the
 * last callback, also when this call fails. Errors: FORKED, NO_MEMORY, INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_animated_view_new(const sdimage_animated_view_handler *handler, void *user_data,
                                                     sdimage_destroy_fn destroy, sdimage_animated_view **view,
                                                     sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_animated_view *sdimage_animated_view_ref(const sdimage_animated_view *view);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_animated_view_unref(sdimage_animated_view *view);

/* Shows an image, or none for NULL. `show` is called before this returns, unless the image is the next part of the
 * animation that is playing: then its current frame stays. Setting the current image again has no effect; setting NULL
 * first calls `show` with NULL, for a placeholder of the widget's own. Another image resets the playback position,
 * unless both are parts of one animation. When threads set images concurrently, `show` may be called twice with one of
 * them; the last call has the image that stays. Errors: those of the transformer; FORKED. */
SDIMAGE_API sdimage_status sdimage_animated_view_set_image(sdimage_animated_view *view, const sdimage_image *image,
                                                           sdimage_error **error);
/* Returns the image to draw now, which the caller must unref; NULL for none. After the last loop it is the frame that
 * was shown last. */
SDIMAGE_API void sdimage_animated_view_get_image(const sdimage_animated_view *view, sdimage_image **image);
/* Returns the player of an animation, which the caller must unref; NULL for a still. The next image has another
 * player. */
SDIMAGE_API void sdimage_animated_view_get_player(const sdimage_animated_view *view, sdimage_player **player);

/* Sets the visibility. With autoplay, becoming visible starts playback and becoming invisible stops it. */
SDIMAGE_API void sdimage_animated_view_set_visible(sdimage_animated_view *view, bool visible);
/* Returns true if the view is visible. */
SDIMAGE_API bool sdimage_animated_view_is_visible(const sdimage_animated_view *view);
/* Starts or resumes playback; no effect while the view is invisible. */
SDIMAGE_API void sdimage_animated_view_start(sdimage_animated_view *view);
/* Pauses playback; also rewinds and releases frames according to the settings below. */
SDIMAGE_API void sdimage_animated_view_stop(sdimage_animated_view *view);
/* Returns true while the animation is playing. */
SDIMAGE_API bool sdimage_animated_view_is_animating(const sdimage_animated_view *view);

/* --- Time, as of a player (player.h): the clock of the view serves its images one after the other. */

/* Advances time by `nanoseconds`; returns true if another frame is to be drawn. */
SDIMAGE_API bool sdimage_animated_view_tick(sdimage_animated_view *view, uint64_t nanoseconds);
/* Sets the clock, and the dispatcher of LIBRARY; NULL: the library's callback thread. */
SDIMAGE_API sdimage_status sdimage_animated_view_set_clock(sdimage_animated_view *view, sdimage_player_clock clock,
                                                           sdimage_dispatcher *dispatcher, sdimage_error **error);
/* Returns the clock and its dispatcher through pointers that may be NULL. The caller owns *dispatcher; NULL for
 * clocks other than LIBRARY. */
SDIMAGE_API void sdimage_animated_view_get_clock(const sdimage_animated_view *view, sdimage_player_clock *clock,
                                                 sdimage_dispatcher **dispatcher);
/* Returns the descriptor of the clock DESCRIPTOR; -1 for other clocks. */
SDIMAGE_API int sdimage_animated_view_descriptor(const sdimage_animated_view *view);
/* Advances time by that of the monotonic clock since the last call; returns true if another frame is to be drawn. */
SDIMAGE_API bool sdimage_animated_view_advance(sdimage_animated_view *view);

/* --- Settings, at any time: for the current image and later ones. */

/* Plays animations automatically while the view is visible. Default true. */
SDIMAGE_API void sdimage_animated_view_set_autoplay(sdimage_animated_view *view, bool autoplay);
/* Returns true if animations play automatically while the view is visible. */
SDIMAGE_API bool sdimage_animated_view_should_autoplay(const sdimage_animated_view *view);
/* Sets the loop count of every image in place of its own; 0 = infinite. */
SDIMAGE_API void sdimage_animated_view_set_loop_limit(sdimage_animated_view *view, uint32_t loops);
/* Returns the loop count set; 0 = infinite, and if none is set. */
SDIMAGE_API uint32_t sdimage_animated_view_loop_limit(const sdimage_animated_view *view);
/* Returns true if a loop count is set. */
SDIMAGE_API bool sdimage_animated_view_has_loop_limit(const sdimage_animated_view *view);
/* Restores the loop count of each image, the default. */
SDIMAGE_API void sdimage_animated_view_reset_loop_limit(sdimage_animated_view *view);
/* Plays partial animations; when false their first frame is shown. Default true. */
SDIMAGE_API void sdimage_animated_view_set_incremental(sdimage_animated_view *view, bool incremental);
/* Returns true if partial animations are played. */
SDIMAGE_API bool sdimage_animated_view_is_incremental(const sdimage_animated_view *view);
/* Releases the held frames when playback stops. Default false. */
SDIMAGE_API void sdimage_animated_view_set_clear_buffer_when_stopped(sdimage_animated_view *view, bool clear);
/* Returns true if the held frames are released when playback stops. */
SDIMAGE_API bool sdimage_animated_view_should_clear_buffer_when_stopped(const sdimage_animated_view *view);
/* Returns to the first frame when playback stops. Default false. */
SDIMAGE_API void sdimage_animated_view_set_rewind_when_stopped(sdimage_animated_view *view, bool rewind);
/* Returns true if playback returns to the first frame when it stops. */
SDIMAGE_API bool sdimage_animated_view_should_rewind_when_stopped(const sdimage_animated_view *view);
/* Sets the transformer of every frame of animations set from now on; the thread that sets an image transforms its
 * first frame. NULL for none. */
SDIMAGE_API void sdimage_animated_view_set_transformer(sdimage_animated_view *view,
                                                       const sdimage_transformer *transformer);
/* Returns the transformer; the caller owns *transformer. NULL for none. */
SDIMAGE_API void sdimage_animated_view_get_transformer(const sdimage_animated_view *view,
                                                       sdimage_transformer **transformer);
/* Sets the speed (sdimage_player_set_rate). */
SDIMAGE_API void sdimage_animated_view_set_rate(sdimage_animated_view *view, double rate);
/* Returns the speed. */
SDIMAGE_API double sdimage_animated_view_rate(const sdimage_animated_view *view);
/* Sets the order of frames (sdimage_player_set_mode). */
SDIMAGE_API void sdimage_animated_view_set_mode(sdimage_animated_view *view, sdimage_playback_mode mode);
/* Returns the order of frames. */
SDIMAGE_API sdimage_playback_mode sdimage_animated_view_mode(const sdimage_animated_view *view);
/* Sets the bytes of frames that may be held (sdimage_player_set_max_buffer_size). */
SDIMAGE_API void sdimage_animated_view_set_max_buffer_size(sdimage_animated_view *view, size_t bytes);
/* Returns the bytes of frames that may be held. */
SDIMAGE_API size_t sdimage_animated_view_max_buffer_size(const sdimage_animated_view *view);
/* Skips frames whose time has passed (sdimage_player_set_drop_late_frames). Default false. */
SDIMAGE_API void sdimage_animated_view_set_drop_late_frames(sdimage_animated_view *view, bool drop);
/* Returns true if frames whose time has passed are skipped. */
SDIMAGE_API bool sdimage_animated_view_should_drop_late_frames(const sdimage_animated_view *view);
/* Decodes a due but missing frame on the calling thread (sdimage_player_set_decode_when_due). Default false. */
SDIMAGE_API void sdimage_animated_view_set_decode_when_due(sdimage_animated_view *view, bool decode);
/* Returns true if a due but missing frame is decoded on the calling thread. */
SDIMAGE_API bool sdimage_animated_view_should_decode_when_due(const sdimage_animated_view *view);

#ifdef __cplusplus
}
#endif

#endif
