/* snapshot.h: how the gallery looks in GTK. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <gtk/gtk.h>

#include "wall.h"

/* Everything that the widget shows: the cells that can be seen, and the line below them. */
void snapshot_wall(GtkWidget *widget, GtkSnapshot *snapshot, const wall *wall, int line_height);
/* Lets go of the textures of all cells. */
void snapshot_end(const wall *wall);

#endif
