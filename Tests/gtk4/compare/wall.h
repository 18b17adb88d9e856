/* wall.h: the common part of both walls: a window with all pictures, the clock, and the memory. */
#ifndef WALL_H
#define WALL_H

#include <gtk/gtk.h>

/* Defined by each wall: loads an image into a picture, and calls wall_finished(). */
void wall_show(GtkPicture *picture, const char *url);
void wall_finished(gboolean is_shown);

#endif
