/* player.h: an animation played: which frame is to be drawn now.
 *
 * With a game loop, or any timer of the host:
 *
 *   sdimage_player_new(image, NULL, NULL, NULL, &player, &error);
 *   sdimage_player_start(player);
 *   every frame of the screen:
 *       if (sdimage_player_tick(player, nanoseconds_since_the_last))
 *           sdimage_player_copy_frame(player, &frame), draw(frame), sdimage_image_unref(frame);
 *
 * With an event loop that watches descriptors:
 *
 *   sdimage_player_set_clock(player, SDIMAGE_PLAYER_CLOCK_DESCRIPTOR, NULL, &error);
 *   whenever sdimage_player_descriptor(player) is readable: if (sdimage_player_advance(player)) redraw();
 *
 * With the library's own timers: SDIMAGE_PLAYER_CLOCK_LIBRARY, and the handler's `frame` on a dispatcher.
 *
 * Frames are decoded ahead of time on the library's workers. One that is not there when it is due is shown as soon as
 * it is, and the clock stands still meanwhile: no frame is skipped, unless sdimage_player_set_drops_late_frames.
 * Players of one picture share its frames. A frame that cannot be decoded has its time, with the one before it still on
 * show.
 *
 * Class: synchronised. Handlers run on the thread that calls tick, advance or seek, or on the clock's dispatcher; never
 * two at once for ticks; any function may be called from them, sdimage_player_unref included. */
#ifndef SDIMAGE_PLAYER_H
#define SDIMAGE_PLAYER_H

#include "animation.h"
#include "base.h"
#include "dispatcher.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The order of frames in one round. */
typedef enum SDIMAGE_ENUM sdimage_playback_mode {
    SDIMAGE_PLAYBACK_MODE_NORMAL = 0,         /* from the start to the end */
    SDIMAGE_PLAYBACK_MODE_REVERSE = 1,        /* from the end to the start */
    SDIMAGE_PLAYBACK_MODE_BOUNCE = 2,         /* to the end and back */
    SDIMAGE_PLAYBACK_MODE_REVERSED_BOUNCE = 3 /* from the end to the start and back */
} sdimage_playback_mode;

/* Who tells a player what time it is. */
typedef enum SDIMAGE_ENUM sdimage_player_clock {
    SDIMAGE_PLAYER_CLOCK_HOST = 0,       /* sdimage_player_tick */
    SDIMAGE_PLAYER_CLOCK_DESCRIPTOR = 1, /* sdimage_player_descriptor, sdimage_player_advance */
    SDIMAGE_PLAYER_CLOCK_LIBRARY = 2     /* timers of the library, handlers on a dispatcher */
} sdimage_player_clock;

/* What a player has to say; either may be NULL. The image is borrowed for the call. */
typedef struct sdimage_player_handler {
    size_t size;
    /* A frame is to be drawn. */
    void (*frame)(void *user_data, sdimage_player *player, uint32_t index, const sdimage_image *image);
    /* A round is over: so many are. Called when frame 0 comes next, before it is shown. */
    void (*loop)(void *user_data, sdimage_player *player, uint32_t count);
} sdimage_player_handler;

/* A player of an animated image, stopped at its first frame. `handler` may be NULL, and is copied. `destroy(user_data)`
 * is called once, after the last call, also when this fails. Errors: INVALID_ARGUMENT (fewer than two frames), FORKED,
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_player_new(const sdimage_image *image, const sdimage_player_handler *handler,
                                              void *user_data, sdimage_destroy_fn destroy, sdimage_player **player,
                                              sdimage_error **error);
/* The same of frames of any kind; of growing ones also while there is none yet. */
SDIMAGE_API sdimage_status sdimage_player_new_provider(const sdimage_frame_provider *provider,
                                                       const sdimage_player_handler *handler, void *user_data,
                                                       sdimage_destroy_fn destroy, sdimage_player **player,
                                                       sdimage_error **error);
SDIMAGE_API sdimage_player *sdimage_player_ref(sdimage_player *player);
/* The last reference stops it: no further handler is called, but for one that is running. */
SDIMAGE_API void sdimage_player_unref(sdimage_player *player);

/* --- Playing. */

/* Starts, or goes on after a pause. Reversed modes begin at the last frame. The first frame is shown at the first
   tick. */
SDIMAGE_API void sdimage_player_start(sdimage_player *player);
/* Stops time and keeps everything else. */
SDIMAGE_API void sdimage_player_pause(sdimage_player *player);
/* Stops, and goes back to frame 0 and loop 0 with no current frame, without a call of the handler: what is drawn stays
 * as it is. So does the end of the last loop. Frames that are held stay. */
SDIMAGE_API void sdimage_player_stop(sdimage_player *player);
/* Shows a frame at once, decoded by the calling thread, also while paused: the handler is called before this returns.
 * INVALID_ARGUMENT, and nothing changes, where there is no such frame; else errors of the frame. */
SDIMAGE_API sdimage_status sdimage_player_seek(sdimage_player *player, uint32_t index, uint32_t loop_count,
                                               sdimage_error **error);
