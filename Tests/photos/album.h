/* album.h: helpers of the photo library tests: a tree of images, written by the library's own encoder. */
#ifndef SDIMAGE_TESTS_ALBUM_H
#define SDIMAGE_TESTS_ALBUM_H

#include <sdimage/plugins/photos.h>
#include <sdimage/plugins/photos_loader.h>
#include <sdimage/plugins/sys/photos_source.h>

#include "check.h"

/* The parameters of a JPEG. */
typedef struct photo {
    uint32_t width, height; /* as stored */
    uint8_t shade;
    int orientation;                            /* 0: not set */
    const char *date;                           /* "2024:05:01 12:00:00"; NULL: none */
    const char *offset;                         /* "+02:00" */
    uint32_t thumbnail_width, thumbnail_height; /* size of the thumbnail in the EXIF block; 0: none */
} photo;

/* A path in the test's folder; in static memory, a ring of sixteen. */
const char *path_of(const char *name);
void make_folder(const char *name);
void write_bytes(const char *name, const void *bytes, size_t length);
void write_photo(const char *name, photo photo);
void write_gif(const char *name);
void write_video(const char *name);
void remove_file(const char *name);
void move_file(const char *from, const char *to);
bool exists(const char *name);

/* Sets the tree to "album" in the test's folder, and the user's caches to "cache". */
void use_folders(void);
sdimage_photos_library *open_album(bool watches);
sdimage_photos_list *fetch(sdimage_photos_library *library, const sdimage_photos_fetch_options *options);
/* The asset of that name, which must exist; the caller owns it. */
sdimage_photos_asset *asset_named(sdimage_photos_library *library, const char *name);
/* The asset's identifier, in static memory, a ring of sixteen. */
const char *identifier_of(sdimage_photos_library *library, const char *name);

sdimage_loader *new_photo_loader(sdimage_photos_library *library, bool images_only);
sdimage_manager *new_photo_manager(sdimage_photos_library *library, bool images_only);

/* The deliveries of a load. */
typedef struct deliveries {
    gate over, progressed;
    int partial, final, progress;
    sdimage_status status;
    sdimage_size first, last;
    bool has_data;
    uint32_t frame_count;
    int64_t received, expected;
    double red; /* red of the first pixel of the last image */
    uint64_t first_ns;
} deliveries;

/* Loads and waits for the end. */
deliveries load(sdimage_manager *manager, const sdimage_request *request);
/* Loads an identifier, with an options bag that may be NULL. */
deliveries load_identifier(sdimage_manager *manager, const char *identifier, const sdimage_options *bag);
extern const sdimage_load_handler delivery_handler;
void wait_for_end(deliveries *deliveries);

/* Drops root's privileges, so that file permissions apply. */
void stop_being_root(void);

#endif
