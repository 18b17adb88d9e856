/* dispatcher.h: a dispatcher on the event loop of a Qt thread. */
#ifndef SDIMAGE_QT_DISPATCHER_H
#define SDIMAGE_QT_DISPATCHER_H

#include <sdimage.h>

namespace sdimage::qt {

/* A dispatcher that runs calls on the thread that calls this function, which the caller must unref; NULL when memory is
 * refused. Calls that the event loop of the thread no longer takes are dropped. */
sdimage_dispatcher *newDispatcher();

} // namespace sdimage::qt

#endif
