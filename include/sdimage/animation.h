/* animation.h: frame providers for players: frames of an image, a decoder or the host, also transformed; all held or on
 * demand.
 *
 * Frames created by the program, played like any image:
 *
 *   sdimage_frame_provider_vtable table = {.size = sizeof table, .frame_count = count, .frame = draw, .duration_ms = duration};
 *   sdimage_frame_provider_new_custom(&table, my_state, free, &provider, &error);
 *   sdimage_player_new_provider(provider, &handler, widget, NULL, &player, &error);
 *
 * An animated image (sdimage_image_is_animated) decodes its frames on request; a player accepts it directly.
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

/* The functions of a frame provider of the host. Called on any thread, concurrently, never under a lock of the
 * library. */
typedef struct sdimage_frame_provider_vtable {
    size_t size;
    /* Returns the current number of frames: at most 1048576, greater numbers count as that. */
    uint32_t (*frame_count)(void *user_data);
    /* Creates a frame, whose reference becomes the library's; all frames have one size. May take long: it occupies one
     * worker and delays no other animation. */
    sdimage_status (*frame)(void *user_data, uint32_t index, sdimage_image **image, sdimage_error **error);
    /* Returns the duration of a frame in milliseconds. NULL: 100. */
    uint32_t (*duration_ms)(void *user_data, uint32_t index);
    /* Returns the loop count; 0 = infinite. NULL: infinite. */
    uint32_t (*loop_count)(void *user_data);
    /* Returns true while more frames may be added: a player then waits at the last frame. NULL: never. */
    bool (*is_growing)(void *user_data);
    /* Returns the encoded bytes of all frames, whose reference becomes the library's, or NULL. NULL for the function:
     * there are none. */
    sdimage_data *(*bytes)(void *user_data);
} sdimage_frame_provider_vtable;

/* Creates a provider from functions of the host. `destroy(user_data)` is called once, after the last call, also when
 * this call fails. Errors: INVALID_ARGUMENT (a table without frame_count or frame). */
SDIMAGE_API sdimage_status sdimage_frame_provider_new_custom(const sdimage_frame_provider_vtable *vtable, void *user_data,
                                                             sdimage_destroy_fn destroy,
                                                             sdimage_frame_provider **provider, sdimage_error **error);

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

SDIMAGE_API sdimage_frame_provider *sdimage_frame_provider_ref(sdimage_frame_provider *provider);
SDIMAGE_API void sdimage_frame_provider_unref(sdimage_frame_provider *provider);

/* Return the current number of frames, the loop count (0 = infinite), and true while more frames may be added. */
SDIMAGE_API uint32_t sdimage_frame_provider_frame_count(const sdimage_frame_provider *provider);
SDIMAGE_API uint32_t sdimage_frame_provider_loop_count(const sdimage_frame_provider *provider);
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
SDIMAGE_API sdimage_status sdimage_image_new_provider(const sdimage_frame_provider *provider,
                                                             sdimage_image **image, sdimage_error **error);

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
 * takes one byte for each pixel, a quarter of the memory. These are frames of at most 256 colours (most frames of a
 * GIF) in a format of 4 bytes and without a transformer: 200 players of 480 by 270 pixels hold 52 MB instead of 207.
 * They are converted to pixels while the host holds them. Other frames are held unchanged, even beyond the budget: show
 * fewer of them at once, or decode them smaller. */

/* The budget in bytes; a change takes effect at once. */
SDIMAGE_API void sdimage_frame_budget_set_limit(size_t bytes);
SDIMAGE_API size_t sdimage_frame_budget_limit(void);

/* Returns a JSON object: "limit", the playing "animations", the held "frames" and their "bytes", "canvas_bytes" for
 * seeking, "hits" and "misses" of frames when they were due, "decodes", "evictions". */
SDIMAGE_API sdimage_status sdimage_frame_budget_statistics(sdimage_data **json, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
