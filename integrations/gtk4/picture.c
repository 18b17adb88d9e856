/* picture.c: SdimagePicture: a widget that draws the paintable of its slot. */
#include "picture.h"

#include "paintable.h"

struct _SdimagePicture {
    GtkWidget parent;
    SdimagePaintable *paintable;
    GdkPaintable *error_paintable;
    Slot *slot; /* NULL after the widget was disposed of */
    char *url, *blurhash, *alternative_text;
    sdimage_request *request;
    guint transition;
    GtkContentFit content_fit;
    bool is_progressive, has_fixed_size, has_percentage;
};

enum {
    PROP_URL = 1,
    PROP_PLACEHOLDER,
    PROP_ERROR_PAINTABLE,
    PROP_BLURHASH,
    PROP_PROGRESS,
    PROP_STATE,
    PROP_CONTENT_FIT,
    PROP_TRANSITION,
    PROP_PLAYING,
    PROP_PROGRESSIVE,
    PROP_REQUEST,
    PROP_ALTERNATIVE_TEXT,
    PROP_COUNT
};
static GParamSpec *properties[PROP_COUNT];

G_DEFINE_TYPE(SdimagePicture, sdimage_picture, GTK_TYPE_WIDGET)

static void notify(SdimagePicture *self, guint id) {
    g_object_notify_by_pspec(G_OBJECT(self), properties[id]);
}

Slot *picture_slot(SdimagePicture *self) {
    return self->slot;
}

/* --- Loading. */

static void load(SdimagePicture *self) {
    if (!self->slot)
        return;
    if (!self->url) {
        slot_clear(self->slot);
        return;
    }
    SlotLoad load = {.url = self->url,
                     .request = self->request,
                     .blurhash = self->blurhash,
                     .fade_ms = self->transition,
                     .is_progressive = self->is_progressive};
    slot_load(self->slot, &load, NULL);
}

static GtkContentFit content_fit(GtkWidget *widget) {
    return SDIMAGE_PICTURE(widget)->content_fit;
}

static void show_failure(SdimagePicture *self) {
    bool has_failed = self->slot && slot_state(self->slot) == SDIMAGE_STATE_FAILED;
    paintable_set_failure(self->paintable, has_failed ? self->error_paintable : NULL);
}

static void update_accessible(SdimagePicture *self) {
    GtkAccessible *accessible = GTK_ACCESSIBLE(self);
    bool has_percentage = slot_state(self->slot) == SDIMAGE_STATE_LOADING && slot_progress(self->slot) > 0;
    if (!has_percentage && self->has_percentage)
        gtk_accessible_reset_property(accessible, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT);
    self->has_percentage = has_percentage;
    if (!has_percentage)
        return;
    char text[16];
    g_snprintf(text, sizeof text, "%.0f %%", slot_progress(self->slot) * 100);
    gtk_accessible_update_property(accessible, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void state_changed(GtkWidget *widget) {
    SdimagePicture *self = SDIMAGE_PICTURE(widget);
    show_failure(self);
    update_accessible(self);
    notify(self, PROP_STATE);
}

static void progress_changed(GtkWidget *widget) {
    update_accessible(SDIMAGE_PICTURE(widget));
    notify(SDIMAGE_PICTURE(widget), PROP_PROGRESS);
}

/* --- The widget. */

static void measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                    int *minimum_baseline, int *natural_baseline) {
    (void)minimum_baseline, (void)natural_baseline;
    GdkPaintable *paintable = GDK_PAINTABLE(SDIMAGE_PICTURE(widget)->paintable);
    double ratio = gdk_paintable_get_intrinsic_aspect_ratio(paintable);
    bool is_width = orientation == GTK_ORIENTATION_HORIZONTAL;
    *minimum = *natural = 0;
    if (SDIMAGE_PICTURE(widget)->has_fixed_size)
        return;
    if (for_size > 0 && ratio > 0)
        *natural = (int)ceil(is_width ? for_size * ratio : for_size / ratio);
    else
        *natural =
            is_width ? gdk_paintable_get_intrinsic_width(paintable) : gdk_paintable_get_intrinsic_height(paintable);
}

static GtkSizeRequestMode get_request_mode(GtkWidget *widget) {
    return SDIMAGE_PICTURE(widget)->has_fixed_size ? GTK_SIZE_REQUEST_CONSTANT_SIZE : GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void on_size_invalidated(SdimagePicture *self) {
    if (!self->has_fixed_size)
        gtk_widget_queue_resize(GTK_WIDGET(self));
}

void picture_fix_size(SdimagePicture *self) {
    self->has_fixed_size = true;
}

static void snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
    SdimagePicture *self = SDIMAGE_PICTURE(widget);
    GdkPaintable *paintable = GDK_PAINTABLE(self->paintable);
    double width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    double ratio = gdk_paintable_get_intrinsic_aspect_ratio(paintable), wide = width, high = height;
    if (ratio > 0 && self->content_fit != GTK_CONTENT_FIT_FILL) {
        bool is_wider = ratio > width / height;
        if (is_wider == (self->content_fit == GTK_CONTENT_FIT_COVER))
            wide = height * ratio;
        else
            high = width / ratio;
        int natural = gdk_paintable_get_intrinsic_width(paintable);
        if (self->content_fit == GTK_CONTENT_FIT_SCALE_DOWN && natural < wide) {
            wide = natural;
            high = gdk_paintable_get_intrinsic_height(paintable);
        }
    }
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot,
                           &GRAPHENE_POINT_INIT((float)floor((width - wide) / 2), (float)floor((height - high) / 2)));
    gdk_paintable_snapshot(paintable, snapshot, wide, high);
    gtk_snapshot_restore(snapshot);
}

