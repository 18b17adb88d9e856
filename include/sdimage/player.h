/* player.h: players of animations, which select the frame to draw.
 *
 * With a game loop, or any timer of the host:
 *
 *   sdimage_player_new(image, NULL, NULL, NULL, &player, &error);
 *   sdimage_player_start(player);
 *   every frame of the screen:
 *       if (sdimage_player_tick(player, nanoseconds_since_the_last))
 *           sdimage_player_get_frame(player, &frame), draw(frame), sdimage_image_unref(frame);
 *
 * With an event loop that watches descriptors:
 *
 *   sdimage_player_set_clock(player, SDIMAGE_PLAYER_CLOCK_DESCRIPTOR, NULL, &error);
 *   whenever sdimage_player_descriptor(player) is readable: if (sdimage_player_advance(player)) redraw();
 *
 * With the library's own timers: SDIMAGE_PLAYER_CLOCK_LIBRARY, and the handler's `frame` on a dispatcher.
 *
 * Frames are decoded in advance on the library's workers. A frame that is not available when it is due is shown as soon
 * as it is, and the clock stands still meanwhile: no frame is skipped, unless sdimage_player_set_drop_late_frames is
 * set. Players of the same image share its frames. A frame that cannot be decoded takes its time, and the previous one
 * stays visible.
 *
 * Class: synchronized. Handlers run on the thread that calls tick, advance or seek, or on the clock's dispatcher; those
 * of ticks are serialized. They may call any function, including sdimage_player_unref.
 *
 * Frames come from an image, from a decoder that may still receive bytes, or from the host (sys/frames.h): a frame
 * provider. Class of sdimage_frame_provider: synchronized. */
#ifndef SDIMAGE_PLAYER_H
#define SDIMAGE_PLAYER_H

#include "base.h"
#include "data.h"
#include "decode.h"
#include "dispatcher.h"
#include "error.h"
#include "image.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The order of frames in one loop. */
typedef enum SDIMAGE_ENUM sdimage_playback_mode {
    SDIMAGE_PLAYBACK_MODE_NORMAL = 0,         /* from the start to the end */
    SDIMAGE_PLAYBACK_MODE_REVERSE = 1,        /* from the end to the start */
    SDIMAGE_PLAYBACK_MODE_BOUNCE = 2,         /* to the end and back */
    SDIMAGE_PLAYBACK_MODE_REVERSED_BOUNCE = 3 /* from the end to the start and back */
} sdimage_playback_mode;

/* Source of a player's time. */
typedef enum SDIMAGE_ENUM sdimage_player_clock {
    SDIMAGE_PLAYER_CLOCK_HOST = 0,       /* sdimage_player_tick, the default */
    SDIMAGE_PLAYER_CLOCK_DESCRIPTOR = 1, /* sdimage_player_descriptor, sdimage_player_advance */
    SDIMAGE_PLAYER_CLOCK_LIBRARY = 2     /* timers of the library, handlers on a dispatcher */
} sdimage_player_clock;

/* The callbacks of a player; each may be NULL. The image is borrowed for the call. */
typedef struct sdimage_player_handler {
    size_t size;
    /* Receives the frame to draw. */
    void (*frame)(void *user_data, sdimage_player *player, uint32_t index, const sdimage_image *image);
    /* Reports that `count` loops are complete. Called when frame 0 comes next, before it is shown. */
    void (*loop)(void *user_data, sdimage_player *player, uint32_t count);
} sdimage_player_handler;

