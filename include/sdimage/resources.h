/* resources.h: a program's own pictures, by their names: icons, buttons, sprites in a folder that came with it.
 *
 *   sdimage_resources *icons = NULL;
 *   sdimage_resources_new("/usr/share/paint/icons", NULL, &icons, &error);
 *   sdimage_resources_set_scales(icons, (double[]){2, 3, 1}, 3, &error);              on a screen of two pixels a point
 *   sdimage_resources_copy_image(icons, "tools/brush", &image, &error);               tools/brush@2x.png, where it is there
 *
 * A picture is decoded when it is first asked for and then kept, so that asking again is a look into a table: until
 * sdimage_resources_clear, a change of the scales, or sdimage_trim_memory(true), which the library also calls by itself
 * where it watches memory (sdimage_watch_memory_pressure). It is an image like any other: one that moves has its
 * frames.
 *
 * It is meant for the pictures of a program's surface: nothing limits how many are kept. Those of its users are loaded
 * by a manager, whose cache has limits.
 *
 * Class: synchronised. Nothing here starts a thread. A forked child is answered FORKED, as by a cache; where its parent
 * had neither manager nor cache it may go on, unless another thread was in here when the fork came. */
#ifndef SDIMAGE_RESOURCES_H
#define SDIMAGE_RESOURCES_H

#include "base.h"
#include "coder.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The pictures below a folder, which must be there; a relative path is resolved now. It is NUL-terminated, in the file
 * system's own bytes. `options` say how to decode them, such as the pixel format that a toolkit draws; copied, NULL for
 * the defaults. The scale in them does not count, because names tell it. Errors: INVALID_ARGUMENT, NOT_FOUND (no such
 * folder), PERMISSION_DENIED, IO_ERROR, FORKED. */
SDIMAGE_API sdimage_status sdimage_resources_new(const char *folder, const sdimage_decode_options *options,
                                                 sdimage_resources **resources, sdimage_error **error);
SDIMAGE_API sdimage_resources *sdimage_resources_ref(sdimage_resources *resources);
SDIMAGE_API void sdimage_resources_unref(sdimage_resources *resources);

/* The pixels per point that are preferred, the best first; copied. Default 1, 2, 3; a screen of two pixels a point
 * wants 2, 3, 1. None: a scale only where the name that is asked for says it. Scales other than before forget the
 * pictures, since a name may now mean another file. Errors: INVALID_ARGUMENT (more than 16, or one that is not between
 * 1 and 100; nothing is changed then). */
SDIMAGE_API sdimage_status sdimage_resources_set_scales(sdimage_resources *resources, const double *scales,
                                                        size_t count, sdimage_error **error);

/* The picture of a name; *image is the caller's, and the same object for the same name until it is forgotten.
 *
 * A name is a path below the folder, NUL-terminated, in the file system's own bytes: "cat", "pets/cat.gif". Without an
 * extension it is that of a PNG: "cat" and "cat.png" are one name. The first file that is there is the picture:
 *
 * 1. where the name says a scale, as "cat@2x" and "cat@1.5x.gif" do, just that one;
 * 2. the name with each of the preferred scales in its place, "cat@2x.png", "cat@1.5x.png"; 1 is written as nothing,
 *    "cat.png";
 * 3. the name without a scale, "cat.png".
 *
 * sdimage_image_scale is that of the name of the file that was found, as sdimage_decode_file reads it. Names cannot
 * leave the folder: absolute ones, empty ones and those with an empty part, "." or ".." are INVALID_ARGUMENT. Symbolic
 * links in the folder are followed wherever they lead.
 *
 * Reads and decodes on the calling thread; threads that ask for a name while another decodes it wait for that, and have
 * what it has. Failures are not kept: the next call looks again. What is wrong with a file that is there is told as it
 * is, by an error whose message begins with its name, and no further file is looked for. Errors: INVALID_ARGUMENT,
 * NOT_FOUND (its message lists the files that were looked for), those of sdimage_decode_file. */
SDIMAGE_API sdimage_status sdimage_resources_copy_image(sdimage_resources *resources, const char *name,
                                                        sdimage_image **image, sdimage_error **error);

/* Forgets all pictures: the next call for a name reads its file again, and gives a new object. Images in use stay
 * valid; who waits for a picture gets it. */
SDIMAGE_API void sdimage_resources_clear(sdimage_resources *resources);

#ifdef __cplusplus
}
#endif

#endif
