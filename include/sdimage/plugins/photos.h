/* photos.h: the photo library plug-in, libsdimage-photos.so.1: photos that keep their names while files move.
 *
 * A library is a folder tree with an index of it, kept in the user's cache folder; or the database of Shotwell or
 * digiKam, opened for reading; or anything else that the host answers for (photos_source.h). Nothing is ever written
 * into a library.
 *
 *   sdimage_photos_library *library = NULL;
 *   sdimage_photos_library_open(NULL, NULL, &library, &error);              the XDG Pictures folder
 *   sdimage_photos_list *list = NULL;
 *   sdimage_photos_library_fetch(library, NULL, &list, &error);             newest first
 *   sdimage_photos_asset *asset = sdimage_photos_list_asset(list, 0);
 *   sdimage_request *request = NULL;
 *   sdimage_photos_asset_request(asset, &request, &error);                  for the loader of photos_loader.h
 *
 * Classes: assets and lists immutable, libraries synchronised, options single-owner. Functions that read disks say so:
 * they block, and belong on no thread that draws. */
#ifndef SDIMAGE_PLUGINS_PHOTOS_H
#define SDIMAGE_PLUGINS_PHOTOS_H

#include "../base.h"
#include "../error.h"
#include "../image.h"
#include "../request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A photo, video or sound of a library, as it was when it was fetched. Class: immutable. */
typedef struct sdimage_photos_asset sdimage_photos_asset;
/* A page of assets. Class: immutable. */
typedef struct sdimage_photos_list sdimage_photos_list;
/* A library. Class: synchronised. */
typedef struct sdimage_photos_library sdimage_photos_library;
/* How a library is opened. Class: single-owner. */
typedef struct sdimage_photos_library_config sdimage_photos_library_config;
/* Which assets, in which order. Class: single-owner. */
typedef struct sdimage_photos_fetch_options sdimage_photos_fetch_options;

/* What an asset is: bits, so that they can be asked for together. By the first bytes of the file, never by its name. */
typedef enum SDIMAGE_ENUM sdimage_photos_media {
    SDIMAGE_PHOTOS_MEDIA_IMAGE = 1, /* a picture, moving or not */
    SDIMAGE_PHOTOS_MEDIA_VIDEO = 2, /* a video */
    SDIMAGE_PHOTOS_MEDIA_AUDIO = 4, /* sound */
    SDIMAGE_PHOTOS_MEDIA_ALL = 7    /* all three */
} sdimage_photos_media;

/* Where an asset belongs: bits. */
typedef enum SDIMAGE_ENUM sdimage_photos_origin {
    SDIMAGE_PHOTOS_ORIGIN_OWN = 1,    /* the user's own */
    SDIMAGE_PHOTOS_ORIGIN_SHARED = 2, /* a file of another user */
    SDIMAGE_PHOTOS_ORIGIN_SYNCED = 4, /* copied from elsewhere; only hosts say so */
    SDIMAGE_PHOTOS_ORIGIN_ALL = 7     /* all three */
} sdimage_photos_origin;

/* How an asset is played. */
typedef enum SDIMAGE_ENUM sdimage_photos_playback {
    SDIMAGE_PHOTOS_PLAYBACK_NONE = 0,     /* audio */
    SDIMAGE_PHOTOS_PLAYBACK_STILL = 1,    /* a picture that does not move */
    SDIMAGE_PHOTOS_PLAYBACK_ANIMATED = 2, /* an animated picture */
    SDIMAGE_PHOTOS_PLAYBACK_VIDEO = 3     /* a video */
} sdimage_photos_playback;

/* What a list is sorted by. */
typedef enum SDIMAGE_ENUM sdimage_photos_order {
    SDIMAGE_PHOTOS_ORDER_DATE = 0,     /* when it was taken; then by name */
    SDIMAGE_PHOTOS_ORDER_NAME = 1,     /* bytes of the file's name; then by date */
    SDIMAGE_PHOTOS_ORDER_MODIFIED = 2, /* when the file was changed last */
    SDIMAGE_PHOTOS_ORDER_SIZE = 3      /* bytes of the file */
} sdimage_photos_order;

/* --- Assets. */

SDIMAGE_API sdimage_photos_asset *sdimage_photos_asset_ref(sdimage_photos_asset *asset);
SDIMAGE_API void sdimage_photos_asset_unref(sdimage_photos_asset *asset);

/* The name that stays while the file moves inside the library. Borrowed. */
SDIMAGE_API const char *sdimage_photos_asset_identifier(const sdimage_photos_asset *asset);

