/* sys/frames.h: frames created by the program, played like those of any image.
 *
 *   sdimage_frame_provider_vtable table = {
 *       .size = sizeof table, .frame_count = count, .frame = draw, .duration_ms = duration};
 *   sdimage_frame_provider_new_custom(&table, my_state, free, &provider, &error);
 *   sdimage_player_new_provider(provider, &handler, widget, NULL, &player, &error); */
#ifndef SDIMAGE_SYS_FRAMES_H
#define SDIMAGE_SYS_FRAMES_H

#include "../base.h"
#include "../data.h"
#include "../error.h"
#include "../image.h"
#include "../player.h"

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
SDIMAGE_API sdimage_status sdimage_frame_provider_new_custom(const sdimage_frame_provider_vtable *vtable,
                                                             void *user_data, sdimage_destroy_fn destroy,
                                                             sdimage_frame_provider **provider, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
