/* xmp.h: the orientation in an XMP packet. */
#ifndef SDCS_XMP_H
#define SDCS_XMP_H

#include <sdimage/image.h>

#include "span.h"

/* Returns the first valid tiff:Orientation (XMP specification part 2), an attribute or an element; UP without one. A
 * packet in UTF-16 has none. */
sdimage_orientation sdcs_xmp_orientation(sdcs_span packet);

#endif
