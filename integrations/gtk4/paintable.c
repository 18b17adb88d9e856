/* paintable.c: SdimagePaintable: the layers that are drawn, the fade between images, and the clock of animations. */
#include "paintable.h"

#include "context.h"

/* Owned by the view, which may call until it is destroyed; `self` is NULL after the paintable was disposed of. */
typedef struct ViewOwner {
    SdimagePaintable *self;
} ViewOwner;

struct _SdimagePaintable {
    GObject parent;
    sdimage_animated_view *view;
    ViewOwner *owner;
    sdimage_image *image; /* the image of the view: all frames of an animation */
    GdkTexture *texture;  /* the image or frame that is drawn */
    GdkTexture *before;   /* drawn below it while it fades in */
    GdkTexture *hash;     /* drawn below a partial image */
    GdkPaintable *placeholder, *failure;
    GtkWidget *widget;      /* nullable; borrowed until it is destroyed */
    GPtrArray *adjustments; /* those of the scrolled windows around the widget while it is mapped */
    guint ticks;            /* tick callback of the widget, while something moves */
    gint64 last_tick;       /* frame time in microseconds; 0 at the first tick */
    gint64 fade_start;      /* the same; 0 before the first tick of the fade */
    gint64 fade_us;         /* duration; 0: no fade */
    double fade;            /* opacity of `texture` during the fade */
    int width, height;      /* intrinsic size */
    double density;         /* pixels of an image that was reduced for the widget, for each pixel of the application */
    int drawn_width, drawn_height; /* size of the latest drawing */
    void (*resized)(gpointer user_data);
    gpointer resized_data;
    int checks; /* ticks until the layout is known after the widget was mapped or scrolled */
    bool is_hash, is_undrawn, is_playing;
};

enum { CHECKS = 2 };
enum { PROP_PLACEHOLDER = 1, PROP_PLAYING, PROP_COUNT };
static GParamSpec *properties[PROP_COUNT];

static void paintable_interface(GdkPaintableInterface *interface);

G_DEFINE_TYPE_WITH_CODE(SdimagePaintable, sdimage_paintable, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, paintable_interface))

/* --- Visibility. */

/* GtkSettings:gtk-enable-animations of a widget. */
static bool animations_are_enabled(GtkWidget *widget) {
    gboolean is_enabled = TRUE;
    GtkSettings *settings = widget ? gtk_widget_get_settings(widget) : gtk_settings_get_default();
    if (settings)
        g_object_get(settings, "gtk-enable-animations", &is_enabled, NULL);
    return is_enabled;
}

/* True if a part of the widget is inside its window and all scrolled windows around it. */
static bool is_in_view(GtkWidget *widget) {
    if (!gtk_widget_get_mapped(widget))
        return false;
    for (GtkWidget *around = gtk_widget_get_parent(widget); around; around = gtk_widget_get_parent(around)) {
        graphene_rect_t bounds;
        if (!GTK_IS_SCROLLED_WINDOW(around) && !GTK_IS_ROOT(around))
            continue;
        graphene_rect_t view =
            GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(around), (float)gtk_widget_get_height(around));
        if (!gtk_widget_compute_bounds(widget, around, &bounds) || !graphene_rect_intersection(&bounds, &view, NULL))
            return false;
    }
    return true;
}

/* --- The clock. */

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer user_data);

static bool is_moving(const SdimagePaintable *self) {
    return self->fade_us > 0 || self->checks > 0 || sdimage_animated_view_is_animating(self->view);
}

/* Runs the tick callback while something moves. */
static void update_ticks(SdimagePaintable *self) {
    if (self->ticks > 0 || !self->widget || !is_moving(self))
        return;
    self->last_tick = 0;
    self->ticks = gtk_widget_add_tick_callback(self->widget, on_tick, self, NULL);
}

static void stop_ticks(SdimagePaintable *self) {
    if (self->ticks > 0 && self->widget)
        gtk_widget_remove_tick_callback(self->widget, self->ticks);
    self->ticks = 0;
}

/* Plays an animation if it may be seen. Without a widget, drawing tells. */
static void update_visibility(SdimagePaintable *self) {
    bool is_visible = self->widget ? is_in_view(self->widget) : !self->is_undrawn;
    sdimage_animated_view_set_autoplay(self->view, self->is_playing && animations_are_enabled(self->widget));
    if (is_visible != sdimage_animated_view_is_visible(self->view))
        sdimage_animated_view_set_visible(self->view, is_visible);
    update_ticks(self);
}