/* --- Public functions. */

GtkWidget *sdimage_picture_new(const char *url) {
    return g_object_new(SDIMAGE_TYPE_PICTURE, "url", url, NULL);
}

void sdimage_picture_set_url(SdimagePicture *self, const char *url) {
    g_return_if_fail(SDIMAGE_IS_PICTURE(self));
    if (g_strcmp0(url, self->url) == 0)
        return;
    g_free(self->url);
    self->url = g_strdup(url);
    load(self);
    notify(self, PROP_URL);
}

const char *sdimage_picture_get_url(SdimagePicture *self) {
    g_return_val_if_fail(SDIMAGE_IS_PICTURE(self), NULL);
    return self->url;
}

void sdimage_picture_retry(SdimagePicture *self) {
    g_return_if_fail(SDIMAGE_IS_PICTURE(self));
    if (self->slot && slot_state(self->slot) == SDIMAGE_STATE_FAILED)
        slot_retry(self->slot);
}

SdimageState sdimage_picture_get_state(SdimagePicture *self) {
    g_return_val_if_fail(SDIMAGE_IS_PICTURE(self), SDIMAGE_STATE_EMPTY);
    return self->slot ? slot_state(self->slot) : SDIMAGE_STATE_EMPTY;
}

double sdimage_picture_get_progress(SdimagePicture *self) {
    g_return_val_if_fail(SDIMAGE_IS_PICTURE(self), 0);
    return self->slot ? slot_progress(self->slot) : 0;
}

const GError *sdimage_picture_get_error(SdimagePicture *self) {
    g_return_val_if_fail(SDIMAGE_IS_PICTURE(self), NULL);
    return self->slot ? slot_error(self->slot) : NULL;
}

SdimagePaintable *sdimage_picture_get_paintable(SdimagePicture *self) {
    g_return_val_if_fail(SDIMAGE_IS_PICTURE(self), NULL);
    return self->paintable;
}

void sdimage_picture_set_request(SdimagePicture *self, const SdimageRequest *request) {
    g_return_if_fail(SDIMAGE_IS_PICTURE(self));
    if (!request && !self->request)
        return;
    sdimage_request *copy = request ? sdimage_request_copy(request) : NULL;
    sdimage_request_unref(self->request);
    self->request = copy;
    load(self);
    notify(self, PROP_REQUEST);
}

SdimageRequest *sdimage_picture_copy_request(SdimagePicture *self) {
    g_return_val_if_fail(SDIMAGE_IS_PICTURE(self), NULL);
    return self->request ? sdimage_request_copy(self->request) : NULL;
}

