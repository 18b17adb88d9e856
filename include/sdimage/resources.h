/* resources.h: a program's own images by name: icons, buttons and sprites in a folder installed with it.
 *
 *   sdimage_resources *icons = NULL;
 *   sdimage_resources_new("/usr/share/paint/icons", NULL, &icons, &error);
 *   sdimage_resources_set_scales(icons, (double[]){2, 3, 1}, 3, &error);              on a screen of two pixels a point
 *   sdimage_resources_get_image(icons, "tools/brush", &image, &error);               tools/brush@2x.png, if it exists
 *
 * An image is decoded on first use and then held, so that further calls are table look-ups. It is held until
 * sdimage_resources_clear, a change of the scales, or sdimage_trim_memory(true), which the library also calls itself
 * where it watches memory (sdimage_watch_memory_pressure). Animations have all their frames.
 *
 * Intended for the images of a program's user interface: their number is not limited. Images of its users are loaded by
 * a manager, whose cache has limits.
 *
 * Class: synchronized. Starts no thread. In a forked child, functions return FORKED, like those of a cache. If the
 * parent had neither a manager nor a cache, the child may continue to use these functions, unless another thread was in
 * one of them during the fork. */
#ifndef SDIMAGE_RESOURCES_H
#define SDIMAGE_RESOURCES_H

#include "base.h"
#include "decode.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the images below a folder, which must exist; a relative path is resolved now. The path is NUL-terminated, in
 * the file system's own bytes. `options` set how to decode them, for example to the pixel format that a toolkit draws;
 * copied, NULL for the defaults. Their scale is ignored, because the names define it. Errors: INVALID_ARGUMENT,
 * NOT_FOUND (no such folder), PERMISSION_DENIED, IO_ERROR, FORKED. */
SDIMAGE_API sdimage_status sdimage_resources_new(const char *folder, const sdimage_decode_options *options,
                                                 sdimage_resources **resources, sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_resources *sdimage_resources_ref(const sdimage_resources *resources);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_resources_unref(sdimage_resources *resources);

/* Sets the preferred pixels per point, the best first; copied. Default 1, 2, 3; for a screen of two pixels per point,
 * use 2, 3, 1. With none, only a scale in the requested name counts. A change discards the images, because a name may
 * now mean another file. Errors: INVALID_ARGUMENT (more than 16, or a value outside 1 to 100; nothing is changed
 * then). */
SDIMAGE_API sdimage_status sdimage_resources_set_scales(sdimage_resources *resources, const double *scales,
                                                        size_t count, sdimage_error **error);
/* Copies up to `capacity` of the preferred scales into an array, which may be NULL for none, and returns their
 * number. */
SDIMAGE_API size_t sdimage_resources_get_scales(const sdimage_resources *resources, double *scales, size_t capacity);

/* Returns the image of a name; *image is the caller's, and the same object for the same name until it is discarded.
 *
 * A name is a path below the folder, NUL-terminated, in the file system's own bytes: "cat", "pets/cat.gif". Without an
 * extension it names a PNG: "cat" and "cat.png" are the same name. The first existing file is used:
 *
 * 1. if the name contains a scale, as "cat@2x" and "cat@1.5x.gif" do, the file with that scale;
 * 2. the name with each of the preferred scales, in their order: "cat@2x.png", "cat@1.5x.png"; a scale of 1 is omitted,
 *    "cat.png";
 * 3. the name without a scale, "cat.png".
 *
 * sdimage_image_scale is that in the name of the file that was found, as sdimage_decode_file reads it. Names cannot
 * leave the folder: absolute names, empty names and names with an empty part, "." or ".." are INVALID_ARGUMENT.
 * Symbolic links in the folder are followed, whatever their destination.
 *
 * Reads and decodes on the calling thread. Threads that request a name while another decodes it wait and return the
 * same outcome. Failures are not remembered: the next call tries again. If an existing file cannot be used, its error
 * is returned, with a message that begins with the file's name, and no further file is tried. Errors: INVALID_ARGUMENT,
 * NOT_FOUND (its message lists the files that were tried), those of sdimage_decode_file. */
SDIMAGE_API sdimage_status sdimage_resources_get_image(sdimage_resources *resources, const char *name,
                                                       sdimage_image **image, sdimage_error **error);

/* Discards all images: the next call for a name reads its file again and returns a new object. Images in use stay
 * valid; calls that wait for an image return it. */
SDIMAGE_API void sdimage_resources_clear(sdimage_resources *resources);

#ifdef __cplusplus
}
#endif

#endif