/* What the asset is and where it belongs, one bit of each; and how it is played. */
SDIMAGE_API sdimage_photos_media sdimage_photos_asset_media(const sdimage_photos_asset *asset);
SDIMAGE_API sdimage_photos_origin sdimage_photos_asset_origin(const sdimage_photos_asset *asset);
SDIMAGE_API sdimage_photos_playback sdimage_photos_asset_playback(const sdimage_photos_asset *asset);

/* The media type, "image/jpeg"; and the picture format, UNDEFINED for what is no picture that the library knows.
 * Borrowed. */
SDIMAGE_API const char *sdimage_photos_asset_type(const sdimage_photos_asset *asset);
SDIMAGE_API sdimage_format sdimage_photos_asset_format(const sdimage_photos_asset *asset);

/* Size in pixels as displayed; 0 x 0 where it is not known. And how the stored pixels lie. */
SDIMAGE_API sdimage_size sdimage_photos_asset_pixel_size(const sdimage_photos_asset *asset);
SDIMAGE_API sdimage_orientation sdimage_photos_asset_orientation(const sdimage_photos_asset *asset);

/* Nanoseconds since 1970, UTC. When it was taken: EXIF 2.32, DateTimeOriginal with its offset, else in the local time
 * zone; the time of the file where it does not say. And when the file was changed last. */
SDIMAGE_API int64_t sdimage_photos_asset_taken_ns(const sdimage_photos_asset *asset);
SDIMAGE_API int64_t sdimage_photos_asset_modified_ns(const sdimage_photos_asset *asset);

/* Bytes of the file; 0 where there is none. */
SDIMAGE_API uint64_t sdimage_photos_asset_file_size(const sdimage_photos_asset *asset);

/* 1 to 5; 0: none; -1: rejected. Only databases and hosts have ratings. */
SDIMAGE_API int32_t sdimage_photos_asset_rating(const sdimage_photos_asset *asset);

/* Where the file was when it was last seen, in the file system's own bytes; "" for assets of a host. And its name.
 * Borrowed. */
SDIMAGE_API const char *sdimage_photos_asset_path(const sdimage_photos_asset *asset);
SDIMAGE_API const char *sdimage_photos_asset_name(const sdimage_photos_asset *asset);

/* The albums that it is in: of a tree its folder, relative to the library, "" for the library itself; of a database its
 * events, albums and tags. NULL behind the last. Borrowed. */
SDIMAGE_API size_t sdimage_photos_asset_album_count(const sdimage_photos_asset *asset);
SDIMAGE_API const char *sdimage_photos_asset_album(const sdimage_photos_asset *asset, size_t index);

/* A request for its ph: URL that carries the asset itself, so that nothing has to be looked up, and whose cache key has
 * the time of the file in it: a photo that was edited is loaded anew. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_asset_request(sdimage_photos_asset *asset, sdimage_request **request,
                                                        sdimage_error **error);

/* Writes a freedesktop thumbnail of the file for all programs of the user (the sides are 128, 256, 512 or 1024 pixels;
 * the smallest is taken that holds `side`). Only this function ever does. What cannot be decoded is noted, and not
 * tried again until the file changes. Reads and decodes. Errors: those of decoding, and of the disk; PHOTOS_NOT_FOUND.
 */
SDIMAGE_API sdimage_status sdimage_photos_asset_write_thumbnail(sdimage_photos_asset *asset, uint32_t side,
                                                                sdimage_error **error);

/* --- ph: URLs. */

/* ph://IDENTIFIER, with "%" before what no URL can hold; to be freed with sdimage_photos_free. NULL when memory is
 * refused, or for an empty identifier. */
SDIMAGE_API char *sdimage_photos_url_of_identifier(const char *identifier);
SDIMAGE_API char *sdimage_photos_url_of_asset(const sdimage_photos_asset *asset);

/* The identifier in a URL, to be freed with sdimage_photos_free; NULL for other URLs, and those with none. A query or
 * fragment does not belong to it. `length` may be SDIMAGE_NUL_TERMINATED. */
SDIMAGE_API char *sdimage_photos_identifier_of_url(const char *url, size_t length);

/* The asset that a request carries; NULL when none. Borrowed from the request. */
SDIMAGE_API sdimage_photos_asset *sdimage_photos_asset_of_request(const sdimage_request *request);

/* Frees text of the functions above; NULL is fine. */
SDIMAGE_API void sdimage_photos_free(char *text);

/* --- Which assets. Defaults: all, newest first. */

