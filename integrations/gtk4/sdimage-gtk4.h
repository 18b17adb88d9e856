/* sdimage-gtk4.h: images from URLs in widgets of GTK 4.
 *
 *   sdimage_gtk_picture_set_url(GTK_PICTURE(picture), "https://example.org/photo.jpg", NULL);
 *
 * The image is loaded through the caches, decoded at the size of the widget in device pixels, and shown
 * when it arrives; animations play. SdimagePicture is a widget with the same behavior and properties for progress,
 * state and errors; SdimageListItemFactory shows lists of any length. Each of them owns a target (sdimage/target.h).
 *
 * The decode size is the allocated size times the scale factor, each side rounded up to a multiple of an eighth of its
 * power of two, at least 16 pixels, so that cells of nearly equal sizes share cached images. An image is decoded again
 * when its widget grows beyond that. A load starts when the widget has a size: in the call, or at the first frame in
 * which it is mapped. A side that the layout leaves at 0 is not limited, and nothing is decoded larger than the file.
 *
 * Animations follow the frame clock of their widget. They pause while the widget is unmapped, or scrolled out of view.
 * Removing a widget from its window cancels its load and releases its image: its state is EMPTY until it is added to a
 * window, where the URL is loaded again. GtkSettings:gtk-enable-animations false means no fade, and the first frame of
 * animations only.
 *
 * All functions are for the thread that runs GTK, unless stated otherwise. Link with `pkg-config sdimage-gtk4`. The
 * namespace of introspection is Sdimage, version 1. It contains requests and options (sdimage-gtk4-options.h), and no
 * other types of the C library, nor functions that need them. */
#ifndef SDIMAGE_GTK4_H
#define SDIMAGE_GTK4_H

#include <gtk/gtk.h>
#ifndef __GI_SCANNER__
#include <sdimage.h>
#else
#define SDIMAGE_API
#endif
#include "sdimage-gtk4-options.h"

G_BEGIN_DECLS

#define SDIMAGE_GTK_ERROR (sdimage_gtk_error_quark())
/**
 * sdimage_gtk_error_quark:
 *
 * Returns the error domain of loads. The codes are those of #SdimageGtkError, which is sdimage_status, such as
 * %SDIMAGE_STATUS_HTTP_STATUS. Cancelled loads have %G_IO_ERROR_CANCELLED instead.
 *
 * Returns: the error domain
 */
SDIMAGE_API GQuark sdimage_gtk_error_quark(void);

/**
 * SdimageState:
 * @SDIMAGE_STATE_EMPTY: no URL is set, or its load was cancelled, as by removing the widget from its window
 * @SDIMAGE_STATE_LOADING: the image is loaded, or will be when the widget has a size
 * @SDIMAGE_STATE_READY: the complete image is shown
 * @SDIMAGE_STATE_FAILED: there is no image; the error tells why
 *
 * State of the load of a widget.
 */
typedef enum {
    SDIMAGE_STATE_EMPTY = 0,
    SDIMAGE_STATE_LOADING = 1,
    SDIMAGE_STATE_READY = 2,
    SDIMAGE_STATE_FAILED = 3
} SdimageState;

#define SDIMAGE_TYPE_STATE (sdimage_state_get_type())
SDIMAGE_API GType sdimage_state_get_type(void);

/* --- GtkPicture. */

/**
 * sdimage_gtk_picture_set_url:
 * @picture: a picture
 * @url: (nullable): URL to show; %NULL is sdimage_gtk_picture_clear()
 * @placeholder: (nullable): shown until there is an image, and after a failure
 *
 * Loads an image into a picture. The load of a previous URL is cancelled: its image is never shown. An image in memory
 * is shown before this returns, if the picture has a size. The picture's own properties, such as content-fit and
 * alternative-text, stay as they are; setting another paintable ends the load.
 */
SDIMAGE_API void sdimage_gtk_picture_set_url(GtkPicture *picture, const char *url, GdkPaintable *placeholder);

/**
 * sdimage_gtk_picture_set_url_full:
 * @picture: a picture
 * @url: (nullable): URL to show; %NULL: that of @request
 * @placeholder: (nullable): shown until there is an image, and after a failure
 * @request: (nullable): header fields, cache policy, freshness and so on
 * @options: (nullable): placeholder, transition and so on; %NULL: a fade of 250 ms
 * @cancellable: (nullable): cancels the load in the next iteration of the main loop
 * @callback: (nullable) (scope async): called once, when the load has ended for any reason
 * @user_data: (closure): argument of @callback
 *
 * Loads an image into a picture as sdimage_gtk_picture_set_url_async() does, with a request and options. The request is
 * copied; its box and, if it is AUTOMATIC, its pixel format are set. The options are referenced and must not be changed
 * afterwards. sdimage_gtk_picture_set_url_finish() returns the outcome.
 */
