/* database.h: libraries that other programs keep, in databases that are read and never written: database.c opens them,
 * shotwell.c and digikam.c know their tables. */
#ifndef SDPHOTO_DATABASE_H
#define SDPHOTO_DATABASE_H

#include <sqlite3.h>

#include "library.h"
#include "unmapped.h"

typedef struct sdphoto_database sdphoto_database;

/* What a reader has got so far. */
typedef struct sdphoto_reading sdphoto_reading;

/* Reads all tables into the map of assets, each with a reference. */
typedef sdimage_status (*sdphoto_read_fn)(sdphoto_reading *reading, sqlite3 *connection, sdimage_error **error);

/* A library of the database at a path, which it takes over; NULL: none is known. */
sdimage_status sdphoto_database_open(const char *name, char *path, sdphoto_read_fn read,
                                     sdimage_photos_library **library, sdimage_error **error);

/* How long SQLite has computed, and since when it does now. */
typedef struct sdphoto_work {
    int64_t spent_ns, began_ns;
} sdphoto_work;

struct sdphoto_reading {
    sdphoto_work work;
    sdphoto_hold hold; /* of a database in WAL mode */
    sdphoto_map *assets;
    char **roots; /* digiKam: folders of album roots, by their number */
    int64_t *root_numbers;
    size_t root_count, root_capacity, number_capacity;
    int64_t version;
    size_t text_bytes; /* of names and paths that were kept */
};

/* Counts text that is about to be kept; false from 512 MiB on, which no library of photos has. */
bool sdphoto_keeps_text(sdphoto_reading *reading, const char *text);

/* --- Rows. */

/* What a function does with each row of a query; false where memory is refused, or would be too much. */
typedef bool (*sdphoto_row_fn)(sdphoto_reading *reading, sqlite3_stmt *row);

sdimage_status sdphoto_each_row(sqlite3 *connection, const char *sql, sdphoto_row_fn take, sdphoto_reading *reading,
                                sdimage_error **error);

/* The value of a column: "" where it has none, and 0 where it is no length of a side. */
const char *sdphoto_row_text(sqlite3_stmt *row, int column);
uint32_t sdphoto_row_side(sqlite3_stmt *row, int column);

/* The version of the tables. */
bool sdphoto_take_version(sdphoto_reading *reading, sqlite3_stmt *row);

/* --- Assets. */

/* Into the table, in place of one of the same identifier; takes the asset over. False when memory is refused. */
bool sdphoto_assets_add(sdphoto_map *assets, sdimage_photos_asset *asset);
/* By the name of the file, for rows that only say so; its bytes are looked at when it is loaded. */
void sdphoto_set_type(sdphoto_facts *facts, const char *name);
/* Time and length of the file as it is now; false when it is gone, or belongs to nobody who could show it. */
bool sdphoto_look_at(sdimage_photos_asset *asset);

/* In nanoseconds; 0 where they do not fit. */
int64_t sdphoto_seconds(int64_t value);
/* Size as displayed, of one as stored. */
sdimage_size sdphoto_turned(uint32_t width, uint32_t height, sdimage_orientation orientation);
/* Of EXIF; upright where it is none. */
sdimage_orientation sdphoto_orientation_of(int64_t value);

#endif
