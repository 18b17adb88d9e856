/* snapshot.h: draws the gallery with GTK. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <gtk/gtk.h>

#include "wall.h"

/* Draws everything in the widget: the visible cells, and the line below them. */
void snapshot_wall(GtkWidget *widget, GtkSnapshot *snapshot, const wall *wall, int line_height);
/* Releases the textures of all cells. */
void snapshot_end(const wall *wall);

#endif