SDIMAGE_API void sdimage_gtk_picture_set_url_full(GtkPicture *picture, const char *url, GdkPaintable *placeholder,
                                                  const SdimageRequest *request, SdimageTargetOptions *options,
                                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                                  gpointer user_data);

/**
 * sdimage_gtk_picture_set_url_async:
 * @picture: a picture
 * @url: URL to show
 * @placeholder: (nullable): shown until there is an image, and after a failure
 * @cancellable: (nullable): cancels the load in the next iteration of the main loop
 * @callback: (nullable) (scope async): called once, when the load has ended for any reason
 * @user_data: (closure): argument of @callback
 *
 * Loads an image into a picture as sdimage_gtk_picture_set_url() does, and reports the end of the load. A load begins
 * when the picture is in a window or has a size request. One that never begins stays alive, with the picture, until
 * @cancellable or a further call ends it.
 */
SDIMAGE_API void sdimage_gtk_picture_set_url_async(GtkPicture *picture, const char *url, GdkPaintable *placeholder,
                                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                                   gpointer user_data);

/**
 * sdimage_gtk_picture_set_url_finish:
 * @result: the result that the callback received
 * @error: location for an error
 *
 * Returns the outcome of a load, once. Errors are of #SDIMAGE_GTK_ERROR, or %G_IO_ERROR_CANCELLED if the load was
 * cancelled or replaced, or its picture was destroyed or removed from its window.
 *
 * Returns: %TRUE if the image is shown
 */
SDIMAGE_API gboolean sdimage_gtk_picture_set_url_finish(GAsyncResult *result, GError **error);

/**
 * sdimage_gtk_picture_clear:
 * @picture: a picture
 *
 * Cancels the load of a picture and removes its image and placeholder.
 */
SDIMAGE_API void sdimage_gtk_picture_clear(GtkPicture *picture);

/* --- SdimagePaintable. */

#define SDIMAGE_TYPE_PAINTABLE (sdimage_paintable_get_type())

/**
 * SdimagePaintable:
 *
 * An image as a #GdkPaintable: a still, an animation or a partial image. The pictures of this library draw one, and set
 * its widget, whose frame clock animations follow. Without a widget, in a #GtkImage for example, animations follow
 * timers of the library, and pause when a frame was not drawn until it is drawn again.
 *
 * The intrinsic size is at most that for which the image was decoded: the size that the widget had. For an image with
 * all pixels of its file it is their number, and for a hash 0.
 */
SDIMAGE_API G_DECLARE_FINAL_TYPE(SdimagePaintable, sdimage_paintable, SDIMAGE, PAINTABLE, GObject)

/**
 * sdimage_paintable_new:
 *
 * Makes an empty paintable.
 *
 * Returns: (transfer full): a paintable
 */
SDIMAGE_API SdimagePaintable *sdimage_paintable_new(void);

#ifndef __GI_SCANNER__
/* Shows an image, or none for NULL. It is referenced, its pixels are not copied. */
SDIMAGE_API void sdimage_paintable_set_image(SdimagePaintable *self, const sdimage_image *image);
/* Returns the image that is drawn now, which the caller must unref; NULL for none. */
SDIMAGE_API sdimage_image *sdimage_paintable_ref_image(SdimagePaintable *self);
#endif

/**
 * sdimage_paintable_set_placeholder:
 * @self: a paintable
 * @placeholder: (nullable): a paintable
 *
 * Sets what is drawn while there is no image, and below a partial one.
 */
SDIMAGE_API void sdimage_paintable_set_placeholder(SdimagePaintable *self, GdkPaintable *placeholder);
/**
 * sdimage_paintable_get_placeholder:
 * @self: a paintable
 *
 * Returns: (transfer none) (nullable): the placeholder
 */
SDIMAGE_API GdkPaintable *sdimage_paintable_get_placeholder(SdimagePaintable *self);

/**
 * sdimage_paintable_set_playing:
 * @self: a paintable
 * @playing: %FALSE pauses
 *
 * Plays animations while they are visible. Default %TRUE.
 */
SDIMAGE_API void sdimage_paintable_set_playing(SdimagePaintable *self, gboolean playing);
/**
 * sdimage_paintable_get_playing:
 * @self: a paintable
 *
 * Returns: %TRUE if animations play while they are visible
 */
SDIMAGE_API gboolean sdimage_paintable_get_playing(SdimagePaintable *self);
/**
 * sdimage_paintable_is_animating:
 * @self: a paintable
 *
 * Returns: %TRUE while an animation is playing: it is visible and not paused
 */
