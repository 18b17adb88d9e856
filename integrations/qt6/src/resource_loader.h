/* resource_loader.h: qrc: URLs, the resources of the program. */
#ifndef SDIMAGE_QT_RESOURCE_LOADER_H
#define SDIMAGE_QT_RESOURCE_LOADER_H

#include <sdimage.h>

namespace sdimage::qt {

/* A loader of qrc: URLs, which the caller must unref; NULL when memory is refused. */
sdimage_loader *newResourceLoader();

} // namespace sdimage::qt

#endif
