/* wall.h: the common part of both walls: a window with all pictures, the clock, and the memory. */
#ifndef WALL_H
#define WALL_H

#include <gtk/gtk.h>

/* Begins to load an image into a picture; calls wall_finished() when it is loaded, or cannot be. */
typedef void (*show_image)(GtkPicture *picture, const char *url);

/* Shows all images of a list in a window; returns only if it cannot begin. */
int show_wall(int argc, char **argv, show_image show);
void wall_finished(gboolean is_shown);

#endif
