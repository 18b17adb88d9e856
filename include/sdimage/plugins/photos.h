/* photos.h: the photo library plug-in, libsdimage-photos.so.1: photos with identifiers that stay valid when files move.
 *
 * A library is a folder tree with an index, which is stored in the user's cache folder; or the database of Shotwell or
 * digiKam, opened for reading; or a library of the host (sys/photos_source.h). Nothing is ever written into a library.
 *
 *   sdimage_photos_library *library = NULL;
 *   sdimage_photos_library_open(NULL, NULL, &library, &error);              the XDG Pictures folder
 *   sdimage_photos_list *list = NULL;
 *   sdimage_photos_library_fetch(library, NULL, &list, &error);             newest first
 *   sdimage_photos_asset *asset = sdimage_photos_list_asset(list, 0);
 *   sdimage_request *request = NULL;
 *   sdimage_photos_asset_request(asset, &request, &error);                  for the loader of photos_loader.h
 *
 * Classes: assets and lists immutable, libraries synchronized, options single-owner. Functions that read disks are
 * marked: they block, and must not run on a thread that draws. */
#ifndef SDIMAGE_PLUGINS_PHOTOS_H
#define SDIMAGE_PLUGINS_PHOTOS_H

#include "../base.h"
#include "../error.h"
#include "../image.h"
#include "../request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A photo, video or sound of a library, in its state when it was fetched. Class: immutable. */
typedef struct sdimage_photos_asset sdimage_photos_asset;
/* A page of assets. Class: immutable. */
typedef struct sdimage_photos_list sdimage_photos_list;
/* A library. Class: synchronized. */
typedef struct sdimage_photos_library sdimage_photos_library;
/* Options for opening a library. Class: single-owner. */
typedef struct sdimage_photos_library_config sdimage_photos_library_config;
/* Selection and order of assets. Class: single-owner. */
typedef struct sdimage_photos_fetch_options sdimage_photos_fetch_options;

/* Kind of an asset, as bits that can be combined in a selection. Determined by the first bytes of the file, not by its
 * name. */
typedef enum SDIMAGE_ENUM sdimage_photos_media {
    SDIMAGE_PHOTOS_MEDIA_NONE = 0,  /* unknown; selects nothing */
    SDIMAGE_PHOTOS_MEDIA_IMAGE = 1, /* an image, animated or not */
    SDIMAGE_PHOTOS_MEDIA_VIDEO = 2, /* a video */
    SDIMAGE_PHOTOS_MEDIA_AUDIO = 4, /* sound */
    SDIMAGE_PHOTOS_MEDIA_ALL = 7    /* all three */
} sdimage_photos_media;

/* Origin of an asset, as bits. */
typedef enum SDIMAGE_ENUM sdimage_photos_origin {
    SDIMAGE_PHOTOS_ORIGIN_NONE = 0,   /* unknown; selects nothing */
    SDIMAGE_PHOTOS_ORIGIN_OWN = 1,    /* the user's own */
    SDIMAGE_PHOTOS_ORIGIN_SHARED = 2, /* a file of another user */
    SDIMAGE_PHOTOS_ORIGIN_SYNCED = 4, /* copied from elsewhere; only set by hosts */
    SDIMAGE_PHOTOS_ORIGIN_ALL = 7     /* all three */
} sdimage_photos_origin;

/* Playback of an asset. */
typedef enum SDIMAGE_ENUM sdimage_photos_playback {
    SDIMAGE_PHOTOS_PLAYBACK_NONE = 0,     /* audio */
    SDIMAGE_PHOTOS_PLAYBACK_STILL = 1,    /* a still image */
    SDIMAGE_PHOTOS_PLAYBACK_ANIMATED = 2, /* an animated image */
    SDIMAGE_PHOTOS_PLAYBACK_VIDEO = 3     /* a video */
} sdimage_photos_playback;

/* Sort key of a list. */
typedef enum SDIMAGE_ENUM sdimage_photos_order {
    SDIMAGE_PHOTOS_ORDER_DATE = 0,     /* date taken, the default; then name */
    SDIMAGE_PHOTOS_ORDER_NAME = 1,     /* bytes of the file name; then date */
    SDIMAGE_PHOTOS_ORDER_MODIFIED = 2, /* last change of the file */
    SDIMAGE_PHOTOS_ORDER_SIZE = 3      /* size of the file in bytes */
} sdimage_photos_order;

/* --- Assets. */

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_photos_asset *sdimage_photos_asset_ref(const sdimage_photos_asset *asset);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_photos_asset_unref(sdimage_photos_asset *asset);

