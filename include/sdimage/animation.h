/* animation.h: frames for players: of an image, of a decoder, of the host; changed by transformers; all kept or on
 * demand.
 *
 * Frames made by the program, played like any picture:
 *
 *   sdimage_frame_vtable table = {.size = sizeof table, .frame_count = count, .frame = draw, .duration_ms = duration};
 *   sdimage_frame_provider_new_custom(&table, my_state, free, &provider, &error);
 *   sdimage_player_new_provider(provider, &handler, widget, NULL, &player, &error);
 *
 * An animated image (sdimage_image_is_animated) decodes its frames when they are asked for; a player takes it as it is.
 * Class of sdimage_frame_provider: synchronised. */
#ifndef SDIMAGE_ANIMATION_H
#define SDIMAGE_ANIMATION_H

#include "base.h"
#include "data.h"
#include "decoder.h"
#include "error.h"
#include "image.h"
#include "transformer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Frames of the host. Called on any thread, by several at once, never under a lock of the library. */
typedef struct sdimage_frame_vtable {
    size_t size;
    /* How many frames there are now: at most 1048576, greater numbers count as that. */
    uint32_t (*frame_count)(void *user_data);
    /* Makes a frame, whose reference becomes the library's: all frames have one size. May take its time: it holds up
     * one worker and no other animation. */
    sdimage_status (*frame)(void *user_data, uint32_t index, sdimage_image **image, sdimage_error **error);
    /* Milliseconds that a frame is shown. NULL: 100. */
    uint32_t (*duration_ms)(void *user_data, uint32_t index);
    /* How often it plays; 0 = for ever. NULL: for ever. */
    uint32_t (*loop_count)(void *user_data);
    /* Whether more frames may come: a player waits at the last one as long as that is so. NULL: never. */
    bool (*is_growing)(void *user_data);
    /* The encoded bytes that all frames come from, whose reference becomes the library's, or NULL. NULL: there are
       none. */
    sdimage_data *(*bytes)(void *user_data);
} sdimage_frame_vtable;

/* Frames of the host. `destroy(user_data)` is called once, after the last call, also when this fails. Errors:
 * INVALID_ARGUMENT (a table without frame_count or frame). */
SDIMAGE_API sdimage_status sdimage_frame_provider_new_custom(const sdimage_frame_vtable *vtable, void *user_data,
                                                             sdimage_destroy_fn destroy,
                                                             sdimage_frame_provider **provider, sdimage_error **error);

/* The frames of an image; of a still there are none. Providers of one image are the same to players. */
SDIMAGE_API sdimage_status sdimage_frame_provider_new_image(const sdimage_image *image,
                                                            sdimage_frame_provider **provider, sdimage_error **error);

/* The frames of a decoder, also while it is fed: their number grows until the last byte, or until one is bad. */
SDIMAGE_API sdimage_status sdimage_frame_provider_new_decoder(sdimage_decoder *decoder,
                                                              sdimage_frame_provider **provider, sdimage_error **error);

/* The same frames, each changed when it is asked for. Two of these are the same to players where both are made of the
 * same frames, with transformers of the same key. */
SDIMAGE_API sdimage_status sdimage_frame_provider_new_transformed(const sdimage_frame_provider *provider,
                                                                  const sdimage_transformer *transformer,
                                                                  sdimage_frame_provider **transformed,
                                                                  sdimage_error **error);

SDIMAGE_API sdimage_frame_provider *sdimage_frame_provider_ref(sdimage_frame_provider *provider);
SDIMAGE_API void sdimage_frame_provider_unref(sdimage_frame_provider *provider);

/* Frames there are now; how often they play, 0 = for ever; whether more may come. */
SDIMAGE_API uint32_t sdimage_frame_provider_frame_count(const sdimage_frame_provider *provider);
SDIMAGE_API uint32_t sdimage_frame_provider_loop_count(const sdimage_frame_provider *provider);
SDIMAGE_API bool sdimage_frame_provider_is_growing(const sdimage_frame_provider *provider);

/* Milliseconds that a frame is shown; 0 outside the frames. */
SDIMAGE_API uint32_t sdimage_frame_provider_duration_ms(const sdimage_frame_provider *provider, uint32_t index);

/* A frame, made by the calling thread. Errors: INVALID_ARGUMENT (no such frame), and those of its maker. */
SDIMAGE_API sdimage_status sdimage_frame_provider_copy_frame(const sdimage_frame_provider *provider, uint32_t index,
                                                             sdimage_image **image, sdimage_error **error);

/* The encoded bytes that all frames come from, by reference. NOT_FOUND where there are none: of pixels of the host, and
 * of transformed frames. */
SDIMAGE_API sdimage_status sdimage_frame_provider_copy_data(const sdimage_frame_provider *provider, sdimage_data **data,
                                                            sdimage_error **error);

/* An animated image of these frames, of which the first is made now. Errors: those of that frame; INVALID_ARGUMENT
 * where there is none. */
SDIMAGE_API sdimage_status sdimage_frame_provider_copy_image(const sdimage_frame_provider *provider,
                                                             sdimage_image **image, sdimage_error **error);

/* --- Frames of an image that are all held: for small pictures that must start without a hiccup. Nothing for stills. */

/* Makes all frames now, on the calling thread, and keeps them with the image: its memory cost is that of all of them.
 * TOO_LARGE beyond 256 MiB; errors of frames. */
SDIMAGE_API sdimage_status sdimage_image_preload_frames(const sdimage_image *image, sdimage_error **error);
/* Lets go of them. */
SDIMAGE_API void sdimage_image_unload_frames(const sdimage_image *image);
/* Whether all frames are held. */
SDIMAGE_API bool sdimage_image_has_all_frames(const sdimage_image *image);

/* --- Memory of all animations of the process.
 *
 * Players hold frames ahead of their time, all of a short animation, within a budget, 64 MiB unless set, which also
 * covers canvases that are kept for seeking. Each playing animation may always hold the frame on show and the one it
 * shows next; the rest is shared equally among those that want more. sdimage_trim_memory(true) lets go of all that is
 * not shown next.
 *
 * Where even those two would not fit for all, frames that have at most 256 colours (of a GIF most have), in a format of
 * 4 bytes and without a transformer, are held as a byte a pixel beside their palette, a quarter of the memory: 200
 * players of 480 by 270 pixels hold 52 MB in place of 207. They become pixels while the host holds them. Other frames
 * stay as they are, beyond the budget if need be: show fewer of them at once, or decode them smaller. */

/* The budget in bytes; a change takes effect at once. */
SDIMAGE_API void sdimage_frame_budget_set_limit(size_t bytes);
SDIMAGE_API size_t sdimage_frame_budget_limit(void);

/* A JSON object: "limit", "animations" that are played, "frames" that are held and their "bytes", "canvas_bytes" for
 * seeking, "hits" and "misses" of frames when they were due, "decodes", "evictions". */
SDIMAGE_API sdimage_status sdimage_frame_budget_statistics(sdimage_data **json, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