static void update_fade(SdimagePaintable *self, gint64 now) {
    if (self->fade_us == 0)
        return;
    if (self->fade_start == 0)
        self->fade_start = now;
    self->fade = (double)(now - self->fade_start) / (double)self->fade_us;
    if (self->fade >= 1)
        paintable_end_fade(self);
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer user_data) {
    (void)widget;
    SdimagePaintable *self = g_object_ref(user_data); /* handlers of its signals may release it */
    gint64 now = gdk_frame_clock_get_frame_time(clock);
    update_fade(self, now);
    update_visibility(self);
    self->checks = MAX(self->checks - 1, 0);
    if (self->widget && self->last_tick > 0 && now > self->last_tick)
        sdimage_animated_view_tick(self->view, (uint64_t)(now - self->last_tick) * 1000);
    self->last_tick = now;
    bool goes_on = self->ticks > 0 && is_moving(self);
    if (!goes_on)
        self->ticks = 0; /* GTK removes it */
    g_object_unref(self);
    return goes_on;
}

/* --- The widget. */

/* The layout that follows a scroll or a map tells what is in view: before the second tick from now. */
static void check_later(SdimagePaintable *self) {
    self->checks = sdimage_image_is_animated(self->image) ? CHECKS : 0;
    update_ticks(self);
}

static void drop_adjustments(SdimagePaintable *self) {
    for (guint i = 0; i < self->adjustments->len; i++)
        g_signal_handlers_disconnect_by_func(g_ptr_array_index(self->adjustments, i), check_later, self);
    g_ptr_array_set_size(self->adjustments, 0);
}

static void watch_adjustment(SdimagePaintable *self, GtkAdjustment *adjustment) {
    g_signal_connect_object(adjustment, "value-changed", G_CALLBACK(check_later), self, G_CONNECT_SWAPPED);
    g_ptr_array_add(self->adjustments, g_object_ref(adjustment));
}

/* Only animations have to know what is in view. */
static void on_map(SdimagePaintable *self) {
    drop_adjustments(self);
    if (!sdimage_image_is_animated(self->image))
        return;
    for (GtkWidget *around = self->widget; around; around = gtk_widget_get_parent(around))
        if (GTK_IS_SCROLLED_WINDOW(around)) {
            watch_adjustment(self, gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(around)));
            watch_adjustment(self, gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(around)));
        }
    check_later(self);
}

static void on_unmap(SdimagePaintable *self) {
    drop_adjustments(self);
    update_visibility(self);
}

static void on_destroy(SdimagePaintable *self) {
    paintable_set_widget(self, NULL);
}

