/* svg.h: the coder of the plug-in libsdimage-svg.so.1: SVG and SVGZ, by librsvg.
 *
 * A picture stays drawn from shapes until its size is known: a thumbnail is drawn at its size, larger than the
 * picture's own too, and the image can be drawn again (sdimage_image_is_vector, sdimage_image_render). Its own size is
 * what `width` and `height` say, at 96 pixels an inch; where one is missing it follows from the other by the view box;
 * where both are, the view box is the size.
 *
 * Nothing outside the bytes is read: no file, no network, no entity; fonts are those of the system. Pictures inside are
 * JPEG, PNG, GIF, WebP or BMP in data: URLs, 32 Mi pixels together at most; others are UNSUPPORTED, and so is text in
 * data: URLs: other SVG, style sheets. Text, inflated, has at most 32 MiB, entities in it 64 KiB, references 1000000;
 * chains of elements that refer to others and are referred to are TOO_LARGE where they could end the stack, which is
 * 512 MiB of address space.
 *
 * librsvg cannot be stopped: at max_work_ms the decode ends with TIMEOUT, and the drawing goes on unseen. While four do
 * so no other is begun: each decode ends with TIMEOUT at once.
 *
 * Encoding to SVG is UNSUPPORTED: images do not carry their text. */
#ifndef SDIMAGE_PLUGINS_SVG_H
#define SDIMAGE_PLUGINS_SVG_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A coder to be registered, or asked by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_svg_coder_new(sdimage_coder **coder, sdimage_error **error);

/* A string in the options of a request or of a decode: CSS that is laid over the picture's own, UTF-8. */
#define SDIMAGE_SVG_STYLE "svg.style"

/* The version of librsvg that the plug-in was built for, "2.54.7". Static. */
SDIMAGE_API const char *sdimage_svg_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
