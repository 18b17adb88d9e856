/* database.h: libraries in the databases of other programs, which are read and never written. database.c opens them;
 * shotwell.c and digikam.c know their tables. */
#ifndef SDPHOTO_DATABASE_H
#define SDPHOTO_DATABASE_H

#include <sqlite3.h>

#include "library.h"
#include "unmapped.h"

typedef struct sdphoto_database sdphoto_database;

/* The state of a reading. */
typedef struct sdphoto_reading sdphoto_reading;

/* Reads all tables into the map of assets, each with a reference. */
typedef sdimage_status (*sdphoto_read_fn)(sdphoto_reading *reading, sqlite3 *connection, sdimage_error **error);

/* The path without symbolic links, or as it is if there is no such file. The caller frees it. */
char *sdphoto_real_path(const char *path);

/* Makes a library of the database at a path, which it takes over; NULL: no database is known. */
sdimage_status sdphoto_database_open(const char *name, char *path, sdphoto_read_fn read,
                                     sdimage_photos_library **library, sdimage_error **error);

/* The time that SQLite has computed, and the start of its current computation. */
typedef struct sdphoto_work {
    int64_t spent_ns, began_ns;
} sdphoto_work;

struct sdphoto_reading {
    sdphoto_work work;
    sdphoto_hold hold; /* hold on the database */
    sdphoto_map *assets;
    char **roots; /* digiKam: folders of album roots, indexed like root_numbers */
    int64_t *root_numbers;
    size_t root_count, root_capacity, number_capacity;
    int64_t number;    /* the result of a query for one number */
    size_t text_bytes; /* bytes of names and paths stored so far */
};

/* Counts text before it is stored; false from 512 MiB on, more than any photo library has. */
bool sdphoto_keeps_text(sdphoto_reading *reading, const char *text);

/* --- Rows. */

/* Handles a row of a query; false if memory is exhausted, or would exceed a limit. */
typedef bool (*sdphoto_row_fn)(sdphoto_reading *reading, sqlite3_stmt *row);

sdimage_status sdphoto_each_row(sqlite3 *connection, const char *sql, sdphoto_row_fn take, sdphoto_reading *reading,
                                sdimage_error **error);

/* Return the value of a column: "" for NULL, and 0 for an invalid side length. */
const char *sdphoto_row_text(sqlite3_stmt *row, int column);
uint32_t sdphoto_row_side(sqlite3_stmt *row, int column);

/* Stores the first column as `number`. */
bool sdphoto_take_number(sdphoto_reading *reading, sqlite3_stmt *row);

/* --- Assets. */

/* Adds an asset, which it takes over, and replaces one with the same identifier. False if memory is exhausted. */
bool sdphoto_assets_add(sdphoto_map *assets, sdimage_photos_asset *asset);
/* Sets the type from the file name, for rows without other information. The file's bytes are examined when it is
 * loaded. */
void sdphoto_set_type(sdphoto_info *info, const char *name);
/* Reads the time, size and owner of the file. True for a regular file, and for a file without access permission
 * (EACCES). */
bool sdphoto_stat_file(sdimage_photos_asset *asset);

/* Converts seconds to nanoseconds; 0 if they do not fit. */
int64_t sdphoto_seconds(int64_t value);
/* Converts a stored size to the displayed size. */
sdimage_size sdphoto_displayed_size(uint32_t width, uint32_t height, sdimage_orientation orientation);
/* Converts an EXIF orientation; upright if it is invalid. */
sdimage_orientation sdphoto_orientation_of(int64_t value);

#endif