/* Returns the identifier, which stays the same when the file moves inside the library. Borrowed. */
SDIMAGE_API const char *sdimage_photos_asset_identifier(const sdimage_photos_asset *asset);

/* Returns the kind of the asset: one bit. */
SDIMAGE_API sdimage_photos_media sdimage_photos_asset_media(const sdimage_photos_asset *asset);
/* Returns the origin of the asset: one bit. */
SDIMAGE_API sdimage_photos_origin sdimage_photos_asset_origin(const sdimage_photos_asset *asset);
/* Returns the playback of the asset. */
SDIMAGE_API sdimage_photos_playback sdimage_photos_asset_playback(const sdimage_photos_asset *asset);

/* Returns the media type, "image/jpeg". Borrowed. */
SDIMAGE_API const char *sdimage_photos_asset_type(const sdimage_photos_asset *asset);
/* Returns the image format; UNKNOWN for formats that the library does not know. */
SDIMAGE_API sdimage_format sdimage_photos_asset_format(const sdimage_photos_asset *asset);

/* Returns the size in pixels as displayed; 0 x 0 if it is unknown. */
SDIMAGE_API sdimage_size sdimage_photos_asset_pixel_size(const sdimage_photos_asset *asset);
/* Returns the orientation of the stored pixels. */
SDIMAGE_API sdimage_orientation sdimage_photos_asset_orientation(const sdimage_photos_asset *asset);

/* Returns the time when the photo was taken, in nanoseconds since 1970, UTC: EXIF 2.32, DateTimeOriginal with its
 * offset, or in the local time zone without one; the time of the file if EXIF has none. */
SDIMAGE_API int64_t sdimage_photos_asset_taken_ns(const sdimage_photos_asset *asset);
/* Returns the time when the file was last changed, in nanoseconds since 1970, UTC. */
SDIMAGE_API int64_t sdimage_photos_asset_modified_ns(const sdimage_photos_asset *asset);

/* Returns the size of the file in bytes; 0 if there is no file. */
SDIMAGE_API uint64_t sdimage_photos_asset_file_size(const sdimage_photos_asset *asset);

/* Returns the rating from 1 to 5; 0: none; -1: rejected. Only databases and hosts have ratings. */
SDIMAGE_API int32_t sdimage_photos_asset_rating(const sdimage_photos_asset *asset);

/* Returns the path of the file when it was last seen, in the file system's own bytes; "" for assets of a host.
 * Borrowed. */
SDIMAGE_API const char *sdimage_photos_asset_path(const sdimage_photos_asset *asset);
/* Returns the name of the file. Borrowed. */
SDIMAGE_API const char *sdimage_photos_asset_name(const sdimage_photos_asset *asset);

/* Returns the number of albums of the asset. */
SDIMAGE_API size_t sdimage_photos_asset_album_count(const sdimage_photos_asset *asset);
/* Returns an album: in a tree the folder of the asset, relative to the library, "" for the library itself; in a
 * database an event, album or tag. NULL for an index out of range. Borrowed. */
SDIMAGE_API const char *sdimage_photos_asset_album(const sdimage_photos_asset *asset, size_t index);

/* Makes a request for the asset's ph: URL. It carries the asset itself, so that no look-up is necessary. Its cache key
 * includes the time of the file: an edited photo is loaded again. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_asset_request(sdimage_photos_asset *asset, sdimage_request **request,
                                                        sdimage_error **error);

/* Writes a freedesktop thumbnail of the file, for all programs of the user. It has sides of 128, 256, 512 or 1024
 * pixels: the smallest that holds `side`. No other function writes thumbnails. A file that cannot be decoded is
 * recorded, and not tried again until it changes. Reads and decodes. Errors: those of decoding, and of the disk;
 * PHOTOS_NOT_FOUND. */
SDIMAGE_API sdimage_status sdimage_photos_asset_write_thumbnail(sdimage_photos_asset *asset, uint32_t side,
                                                                sdimage_error **error);

/* --- ph: URLs. */

/* Returns ph://IDENTIFIER, percent-encoded where necessary, to be freed with sdimage_photos_free. NULL when memory
 * is refused, or for an empty identifier. */
SDIMAGE_API char *sdimage_photos_url_of_identifier(const char *identifier);
/* Returns the URL of an asset, to be freed with sdimage_photos_free. NULL when memory is refused. */
SDIMAGE_API char *sdimage_photos_url_of_asset(const sdimage_photos_asset *asset);