/* --- Properties. */

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    SdimagePicture *self = SDIMAGE_PICTURE(object);
    switch (id) {
    case PROP_URL: g_value_set_string(value, self->url); break;
    case PROP_PLACEHOLDER: g_value_set_object(value, sdimage_paintable_get_placeholder(self->paintable)); break;
    case PROP_ERROR_PAINTABLE: g_value_set_object(value, self->error_paintable); break;
    case PROP_BLURHASH: g_value_set_string(value, self->blurhash); break;
    case PROP_PROGRESS: g_value_set_double(value, sdimage_picture_get_progress(self)); break;
    case PROP_STATE: g_value_set_enum(value, (gint)sdimage_picture_get_state(self)); break;
    case PROP_CONTENT_FIT: g_value_set_enum(value, (gint)self->content_fit); break;
    case PROP_TRANSITION: g_value_set_uint(value, self->transition); break;
    case PROP_PLAYING: g_value_set_boolean(value, sdimage_paintable_get_playing(self->paintable)); break;
    case PROP_PROGRESSIVE: g_value_set_boolean(value, self->is_progressive); break;
    case PROP_REQUEST: g_value_set_boxed(value, self->request); break;
    case PROP_ALTERNATIVE_TEXT: g_value_set_string(value, self->alternative_text); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

/* Replaces a text; true if it differs. */
static bool replace_text(char **text, const GValue *value) {
    if (g_strcmp0(*text, g_value_get_string(value)) == 0)
        return false;
    g_free(*text);
    *text = g_value_dup_string(value);
    return true;
}

static void set_alternative_text(SdimagePicture *self, const GValue *value) {
    if (!replace_text(&self->alternative_text, value))
        return;
    GtkAccessible *accessible = GTK_ACCESSIBLE(self);
    if (self->alternative_text)
        gtk_accessible_update_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL, self->alternative_text, -1);
    else
        gtk_accessible_reset_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL);
    notify(self, PROP_ALTERNATIVE_TEXT);
}

static void set_content_fit(SdimagePicture *self, GtkContentFit fit) {
    if (self->content_fit == fit)
        return;
    self->content_fit = fit;
    gtk_widget_queue_draw(GTK_WIDGET(self));
    notify(self, PROP_CONTENT_FIT);
}