/* Options with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_photos_fetch_options *sdimage_photos_fetch_options_new(void);
SDIMAGE_API sdimage_photos_fetch_options *sdimage_photos_fetch_options_ref(sdimage_photos_fetch_options *options);
SDIMAGE_API void sdimage_photos_fetch_options_unref(sdimage_photos_fetch_options *options);

/* What the assets are, and where they belong: sets of the bits above. Default ALL and ALL. */
SDIMAGE_API void sdimage_photos_fetch_options_set_media(sdimage_photos_fetch_options *options, uint32_t media);
SDIMAGE_API void sdimage_photos_fetch_options_set_origins(sdimage_photos_fetch_options *options, uint32_t origins);

/* Only of this album; NULL: of all. With `nested` of those below it too, where albums are folders or tags with "/". */
SDIMAGE_API void sdimage_photos_fetch_options_set_album(sdimage_photos_fetch_options *options, const char *album,
                                                        bool nested);

/* Taken at `from` or later and before `until`; 0 is no bound. */
SDIMAGE_API void sdimage_photos_fetch_options_set_taken(sdimage_photos_fetch_options *options, int64_t from_ns,
                                                        int64_t until_ns);

/* Rated so at least. Default -1: all. */
SDIMAGE_API void sdimage_photos_fetch_options_set_rating(sdimage_photos_fetch_options *options, int32_t least);

/* What the host thinks of an asset; called on the fetching thread, under no lock, and must not block.
 * `destroy(user_data)` is called once. NULL: no filter. */
typedef bool (*sdimage_photos_filter_fn)(void *user_data, const sdimage_photos_asset *asset);
SDIMAGE_API void sdimage_photos_fetch_options_set_filter(sdimage_photos_fetch_options *options,
                                                         sdimage_photos_filter_fn filter, void *user_data,
                                                         sdimage_destroy_fn destroy);

/* What is sorted by. Default DATE, descending. */
SDIMAGE_API void sdimage_photos_fetch_options_set_order(sdimage_photos_fetch_options *options,
                                                        sdimage_photos_order order, bool descending);

/* A page: `limit` assets behind the first `offset`; 0, the default, is no limit. */
SDIMAGE_API void sdimage_photos_fetch_options_set_page(sdimage_photos_fetch_options *options, size_t offset,
                                                       size_t limit);

/* For hosts' libraries: what was asked for, and whether an asset fits all of it but order and page. */
SDIMAGE_API bool sdimage_photos_fetch_options_accept(const sdimage_photos_fetch_options *options,
                                                     const sdimage_photos_asset *asset);

/* --- Libraries. */

/* A configuration with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_photos_library_config *sdimage_photos_library_config_new(void);
SDIMAGE_API sdimage_photos_library_config *sdimage_photos_library_config_ref(sdimage_photos_library_config *config);
SDIMAGE_API void sdimage_photos_library_config_unref(sdimage_photos_library_config *config);

/* The folder for indexes. Default: sdimage-photos below XDG_CACHE_HOME, or below ~/.cache. It must not lie in the
 * library. */
SDIMAGE_API void sdimage_photos_library_config_set_index_folder(sdimage_photos_library_config *config,
                                                                const char *path);

/* Whether changes are heard of. Default true: one thread brings the index up to date and then waits for the kernel to
 * say what changed. When false, and where the kernel refuses more watches, each fetch looks at the tree first. */
SDIMAGE_API void sdimage_photos_library_config_set_watch(sdimage_photos_library_config *config, bool watch);

/* Opens the tree below `path`; NULL: the folder that xdg-user-dirs has for pictures, else ~/Pictures. Links to folders
 * are not followed, names that begin with a dot passed over. Reads the index, and returns before the tree is looked at.
 * A damaged index is made anew: identifiers of files that it told of are lost with it. `config` may be NULL. Errors:
 * PHOTOS_NOT_AUTHORIZED (the folder may not be read), NOT_FOUND, NOT_A_FILE, CACHE_UNUSABLE, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_library_open(const char *path, const sdimage_photos_library_config *config,
                                                       sdimage_photos_library **library, sdimage_error **error);

/* Opens the database of Shotwell, NULL: ~/.local/share/shotwell/data/photo.db; or of digiKam, NULL: digikam4.db in the
 * pictures folder. Read only, and read again by a fetch after it changed. Events, albums and tags are albums. What is
 * in the trash, hidden or missing is left out. Nothing of it is mapped, and the other program may write meanwhile: a
 * reading is of one moment. This process must not have the database open by SQLite itself, because closing a file ends
 * the locks that the process has on it. Errors: NOT_FOUND, NOT_A_FILE, PHOTOS_NOT_AUTHORIZED, UNSUPPORTED
 * (another version of its tables), CACHE_DAMAGED, BUSY, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_photos_library_open_shotwell(const char *path, sdimage_photos_library **library,
                                                                sdimage_error **error);
SDIMAGE_API sdimage_status sdimage_photos_library_open_digikam(const char *path, sdimage_photos_library **library,
                                                               sdimage_error **error);

SDIMAGE_API sdimage_photos_library *sdimage_photos_library_ref(sdimage_photos_library *library);
/* The last reference waits for the library's thread to end. Not from a callback of the library's own. */
SDIMAGE_API void sdimage_photos_library_unref(sdimage_photos_library *library);