SDIMAGE_API gboolean sdimage_paintable_is_animating(SdimagePaintable *self);

/* --- SdimagePicture. */

#define SDIMAGE_TYPE_PICTURE (sdimage_picture_get_type())

/**
 * SdimagePicture:
 *
 * A widget that shows the image of a URL. Its accessible role is an image: alternative-text is its label, the state
 * busy and the percentage are set while it is loaded. Its properties have these defaults: no URL, no placeholder,
 * content-fit %GTK_CONTENT_FIT_CONTAIN, a transition of 250 ms, playing.
 *
 * Properties that concern the load (url, blurhash, progressive, request) start it again when they change; setting the
 * current value has no effect. Requests are not compared: each one that is set starts the load again.
 */
SDIMAGE_API G_DECLARE_FINAL_TYPE(SdimagePicture, sdimage_picture, SDIMAGE, PICTURE, GtkWidget)

/**
 * sdimage_picture_new:
 * @url: (nullable): URL to show
 *
 * Makes a widget for the image of a URL.
 *
 * Returns: (transfer none): a floating widget
 */
SDIMAGE_API GtkWidget *sdimage_picture_new(const char *url);

/**
 * sdimage_picture_set_url:
 * @self: a picture
 * @url: (nullable): URL to show; %NULL clears
 *
 * Sets the URL. The load of the previous one is cancelled: its image is never shown.
 */
SDIMAGE_API void sdimage_picture_set_url(SdimagePicture *self, const char *url);
/**
 * sdimage_picture_get_url:
 * @self: a picture
 *
 * Returns: (transfer none) (nullable): the URL
 */
SDIMAGE_API const char *sdimage_picture_get_url(SdimagePicture *self);

/**
 * sdimage_picture_retry:
 * @self: a picture
 *
 * Loads the URL again after a failure, also one that the manager remembers. No effect in other states.
 */
SDIMAGE_API void sdimage_picture_retry(SdimagePicture *self);

/**
 * sdimage_picture_get_state:
 * @self: a picture
 *
 * Returns: the state of the load
 */
SDIMAGE_API SdimageState sdimage_picture_get_state(SdimagePicture *self);
/**
 * sdimage_picture_get_progress:
 * @self: a picture
 *
 * Returns: the received part of the image, from 0 to 1; 0 while its length is unknown
 */
SDIMAGE_API double sdimage_picture_get_progress(SdimagePicture *self);
/**
 * sdimage_picture_get_error:
 * @self: a picture
 *
 * Returns: (transfer none) (nullable): the reason of the state %SDIMAGE_STATE_FAILED; %NULL in other states
 */
SDIMAGE_API const GError *sdimage_picture_get_error(SdimagePicture *self);
/**
 * sdimage_picture_get_paintable:
 * @self: a picture
 *
 * Returns: (transfer none): the paintable that the picture draws
 */
SDIMAGE_API SdimagePaintable *sdimage_picture_get_paintable(SdimagePicture *self);

/**
 * sdimage_picture_set_request:
 * @self: a picture
 * @request: (nullable): a request; %NULL, the default: a plain one
 *
 * Sets the request of loads: cache policy, freshness, header fields and so on. It is copied. Its URL is ignored; its
 * box and, if it is AUTOMATIC, its pixel format are set.
 */
SDIMAGE_API void sdimage_picture_set_request(SdimagePicture *self, const SdimageRequest *request);
/**
 * sdimage_picture_copy_request:
 * @self: a picture
 *
 * Returns: (transfer full) (nullable): a copy of the request; %NULL if none is set
 */
SDIMAGE_API SdimageRequest *sdimage_picture_copy_request(SdimagePicture *self);

/* --- SdimageListItemFactory. */

#define SDIMAGE_TYPE_LIST_ITEM_FACTORY (sdimage_list_item_factory_get_type())
#define SDIMAGE_LIST_ITEM_FACTORY(object)                                                                              \
    (G_TYPE_CHECK_INSTANCE_CAST((object), SDIMAGE_TYPE_LIST_ITEM_FACTORY, SdimageListItemFactory))

/**
 * SdimageListItemFactory:
 *
 * A #GtkSignalListItemFactory whose items are loaded images.
 */
typedef struct _SdimageListItemFactory SdimageListItemFactory;
SDIMAGE_API GType sdimage_list_item_factory_get_type(void);

