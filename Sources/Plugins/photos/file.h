/* file.h: assets that are files: their bytes, their image, or an existing smaller one. */
#ifndef SDPHOTO_FILE_H
#define SDPHOTO_FILE_H

#include "load.h"

/* Completes a load with an asset that is a file. */
void sdphoto_load_file(sdphoto_load *load, sdimage_photos_asset *asset);

#endif
