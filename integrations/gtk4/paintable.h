/* paintable.h: SdimagePaintable, as the widgets of the library use it. */
#ifndef SDIMAGE_GTK4_PAINTABLE_H
#define SDIMAGE_GTK4_PAINTABLE_H

#include "sdimage-gtk4.h"

/* Sets the widget that draws the paintable: its frame clock and its visibility are those of animations. NULL: none. */
void paintable_set_widget(SdimagePaintable *self, GtkWidget *widget);
/* Shows an image of a load. `is_hash`: it is a placeholder, without a size of its own. */
void paintable_show(SdimagePaintable *self, const sdimage_image *image, bool is_hash);
/* Sets the number of pixels for each pixel of the application in images that are reduced for the widget. */
void paintable_set_density(SdimagePaintable *self, double density);
/* Lets the next image fade in over the one shown. */
void paintable_start_fade(SdimagePaintable *self, uint32_t duration_ms);
void paintable_end_fade(SdimagePaintable *self);
/* Sets the paintable that is drawn in place of the placeholder while there is no image; NULL: none. */
void paintable_set_failure(SdimagePaintable *self, GdkPaintable *failure);
/* True if an image of a load, not a hash, is shown. */
bool paintable_has_image(const SdimagePaintable *self);
/* True if an image with more pixels than the shown one can be decoded. */
bool paintable_can_grow(const SdimagePaintable *self);
/* True if the shown image has at least the pixels of a size. */
bool paintable_covers(const SdimagePaintable *self, sdimage_size size);
/* Sets a function that is called when the paintable was drawn larger than before; it must not change it. */
void paintable_set_resized(SdimagePaintable *self, void (*resized)(gpointer user_data), gpointer user_data);

#endif