void paintable_set_widget(SdimagePaintable *self, GtkWidget *widget) {
    if (self->widget == widget)
        return;
    if (self->widget) {
        stop_ticks(self);
        drop_adjustments(self);
        g_signal_handlers_disconnect_by_data(self->widget, self);
    }
    self->widget = widget;
    if (widget) {
        g_signal_connect_object(widget, "map", G_CALLBACK(on_map), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
        g_signal_connect_object(widget, "unmap", G_CALLBACK(on_unmap), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
        g_signal_connect_object(widget, "destroy", G_CALLBACK(on_destroy), self, G_CONNECT_SWAPPED);
    }
    /* Frames of a paintable without a widget are due by timers. Refused without memory only: it does not move then. */
    (void)sdimage_animated_view_set_clock(self->view, widget ? SDIMAGE_PLAYER_CLOCK_HOST : SDIMAGE_PLAYER_CLOCK_LIBRARY,
                                          widget ? NULL : main_dispatcher(), NULL);
    if (widget && gtk_widget_get_mapped(widget))
        on_map(self);
    else
        update_visibility(self);
}

/* --- Images. */

/* Width and height of what is drawn in place of an image. */
static GdkPaintable *substitute(const SdimagePaintable *self) {
    return self->failure ? self->failure : self->placeholder;
}

static void update_size(SdimagePaintable *self) {
    int width = 0, height = 0;
    if (paintable_has_image(self)) {
        /* An image of all its pixels has their size: only those that were reduced are drawn smaller. */
        double density = paintable_can_grow(self) ? self->density : 1;
        width = (int)MIN(round(sdimage_image_width(self->image) / density), G_MAXINT);
        height = (int)MIN(round(sdimage_image_height(self->image) / density), G_MAXINT);
    } else if (!self->image && substitute(self)) {
        width = gdk_paintable_get_intrinsic_width(substitute(self));
        height = gdk_paintable_get_intrinsic_height(substitute(self));
    }
    bool is_changed = width != self->width || height != self->height;
    self->width = width;
    self->height = height;
    if (is_changed)
        gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

/* The view's: an image or a frame to draw; the host's clock and the dispatcher call on the thread of GTK. */
static void show(void *user_data, sdimage_animated_view *view, const sdimage_image *image) {
    SdimagePaintable *self = ((ViewOwner *)user_data)->self;
    if (!self)
        return;
    bool is_frame = self->image && sdimage_animated_view_is_animating(view);
    g_clear_object(&self->texture);
    self->texture = sdimage_gtk_texture(image);
    if (is_frame && !self->widget && self->is_undrawn)
        update_visibility(self); /* the previous frame was not drawn */
    self->is_undrawn = true;
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void paintable_show(SdimagePaintable *self, const sdimage_image *image, bool is_hash) {
    if (image == self->image && is_hash == self->is_hash)
        return;
    sdimage_image *previous = self->image;
    if (self->is_hash && sdimage_image_is_incremental(image))
        g_set_object(&self->hash, self->texture);
    else if (!sdimage_image_is_incremental(image))
        g_clear_object(&self->hash);
    self->image = sdimage_image_ref(image);
    self->is_hash = is_hash;
    self->is_undrawn = false;
    bool is_animated = sdimage_image_is_animated(image);
    if (is_animated) /* the settings that apply when the view starts it */
        update_visibility(self);
    if (sdimage_animated_view_set_image(self->view, image, NULL) < 0)
        g_clear_object(&self->texture); /* memory was refused */
    sdimage_image_unref(previous);
    if (self->widget && gtk_widget_get_mapped(self->widget))
        on_map(self);
    if (is_animated)
        update_visibility(self);
    update_size(self);
}

void paintable_set_density(SdimagePaintable *self, double density) {
    self->density = density;
}

bool paintable_has_image(const SdimagePaintable *self) {
    return self->image && !self->is_hash;
}

bool paintable_can_grow(const SdimagePaintable *self) {
    sdimage_size source = sdimage_image_source_size(self->image);
    return paintable_has_image(self) &&
           (sdimage_image_is_vector(self->image) || sdimage_image_is_transformed(self->image) ||
            sdimage_image_width(self->image) < source.width || sdimage_image_height(self->image) < source.height);
}

bool paintable_covers(const SdimagePaintable *self, sdimage_size size) {
    return sdimage_image_width(self->image) >= size.width && sdimage_image_height(self->image) >= size.height;
}

void paintable_start_fade(SdimagePaintable *self, uint32_t duration_ms) {
    if (!animations_are_enabled(self->widget) || sdimage_image_is_incremental(self->image))
        return; /* most of a partial image is visible already */
    g_set_object(&self->before, self->texture);
    self->fade_us = (gint64)duration_ms * 1000;
    self->fade_start = 0;
    self->fade = 0;
    update_ticks(self);
}

void paintable_end_fade(SdimagePaintable *self) {
    g_clear_object(&self->before);
    self->fade_us = 0;
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void paintable_set_failure(SdimagePaintable *self, GdkPaintable *failure) {
    if (g_set_object(&self->failure, failure))
        update_size(self);
}

void paintable_set_resized(SdimagePaintable *self, void (*resized)(gpointer user_data), gpointer user_data) {
    self->resized = resized;
    self->resized_data = user_data;
}

/* --- GdkPaintable. */

/* Draws a layer so that it covers the area; the middle of layers of other proportions. */
static void draw(GdkPaintable *layer, GtkSnapshot *snapshot, double width, double height) {
    double ratio = layer ? gdk_paintable_get_intrinsic_aspect_ratio(layer) : 0;
    double wide = ratio > 0 ? MAX(width, height * ratio) : width,
           high = ratio > 0 ? MAX(height, width / ratio) : height;
    if (!layer)
        return;
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)(width - wide) / 2, (float)(height - high) / 2));
    gdk_paintable_snapshot(layer, snapshot, wide, high);
    gtk_snapshot_restore(snapshot);
    gtk_snapshot_pop(snapshot);
}

/* Draws the BlurHash, which describes the whole image, or a placeholder. */
static void draw_below(SdimagePaintable *self, GtkSnapshot *snapshot, double width, double height) {
    if (self->hash)
        gtk_snapshot_append_texture(snapshot, self->hash, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    else
        draw(substitute(self), snapshot, width, height);
}

static void snapshot(GdkPaintable *paintable, GdkSnapshot *drawing, double width, double height) {
    SdimagePaintable *self = SDIMAGE_PAINTABLE(paintable);
    GtkSnapshot *snapshot = GTK_SNAPSHOT(drawing);
    bool is_fading = self->fade_us > 0;
    /* A partial image is transparent where nothing has arrived. */
    if (!self->texture || (sdimage_image_is_incremental(self->image) && !is_fading) || (is_fading && !self->before))
        draw_below(self, snapshot, width, height);
    if (is_fading) {
        draw(GDK_PAINTABLE(self->before), snapshot, width, height);
        gtk_snapshot_push_opacity(snapshot, self->fade);
    }
    if (self->texture)
        gtk_snapshot_append_texture(snapshot, self->texture, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    if (is_fading)
        gtk_snapshot_pop(snapshot);
    bool was_paused = self->is_undrawn && !self->widget && !sdimage_animated_view_is_visible(self->view);
    self->is_undrawn = false;
    if (was_paused)
        update_visibility(self); /* its next frame is due by a timer, never in this call */
    bool is_larger = (int)width > self->drawn_width || (int)height > self->drawn_height;
    self->drawn_width = (int)width;
    self->drawn_height = (int)height;
    if (is_larger && self->resized)
        self->resized(self->resized_data);
}

static GdkPaintable *get_current_image(GdkPaintable *paintable) {
    SdimagePaintable *self = SDIMAGE_PAINTABLE(paintable);
    if (self->texture)
        return g_object_ref(GDK_PAINTABLE(self->texture));
    if (substitute(self))
        return gdk_paintable_get_current_image(substitute(self));
    return gdk_paintable_new_empty(self->width, self->height);
}

static int get_intrinsic_width(GdkPaintable *paintable) {
    return SDIMAGE_PAINTABLE(paintable)->width;
}

static int get_intrinsic_height(GdkPaintable *paintable) {
    return SDIMAGE_PAINTABLE(paintable)->height;
}

static void paintable_interface(GdkPaintableInterface *interface) {
    interface->snapshot = snapshot;
    interface->get_current_image = get_current_image;
    interface->get_intrinsic_width = get_intrinsic_width;
    interface->get_intrinsic_height = get_intrinsic_height;
}

/* --- Public functions. */

SdimagePaintable *sdimage_paintable_new(void) {
    return g_object_new(SDIMAGE_TYPE_PAINTABLE, NULL);
}

void sdimage_paintable_set_image(SdimagePaintable *self, const sdimage_image *image) {
    g_return_if_fail(SDIMAGE_IS_PAINTABLE(self));
    paintable_show(self, image, false);
}

sdimage_image *sdimage_paintable_ref_image(SdimagePaintable *self) {
    g_return_val_if_fail(SDIMAGE_IS_PAINTABLE(self), NULL);
    sdimage_image *image = NULL;
    sdimage_animated_view_get_image(self->view, &image);
    return image;
}

/* The substitutes may change their contents and size themselves. */
static void watch_placeholder(SdimagePaintable *self, GdkPaintable *placeholder) {
    if (self->placeholder)
        g_signal_handlers_disconnect_by_func(self->placeholder, update_size, self);
    g_set_object(&self->placeholder, placeholder);
    if (!placeholder)
        return;
    g_signal_connect_object(placeholder, "invalidate-contents", G_CALLBACK(update_size), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(placeholder, "invalidate-size", G_CALLBACK(update_size), self, G_CONNECT_SWAPPED);
}

void sdimage_paintable_set_placeholder(SdimagePaintable *self, GdkPaintable *placeholder) {
    g_return_if_fail(SDIMAGE_IS_PAINTABLE(self));
    g_return_if_fail(!placeholder || GDK_IS_PAINTABLE(placeholder));
    if (placeholder == self->placeholder)
        return;
    watch_placeholder(self, placeholder);
    update_size(self);
    g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_PLACEHOLDER]);
}

GdkPaintable *sdimage_paintable_get_placeholder(SdimagePaintable *self) {
    g_return_val_if_fail(SDIMAGE_IS_PAINTABLE(self), NULL);
    return self->placeholder;
}

void sdimage_paintable_set_playing(SdimagePaintable *self, gboolean playing) {
    g_return_if_fail(SDIMAGE_IS_PAINTABLE(self));
    if (self->is_playing == !!playing)
        return;
    self->is_playing = playing;
    sdimage_animated_view_set_autoplay(self->view, self->is_playing && animations_are_enabled(self->widget));
    (playing && sdimage_animated_view_should_autoplay(self->view) ? sdimage_animated_view_start
                                                                  : sdimage_animated_view_stop)(self->view);
    update_visibility(self);
    g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_PLAYING]);
}

gboolean sdimage_paintable_get_playing(SdimagePaintable *self) {
    g_return_val_if_fail(SDIMAGE_IS_PAINTABLE(self), FALSE);
    return self->is_playing;
}

gboolean sdimage_paintable_is_animating(SdimagePaintable *self) {
    g_return_val_if_fail(SDIMAGE_IS_PAINTABLE(self), FALSE);
    return sdimage_animated_view_is_animating(self->view);
}

/* --- The class. */

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    SdimagePaintable *self = SDIMAGE_PAINTABLE(object);
    switch (id) {
    case PROP_PLACEHOLDER: g_value_set_object(value, self->placeholder); break;
    case PROP_PLAYING: g_value_set_boolean(value, self->is_playing); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    SdimagePaintable *self = SDIMAGE_PAINTABLE(object);
    switch (id) {
    case PROP_PLACEHOLDER: sdimage_paintable_set_placeholder(self, g_value_get_object(value)); break;
    case PROP_PLAYING: sdimage_paintable_set_playing(self, g_value_get_boolean(value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void dispose(GObject *object) {
    SdimagePaintable *self = SDIMAGE_PAINTABLE(object);
    paintable_set_widget(self, NULL);
    if (self->owner)
        self->owner->self = NULL;
    self->owner = NULL;
    sdimage_animated_view_unref(self->view);
    self->view = NULL;
    sdimage_image_unref(self->image);
    self->image = NULL;
    g_clear_object(&self->texture);
    g_clear_object(&self->before);
    g_clear_object(&self->hash);
    watch_placeholder(self, NULL);
    g_clear_object(&self->failure);
    G_OBJECT_CLASS(sdimage_paintable_parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    g_ptr_array_unref(SDIMAGE_PAINTABLE(object)->adjustments);
    G_OBJECT_CLASS(sdimage_paintable_parent_class)->finalize(object);
}

static void sdimage_paintable_class_init(SdimagePaintableClass *class) {
    GObjectClass *object = G_OBJECT_CLASS(class);
    object->get_property = get_property;
    object->set_property = set_property;
    object->dispose = dispose;
    object->finalize = finalize;
    /**
     * SdimagePaintable:placeholder:
     *
     * Drawn while there is no image, and below a partial one.
     */
    properties[PROP_PLACEHOLDER] =
        g_param_spec_object("placeholder", NULL, NULL, GDK_TYPE_PAINTABLE,
                            G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
    /**
     * SdimagePaintable:playing:
     *
     * Animations play while they are visible.
     */
    properties[PROP_PLAYING] = g_param_spec_boolean(
        "playing", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
    g_object_class_install_properties(object, PROP_COUNT, properties);
}

static void sdimage_paintable_init(SdimagePaintable *self) {
    static const sdimage_animated_view_handler handler = {.size = sizeof handler, .show = show};
    self->adjustments = g_ptr_array_new_with_free_func(g_object_unref);
    self->is_playing = true;
    self->density = 1;
    self->owner = g_new(ViewOwner, 1);
    self->owner->self = self;
    if (sdimage_animated_view_new(&handler, self->owner, g_free, &self->view, NULL) < 0)
        self->owner = NULL; /* freed; memory was refused, and nothing is shown */
    else
        (void)sdimage_animated_view_set_clock(self->view, SDIMAGE_PLAYER_CLOCK_LIBRARY, main_dispatcher(), NULL);
}
