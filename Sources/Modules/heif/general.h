/* general.h: kinds of pictures that are put together of others, by libheif. */
#ifndef SDHEIF_GENERAL_H
#define SDHEIF_GENERAL_H

#include "../common/picture.h"
#include "container.h"

/* Whether libheif is to be asked about an item that is neither coded as H.265 nor a grid of such. All that it is made
 * of must exist and be pictures: libheif 1.15 ends the process otherwise. */
bool sdheif_is_general(const sdheif_container *container, const sdheif_item *item);

/* Decodes the primary item, turned and cut as it says. libheif is opened with the first such picture, because it
 * brings encoders along that take longer to load than a usual photograph to decode. UNSUPPORTED where it is missing. */
sdimage_status sdheif_decode_general(const sdheif_container *container, const sdmod_wish *wish, sdimage_image **image,
                                     sdimage_error **error);

#endif
