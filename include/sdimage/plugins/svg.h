/* svg.h: the coder of the plug-in libsdimage-svg.so.1: SVG and SVGZ, by librsvg.
 *
 * An SVG is a vector image until its size is known: a thumbnail is drawn at its own size, also larger than that of the
 * SVG, and the image can be drawn again (sdimage_image_is_vector, sdimage_image_render). The size of an SVG is given by
 * `width` and `height`, at 96 pixels per inch. If one is missing, it follows from the other and the view box; if both
 * are, the size is that of the view box; without one, the image is what is drawn, without the space around it.
 *
 * Only the given bytes are read: no file, no network, no external entity; fonts are those of the system. Limits:
 *
 * - Embedded images are JPEG, PNG, GIF, WebP or BMP in data: URLs, at most 32 Mi pixels in total; others are
 *   UNSUPPORTED.
 * - Text in data: URLs (other SVG, style sheets) is UNSUPPORTED.
 * - Inflated text has at most 32 MiB, entities in it 64 KiB, references 1000000.
 * - More than 399 numbers in a kernelMatrix, and text of more than 524288 pixels, are TOO_LARGE: librsvg would end the
 *   process. The pixels are the bytes of text between two tags times the font size, at least 32.
 * - With librsvg before 2.55.91, which may end the process, feTile is UNSUPPORTED.
 * - Chains of elements that refer to each other are TOO_LARGE if they could overflow the stack, which is 512 MiB of
 *   address space.
 *
 * librsvg cannot be stopped: at max_work_ms the decode ends with TIMEOUT, and the drawing continues without effect.
 * While four drawings do so, further decodes end with TIMEOUT after 500 ms.
 *
 * Encoding to SVG is UNSUPPORTED: images do not carry their text. */
#ifndef SDIMAGE_PLUGINS_SVG_H
#define SDIMAGE_PLUGINS_SVG_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the coder, to be registered or used by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_svg_coder_new(sdimage_coder **coder, sdimage_error **error);

/* Option of a request or a decode, a string: CSS in UTF-8 that is applied on top of the image's own. */
#define SDIMAGE_SVG_STYLE "svg.style"

/* Version of librsvg that the plug-in was built for, "2.54.7". Static. */
SDIMAGE_API const char *sdimage_svg_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
