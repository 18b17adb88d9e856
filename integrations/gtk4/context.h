/* context.h: the dispatcher of all widgets. */
#ifndef SDIMAGE_GTK4_CONTEXT_H
#define SDIMAGE_GTK4_CONTEXT_H

#include "sdimage-gtk4.h"

/* Returns the dispatcher of the default context, made by the first call; borrowed. That is on the thread of GTK. */
sdimage_dispatcher *main_dispatcher(void);

#endif
