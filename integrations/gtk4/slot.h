/* slot.h: slots: the loads of widgets. */
#ifndef SDIMAGE_GTK4_SLOT_H
#define SDIMAGE_GTK4_SLOT_H

#include "sdimage-gtk4.h"

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

#endif