/* "tree", "shotwell", "digikam", or the name of a host's library. Borrowed. */
SDIMAGE_API const char *sdimage_photos_library_name(const sdimage_photos_library *library);

/* Whether changes are noticed as they happen; false while each fetch looks for itself. And why not, in a line; "" else.
 * Static text. */
SDIMAGE_API bool sdimage_photos_library_is_watching(const sdimage_photos_library *library);
SDIMAGE_API const char *sdimage_photos_library_note(const sdimage_photos_library *library);

/* Looks at the whole tree now, on this thread. `progress` may be NULL; it is told how many files were found and how
 * many of the new ones were read, and stops the scan by returning false: what was read until then is kept. Blocks.
 * Errors: CANCELLED, PHOTOS_NOT_AUTHORIZED, NOT_FOUND (the folder is gone), BUSY (another process scans), FORKED,
 * WOULD_DEADLOCK (called by `progress`, as a fetch that would have to scan), IO_ERROR, UNSUPPORTED for a host's
 * library. */
typedef bool (*sdimage_photos_scan_fn)(void *user_data, uint64_t found, uint64_t read);
SDIMAGE_API sdimage_status sdimage_photos_library_scan(sdimage_photos_library *library, sdimage_photos_scan_fn progress,
                                                       void *user_data, sdimage_error **error);

/* The assets that fit `options`, NULL for the defaults. Waits for the first scan where the index has not been brought
 * up to date yet. *list is the caller's. Errors: PHOTOS_NOT_AUTHORIZED, UNSUPPORTED for a host's library, and as above.
 */
SDIMAGE_API sdimage_status sdimage_photos_library_fetch(sdimage_photos_library *library,
                                                        const sdimage_photos_fetch_options *options,
                                                        sdimage_photos_list **list, sdimage_error **error);

/* One asset by its identifier. What the index has is found at once; for anything else the tree is looked at first.
 * *asset is the caller's. Errors: PHOTOS_NOT_FOUND, also where `options`, which may be NULL, do not accept it; and as
 * above. */
SDIMAGE_API sdimage_status sdimage_photos_library_find(sdimage_photos_library *library, const char *identifier,
                                                       const sdimage_photos_fetch_options *options,
                                                       sdimage_photos_asset **asset, sdimage_error **error);

/* What changed, told on the library's thread, under no lock, while the library watches; each may be NULL. The asset is
 * lent. `changed` has the new state, also of a file that moved. */
typedef struct sdimage_photos_observer_vtable {
    size_t size;
    /* A file is new. */
    void (*inserted)(void *user_data, sdimage_photos_asset *asset);
    /* A file is gone; the asset is what was last known of it. */
    void (*removed)(void *user_data, sdimage_photos_asset *asset);
    /* A file has other bytes, another name or another place. */
    void (*changed)(void *user_data, sdimage_photos_asset *asset);
} sdimage_photos_observer_vtable;

/* In place of the observer before; NULL: none. `destroy(user_data)` is called once, after the last call, also when this
 * call fails. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_photos_library_set_observer(sdimage_photos_library *library,
                                                               const sdimage_photos_observer_vtable *vtable,
                                                               void *user_data, sdimage_destroy_fn destroy,
                                                               sdimage_error **error);

/* Ends all loads that photos of this library have under way with CANCELLED: for programs that are told that memory is
 * short. What a worker is decoding already goes on. */
SDIMAGE_API void sdimage_photos_library_cancel_loads(sdimage_photos_library *library);

/* --- Lists. */

SDIMAGE_API sdimage_photos_list *sdimage_photos_list_ref(sdimage_photos_list *list);
SDIMAGE_API void sdimage_photos_list_unref(sdimage_photos_list *list);
/* How many assets the page has. */
SDIMAGE_API size_t sdimage_photos_list_count(const sdimage_photos_list *list);

/* How many there are without the page. */
SDIMAGE_API size_t sdimage_photos_list_total(const sdimage_photos_list *list);

/* The asset at `index` of the page; NULL behind the last. Borrowed. */
SDIMAGE_API sdimage_photos_asset *sdimage_photos_list_asset(const sdimage_photos_list *list, size_t index);

#ifdef __cplusplus
}
#endif

#endif
