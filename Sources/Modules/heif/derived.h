/* derived.h: images derived from other images, decoded by libheif. */
#ifndef SDHEIF_DERIVED_H
#define SDHEIF_DERIVED_H

#include "image.h"
#include "heif_container.h"

/* Reports that libheif can decode an item that is neither H.265-coded nor a grid of such items. All items it is derived
 * from must exist and be images: libheif 1.15 ends the process otherwise. */
bool sdheif_is_derived(const sdheif_container *container, const sdheif_item *item);

/* Decodes the primary item with its rotation and cropping applied. libheif is opened for the first such image, because
 * its encoders take longer to load than a usual photograph to decode. UNSUPPORTED if libheif is missing. */
sdimage_status sdheif_decode_derived(const sdheif_container *container, const sdcs_request *request,
                                     sdimage_image **image, sdimage_error **error);

#endif