/* Returns the identifier in a URL, without query and fragment, to be freed with sdimage_photos_free; NULL for other
 * URLs, and for those without an identifier. `length` may be SDIMAGE_NUL_TERMINATED. */
SDIMAGE_API char *sdimage_photos_identifier_of_url(const char *url, size_t length);

/* Returns the asset that a request carries; NULL if there is none. Borrowed from the request. */
SDIMAGE_API sdimage_photos_asset *sdimage_photos_asset_of_request(const sdimage_request *request);

/* Frees text returned by the functions above; NULL is fine. */
SDIMAGE_API void sdimage_photos_free(char *text);

/* --- Selection of assets. Defaults: all, newest first. */

/* Creates options with the defaults; the caller owns them. NULL when memory is refused. */
SDIMAGE_API sdimage_photos_fetch_options *sdimage_photos_fetch_options_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_photos_fetch_options *sdimage_photos_fetch_options_ref(const sdimage_photos_fetch_options *options);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_photos_fetch_options_unref(sdimage_photos_fetch_options *options);

/* Selects kinds: a set of the bits of sdimage_photos_media. Default ALL. */
SDIMAGE_API void sdimage_photos_fetch_options_set_media(sdimage_photos_fetch_options *options, uint32_t media);
/* Returns the selected kinds. */
SDIMAGE_API uint32_t sdimage_photos_fetch_options_media(const sdimage_photos_fetch_options *options);

/* Selects origins: a set of the bits of sdimage_photos_origin. Default ALL. */
SDIMAGE_API void sdimage_photos_fetch_options_set_origins(sdimage_photos_fetch_options *options, uint32_t origins);
/* Returns the selected origins. */
SDIMAGE_API uint32_t sdimage_photos_fetch_options_origins(const sdimage_photos_fetch_options *options);

/* Selects one album; NULL: all. With `nested` also the albums below it, where albums are folders or tags with "/". */
SDIMAGE_API void sdimage_photos_fetch_options_set_album(sdimage_photos_fetch_options *options, const char *album,
                                                        bool nested);
/* Returns the selected album; NULL for all. Borrowed until it is set again or the options are freed. */
SDIMAGE_API const char *sdimage_photos_fetch_options_album(const sdimage_photos_fetch_options *options);
/* Returns true if the albums below it are selected, too. */
SDIMAGE_API bool sdimage_photos_fetch_options_is_album_nested(const sdimage_photos_fetch_options *options);

/* Selects assets taken at `from_ns` or later and before `until_ns`; 0 is no bound. */
SDIMAGE_API void sdimage_photos_fetch_options_set_taken(sdimage_photos_fetch_options *options, int64_t from_ns,
                                                        int64_t until_ns);
/* Returns the bounds of the time when assets were taken through pointers that may be NULL; 0 is no bound. */
SDIMAGE_API void sdimage_photos_fetch_options_get_taken(const sdimage_photos_fetch_options *options, int64_t *from_ns,
                                                        int64_t *until_ns);

/* Selects assets with at least this rating. Default -1: all. */
SDIMAGE_API void sdimage_photos_fetch_options_set_rating(sdimage_photos_fetch_options *options, int32_t least);
/* Returns the lowest selected rating; -1 for all. */
SDIMAGE_API int32_t sdimage_photos_fetch_options_rating(const sdimage_photos_fetch_options *options);

/* The function of a filter of the host. */
typedef struct sdimage_photos_filter_vtable {
    size_t size;
    /* Returns true for assets to include. Called on the fetching thread, without locks; must not block. */
    bool (*should_include)(void *user_data, const sdimage_photos_asset *asset);
} sdimage_photos_filter_vtable;

/* Sets a filter of the host; NULL, the default: none. `destroy(user_data)` is called once, also when this call fails.
 * Errors: INVALID_ARGUMENT (a table without the function). */
SDIMAGE_API sdimage_status sdimage_photos_fetch_options_set_filter(sdimage_photos_fetch_options *options,
                                                                   const sdimage_photos_filter_vtable *vtable,
                                                                   void *user_data, sdimage_destroy_fn destroy,
                                                                   sdimage_error **error);

/* Sets the sort key. Default DATE, descending. */
SDIMAGE_API void sdimage_photos_fetch_options_set_order(sdimage_photos_fetch_options *options,
                                                        sdimage_photos_order order, bool descending);
/* Returns the sort key. */
SDIMAGE_API sdimage_photos_order sdimage_photos_fetch_options_order(const sdimage_photos_fetch_options *options);
/* Returns true for descending order. */
SDIMAGE_API bool sdimage_photos_fetch_options_is_order_descending(const sdimage_photos_fetch_options *options);

