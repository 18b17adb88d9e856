/* picture.h: SdimagePicture, as the lists of the library use it. */
#ifndef SDIMAGE_GTK4_PICTURE_H
#define SDIMAGE_GTK4_PICTURE_H

#include "slot.h"

Slot *picture_slot(SdimagePicture *self);
/* Makes the size request of a picture its natural size, whichever image it shows: an image that arrives or leaves
 * causes no layout. */
void picture_fix_size(SdimagePicture *self);

#endif