/**
 * sdimage_list_item_factory_new:
 * @property: (nullable): name of the items' property with the URL; %NULL: "string", that of #GtkStringObject
 * @width: width of a picture in application pixels; 0: as the list allocates it
 * @height: height of a picture in application pixels
 *
 * Makes a factory for one #GtkListView or #GtkGridView, whose items are shown in an #SdimagePicture with
 * %GTK_CONTENT_FIT_COVER. A load begins when its item is in view, in the order of the list, and is cancelled when the
 * item is unbound, or further from the view than items are prefetched. While the list moves by more than its height in
 * each frame, nothing is loaded. When the list stands still, the next items in the direction of scrolling are
 * prefetched, after all items in view. With a width and a height, pictures have this natural size, so that images cause
 * no layout.
 *
 * The factory is a #GtkSignalListItemFactory. Handlers that a program connects run after its own: "setup" may put the
 * child into another widget, "bind" may set further widgets. sdimage_list_item_get_picture() returns the picture.
 *
 * Returns: (transfer full) (type SdimageListItemFactory): a factory
 */
SDIMAGE_API GtkListItemFactory *sdimage_list_item_factory_new(const char *property, int width, int height);

/**
 * sdimage_list_item_factory_set_prefetch:
 * @factory: a factory
 * @count: number of items; 0: none
 *
 * Sets the number of items that are prefetched beyond those in view. Default 24.
 */
SDIMAGE_API void sdimage_list_item_factory_set_prefetch(SdimageListItemFactory *factory, guint count);
/**
 * sdimage_list_item_factory_get_prefetch:
 * @factory: a factory
 *
 * Returns: the number of items that are prefetched beyond those in view
 */
SDIMAGE_API guint sdimage_list_item_factory_get_prefetch(SdimageListItemFactory *factory);

/**
 * sdimage_list_item_factory_set_blurhash_property:
 * @factory: a factory
 * @property: (nullable): name of the items' property with a BlurHash; %NULL, the default: none
 *
 * Sets the property that becomes the #SdimagePicture:blurhash of a picture.
 */
SDIMAGE_API void sdimage_list_item_factory_set_blurhash_property(SdimageListItemFactory *factory, const char *property);
/**
 * sdimage_list_item_factory_get_blurhash_property:
 * @factory: a factory
 *
 * Returns: (transfer none) (nullable): name of the items' property with a BlurHash
 */
SDIMAGE_API const char *sdimage_list_item_factory_get_blurhash_property(SdimageListItemFactory *factory);

/**
 * sdimage_list_item_factory_set_request:
 * @factory: a factory
 * @request: (nullable): a request; %NULL, the default: a plain one
 *
 * Sets the request of the pictures and of prefetched items, as sdimage_picture_set_request() does; for items that are
 * set up from now on. It is copied. Its priority is ignored: items in view precede others.
 */
SDIMAGE_API void sdimage_list_item_factory_set_request(SdimageListItemFactory *factory, const SdimageRequest *request);

/**
 * sdimage_list_item_get_picture:
 * @item: an item that a factory of sdimage_list_item_factory_new() has set up
 *
 * Returns: (transfer none) (nullable): the picture of an item; %NULL for items of other factories
 */
SDIMAGE_API SdimagePicture *sdimage_list_item_get_picture(GtkListItem *item);

/* --- Parts for programs with widgets of their own. */

#ifndef __GI_SCANNER__
/* Returns a texture of the pixels of an image, or of the first frame of an animation; the caller owns it. The texture
 * references the image. Its pixels are copied only if GDK has no such format: gray becomes RGB, linear light becomes
 * sRGB with 16 bits and is tone-mapped (sdimage_image_convert). Orientation and scale are not applied. NULL if memory
 * is refused, or for NULL. Any thread. */
SDIMAGE_API GdkTexture *sdimage_gtk_texture(const sdimage_image *image);

/* Makes a dispatcher that runs callbacks in the iterations of a main context (NULL: the default one), with the priority
 * of redrawing and for at most 4 ms at a time, so that many deliveries do not delay frames. `thread` is the thread that
 * runs the context; NULL: the calling one. NULL when memory is refused. The caller owns it. Any thread. */
SDIMAGE_API sdimage_dispatcher *sdimage_gtk_dispatcher_new(GMainContext *context, GThread *thread);

/* Returns the manager of a main context (NULL: the default one, that of all widgets); the caller owns it. The first
 * call makes it, with the default cache and loader and a dispatcher of the context, on the thread that runs the
 * context. NULL if it cannot be made. Any thread. */
SDIMAGE_API sdimage_manager *sdimage_gtk_get_manager(GMainContext *context);
/* Sets the manager of a main context (NULL: the default one), for widgets that load their first image from now on. NULL
 * releases the current one. Any thread. */
SDIMAGE_API void sdimage_gtk_set_manager(GMainContext *context, sdimage_manager *manager);
#endif

G_END_DECLS

#endif