/* Lets go of all frames that are held for it. */
SDIMAGE_API void sdimage_player_clear_frame_buffer(sdimage_player *player);
/* Looks again at how many frames there are: what to call when a provider that grows has grown, where a clock drives the
 * player. Ticks do it by themselves. */
SDIMAGE_API void sdimage_player_update(sdimage_player *player);

/* --- Time. */

/* Lets so many nanoseconds pass; true when another frame is to be drawn. A tick moves by one frame at most and shows
 * what an earlier one made due. Inside a handler it returns false, and the time is added to the next tick. */
SDIMAGE_API bool sdimage_player_tick(sdimage_player *player, uint64_t nanoseconds);

/* What drives it; HOST at first. `dispatcher` is where LIBRARY calls handlers; NULL: the library's callback thread.
 * Errors: IO_ERROR (no descriptor to be had), NO_MEMORY, INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_player_set_clock(sdimage_player *player, sdimage_player_clock clock,
                                                    sdimage_dispatcher *dispatcher, sdimage_error **error);

/* DESCRIPTOR: becomes readable when there is something to do; open as long as the player has this clock. Do not read
 * from it. -1 for other clocks. */
SDIMAGE_API int sdimage_player_descriptor(const sdimage_player *player);
/* Lets pass what has passed on the monotonic clock since the last time; true when another frame is to be drawn. */
SDIMAGE_API bool sdimage_player_advance(sdimage_player *player);

/* --- Settings, at any time. */

/* 1 is the speed of the file, 2 twice as fast; 0 and below, and what is not finite, stops at the next tick. */
SDIMAGE_API void sdimage_player_set_rate(sdimage_player *player, double rate);
SDIMAGE_API double sdimage_player_rate(const sdimage_player *player);
/* The order of frames. Default NORMAL. */
SDIMAGE_API void sdimage_player_set_mode(sdimage_player *player, sdimage_playback_mode mode);
SDIMAGE_API sdimage_playback_mode sdimage_player_mode(const sdimage_player *player);
/* How often it plays, 0 = for ever, in place of what the file says; reset: as the file says. */
SDIMAGE_API void sdimage_player_set_loop_limit(sdimage_player *player, uint32_t loops);
SDIMAGE_API void sdimage_player_reset_loop_limit(sdimage_player *player);
SDIMAGE_API uint32_t sdimage_player_loop_limit(const sdimage_player *player);
/* Plays so many of the first frames only; reset: all. Fewer than two stops at the next tick. */
SDIMAGE_API void sdimage_player_set_frame_count(sdimage_player *player, uint32_t frames);
SDIMAGE_API void sdimage_player_reset_frame_count(sdimage_player *player);
SDIMAGE_API uint32_t sdimage_player_frame_count(const sdimage_player *player);
/* Bytes of frames that may be held for it, at least one frame. 0, the default: what the budget of the process gives it;
 * SIZE_MAX: all frames, as far as the budget reaches. */
SDIMAGE_API void sdimage_player_set_max_buffer_size(sdimage_player *player, size_t bytes);
SDIMAGE_API size_t sdimage_player_max_buffer_size(const sdimage_player *player);
/* Follows the clock whatever happens: after a late frame, those whose time is over are left out. Default false. */
SDIMAGE_API void sdimage_player_set_drops_late_frames(sdimage_player *player, bool drops);
SDIMAGE_API bool sdimage_player_drops_late_frames(const sdimage_player *player);
/* A frame that is due is decoded by the calling thread where it is not there, and shown in the same tick: never late,
 * nothing ahead of time, the same in every run. For tests, and for programs without a screen. Default false. */
SDIMAGE_API void sdimage_player_set_decodes_when_due(sdimage_player *player, bool decodes);
SDIMAGE_API bool sdimage_player_decodes_when_due(const sdimage_player *player);

/* --- What it says. */

/* Whether time goes on: between start and pause, stop, or the last loop. */
SDIMAGE_API bool sdimage_player_is_playing(const sdimage_player *player);
/* The frame that is on show, the caller's to unref; NULL when there is none. Hold it while it is being drawn, not
 * longer: in a crowd of animations (see sdimage_frame_budget_set_limit) its pixels are made for those who hold it, some
 * 80 us for 480 by 270 of them. */
SDIMAGE_API void sdimage_player_copy_frame(const sdimage_player *player, sdimage_image **image);
/* Its number, or that of the frame that is due and not there yet; rounds that are over. */
SDIMAGE_API uint32_t sdimage_player_frame_index(const sdimage_player *player);
SDIMAGE_API uint32_t sdimage_player_loop_count(const sdimage_player *player);
/* Frames that are held for it, and for others who play the same. */
SDIMAGE_API uint32_t sdimage_player_buffered_frames(const sdimage_player *player);
/* Since it was made: frames shown; those that were not there when they were due; left out; that could not be
   decoded. */
SDIMAGE_API uint64_t sdimage_player_shown_frames(const sdimage_player *player);
SDIMAGE_API uint64_t sdimage_player_late_frames(const sdimage_player *player);
SDIMAGE_API uint64_t sdimage_player_dropped_frames(const sdimage_player *player);
SDIMAGE_API uint64_t sdimage_player_failed_frames(const sdimage_player *player);

#ifdef __cplusplus
}
#endif

#endif