static void set_flag(SdimagePicture *self, const GValue *value) {
    if (self->is_progressive == !!g_value_get_boolean(value))
        return;
    self->is_progressive = g_value_get_boolean(value);
    load(self);
    notify(self, PROP_PROGRESSIVE);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    SdimagePicture *self = SDIMAGE_PICTURE(object);
    switch (id) {
    case PROP_URL: sdimage_picture_set_url(self, g_value_get_string(value)); break;
    case PROP_PLACEHOLDER:
        sdimage_paintable_set_placeholder(self->paintable, g_value_get_object(value));
        notify(self, id);
        break;
    case PROP_ERROR_PAINTABLE:
        if (g_set_object(&self->error_paintable, g_value_get_object(value)))
            notify(self, id);
        show_failure(self);
        break;
    case PROP_BLURHASH:
        if (replace_text(&self->blurhash, value)) {
            load(self);
            notify(self, id);
        }
        break;
    case PROP_CONTENT_FIT: set_content_fit(self, (GtkContentFit)g_value_get_enum(value)); break;
    case PROP_TRANSITION:
        self->transition = g_value_get_uint(value);
        if (self->slot)
            slot_set_fade(self->slot, self->transition);
        break;
    case PROP_PLAYING:
        sdimage_paintable_set_playing(self->paintable, g_value_get_boolean(value));
        notify(self, id);
        break;
    case PROP_PROGRESSIVE: set_flag(self, value); break;
    case PROP_REQUEST: sdimage_picture_set_request(self, g_value_get_boxed(value)); break;
    case PROP_ALTERNATIVE_TEXT: set_alternative_text(self, value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void install_properties(GObjectClass *object) {
    const GParamFlags both = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
    const GParamFlags readable = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
    /**
     * SdimagePicture:url:
     *
     * URL that is shown; %NULL for none.
     */
    properties[PROP_URL] = g_param_spec_string("url", NULL, NULL, NULL, both);
    /**
     * SdimagePicture:placeholder:
     *
     * Drawn until there is an image, and below a partial one.
     */
    properties[PROP_PLACEHOLDER] = g_param_spec_object("placeholder", NULL, NULL, GDK_TYPE_PAINTABLE, both);
    /**
     * SdimagePicture:error-paintable:
     *
     * Drawn in place of the placeholder after a failure.
     */
    properties[PROP_ERROR_PAINTABLE] = g_param_spec_object("error-paintable", NULL, NULL, GDK_TYPE_PAINTABLE, both);
    /**
     * SdimagePicture:blurhash:
     *
     * BlurHash (github.com/woltapp/blurhash), drawn over the placeholder.
     */
    properties[PROP_BLURHASH] = g_param_spec_string("blurhash", NULL, NULL, NULL, both);
    /**
     * SdimagePicture:progress:
     *
     * Received part of the image, from 0 to 1; 0 while its length is unknown.
     */
    properties[PROP_PROGRESS] = g_param_spec_double("progress", NULL, NULL, 0, 1, 0, readable);
    /**
     * SdimagePicture:state:
     *
     * State of the load.
     */
    properties[PROP_STATE] = g_param_spec_enum("state", NULL, NULL, SDIMAGE_TYPE_STATE, SDIMAGE_STATE_EMPTY, readable);
    /**
     * SdimagePicture:content-fit:
     *
     * Fitting of the image into the widget.
     */
    properties[PROP_CONTENT_FIT] =
        g_param_spec_enum("content-fit", NULL, NULL, GTK_TYPE_CONTENT_FIT, GTK_CONTENT_FIT_CONTAIN, both);
    /**
     * SdimagePicture:transition:
     *
     * Milliseconds for which an image that took time fades in; 0: none.
     */
    properties[PROP_TRANSITION] =
        g_param_spec_uint("transition", NULL, NULL, 0, G_MAXUINT16, 250, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
    /**
     * SdimagePicture:playing:
     *
     * Animations play while they are visible.
     */
    properties[PROP_PLAYING] = g_param_spec_boolean("playing", NULL, NULL, TRUE, both);
    /**
     * SdimagePicture:progressive:
     *
     * Partial images are shown while they arrive.
     */
    properties[PROP_PROGRESSIVE] = g_param_spec_boolean("progressive", NULL, NULL, FALSE, both);
    /**
     * SdimagePicture:request:
     *
     * Header fields, cache policy, freshness and so on of loads, see sdimage_picture_set_request(); copied.
     */
    properties[PROP_REQUEST] = g_param_spec_boxed("request", NULL, NULL, SDIMAGE_TYPE_REQUEST, both);
    /**
     * SdimagePicture:alternative-text:
     *
     * Label for assistive technologies.
     */
    properties[PROP_ALTERNATIVE_TEXT] = g_param_spec_string("alternative-text", NULL, NULL, NULL, both);
    g_object_class_install_properties(object, PROP_COUNT, properties);
}

/* --- The class. */

static void dispose(GObject *object) {
    SdimagePicture *self = SDIMAGE_PICTURE(object);
    if (self->slot)
        slot_close(g_steal_pointer(&self->slot));
    G_OBJECT_CLASS(sdimage_picture_parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    SdimagePicture *self = SDIMAGE_PICTURE(object);
    g_object_unref(self->paintable);
    g_clear_object(&self->error_paintable);
    g_free(self->url);
    g_free(self->blurhash);
    g_free(self->alternative_text);
    sdimage_request_unref(self->request);
    G_OBJECT_CLASS(sdimage_picture_parent_class)->finalize(object);
}

static void sdimage_picture_class_init(SdimagePictureClass *class) {
    GObjectClass *object = G_OBJECT_CLASS(class);
    GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
    object->get_property = get_property;
    object->set_property = set_property;
    object->dispose = dispose;
    object->finalize = finalize;
    widget->measure = measure;
    widget->get_request_mode = get_request_mode;
    widget->snapshot = snapshot;
    install_properties(object);
    gtk_widget_class_set_css_name(widget, "picture");
    gtk_widget_class_set_accessible_role(widget, GTK_ACCESSIBLE_ROLE_IMG);
}

static void sdimage_picture_init(SdimagePicture *self) {
    static const SlotFunctions functions = {
        .state_changed = state_changed, .progress_changed = progress_changed, .content_fit = content_fit};
    GtkWidget *widget = GTK_WIDGET(self);
    self->paintable = sdimage_paintable_new();
    self->content_fit = GTK_CONTENT_FIT_CONTAIN;
    self->transition = 250;
    self->slot = slot_new(widget, self->paintable, &functions);
    g_signal_connect_object(self->paintable, "invalidate-contents", G_CALLBACK(gtk_widget_queue_draw), self,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(self->paintable, "invalidate-size", G_CALLBACK(on_size_invalidated), self,
                            G_CONNECT_SWAPPED);
    gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);
}

GType sdimage_state_get_type(void) {
    static gsize type;
    static const GEnumValue values[] = {{SDIMAGE_STATE_EMPTY, "SDIMAGE_STATE_EMPTY", "empty"},
                                        {SDIMAGE_STATE_LOADING, "SDIMAGE_STATE_LOADING", "loading"},
                                        {SDIMAGE_STATE_READY, "SDIMAGE_STATE_READY", "ready"},
                                        {SDIMAGE_STATE_FAILED, "SDIMAGE_STATE_FAILED", "failed"},
                                        {0, NULL, NULL}};
    if (g_once_init_enter(&type))
        g_once_init_leave(&type, g_enum_register_static("SdimageState", values));
    return type;
}