/* Selects a page: `limit` assets after the first `offset`; 0, the default, is no limit. */
SDIMAGE_API void sdimage_photos_fetch_options_set_page(sdimage_photos_fetch_options *options, size_t offset,
                                                       size_t limit);
/* Returns offset and limit of the page through pointers that may be NULL; a limit of 0 is none. */
SDIMAGE_API void sdimage_photos_fetch_options_get_page(const sdimage_photos_fetch_options *options, size_t *offset,
                                                       size_t *limit);

/* Returns true if an asset meets the selection, apart from order and page. For libraries of hosts. */
SDIMAGE_API bool sdimage_photos_fetch_options_should_include(const sdimage_photos_fetch_options *options,
                                                             const sdimage_photos_asset *asset);

/* --- Libraries. */

/* Creates a configuration with the defaults; the caller owns it. NULL when memory is refused. */
SDIMAGE_API sdimage_photos_library_config *sdimage_photos_library_config_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_photos_library_config *
sdimage_photos_library_config_ref(const sdimage_photos_library_config *config);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_photos_library_config_unref(sdimage_photos_library_config *config);

/* Sets the folder for indexes. Default: sdimage-photos below XDG_CACHE_HOME, or below ~/.cache. It must not be inside
 * the library. */
SDIMAGE_API void sdimage_photos_library_config_set_index_folder(sdimage_photos_library_config *config,
                                                                const char *path);
/* Returns the folder for indexes; NULL for the default. Borrowed until it is set again or the configuration is
 * freed. */
SDIMAGE_API const char *sdimage_photos_library_config_index_folder(const sdimage_photos_library_config *config);

/* Watches the tree for changes. Default true: one thread updates the index and then waits for notifications of the
 * kernel. If false, and if the kernel refuses more watches, each fetch scans the tree first. */
SDIMAGE_API void sdimage_photos_library_config_set_watch(sdimage_photos_library_config *config, bool watch);
/* Returns true if the tree is watched for changes. */
SDIMAGE_API bool sdimage_photos_library_config_should_watch(const sdimage_photos_library_config *config);

/* Opens the tree below `path`; NULL: the folder that xdg-user-dirs sets for pictures, else ~/Pictures. Links to folders
 * are not followed; names that begin with a dot are ignored. Reads the index, and returns before the tree is scanned. A
 * damaged index is replaced, and the identifiers of its files are lost. `config` may be NULL. Errors:
 * PHOTOS_NOT_AUTHORIZED (the folder is not readable), NOT_FOUND, NOT_A_FILE, CACHE_UNUSABLE, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_library_open(const char *path, const sdimage_photos_library_config *config,
                                                       sdimage_photos_library **library, sdimage_error **error);

/* Opens the database of Shotwell; NULL: ~/.local/share/shotwell/data/photo.db. It is only read, and read again by a
 * fetch after it has changed. Events, albums and tags are albums. Photos that are in the trash, hidden or missing are
 * omitted. The file is not mapped, and the other program may write meanwhile: each read is a consistent snapshot.
 *
 * This process must not have the database open by SQLite itself, because closing a file releases the locks that the
 * process has on it. Errors: NOT_FOUND, NOT_A_FILE, PHOTOS_NOT_AUTHORIZED, UNSUPPORTED (an unknown version of its
 * tables, or views and computed columns among them), CACHE_DAMAGED, BUSY, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_library_open_shotwell(const char *path, sdimage_photos_library **library,
                                                                sdimage_error **error);
/* Opens the database of digiKam in the same way; NULL: digikam4.db in the pictures folder. */
SDIMAGE_API sdimage_status sdimage_photos_library_open_digikam(const char *path, sdimage_photos_library **library,
                                                               sdimage_error **error);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_photos_library *sdimage_photos_library_ref(const sdimage_photos_library *library);
/* Releases a reference; NULL has no effect. The last one waits for the library's thread to end. On that thread, in a
 * callback for changes or in the `destroy` of a handler, it returns at once, and the thread frees the library. */
SDIMAGE_API void sdimage_photos_library_unref(sdimage_photos_library *library);

/* Returns the name of the library: "tree", "shotwell", "digikam", or the name of a host's library. Borrowed. */
SDIMAGE_API const char *sdimage_photos_library_name(const sdimage_photos_library *library);