/* Makes a player of an animated image, stopped at its first frame. `handler` may be NULL, and is copied.
 * `destroy(user_data)` is called once, after the last callback, also when this call fails. Errors: INVALID_ARGUMENT
 * (fewer than two frames), FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_player_new(const sdimage_image *image, const sdimage_player_handler *handler,
                                              void *user_data, sdimage_destroy_fn destroy, sdimage_player **player,
                                              sdimage_error **error);
/* Makes a player of the frames of a provider. A provider that grows may have no frame yet. */
SDIMAGE_API sdimage_status sdimage_player_new_provider(const sdimage_frame_provider *provider,
                                                       const sdimage_player_handler *handler, void *user_data,
                                                       sdimage_destroy_fn destroy, sdimage_player **player,
                                                       sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_player *sdimage_player_ref(const sdimage_player *player);
/* Releases a reference; NULL has no effect. The last one stops the player: no further handler is called, except one
 * that is running. */
SDIMAGE_API void sdimage_player_unref(sdimage_player *player);

/* --- Playing. */

/* Starts playback, or resumes it after a pause. Reversed modes begin at the last frame. The first frame is shown at the
 * first tick. */
SDIMAGE_API void sdimage_player_start(sdimage_player *player);
/* Stops time and keeps all other state. */
SDIMAGE_API void sdimage_player_pause(sdimage_player *player);
/* Stops playback and returns to frame 0 and loop 0 with no current frame, without a call of the handler: the drawn
 * image stays. The end of the last loop does the same. Held frames stay. */
SDIMAGE_API void sdimage_player_stop(sdimage_player *player);
/* Shows a frame immediately, also while paused: the calling thread decodes it unless it is held, and the handler
 * is called before this returns. Errors: INVALID_ARGUMENT, without any change, if there is no such frame; and those of
 * decoding the frame. */
SDIMAGE_API sdimage_status sdimage_player_seek(sdimage_player *player, uint32_t index, uint32_t loop_count,
                                               sdimage_error **error);
/* Releases all frames held for the player. */
SDIMAGE_API void sdimage_player_clear_frame_buffer(sdimage_player *player);
/* Reads the number of frames again. To be called after a growing provider has grown, if a clock drives the player;
 * ticks do it themselves. */
SDIMAGE_API void sdimage_player_update(sdimage_player *player);

/* --- Time. */

/* Advances time by `nanoseconds`; true if another frame is to be drawn. A tick advances by at most one frame, and shows
 * a frame that an earlier tick made due. Inside a handler it returns false, and the time is added to the next tick. */
SDIMAGE_API bool sdimage_player_tick(sdimage_player *player, uint64_t nanoseconds);

/* Sets the source of time; initially HOST. With LIBRARY, handlers are called on `dispatcher`; NULL: the library's
 * callback thread. Errors: IO_ERROR (no descriptor available), NO_MEMORY, INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_player_set_clock(sdimage_player *player, sdimage_player_clock clock,
                                                    sdimage_dispatcher *dispatcher, sdimage_error **error);
/* Returns the clock and its dispatcher through pointers that may be NULL. The caller owns *dispatcher; NULL for
 * clocks other than LIBRARY. */
SDIMAGE_API void sdimage_player_get_clock(const sdimage_player *player, sdimage_player_clock *clock,
                                          sdimage_dispatcher **dispatcher);

/* Descriptor of the clock DESCRIPTOR, readable when a call of sdimage_player_advance is due; open as long as the player
 * has this clock. Do not read from it. -1 for other clocks. */
SDIMAGE_API int sdimage_player_descriptor(const sdimage_player *player);
/* Advances time by that of the monotonic clock since the last call; true if another frame is to be drawn. */
SDIMAGE_API bool sdimage_player_advance(sdimage_player *player);

/* --- Settings, which may change at any time. */

/* Sets the speed: 1 is that of the file, 2 is twice as fast. 0 and below and values that are not finite stop the
 * player at the next tick. */
SDIMAGE_API void sdimage_player_set_rate(sdimage_player *player, double rate);
/* Returns the speed. */
SDIMAGE_API double sdimage_player_rate(const sdimage_player *player);
/* Sets the order of frames. Default NORMAL. */
SDIMAGE_API void sdimage_player_set_mode(sdimage_player *player, sdimage_playback_mode mode);
/* Returns the order of frames. */
SDIMAGE_API sdimage_playback_mode sdimage_player_mode(const sdimage_player *player);
/* Sets the number of loops in place of that of the file; 0 = infinite. */
SDIMAGE_API void sdimage_player_set_loop_limit(sdimage_player *player, uint32_t loops);
/* Returns the number of loops in force; 0 = infinite. */
SDIMAGE_API uint32_t sdimage_player_loop_limit(const sdimage_player *player);
/* Restores the number of loops of the file. */
SDIMAGE_API void sdimage_player_reset_loop_limit(sdimage_player *player);
/* Limits playback to the first `frames` frames. A later frame is shown no more, although it is due. Fewer than two
 * frames stop the player at the next tick. */
SDIMAGE_API void sdimage_player_set_frame_count(sdimage_player *player, uint32_t frames);
/* Returns the number of frames that are played. */
SDIMAGE_API uint32_t sdimage_player_frame_count(const sdimage_player *player);
/* Removes the limit of the number of frames. */
SDIMAGE_API void sdimage_player_reset_frame_count(sdimage_player *player);
/* Sets the bytes of frames that may be held for the player; at least one frame is. 0, the default: the share that
 * the budget of the process allows; SIZE_MAX: all frames, as far as the budget allows. */
SDIMAGE_API void sdimage_player_set_max_buffer_size(sdimage_player *player, size_t bytes);
/* Returns the bytes of frames that may be held, as they were set. */
SDIMAGE_API size_t sdimage_player_max_buffer_size(const sdimage_player *player);
/* Follows the clock without delay: after a late frame, frames whose time has passed are skipped. Default false. */
SDIMAGE_API void sdimage_player_set_drop_late_frames(sdimage_player *player, bool drop);
/* Returns true if frames whose time has passed are skipped. */
SDIMAGE_API bool sdimage_player_should_drop_late_frames(const sdimage_player *player);
/* Decodes a due but missing frame on the calling thread, and shows it in the same tick. No frame is late or decoded in
 * advance, and all runs are equal. For tests, and for programs without a screen. Default false. */
SDIMAGE_API void sdimage_player_set_decode_when_due(sdimage_player *player, bool decode);
/* Returns true if a due but missing frame is decoded on the calling thread. */
SDIMAGE_API bool sdimage_player_should_decode_when_due(const sdimage_player *player);

/* --- State. */

/* Returns true while time advances: from start to pause, stop or the end of the last loop. */
SDIMAGE_API bool sdimage_player_is_playing(const sdimage_player *player);
/* Returns the visible frame, for the caller to unref; NULL if there is none. Hold it only while it is drawn: with many
 * animations (see sdimage_frame_budget_set_limit), pixels are made for each holder, which takes about 80 us for 480 by
 * 270 pixels. */
SDIMAGE_API void sdimage_player_get_frame(const sdimage_player *player, sdimage_image **image);
/* Returns the index of the visible frame, or of the frame that is due and not available yet. */
SDIMAGE_API uint32_t sdimage_player_frame_index(const sdimage_player *player);
/* Returns the number of completed loops. */
SDIMAGE_API uint32_t sdimage_player_loop_count(const sdimage_player *player);
/* Returns the number of frames held for the player and for other players of the same frames. */
SDIMAGE_API uint32_t sdimage_player_buffered_frames(const sdimage_player *player);
/* Returns the number of frames shown since the player was made. */
SDIMAGE_API uint64_t sdimage_player_shown_frames(const sdimage_player *player);
/* Returns the number of frames that were not available when they were due. */
SDIMAGE_API uint64_t sdimage_player_late_frames(const sdimage_player *player);
/* Returns the number of frames that were skipped. */
SDIMAGE_API uint64_t sdimage_player_dropped_frames(const sdimage_player *player);
/* Returns the number of frames that could not be decoded. */
SDIMAGE_API uint64_t sdimage_player_failed_frames(const sdimage_player *player);

/* --- Frame providers. */

/* Creates a provider of the frames of an image; a still has none. Players treat all providers of one image as the
 * same. */
SDIMAGE_API sdimage_status sdimage_frame_provider_new_image(const sdimage_image *image,
                                                            sdimage_frame_provider **provider, sdimage_error **error);

/* Creates a provider of the frames of a decoder, which may still receive bytes: the number of frames grows until the
 * last byte, or until a damaged one. */
SDIMAGE_API sdimage_status sdimage_frame_provider_new_decoder(sdimage_decoder *decoder,
                                                              sdimage_frame_provider **provider, sdimage_error **error);

/* Creates a provider that transforms each frame when it is requested. Players treat two such providers as the same if
 * both have the same frames and transformers of the same key. */
SDIMAGE_API sdimage_status sdimage_frame_provider_new_transformed(const sdimage_frame_provider *provider,
                                                                  const sdimage_transformer *transformer,
                                                                  sdimage_frame_provider **transformed,
                                                                  sdimage_error **error);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_frame_provider *sdimage_frame_provider_ref(const sdimage_frame_provider *provider);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_frame_provider_unref(sdimage_frame_provider *provider);

/* Returns the current number of frames. */
SDIMAGE_API uint32_t sdimage_frame_provider_frame_count(const sdimage_frame_provider *provider);
/* Returns the loop count; 0 = infinite. */
SDIMAGE_API uint32_t sdimage_frame_provider_loop_count(const sdimage_frame_provider *provider);
/* Returns true while more frames may be added. */
SDIMAGE_API bool sdimage_frame_provider_is_growing(const sdimage_frame_provider *provider);

/* Returns the duration of a frame in milliseconds; 0 outside the frames. */
SDIMAGE_API uint32_t sdimage_frame_provider_duration_ms(const sdimage_frame_provider *provider, uint32_t index);

/* Returns a frame, created on the calling thread. Errors: INVALID_ARGUMENT (no such frame), and those of the
 * provider. */
SDIMAGE_API sdimage_status sdimage_frame_provider_get_frame(const sdimage_frame_provider *provider, uint32_t index,
                                                            sdimage_image **image, sdimage_error **error);

/* Returns the encoded bytes of all frames, by reference. NOT_FOUND when there are none: for pixels of the host and for
 * transformed frames. */
SDIMAGE_API sdimage_status sdimage_frame_provider_get_data(const sdimage_frame_provider *provider, sdimage_data **data,
                                                           sdimage_error **error);

/* Creates an animated image of these frames; its first frame is created now. Errors: those of that frame;
 * INVALID_ARGUMENT without frames. */
SDIMAGE_API sdimage_status sdimage_image_new_provider(const sdimage_frame_provider *provider, sdimage_image **image,
                                                      sdimage_error **error);

/* --- Preloaded frames of an image: for small images that must start without a delay. No effect on stills. */

/* Decodes all frames now, on the calling thread, and holds them with the image: its memory cost is that of all frames.
 * TOO_LARGE beyond 256 MiB; errors of frames. */
SDIMAGE_API sdimage_status sdimage_image_preload_frames(const sdimage_image *image, sdimage_error **error);
/* Releases the preloaded frames. */
SDIMAGE_API void sdimage_image_unload_frames(const sdimage_image *image);
/* Returns true if all frames are held. */
SDIMAGE_API bool sdimage_image_has_all_frames(const sdimage_image *image);

/* --- Memory of all animations of the process.
 *
 * Players decode frames ahead of their time, all frames of a short animation, within a budget. It is 64 MiB unless set,
 * and also covers canvases held for seeking. Each playing animation may always hold the current frame and the next one;
 * the rest is divided equally among those that need more. sdimage_trim_memory(true) releases all frames but the next
 * ones.
 *
 * If the budget cannot hold even those two frames of all animations, some frames are held as palette indexes. An index
 * takes one byte for each pixel, a quarter of the memory. These are frames of at most 256 colors (most frames of a
 * GIF) in a format of 4 bytes and without a transformer: 200 players of 480 by 270 pixels hold 52 MB instead of 207.
 * They are converted to pixels while the host holds them. Other frames are held unchanged, even beyond the budget: show
 * fewer of them at once, or decode them smaller. */

/* Sets the budget in bytes; a change takes effect at once. */
SDIMAGE_API void sdimage_frame_budget_set_limit(size_t bytes);
/* Returns the budget in bytes. */
SDIMAGE_API size_t sdimage_frame_budget_limit(void);

/* The use of the budget. */
typedef struct sdimage_frame_budget_statistics {
    size_t size;           /* sizeof this structure; set by the caller */
    uint64_t limit;        /* bytes of the budget */
    uint64_t animations;   /* animations that hold frames */
    uint64_t frames;       /* held frames */
    uint64_t bytes;        /* bytes of held frames and canvases */
    uint64_t canvas_bytes; /* bytes of held canvases */
    uint64_t hits;         /* frames that were available when due, since the process began */
    uint64_t misses;       /* frames that were not */
    uint64_t decodes;      /* decoded frames */
    uint64_t evictions;    /* frames released because of the budget */
} sdimage_frame_budget_statistics;

/* Fills in the counters, as far as the structure of the caller reaches. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_frame_budget_get_statistics(sdimage_frame_budget_statistics *statistics,
                                                               sdimage_error **error);
/* Returns the counters as a JSON object in UTF-8 with the names of the fields. The caller owns *json. Errors:
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_frame_budget_statistics_to_json(sdimage_data **json, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
