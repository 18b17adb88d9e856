/* private.h: the parts of the library: paintables of widgets, and slots, which load their images. */
#ifndef SDIMAGE_GTK4_PRIVATE_H
#define SDIMAGE_GTK4_PRIVATE_H

#include "sdimage-gtk4.h"

/* --- context.c */

/* Returns the dispatcher of the default context, made by the first call; borrowed. That is on the thread of GTK. */
sdimage_dispatcher *main_dispatcher(void);

/* --- paintable.c */

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
/* True if a part of the widget is inside its window and all scrolled windows around it. */
bool is_in_view(GtkWidget *widget);
/* GtkSettings:gtk-enable-animations of a widget. */
bool animations_are_enabled(GtkWidget *widget);

/* --- slot.c */

/* The load of a widget. */
typedef struct Slot Slot;

/* The functions of a widget; each may be NULL. */
typedef struct SlotFunctions {
    void (*state_changed)(GtkWidget *widget);
    void (*progress_changed)(GtkWidget *widget);
    GtkContentFit (*content_fit)(GtkWidget *widget);
} SlotFunctions;

/* The arguments of a load. */
typedef struct SlotLoad {
    const char *url;
    const sdimage_request *request;  /* nullable */
    const char *blurhash;            /* nullable */
    sdimage_target_options *options; /* nullable */
    uint32_t fade_ms;                /* without options */
    bool is_progressive;             /* in addition to the request */
} SlotLoad;

/* Makes the slot of a widget, which draws `paintable`. The widget must close it when it is disposed of. */
Slot *slot_new(GtkWidget *widget, SdimagePaintable *paintable, const SlotFunctions *functions);
/* Ends the load without any further call of the widget, and releases the slot. */
void slot_close(Slot *slot);
/* Starts a load, in this call if the size is known; ends the previous one. Takes `task`, nullable. */
void slot_load(Slot *slot, const SlotLoad *load, GTask *task);
/* Loads the same again, also a URL that failed a moment ago. */
void slot_retry(Slot *slot);
/* Sets the duration of the fade for loads that wait for a size. */
void slot_set_fade(Slot *slot, uint32_t duration_ms);
/* Cancels the load, and shows nothing. */
void slot_clear(Slot *slot);
/* Sets the size in application pixels for which images are decoded as long as the widget has none. */
void slot_set_usual_size(Slot *slot, int width, int height);
/* Compares the size of the widget with that of its image at the next frame. */
void slot_check_size(Slot *slot);
/* Postpones loads while true: one that has not finished is cancelled, and begins in the call that sets false. */
void slot_set_held(Slot *slot, bool is_held);
void slot_set_priority(Slot *slot, sdimage_priority priority);
SdimageState slot_state(const Slot *slot);
double slot_progress(const Slot *slot);
const GError *slot_error(const Slot *slot);
/* Makes the request of a load for a size in device pixels, which is rounded up; 0: a side without a limit. */
sdimage_request *slot_request(const SlotLoad *load, GtkContentFit fit, uint32_t width, uint32_t height);

/* --- picture.c */

Slot *picture_slot(SdimagePicture *self);
/* Makes the size request of a picture its natural size, whichever image it shows: an image that arrives or leaves
 * causes no layout. */
void picture_fix_size(SdimagePicture *self);

#endif