/* Returns true if the library watches for changes; false if each fetch scans. */
SDIMAGE_API bool sdimage_photos_library_is_watching(const sdimage_photos_library *library);
/* Returns the reason why the library does not watch, in one line; "" if it does. Static text. */
SDIMAGE_API const char *sdimage_photos_library_note(const sdimage_photos_library *library);

/* The callback of a scan. */
typedef struct sdimage_photos_scan_handler {
    size_t size;
    /* Receives the number of files found and of new ones read, on the scanning thread. Returns false to stop the scan;
     * files read until then are stored. */
    bool (*progress)(void *user_data, uint64_t found, uint64_t read);
} sdimage_photos_scan_handler;

/* Scans the whole tree on the calling thread. Blocks. `handler` may be NULL. `destroy(user_data)` is called once,
 * before this returns. Errors: CANCELLED, PHOTOS_NOT_AUTHORIZED, NOT_FOUND (the folder no longer exists), BUSY (another
 * process scans, or uses the index), FORKED, WOULD_DEADLOCK (called by `progress`, also for a fetch that would have to
 * scan), IO_ERROR, INVALID_ARGUMENT, UNSUPPORTED for a host's library. */
SDIMAGE_API sdimage_status sdimage_photos_library_scan(sdimage_photos_library *library,
                                                       const sdimage_photos_scan_handler *handler, void *user_data,
                                                       sdimage_destroy_fn destroy, sdimage_error **error);

/* Returns the assets selected by `options`, NULL for the defaults. Waits for the first scan if the index is not up to
 * date yet. *list is the caller's. Errors: PHOTOS_NOT_AUTHORIZED, UNSUPPORTED for a host's library, and as above. */
SDIMAGE_API sdimage_status sdimage_photos_library_fetch(sdimage_photos_library *library,
                                                        const sdimage_photos_fetch_options *options,
                                                        sdimage_photos_list **list, sdimage_error **error);

/* Returns one asset by its identifier. Assets in the index are found immediately; for others the tree is scanned first.
 * *asset is the caller's. Errors: PHOTOS_NOT_FOUND, also if `options`, which may be NULL, do not select it; and as
 * above. */
SDIMAGE_API sdimage_status sdimage_photos_library_find(sdimage_photos_library *library, const char *identifier,
                                                       const sdimage_photos_fetch_options *options,
                                                       sdimage_photos_asset **asset, sdimage_error **error);

/* The callbacks for changes; each may be NULL. Called on the library's thread, without locks and in the order of the
 * scans, also for changes that a scan on another thread has found. A library that was opened without watching has no
 * thread and calls none. The asset is borrowed. `changed` receives the new state, also of a file that moved. */
typedef struct sdimage_photos_library_handler {
    size_t size;
    /* Reports a new file. */
    void (*inserted)(void *user_data, sdimage_photos_asset *asset);
    /* Reports a removed file; the asset is its last known state. */
    void (*removed)(void *user_data, sdimage_photos_asset *asset);
    /* Reports a file with other bytes, another name or another path. */
    void (*changed)(void *user_data, sdimage_photos_asset *asset);
} sdimage_photos_library_handler;

/* Replaces the handler; NULL: none. The previous one still receives the changes of scans that have ended.
 * `destroy(user_data)` is called once, after the last call, also when this call fails. Errors: INVALID_ARGUMENT,
 * FORKED, UNSUPPORTED for other libraries than folders. */
SDIMAGE_API sdimage_status sdimage_photos_library_set_handler(sdimage_photos_library *library,
                                                              const sdimage_photos_library_handler *vtable,
                                                              void *user_data, sdimage_destroy_fn destroy,
                                                              sdimage_error **error);

/* Ends all loads of photos of this library with CANCELLED, for programs that run short of memory. Decodes running on a
 * worker continue. */
SDIMAGE_API void sdimage_photos_library_cancel_loads(sdimage_photos_library *library);

/* --- Lists. */

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_photos_list *sdimage_photos_list_ref(const sdimage_photos_list *list);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_photos_list_unref(sdimage_photos_list *list);
/* Returns the number of assets in the page. */
SDIMAGE_API size_t sdimage_photos_list_count(const sdimage_photos_list *list);

/* Returns the number of assets without the page. */
SDIMAGE_API size_t sdimage_photos_list_total(const sdimage_photos_list *list);

/* Returns the asset at `index` of the page; NULL for an index out of range. Borrowed. */
SDIMAGE_API sdimage_photos_asset *sdimage_photos_list_asset(const sdimage_photos_list *list, size_t index);

#ifdef __cplusplus
}
#endif

#endif
