/* gtk_picture.c: loads of GtkPicture. Its slot is a value of the object, and its paintable that of the slot. */
#include "slot.h"

enum { FADE_MS = 250 };

static void forget_slot(GtkPicture *picture);

static GQuark slot_quark(void) {
    return g_quark_from_static_string("sdimage-slot");
}

static Slot *find_slot(GtkPicture *picture) {
    return g_object_get_qdata(G_OBJECT(picture), slot_quark());
}

static GtkContentFit content_fit(GtkWidget *widget) {
    return gtk_picture_get_content_fit(GTK_PICTURE(widget));
}

static bool is_ours(GtkPicture *picture) {
    GdkPaintable *paintable = gtk_picture_get_paintable(picture);
    return paintable &&
           g_object_get_qdata(G_OBJECT(picture), g_quark_from_static_string("sdimage-paintable")) == paintable;
}

static void on_paintable_changed(GtkPicture *picture) {
    if (!is_ours(picture))
        forget_slot(picture); /* the program shows something else */
}

static void forget_slot(GtkPicture *picture) {
    Slot *slot = g_object_steal_qdata(G_OBJECT(picture), slot_quark());
    if (!slot)
        return;
    g_signal_handlers_disconnect_by_func(picture, on_paintable_changed, NULL);
    g_signal_handlers_disconnect_by_func(picture, forget_slot, NULL);
    slot_close(slot);
}

static Slot *slot_of(GtkPicture *picture) {
    static const SlotFunctions functions = {.content_fit = content_fit};
    Slot *slot = find_slot(picture);
    if (slot)
        return slot;
    SdimagePaintable *paintable = sdimage_paintable_new();
    slot = slot_new(GTK_WIDGET(picture), paintable, &functions);
    g_object_set_qdata(G_OBJECT(picture), slot_quark(), slot);
    g_object_set_qdata(G_OBJECT(picture), g_quark_from_static_string("sdimage-paintable"), paintable);
    gtk_picture_set_paintable(picture, GDK_PAINTABLE(paintable));
    g_object_unref(paintable);
    g_signal_connect(picture, "notify::paintable", G_CALLBACK(on_paintable_changed), NULL);
    g_signal_connect(picture, "destroy", G_CALLBACK(forget_slot), NULL);
    return slot;
}

static void load(GtkPicture *picture, const SlotLoad *load, GdkPaintable *placeholder, GTask *task) {
    Slot *slot = slot_of(picture);
    sdimage_paintable_set_placeholder(SDIMAGE_PAINTABLE(gtk_picture_get_paintable(picture)), placeholder);
    slot_load(slot, load, task);
}

void sdimage_gtk_picture_set_url(GtkPicture *picture, const char *url, GdkPaintable *placeholder) {
    g_return_if_fail(GTK_IS_PICTURE(picture));
    g_return_if_fail(!placeholder || GDK_IS_PAINTABLE(placeholder));
    if (url)
        load(picture, &(SlotLoad){.url = url, .fade_ms = FADE_MS}, placeholder, NULL);
    else
        sdimage_gtk_picture_clear(picture);
}

void sdimage_gtk_picture_set_url_full(GtkPicture *picture, const char *url, GdkPaintable *placeholder,
                                      const SdimageRequest *request, SdimageTargetOptions *options,
                                      GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data) {
    g_return_if_fail(GTK_IS_PICTURE(picture));
    g_return_if_fail(!placeholder || GDK_IS_PAINTABLE(placeholder));
    g_return_if_fail(url || request);
    GTask *task = g_task_new(picture, cancellable, callback, user_data);
    g_task_set_source_tag(task, (gpointer)sdimage_gtk_picture_set_url_full);
    g_task_set_check_cancellable(task, FALSE); /* the load has ended already, whatever was requested meanwhile */
    load(picture, &(SlotLoad){.url = url, .request = request, .options = options, .fade_ms = FADE_MS}, placeholder,
         task);
}

void sdimage_gtk_picture_set_url_async(GtkPicture *picture, const char *url, GdkPaintable *placeholder,
                                       GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data) {
    g_return_if_fail(url);
    sdimage_gtk_picture_set_url_full(picture, url, placeholder, NULL, NULL, cancellable, callback, user_data);
}

gboolean sdimage_gtk_picture_set_url_finish(GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_async_result_is_tagged(result, (gpointer)sdimage_gtk_picture_set_url_full), FALSE);
    return g_task_propagate_boolean(G_TASK(result), error);
}

void sdimage_gtk_picture_clear(GtkPicture *picture) {
    g_return_if_fail(GTK_IS_PICTURE(picture));
    if (!find_slot(picture))
        return;
    g_object_ref(picture);
    forget_slot(picture);
    if (is_ours(picture))
        gtk_picture_set_paintable(picture, NULL);
    g_object_unref(picture);
}
