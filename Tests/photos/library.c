/* library.c: the index of a tree: stable identifiers, changes, hidden files, refused files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "album.h"
#include "scan.h"
#include "tree.h"

static bool is_named(sdimage_photos_library *library, const char *name, const char *identifier) {
    return !strcmp(identifier_of(library, name), identifier);
}

static size_t count_of(sdimage_photos_library *library, const sdimage_photos_fetch_options *options) {
    sdimage_photos_list *list = fetch(library, options);
    size_t count = sdimage_photos_list_count(list);
    sdimage_photos_list_unref(list);
    return count;
}

/* Copies bytes into a new file with another inode. */
static void copy_file(const char *from, const char *to) {
    static char bytes[1 << 20];
    FILE *file = fopen(path_of(from), "rb");
    CHECK(file != NULL);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    write_bytes(to, bytes, length);
}

static void identifiersStayWhenFilesMoveBetweenTwoPrograms(void) {
    use_folders();
    make_folder("album/one");
    make_folder("album/two");
    write_photo("album/one/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    write_photo("album/b.jpg", (photo){.width = 32, .height = 8, .shade = 2});
    write_photo("album/c.jpg", (photo){.width = 32, .height = 8, .shade = 3});
    write_photo("album/d.jpg", (photo){.width = 32, .height = 8, .shade = 4});
    sdimage_photos_library *library = open_album(false);
    const char *a = identifier_of(library, "a.jpg"), *b = identifier_of(library, "b.jpg");
    const char *c = identifier_of(library, "c.jpg"), *d = identifier_of(library, "d.jpg");
    sdimage_photos_library_unref(library);
    /* Renames a file and its folder; moves; copies and removes; exchanges two files. */
    move_file("album/one/a.jpg", "album/one/renamed.jpg");
    move_file("album/one", "album/three");
    move_file("album/b.jpg", "album/two/b.jpg");
    copy_file("album/c.jpg", "album/two/copied.jpg");
    remove_file("album/c.jpg");
    move_file("album/d.jpg", "album/old.jpg");
    write_photo("album/d.jpg", (photo){.width = 16, .height = 8, .shade = 9});
    library = open_album(false);
    CHECK(is_named(library, "renamed.jpg", a));
    CHECK(is_named(library, "b.jpg", b));
    CHECK(is_named(library, "copied.jpg", c));
    CHECK(is_named(library, "old.jpg", d));
    CHECK(!is_named(library, "d.jpg", d));
    CHECK_EQUAL(count_of(library, NULL), 5);
    sdimage_photos_library_unref(library);
}

static void aFileThatComesBackHasItsOldIdentifier(void) {
    use_folders();
    make_folder("elsewhere");
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(false);
    const char *a = identifier_of(library, "a.jpg");
    move_file("album/a.jpg", "elsewhere/a.jpg");
    CHECK_EQUAL(count_of(library, NULL), 0);
    sdimage_photos_library_unref(library);
    library = open_album(false);
    CHECK_EQUAL(count_of(library, NULL), 0);
    copy_file("elsewhere/a.jpg", "album/b.jpg");
    CHECK(is_named(library, "b.jpg", a));
    sdimage_photos_library_unref(library);
}

static void anEditedFileKeepsItsIdentifier(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(false);
    const char *a = identifier_of(library, "a.jpg");
    /* Writes in place; then as editors do, to a new file that replaces the old one. */
    write_photo("album/a.jpg", (photo){.width = 24, .height = 8, .shade = 2});
    CHECK(is_named(library, "a.jpg", a));
    write_photo("album/.a.jpg.new", (photo){.width = 16, .height = 8, .shade = 3});
    move_file("album/a.jpg", "album/a.jpg~");
    move_file("album/.a.jpg.new", "album/a.jpg");
    CHECK(is_named(library, "a.jpg", a));
    sdimage_photos_asset *asset = asset_named(library, "a.jpg");
    CHECK_EQUAL(sdimage_photos_asset_pixel_size(asset).width, 16);
    sdimage_photos_asset_unref(asset);
    CHECK_EQUAL(count_of(library, NULL), 1);
    sdimage_photos_library_unref(library);
}

static void hardLinksAreTwoPhotos(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(false);
    const char *a = identifier_of(library, "a.jpg");
    CHECK_EQUAL(link(path_of("album/a.jpg"), path_of("album/b.jpg")), 0);
    CHECK(is_named(library, "a.jpg", a));
    CHECK(!is_named(library, "b.jpg", a));
    sdimage_photos_library_unref(library);
}

static void librariesOfOneTreeAgree(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *first = open_album(false), *second = open_album(false);
    CHECK(is_named(second, "a.jpg", identifier_of(first, "a.jpg")));
    write_photo("album/b.jpg", (photo){.width = 32, .height = 8, .shade = 2});
    CHECK(is_named(first, "b.jpg", identifier_of(second, "b.jpg")));
    move_file("album/b.jpg", "album/c.jpg");
    CHECK(is_named(first, "c.jpg", identifier_of(second, "c.jpg")));
    sdimage_photos_library_unref(first);
    sdimage_photos_library_unref(second);
}

/* Overwrites the databases in the folder of indexes; returns their number. */
static int damage_indexes(void) {
    DIR *folder = opendir(path_of("cache/sdimage-photos/v1"));
    int count = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[300];
        snprintf(name, sizeof name, "cache/sdimage-photos/v1/%s", entry->d_name);
        size_t length = strlen(name);
        if (length > 3 && !strcmp(name + length - 3, ".db")) {
            static char rubbish[16384];
            memset(rubbish, 'x', sizeof rubbish);
            write_bytes(name, rubbish, sizeof rubbish);
            count++;
        }
    }
    closedir(folder);
    return count;
}

static void aDamagedIndexIsReplaced(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(false);
    CHECK_EQUAL(count_of(library, NULL), 1);
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(damage_indexes(), 1);
    library = open_album(false);
    const char *a = identifier_of(library, "a.jpg");
    sdimage_photos_library_unref(library);
    library = open_album(false);
    CHECK(is_named(library, "a.jpg", a));
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(damage_indexes(), 2);
}

/* Runs SQL on every database in the folder of indexes; returns their number. */
static int change_indexes(const char *sql) {
    DIR *folder = opendir(path_of("cache/sdimage-photos/v1"));
    int count = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[300];
        sqlite3 *database = NULL;
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".db"))
            continue;
        snprintf(name, sizeof name, "cache/sdimage-photos/v1/%s", entry->d_name);
        CHECK_EQUAL(sqlite3_open(path_of(name), &database), SQLITE_OK);
        CHECK_EQUAL(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(database);
        count++;
    }
    closedir(folder);
    return count;
}

/* Opens the database of a library's index with a connection of its own, and executes SQL. */
static sqlite3 *open_index(sdimage_photos_library *library, const char *sql) {
    char path[500];
    sqlite3 *database = NULL;
    snprintf(path, sizeof path, "%s-1.db", ((sdphoto_tree *)library)->index.stem);
    CHECK_EQUAL(sqlite3_open(path, &database), SQLITE_OK);
    CHECK_EQUAL(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    return database;
}

/* Returns the number of rows in the index of a library. */
static int rows_of(sdimage_photos_library *library) {
    char path[500];
    sqlite3 *database = NULL;
    sqlite3_stmt *count = NULL;
    snprintf(path, sizeof path, "%s-1.db", ((sdphoto_tree *)library)->index.stem);
    CHECK_EQUAL(sqlite3_open(path, &database), SQLITE_OK);
    CHECK_EQUAL(sqlite3_prepare_v2(database, "SELECT count(*) FROM files", -1, &count, NULL), SQLITE_OK);
    CHECK_EQUAL(sqlite3_step(count), SQLITE_ROW);
    int rows = sqlite3_column_int(count, 0);
    sqlite3_finalize(count);
    sqlite3_close(database);
    return rows;
}

/* Scans of some folders, as a watched library makes them, forget files too: all that are no photos, and photos after 90
 * days. */
static void filesThatAreGoneAreForgotten(void) {
    char root[] = "", *folders[] = {root};
    const sdphoto_scope scope = {.folders = folders, .folder_count = 1};
    const sdphoto_progress none = {NULL, NULL};
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    write_photo("album/b.jpg", (photo){.width = 32, .height = 8, .shade = 2});
    sdimage_photos_library *library = open_album(false);
    sdphoto_tree *tree = (sdphoto_tree *)library;
    for (int i = 0; i < 3; i++) {
        char name[30];
        snprintf(name, sizeof name, "album/%d.part", i);
        write_bytes(name, "text", 4);
        CHECK_EQUAL(sdphoto_tree_scan(tree, &scope, none, NULL), 0);
        CHECK_EQUAL(tree->count, 3);
        remove_file(name);
        CHECK_EQUAL(sdphoto_tree_scan(tree, &scope, none, NULL), 0);
        CHECK_EQUAL(tree->count, 2);
        CHECK_EQUAL(rows_of(library), 2);
    }
    remove_file("album/b.jpg");
    CHECK_EQUAL(count_of(library, NULL), 1);
    CHECK_EQUAL(tree->count, 2);
    sqlite3_close(open_index(library, "UPDATE files SET lost = 1 WHERE lost > 0"));
    CHECK_EQUAL(sdphoto_tree_scan(tree, &scope, none, NULL), 0);
    CHECK_EQUAL(tree->count, 1);
    CHECK_EQUAL(rows_of(library), 1);
    CHECK_EQUAL(count_of(library, NULL), 1);
    sdimage_photos_library_unref(library);
}

/* Locks of another process: first that of a scan, then one that excludes readers for longer than they wait. */
static void anIndexThatIsLockedIsKept(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(false);
    sdimage_photos_list *list = NULL;
    const char *a = identifier_of(library, "a.jpg");
    sqlite3 *other = open_index(library, "BEGIN IMMEDIATE");
    sdimage_photos_library_unref(library);
    library = open_album(false);
    CHECK_EQUAL(sqlite3_exec(other, "COMMIT; BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    CHECK_EQUAL(sdimage_photos_library_fetch(library, NULL, &list, NULL), SDIMAGE_STATUS_BUSY);
    sdimage_photos_library_unref(library);
    library = open_album(false);
    CHECK_EQUAL(sdimage_photos_library_fetch(library, NULL, &list, NULL), SDIMAGE_STATUS_BUSY);
    sqlite3_close(other);
    CHECK(is_named(library, "a.jpg", a));
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(damage_indexes(), 1);
}

static bool has_scanned(void *library) {
    pthread_mutex_lock(&((sdimage_photos_library *)library)->lock);
    bool is_scanned = ((sdphoto_tree *)library)->first_status == SDIMAGE_STATUS_OK;
    pthread_mutex_unlock(&((sdimage_photos_library *)library)->lock);
    return is_scanned;
}

static bool has_two(void *library) {
    return count_of(library, NULL) == 2;
}

static void anIndexThatIsLockedDoesNotEndTheWatching(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(false);
    sdimage_photos_list *list = NULL;
    const char *a = identifier_of(library, "a.jpg");
    sqlite3 *other = open_index(library, "BEGIN EXCLUSIVE");
    sdimage_photos_library_unref(library);
    library = open_album(true);
    CHECK_EQUAL(sdimage_photos_library_fetch(library, NULL, &list, NULL), SDIMAGE_STATUS_BUSY);
    CHECK(sdimage_photos_library_is_watching(library));
    sqlite3_close(other);
    CHECK(becomes_true(has_scanned, library));
    CHECK(is_named(library, "a.jpg", a));
    write_photo("album/b.jpg", (photo){.width = 32, .height = 8, .shade = 2});
    CHECK(becomes_true(has_two, library));
    CHECK(sdimage_photos_library_is_watching(library));
    sdimage_photos_library_unref(library);
}

/* A reader in another process keeps a scan from committing what it has found. */
static void rowsThatCouldNotBeWrittenAreWrittenLater(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(false);
    sqlite3 *other = open_index(library, "BEGIN; SELECT count(*) FROM files");
    const char *a = identifier_of(library, "a.jpg");
    sqlite3_close(other);
    CHECK(is_named(library, "a.jpg", a));
    sdimage_photos_library_unref(library);
    library = open_album(false);
    CHECK(is_named(library, "a.jpg", a));
    sdimage_photos_library_unref(library);
}

/* Truncates every file in the folder of indexes; returns their number. */
static int truncate_indexes(off_t length) {
    DIR *folder = opendir(path_of("cache/sdimage-photos/v1"));
    int count = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[300];
        snprintf(name, sizeof name, "cache/sdimage-photos/v1/%s", entry->d_name);
        if (entry->d_name[0] != '.' && truncate(path_of(name), length) == 0)
            count++;
    }
    closedir(folder);
    return count;
}

/* A memory-mapped file would end the process with SIGBUS. */
static void truncatedFilesOfAnOpenIndexNeverEndTheProcess(void) {
    static const off_t lengths[] = {0, 1, 4096, 32768};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        use_folders();
        write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
        sdimage_photos_library *library = open_album(false), *other = open_album(false);
        CHECK_EQUAL(count_of(library, NULL), 1 + 3 * i);
        for (int round = 0; round < 3; round++) {
            char name[40];
            CHECK(truncate_indexes(lengths[i]) >= 2);
            snprintf(name, sizeof name, "album/%zu-%d.jpg", i, round);
            write_photo(name, (photo){.width = 32, .height = 8, .shade = (uint8_t)(2 + round + 4 * i)});
            CHECK_EQUAL(count_of(library, NULL), count_of(other, NULL));
            CHECK(is_named(other, strrchr(name, '/') + 1, identifier_of(library, strrchr(name, '/') + 1)));
        }
        sdimage_photos_library_unref(other);
        sdimage_photos_library_unref(library);
    }
}

/* With a write-ahead log: identifiers are stable, and no log index is created. */
static void anIndexOfAnEarlierVersionIsReadOn(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(false);
    const char *a = identifier_of(library, "a.jpg");
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(change_indexes("PRAGMA journal_mode = WAL; UPDATE files SET size = size"), 1);
    library = open_album(false);
    CHECK(is_named(library, "a.jpg", a));
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1000];
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps))
        CHECK(!strstr(line, "-shm"));
    fclose(maps);
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(change_indexes("SELECT 1"), 1);
}

/* Makes the root of the index refer 600 times to a page that refers 600 times to one of its leaves (SQLite file
 * format, 1.6). */
static void loop_index(const char *name) {
    enum { PAGE = 4096, COUNT = 600 };
    static uint8_t page[PAGE];
    sqlite3 *database = NULL;
    sqlite3_stmt *root = NULL;
    CHECK_EQUAL(sqlite3_open(path_of(name), &database), SQLITE_OK);
    CHECK_EQUAL(sqlite3_prepare_v2(database, "SELECT rootpage FROM sqlite_master", -1, &root, NULL), SQLITE_OK);
    CHECK_EQUAL(sqlite3_step(root), SQLITE_ROW);
    uint32_t number = (uint32_t)sqlite3_column_int(root, 0), children[2];
    sqlite3_finalize(root);
    sqlite3_close(database);
    FILE *file = fopen(path_of(name), "r+b");
    CHECK(file && !fseek(file, (long)(number - 1) * PAGE, SEEK_SET) && fread(page, PAGE, 1, file) == 1 && page[0] == 2);
    for (int i = 0; i < 2; i++) {
        const uint8_t *cell = page + page[12 + 2 * i] * 256 + page[13 + 2 * i];
        children[i] = (uint32_t)cell[0] << 24 | (uint32_t)cell[1] << 16 | (uint32_t)cell[2] << 8 | cell[3];
    }
    const uint32_t pages[] = {number, children[0]};
    int first = page[12] * 256 + page[13];
    for (int i = 0; i < 2; i++) {
        page[3] = COUNT >> 8, page[4] = COUNT & 0xff;
        page[8] = 0, page[9] = 0, page[10] = (uint8_t)(children[i] >> 8), page[11] = (uint8_t)children[i];
        for (int at = 0; at < COUNT; at++)
            page[12 + 2 * at] = (uint8_t)(first >> 8), page[13 + 2 * at] = (uint8_t)first;
        memcpy(page + first, page + 8, 4);
        CHECK(!fseek(file, (long)(pages[i] - 1) * PAGE, SEEK_SET) && fwrite(page, PAGE, 1, file) == 1);
    }
    CHECK_EQUAL(fclose(file), 0);
}

static void anIndexWithoutAnEndIsReplaced(void) {
    use_folders();
    for (int i = 0; i < 100; i++) {
        char name[30];
        snprintf(name, sizeof name, "album/%d.jpg", i);
        write_photo(name, (photo){.width = 8, .height = 8, .shade = (uint8_t)i});
    }
    sdimage_photos_library *library = open_album(false);
    CHECK_EQUAL(count_of(library, NULL), 100);
    sdimage_photos_library_unref(library);
    DIR *folder = opendir(path_of("cache/sdimage-photos/v1"));
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[300];
        snprintf(name, sizeof name, "cache/sdimage-photos/v1/%s", entry->d_name);
        if (strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".db"))
            loop_index(name);
    }
    closedir(folder);
    library = open_album(false);
    CHECK_EQUAL(count_of(library, NULL), 100);
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(change_indexes("SELECT 1"), 2);
}

/* Writes 4 bytes, the highest first, and returns the end. */
static uint8_t *put_number(uint8_t *to, uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (uint8_t)(number >> shift);
    return to;
}

/* Writes a journal of a transaction of several databases (SQLite file format, 3): a header of one sector, then the path
 * of a super-journal. */
static void write_journal(const char *path, uint32_t pages, const char *super) {
    static const uint8_t magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    uint8_t bytes[2000] = {0}, *to = bytes + sizeof magic;
    uint32_t sum = 0;
    const uint32_t header[] = {0, 1, pages, 512, 4096};
    memcpy(bytes, magic, sizeof magic);
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        to = put_number(to, header[i]);
    to = put_number(bytes + 512, 0x40000000 / 4096 + 1);
    for (const char *at = super; *at; at++)
        sum += (uint32_t)(*to++ = (uint8_t)*at);
    to = put_number(put_number(to, (uint32_t)strlen(super)), sum);
    memcpy(to, magic, sizeof magic);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, (size_t)(to - bytes) + sizeof magic, 1, file) == 1);
    CHECK_EQUAL(fclose(file), 0);
}

/* SQLite removes the file that the journal names, and waits for the other end of a FIFO. */
static void theJournalOfAnIndexNamesNoOtherFile(void) {
    char database[500], journal[520];
    struct stat status;
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    write_bytes("other", "x", 1);
    sdimage_photos_library *library = open_album(false);
    const char *a = identifier_of(library, "a.jpg");
    snprintf(database, sizeof database, "%s-1.db", ((sdphoto_tree *)library)->index.stem);
    snprintf(journal, sizeof journal, "%s-journal", database);
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(stat(database, &status), 0);
    write_journal(journal, (uint32_t)(status.st_size / 4096), path_of("other"));
    library = open_album(false);
    CHECK(is_named(library, "a.jpg", a));
    sdimage_photos_library_unref(library);
    CHECK(exists("other"));
    unlink(journal);
    CHECK_EQUAL(mkfifo(journal, 0600), 0);
    library = open_album(false);
    CHECK_EQUAL(count_of(library, NULL), 1);
    sdimage_photos_library_unref(library);
}

static void anIndexBehindALinkIsLeftAlone(void) {
    char database[500];
    sqlite3 *other = NULL;
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(false);
    snprintf(database, sizeof database, "%s-1.db", ((sdphoto_tree *)library)->index.stem);
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(unlink(database), 0);
    CHECK_EQUAL(sqlite3_open(path_of("other.db"), &other), SQLITE_OK);
    CHECK_EQUAL(sqlite3_exec(other, "PRAGMA user_version = 0; VACUUM", NULL, NULL, NULL), SQLITE_OK);
    CHECK_EQUAL(symlink(path_of("other.db"), database), 0);
    library = open_album(false);
    CHECK_EQUAL(count_of(library, NULL), 1);
    CHECK_EQUAL(((sdphoto_tree *)library)->index.generation, 2);
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(sqlite3_exec(other, "CREATE TABLE files (x)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
}

/* The first would compute for seconds with each row, without an interruption. */
static void anIndexWithOtherTablesIsReplaced(void) {
    static const char *const changes[] = {
        "ALTER TABLE files ADD COLUMN more AS (instr(hex(zeroblob(400000)), hex(zeroblob(200000)) || '1'))",
        "CREATE TRIGGER added AFTER INSERT ON files BEGIN DELETE FROM files; END",
        "ALTER TABLE files RENAME TO others; CREATE VIEW files AS SELECT * FROM others"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        use_folders();
        write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
        sdimage_photos_library *library = open_album(false);
        CHECK_EQUAL(count_of(library, NULL), 1);
        sdimage_photos_library_unref(library);
        int before = change_indexes("SELECT 1");
        change_indexes(changes[i]);
        library = open_album(false);
        CHECK_EQUAL(count_of(library, NULL), 1);
        sdimage_photos_library_unref(library);
        CHECK_EQUAL(change_indexes("SELECT 1"), before + 1);
    }
}

static void rowsOfAnIndexNameNothingOutsideTheLibrary(void) {
    static const char *const paths[] = {"../outside.jpg", "..", "below/../../outside.jpg", "/etc/passwd"};
    use_folders();
    write_photo("outside.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 2});
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char sql[300];
        sdimage_photos_library *library = open_album(false);
        const char *a = identifier_of(library, "a.jpg");
        sdimage_photos_library_unref(library);
        snprintf(sql, sizeof sql, "UPDATE files SET path = CAST('%s' || char(0) AS BLOB)", paths[i]);
        CHECK_EQUAL(change_indexes(sql), 1);
        library = open_album(false);
        sdimage_photos_asset *asset = NULL;
        CHECK_EQUAL(sdimage_photos_library_find(library, a, NULL, &asset, NULL), SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
        CHECK_EQUAL(count_of(library, NULL), 1);
        sdimage_photos_library_unref(library);
    }
}

static void filesOfAnyYearHaveADate(void) {
    /* The years 2286, 1653 and 2446: nanoseconds since 1970 end in 2262. */
    static const int64_t seconds[] = {10000000000, -10000000000, 15032385535, 0};
    use_folders();
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = (uint8_t)i});
        const struct timespec times[2] = {{.tv_sec = seconds[i]}, {.tv_sec = seconds[i]}};
        struct stat status;
        CHECK_EQUAL(utimensat(AT_FDCWD, path_of("album/a.jpg"), times, 0), 0);
        CHECK_EQUAL(stat(path_of("album/a.jpg"), &status), 0);
        sdimage_photos_library *library = open_album(false);
        sdimage_photos_asset *asset = asset_named(library, "a.jpg");
        sdimage_manager *manager = new_photo_manager(library, false);
        int64_t modified = sdimage_photos_asset_modified_ns(asset);
        CHECK_EQUAL(modified > 0, status.st_mtim.tv_sec > 0);
        CHECK_EQUAL(modified < 0, status.st_mtim.tv_sec < 0);
        CHECK_EQUAL(load_identifier(manager, sdimage_photos_asset_identifier(asset), NULL).status, SDIMAGE_STATUS_OK);
        CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 128, NULL), SDIMAGE_STATUS_OK);
        sdimage_manager_unref(manager);
        sdimage_photos_asset_unref(asset);
        sdimage_photos_library_unref(library);
        remove_file("album/a.jpg");
    }
}

/* --- Watching. */

typedef struct seen_changes {
    gate heard;
    atomic_int inserted, removed, changed;
    char path[400];
} seen_changes;

static void inserted(void *user_data, sdimage_photos_asset *asset) {
    seen_changes *seen = user_data;
    (void)asset;
    atomic_fetch_add(&seen->inserted, 1);
    gate_open(&seen->heard);
}

static void removed(void *user_data, sdimage_photos_asset *asset) {
    seen_changes *seen = user_data;
    (void)asset;
    atomic_fetch_add(&seen->removed, 1);
    gate_open(&seen->heard);
}

static void changed(void *user_data, sdimage_photos_asset *asset) {
    seen_changes *seen = user_data;
    snprintf(seen->path, sizeof seen->path, "%s", sdimage_photos_asset_path(asset));
    atomic_fetch_add(&seen->changed, 1);
    gate_open(&seen->heard);
}

static const sdimage_photos_library_handler observer = {
    .size = sizeof observer, .inserted = inserted, .removed = removed, .changed = changed};

/* Adds a complete photo: a watching library may scan an incomplete one, and tell of its end as another change. */
static void add_photo(const char *name, photo photo) {
    write_photo("written.jpg", photo);
    move_file("written.jpg", name);
}

static void changesAreToldWhileTheLibraryWatches(void) {
    use_folders();
    make_folder("album/sub");
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(true);
    seen_changes seen = {.heard = GATE_CLOSED};
    atomic_int destroyed = 0;
    CHECK_EQUAL(count_of(library, NULL), 1);
    CHECK(sdimage_photos_library_is_watching(library));
    CHECK(!strcmp(sdimage_photos_library_note(library), ""));
    const char *a = identifier_of(library, "a.jpg");
    CHECK_EQUAL(sdimage_photos_library_set_handler(library, &observer, &seen, NULL, NULL), 0);
    add_photo("album/b.jpg", (photo){.width = 32, .height = 8, .shade = 2});
    gate_wait(&seen.heard, 1);
    CHECK_EQUAL(atomic_load(&seen.inserted), 1);
    CHECK_EQUAL(count_of(library, NULL), 2);
    move_file("album/a.jpg", "album/sub/moved.jpg");
    gate_wait(&seen.heard, 2);
    CHECK_EQUAL(atomic_load(&seen.changed), 1);
    CHECK(!strcmp(seen.path + strlen(seen.path) - 13, "sub/moved.jpg"));
    CHECK(is_named(library, "moved.jpg", a));
    move_file("album/sub", "album/other");
    gate_wait(&seen.heard, 3);
    CHECK(is_named(library, "moved.jpg", a));
    remove_file("album/b.jpg");
    gate_wait(&seen.heard, 4);
    CHECK_EQUAL(atomic_load(&seen.removed), 1);
    CHECK_EQUAL(count_of(library, NULL), 1);
    CHECK_EQUAL(sdimage_photos_library_set_handler(library, &observer, &destroyed, count_destroy, NULL), 0);
    CHECK_EQUAL(sdimage_photos_library_set_handler(library, NULL, NULL, NULL, NULL), 0);
    CHECK_EQUAL(atomic_load(&destroyed), 1);
    sdimage_photos_library_unref(library);
}

/* True if the only photo has its new content. */
static bool has_changed_photo(void *library) {
    sdimage_photos_list *list = fetch(library, NULL);
    bool has_changed = sdimage_photos_list_count(list) == 1 &&
                       sdimage_photos_asset_pixel_size(sdimage_photos_list_asset(list, 0)).width == 48;
    sdimage_photos_list_unref(list);
    return has_changed;
}

static void aPhotoThatWasMovedAndChangedAtOnceKeepsItsIdentifier(void) {
    use_folders();
    make_folder("album/sub");
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *library = open_album(true);
    seen_changes seen = {.heard = GATE_CLOSED};
    const char *a = identifier_of(library, "a.jpg");
    CHECK_EQUAL(sdimage_photos_library_set_handler(library, &observer, &seen, NULL, NULL), 0);
    move_file("album/a.jpg", "album/sub/b.jpg");
    write_photo("album/sub/b.jpg", (photo){.width = 48, .height = 8, .shade = 7});
    gate_wait(&seen.heard, 1);
    /* The first scan may have met the file while it was written. */
    CHECK(becomes_true(has_changed_photo, library));
    CHECK(is_named(library, "b.jpg", a));
    sdimage_photos_library_unref(library);
}

/* One scan applies all renames: a file replaces another and is renamed again, in both orders of their entries. */
static void aPhotoThatReplacedAnotherKeepsItsIdentifier(void) {
    use_folders();
    sdimage_photos_library *library = open_album(false);
    write_photo("album/a1.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    write_photo("album/b2.jpg", (photo){.width = 32, .height = 8, .shade = 2});
    CHECK_EQUAL(count_of(library, NULL), 2);
    write_photo("album/b1.jpg", (photo){.width = 32, .height = 8, .shade = 3});
    write_photo("album/a2.jpg", (photo){.width = 32, .height = 8, .shade = 4});
    const char *a1 = identifier_of(library, "a1.jpg"), *a2 = identifier_of(library, "a2.jpg");
    move_file("album/a1.jpg", "album/b1.jpg");
    move_file("album/b1.jpg", "album/c1.jpg");
    move_file("album/a2.jpg", "album/b2.jpg");
    move_file("album/b2.jpg", "album/c2.jpg");
    char names[][8] = {"a1.jpg", "b1.jpg", "c1.jpg", "a2.jpg", "b2.jpg", "c2.jpg"};
    const sdphoto_move moves[] = {{names[0], names[1], false},
                                  {names[1], names[2], false},
                                  {names[3], names[4], false},
                                  {names[4], names[5], false}};
    const sdphoto_scope scope = {.moves = moves, .move_count = 4};
    CHECK_EQUAL(sdphoto_tree_scan((sdphoto_tree *)library, &scope, (sdphoto_progress){NULL, NULL}, NULL), 0);
    CHECK_EQUAL(count_of(library, NULL), 2);
    CHECK(is_named(library, "c1.jpg", a1));
    CHECK(is_named(library, "c2.jpg", a2));
    sdimage_photos_library_unref(library);
}

/* Editors keep a backup, whose name a scan skips, and write a new file. */
static void aPhotoWithABackupKeepsItsIdentifier(void) {
    use_folders();
    sdimage_photos_library *library = open_album(false);
    char names[][12] = {"a.jpg", "a.jpg~", "sub/b.jpg", "sub/.b.jpg"};
    const sdphoto_move moves[] = {{names[0], names[1], false}, {names[2], names[3], false}};
    const sdphoto_scope scope = {.moves = moves, .move_count = 2};
    make_folder("album/sub");
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    write_photo("album/sub/b.jpg", (photo){.width = 32, .height = 8, .shade = 2});
    const char *a = identifier_of(library, "a.jpg"), *b = identifier_of(library, "b.jpg");
    move_file("album/a.jpg", "album/a.jpg~");
    move_file("album/sub/b.jpg", "album/sub/.b.jpg");
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 3});
    write_photo("album/sub/b.jpg", (photo){.width = 32, .height = 8, .shade = 4});
    CHECK_EQUAL(sdphoto_tree_scan((sdphoto_tree *)library, &scope, (sdphoto_progress){NULL, NULL}, NULL), 0);
    CHECK(is_named(library, "a.jpg", a));
    CHECK(is_named(library, "b.jpg", b));
    CHECK_EQUAL(count_of(library, NULL), 2);
    /* Two photos exchange their names through a skipped one. */
    char skipped[] = ".a.jpg";
    const sdphoto_move exchange[] = {
        {names[0], skipped, false}, {names[2], names[0], false}, {skipped, names[2], false}};
    const sdphoto_scope exchanged = {.moves = exchange, .move_count = 3};
    move_file("album/a.jpg", "album/.a.jpg");
    move_file("album/sub/b.jpg", "album/a.jpg");
    move_file("album/.a.jpg", "album/sub/b.jpg");
    CHECK_EQUAL(sdphoto_tree_scan((sdphoto_tree *)library, &exchanged, (sdphoto_progress){NULL, NULL}, NULL), 0);
    CHECK(is_named(library, "a.jpg", b));
    CHECK(is_named(library, "b.jpg", a));
    sdimage_photos_library_unref(library);
}

static void newFoldersAreWatchedToo(void) {
    use_folders();
    sdimage_photos_library *library = open_album(true);
    seen_changes seen = {.heard = GATE_CLOSED};
    CHECK_EQUAL(count_of(library, NULL), 0);
    CHECK_EQUAL(sdimage_photos_library_set_handler(library, &observer, &seen, NULL, NULL), 0);
    make_folder("album/new");
    make_folder("album/new/deep");
    add_photo("album/new/deep/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    gate_wait(&seen.heard, 1);
    add_photo("album/new/deep/b.jpg", (photo){.width = 32, .height = 8, .shade = 2});
    for (int heard = 2; atomic_load(&seen.inserted) < 2; heard++)
        gate_wait(&seen.heard, heard);
    CHECK_EQUAL(count_of(library, NULL), 2);
    sdimage_photos_library_unref(library);
}

static void oneThreadWatchesAndEndsWithTheLibrary(void) {
    use_folders();
    size_t threads = thread_count(), descriptors = descriptor_count();
    sdimage_photos_library *library = open_album(true);
    CHECK_EQUAL(count_of(library, NULL), 0);
    CHECK_EQUAL(thread_count(), threads + 1);
    sdimage_photos_library_unref(library);
    CHECK(becomes_true(has_no_more_threads, &threads));
    CHECK_EQUAL(descriptor_count(), descriptors);
}

/* Events of several scans; the first callback waits for the gate. */
typedef struct ordered_events {
    sdimage_photos_library *library;
    gate entered, may_return, finished;
    pthread_t threads[2];
    atomic_int removed;
} ordered_events;

static void insert_slowly(void *user_data, sdimage_photos_asset *asset) {
    ordered_events *events = user_data;
    (void)asset;
    events->threads[0] = pthread_self();
    gate_open(&events->entered);
    gate_wait(&events->may_return, 1);
    CHECK_EQUAL(sdimage_photos_library_scan(events->library, NULL, NULL, NULL, NULL), 0);
    CHECK_EQUAL(atomic_load(&events->removed), 0);
}

static void note_removal(void *user_data, sdimage_photos_asset *asset) {
    ordered_events *events = user_data;
    (void)asset;
    events->threads[1] = pthread_self();
    atomic_fetch_add(&events->removed, 1);
    gate_open(&events->finished);
}

static void eventsOfAllScansComeInOrderOnOneThread(void) {
    static const sdimage_photos_library_handler handler = {
        .size = sizeof handler, .inserted = insert_slowly, .removed = note_removal};
    use_folders();
    ordered_events events = {
        .library = open_album(true), .entered = GATE_CLOSED, .may_return = GATE_CLOSED, .finished = GATE_CLOSED};
    CHECK_EQUAL(count_of(events.library, NULL), 0);
    CHECK_EQUAL(sdimage_photos_library_set_handler(events.library, &handler, &events, NULL, NULL), 0);
    add_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    gate_wait(&events.entered, 1);
    remove_file("album/a.jpg");
    CHECK_EQUAL(sdimage_photos_library_scan(events.library, NULL, NULL, NULL, NULL), 0);
    CHECK_EQUAL(atomic_load(&events.removed), 0);
    gate_open(&events.may_return);
    gate_wait(&events.finished, 1);
    CHECK(pthread_equal(events.threads[0], events.threads[1]));
    CHECK(!pthread_equal(events.threads[0], pthread_self()));
    sdimage_photos_library_unref(events.library);
    CHECK_EQUAL(atomic_load(&events.removed), 1);
}

static void aLibraryThatDoesNotWatchCallsNoHandler(void) {
    use_folders();
    sdimage_photos_library *library = open_album(false);
    seen_changes seen = {.heard = GATE_CLOSED};
    CHECK_EQUAL(count_of(library, NULL), 0);
    CHECK_EQUAL(sdimage_photos_library_set_handler(library, &observer, &seen, NULL, NULL), 0);
    add_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    CHECK_EQUAL(count_of(library, NULL), 1);
    CHECK_EQUAL(atomic_load(&seen.inserted), 0);
    sdimage_photos_library_unref(library);
}

/* The user data of a handler that has the only reference to its library. */
typedef struct owner {
    sdimage_photos_library *library;
    gate destroyed;
    bool is_released_early;
} owner;

static void release_library(void *user_data, sdimage_photos_asset *asset) {
    owner *owner = user_data;
    (void)asset;
    if (owner->is_released_early)
        sdimage_photos_library_unref(owner->library);
    else
        /* The batch of events has the last reference to the handler. */
        CHECK_EQUAL(sdimage_photos_library_set_handler(owner->library, NULL, NULL, NULL, NULL), 0);
}

static void destroy_owner(void *user_data) {
    owner *owner = user_data;
    if (!owner->is_released_early)
        sdimage_photos_library_unref(owner->library);
    gate_open(&owner->destroyed);
}

static void aHandlerMayReleaseTheLibrary(void) {
    static const sdimage_photos_library_handler handler = {.size = sizeof handler, .inserted = release_library};
    use_folders();
    size_t threads = thread_count(), descriptors = descriptor_count();
    for (int early = 0; early < 2; early++) {
        owner owner = {.library = open_album(true), .destroyed = GATE_CLOSED, .is_released_early = early};
        CHECK_EQUAL(count_of(owner.library, NULL), (size_t)early);
        CHECK_EQUAL(sdimage_photos_library_set_handler(owner.library, &handler, &owner, destroy_owner, NULL), 0);
        add_photo(early ? "album/b.jpg" : "album/a.jpg", (photo){.width = 32, .height = 8, .shade = (uint8_t)early});
        gate_wait(&owner.destroyed, 1);
        CHECK(becomes_true(has_no_more_threads, &threads));
        CHECK_EQUAL(descriptor_count(), descriptors);
    }
}

/* Sets a limit in a user namespace, if the kernel permits one. */
static void whereTheKernelAllowsNoWatchesEachFetchLooks(void) {
    use_folders();
    make_folder("album/sub");
    int limit = unshare(CLONE_NEWUSER) == 0 ? open("/proc/sys/user/max_inotify_watches", O_WRONLY) : -1;
    if (limit < 0 || write(limit, "1", 1) != 1) {
        printf("skip whereTheKernelAllowsNoWatchesEachFetchLooks: no user namespace to be had\n");
        exit(0);
    }
    sdimage_photos_library *library = open_album(true);
    CHECK_EQUAL(count_of(library, NULL), 0);
    CHECK(!sdimage_photos_library_is_watching(library));
    CHECK(strstr(sdimage_photos_library_note(library), "max_user_watches") != NULL);
    write_photo("album/sub/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    CHECK_EQUAL(count_of(library, NULL), 1);
    sdimage_photos_library_unref(library);
}

/* --- Fetch options. */

static void fetchesFilterSortAndPage(void) {
    use_folders();
    make_folder("album/2023");
    make_folder("album/2023/summer");
    make_folder("album/20230");
    write_photo("album/c.jpg", (photo){.width = 8, .height = 8, .date = "2024:01:01 00:00:00"});
    write_photo("album/2023/b.jpg", (photo){.width = 8, .height = 8, .shade = 1, .date = "2023:01:01 00:00:00"});
    write_photo("album/2023/summer/a.jpg",
                (photo){.width = 80, .height = 80, .shade = 2, .date = "2023:07:01 00:00:00"});
    write_photo("album/20230/d.jpg", (photo){.width = 8, .height = 8, .shade = 3, .date = "2022:01:01 00:00:00"});
    write_video("album/e.mp4");
    sdimage_photos_library *library = open_album(false);
    sdimage_photos_fetch_options *options = sdimage_photos_fetch_options_new();
    sdimage_photos_fetch_options_set_media(options, SDIMAGE_PHOTOS_MEDIA_IMAGE);
    static const struct {
        sdimage_photos_order order;
        bool descending;
        const char *names;
    } orders[] = {{SDIMAGE_PHOTOS_ORDER_DATE, true, "cabd"},
                  {SDIMAGE_PHOTOS_ORDER_DATE, false, "dbac"},
                  {SDIMAGE_PHOTOS_ORDER_NAME, false, "abcd"},
                  {SDIMAGE_PHOTOS_ORDER_NAME, true, "dcba"}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        sdimage_photos_fetch_options_set_order(options, orders[i].order, orders[i].descending);
        sdimage_photos_list *list = fetch(library, options);
        for (size_t at = 0; at < 4; at++)
            CHECK_EQUAL(*sdimage_photos_asset_name(sdimage_photos_list_asset(list, at)), orders[i].names[at]);
        CHECK(sdimage_photos_list_asset(list, 4) == NULL);
        sdimage_photos_list_unref(list);
    }
    sdimage_photos_fetch_options_set_order(options, SDIMAGE_PHOTOS_ORDER_SIZE, true);
    sdimage_photos_list *list = fetch(library, options);
    CHECK_EQUAL(*sdimage_photos_asset_name(sdimage_photos_list_asset(list, 0)), 'a');
    sdimage_photos_list_unref(list);
    sdimage_photos_fetch_options_set_order(options, SDIMAGE_PHOTOS_ORDER_NAME, false);
    sdimage_photos_fetch_options_set_page(options, 1, 2);
    list = fetch(library, options);
    CHECK_EQUAL(sdimage_photos_list_count(list), 2);
    CHECK_EQUAL(sdimage_photos_list_total(list), 4);
    CHECK_EQUAL(*sdimage_photos_asset_name(sdimage_photos_list_asset(list, 0)), 'b');
    sdimage_photos_list_unref(list);
    sdimage_photos_fetch_options_set_page(options, 9, 2);
    CHECK_EQUAL(count_of(library, options), 0);
    sdimage_photos_fetch_options_set_page(options, 0, 0);
    sdimage_photos_fetch_options_set_album(options, "2023", false);
    CHECK_EQUAL(count_of(library, options), 1);
    sdimage_photos_fetch_options_set_album(options, "2023", true);
    CHECK_EQUAL(count_of(library, options), 2);
    sdimage_photos_fetch_options_set_album(options, "", true);
    CHECK_EQUAL(count_of(library, options), 4);
    sdimage_photos_fetch_options_set_album(options, NULL, false);
    sdimage_photos_fetch_options_set_taken(options, 1672531200LL * 1000000000, 1704067200LL * 1000000000);
    CHECK_EQUAL(count_of(library, options), 2);
    sdimage_photos_fetch_options_set_taken(options, 0, 0);
    sdimage_photos_fetch_options_set_rating(options, 1);
    CHECK_EQUAL(count_of(library, options), 0);
    sdimage_photos_fetch_options_unref(options);
    sdimage_photos_library_unref(library);
}

static bool is_wide(void *user_data, const sdimage_photos_asset *asset) {
    (void)user_data;
    return sdimage_photos_asset_pixel_size(asset).width > 20;
}

static void aFilterOfTheHostIsAsked(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 8, .height = 8});
    write_photo("album/b.jpg", (photo){.width = 80, .height = 8});
    sdimage_photos_library *library = open_album(false);
    sdimage_photos_fetch_options *options = sdimage_photos_fetch_options_new();
    atomic_int destroyed = 0;
    sdimage_photos_filter_vtable filter = {.size = sizeof filter, .should_include = is_wide};
    CHECK_EQUAL(sdimage_photos_fetch_options_set_filter(options, &filter, &destroyed, count_destroy, NULL), 0);
    CHECK_EQUAL(count_of(library, options), 1);
    sdimage_photos_fetch_options_unref(options);
    CHECK_EQUAL(atomic_load(&destroyed), 1);
    sdimage_photos_library_unref(library);
}

/* --- Contents of a tree. */

static void hiddenFilesLinksAndStrangeNames(void) {
    use_folders();
    make_folder("album/.hidden");
    make_folder("outside");
    write_photo("album/.hidden/a.jpg", (photo){.width = 8, .height = 8});
    write_photo("album/.b.jpg", (photo){.width = 8, .height = 8});
    write_photo("outside/c.jpg", (photo){.width = 8, .height = 8});
    write_photo("album/\xff\xfe name\n.jpg", (photo){.width = 8, .height = 8});
    write_bytes("album/empty.jpg", "", 0);
    CHECK_EQUAL(symlink("..", path_of("album/loop")), 0);
    CHECK_EQUAL(symlink("../outside", path_of("album/out")), 0);
    CHECK_EQUAL(symlink("nowhere", path_of("album/dangling.jpg")), 0);
    CHECK_EQUAL(symlink("../outside/c.jpg", path_of("album/linked.jpg")), 0);
    CHECK_EQUAL(mkfifo(path_of("album/fifo.jpg"), 0600), 0);
    sdimage_photos_library *library = open_album(false);
    sdimage_photos_list *list = fetch(library, NULL);
    CHECK_EQUAL(sdimage_photos_list_count(list), 2);
    sdimage_photos_list_unref(list);
    sdimage_manager *manager = new_photo_manager(library, true);
    CHECK_EQUAL(load_identifier(manager, identifier_of(library, "\xff\xfe name\n.jpg"), NULL).status, 0);
    CHECK_EQUAL(load_identifier(manager, identifier_of(library, "linked.jpg"), NULL).status, 0);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static void foldersThatCannotBeReadKeepWhatWasKnown(void) {
    use_folders();
    make_folder("album/sub");
    make_folder("album/sub/deep");
    make_folder("album/sub2");
    write_photo("album/sub/a.jpg", (photo){.width = 8, .height = 8});
    write_photo("album/b.jpg", (photo){.width = 8, .height = 8, .shade = 2});
    write_photo("album/sub/deep/c.jpg", (photo){.width = 8, .height = 8, .shade = 3});
    write_photo("album/sub2/d.jpg", (photo){.width = 8, .height = 8, .shade = 4});
    stop_being_root();
    sdimage_photos_library *library = open_album(false);
    const char *a = identifier_of(library, "a.jpg");
    CHECK_EQUAL(chmod(path_of("album/sub"), 0), 0);
    CHECK_EQUAL(count_of(library, NULL), 4);
    /* The name of its folder begins with that of the other. */
    remove_file("album/sub2/d.jpg");
    CHECK_EQUAL(sdimage_photos_library_scan(library, NULL, NULL, NULL, NULL), 0);
    CHECK_EQUAL(count_of(library, NULL), 3);
    sdimage_manager *manager = new_photo_manager(library, true);
    CHECK_EQUAL(load_identifier(manager, a, NULL).status, SDIMAGE_STATUS_PERMISSION_DENIED);
    CHECK_EQUAL(chmod(path_of("album/sub"), 0755), 0);
    CHECK_EQUAL(load_identifier(manager, a, NULL).status, 0);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

enum { CHANGING = 2000, LONGEST_SECONDS = 300 };

/* Renames of files without a pause. */
typedef struct changes {
    atomic_bool ends;
    atomic_int rounds; /* through all folders */
    bool is_late;      /* nothing has ended them in LONGEST_SECONDS */
} changes;

/* Renames files back and forth, in one folder after the other, until it is told to end. */
static void *rename_on(void *argument) {
    changes *changes = argument;
    char from[600], to[600];
    time_t began = time(NULL);
    for (int i = 0; !atomic_load(&changes->ends) && !changes->is_late; i = (i + 1) % CHANGING) {
        snprintf(from, sizeof from, "%s/album/%d/a", temporary_folder(), i);
        snprintf(to, sizeof to, "%s/album/%d/b", temporary_folder(), i);
        rename(from, to);
        rename(to, from);
        atomic_fetch_add(&changes->rounds, i == CHANGING - 1);
        changes->is_late = time(NULL) - began > LONGEST_SECONDS;
    }
    return NULL;
}

static void changesWithoutAPauseDoNotHoldALibrary(void) {
    char name[64];
    changes changes = {.is_late = false};
    pthread_t thread;
    use_folders();
    for (int i = 0; i < CHANGING; i++) {
        snprintf(name, sizeof name, "album/%d", i);
        make_folder(name);
        snprintf(name, sizeof name, "album/%d/a", i);
        write_bytes(name, "a", 1);
    }
    sdimage_photos_library *library = open_album(true);
    CHECK_EQUAL(count_of(library, NULL), 0);
    CHECK_EQUAL(pthread_create(&thread, NULL, rename_on, &changes), 0);
    while (atomic_load(&changes.rounds) < 4)
        sched_yield();
    /* Returns while the renames go on. */
    sdimage_photos_library_unref(library);
    atomic_store(&changes.ends, true);
    pthread_join(thread, NULL);
    CHECK(!changes.is_late);
}

static void vanishedAndMovedFilesAreNoticedByTheLoad(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 8, .height = 8});
    write_photo("album/b.jpg", (photo){.width = 16, .height = 8, .shade = 2});
    sdimage_photos_library *library = open_album(false);
    sdimage_manager *manager = new_photo_manager(library, true);
    const char *a = identifier_of(library, "a.jpg"), *b = identifier_of(library, "b.jpg");
    remove_file("album/a.jpg");
    move_file("album/b.jpg", "album/c.jpg");
    CHECK_EQUAL(load_identifier(manager, b, NULL).last.width, 16);
    CHECK_EQUAL(load_identifier(manager, a, NULL).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    sdimage_photos_asset *asset = NULL;
    CHECK_EQUAL(sdimage_photos_library_find(library, a, NULL, &asset, NULL), SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    CHECK_EQUAL(sdimage_photos_library_find(library, b, NULL, &asset, NULL), 0);
    CHECK(!strcmp(sdimage_photos_asset_name(asset), "c.jpg"));
    sdimage_photos_asset_unref(asset);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static void aFileThatGrowsIsLookedAtAgain(void) {
    use_folders();
    write_photo("whole.jpg", (photo){.width = 64, .height = 64});
    static char bytes[1 << 16];
    FILE *whole = fopen(path_of("whole.jpg"), "rb");
    size_t length = fread(bytes, 1, sizeof bytes, whole);
    fclose(whole);
    write_bytes("album/a.jpg", bytes, 30);
    sdimage_photos_library *library = open_album(false);
    const char *a = identifier_of(library, "a.jpg");
    sdimage_manager *manager = new_photo_manager(library, true);
    CHECK_EQUAL(load_identifier(manager, a, NULL).status, SDIMAGE_STATUS_TRUNCATED);
    write_bytes("album/a.jpg", bytes, length);
    CHECK(is_named(library, "a.jpg", a));
    CHECK_EQUAL(load_identifier(manager, a, NULL).last.width, 64);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

/* --- Scans. */

static bool stop_at_once(void *user_data, uint64_t found, uint64_t read) {
    (void)found, (void)read;
    atomic_fetch_add((atomic_int *)user_data, 1);
    return false;
}

static bool ask_again(void *user_data, uint64_t found, uint64_t read) {
    sdimage_photos_library *library = user_data;
    (void)found, (void)read;
    CHECK_EQUAL(sdimage_photos_library_scan(library, NULL, NULL, NULL, NULL), SDIMAGE_STATUS_WOULD_DEADLOCK);
    return true;
}

static void scansTellHowFarTheyAreAndCanBeStopped(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 8, .height = 8});
    sdimage_photos_library *library = open_album(false);
    atomic_int told = 0;
    sdimage_photos_scan_handler stopping = {.size = sizeof stopping, .progress = stop_at_once};
    sdimage_photos_scan_handler asking = {.size = sizeof asking, .progress = ask_again};
    CHECK_EQUAL(sdimage_photos_library_scan(library, &stopping, &told, count_destroy, NULL), SDIMAGE_STATUS_CANCELLED);
    CHECK_EQUAL(atomic_load(&told), 2); /* one call and one destroy */
    CHECK_EQUAL(sdimage_photos_library_scan(library, &asking, library, NULL, NULL), 0);
    CHECK_EQUAL(count_of(library, NULL), 1);
    sdimage_photos_library_unref(library);
}

static bool stop_after_one(void *user_data, uint64_t found, uint64_t read) {
    (void)user_data, (void)found;
    return read == 0;
}

/* Reading one file may take seconds. */
static void aScanStopsBetweenTwoFilesThatItReads(void) {
    static const char *const names[] = {"album/a.jpg", "album/b.jpg", "album/c.jpg"};
    use_folders();
    for (uint8_t i = 0; i < 3; i++)
        write_photo(names[i], (photo){.width = 8, .height = 8, .shade = i});
    sdimage_photos_library *library = open_album(false);
    sdimage_photos_scan_handler stopping = {.size = sizeof stopping, .progress = stop_after_one};
    CHECK_EQUAL(sdimage_photos_library_scan(library, &stopping, NULL, NULL, NULL), SDIMAGE_STATUS_CANCELLED);
    CHECK_EQUAL(((sdphoto_tree *)library)->count, 1);
    CHECK_EQUAL(count_of(library, NULL), 3);
    sdimage_photos_library_unref(library);
}

static bool fetch_meanwhile(void *user_data, uint64_t found, uint64_t read) {
    sdimage_photos_list *list = NULL;
    (void)found, (void)read;
    sdimage_status status = sdimage_photos_library_fetch(user_data, NULL, &list, NULL);
    CHECK(status == 0 || status == SDIMAGE_STATUS_WOULD_DEADLOCK);
    sdimage_photos_list_unref(list);
    return true;
}

/* The library's thread may have scanned already, or may wait for this scan. */
static void aHandlerOfAScanDoesNotWaitForTheFirst(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 8, .height = 8});
    for (int i = 0; i < 20; i++) {
        sdimage_photos_library *library = open_album(true);
        sdimage_photos_scan_handler handler = {.size = sizeof handler, .progress = fetch_meanwhile};
        CHECK_EQUAL(sdimage_photos_library_scan(library, &handler, library, NULL, NULL), 0);
        sdimage_photos_library_unref(library);
    }
}

static void nothingIsWrittenIntoTheLibrary(void) {
    use_folders();
    make_folder("album/sub");
    write_photo("album/sub/a.jpg", (photo){.width = 8, .height = 8});
    stop_being_root();
    CHECK_EQUAL(chmod(path_of("album"), 0555), 0);
    CHECK_EQUAL(chmod(path_of("album/sub"), 0555), 0);
    sdimage_photos_library *library = open_album(true);
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_photos_asset *asset = asset_named(library, "a.jpg");
    CHECK_EQUAL(load_identifier(manager, sdimage_photos_asset_identifier(asset), NULL).status, 0);
    CHECK_EQUAL(sdimage_photos_asset_write_thumbnail(asset, 128, NULL), 0);
    sdimage_photos_asset_unref(asset);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
    sdimage_photos_library_config *config = sdimage_photos_library_config_new();
    sdimage_photos_library_config_set_index_folder(config, path_of("album/index"));
    CHECK_EQUAL(sdimage_photos_library_open(path_of("album"), config, &library, NULL), SDIMAGE_STATUS_CACHE_UNUSABLE);
    CHECK_EQUAL(chmod(path_of("album"), 0755), 0);
    CHECK_EQUAL(symlink(path_of("album"), path_of("link")), 0);
    for (int i = 0; i < 3; i++) {
        static const char *const folders[] = {"album", "link/a/b", "album/../link"};
        sdimage_photos_library_config_set_index_folder(config, path_of(folders[i]));
        CHECK_EQUAL(sdimage_photos_library_open(path_of("album"), config, &library, NULL),
                    SDIMAGE_STATUS_CACHE_UNUSABLE);
    }
    CHECK_EQUAL(chdir(path_of("album")), 0);
    sdimage_photos_library_config_set_index_folder(config, "index");
    CHECK_EQUAL(sdimage_photos_library_open(path_of("album"), config, &library, NULL), SDIMAGE_STATUS_CACHE_UNUSABLE);
    CHECK_EQUAL(chdir("/"), 0);
    CHECK(!exists("album/v1") && !exists("album/a") && !exists("album/index"));
    sdimage_photos_library_config_unref(config);
    CHECK_EQUAL(chmod(path_of("album"), 0755), 0);
    CHECK_EQUAL(chmod(path_of("album/sub"), 0755), 0);
}

static void thePicturesFolderIsThatOfTheUser(void) {
    use_folders();
    make_folder("album/photos");
    make_folder("config");
    write_photo("album/photos/a.jpg", (photo){.width = 8, .height = 8});
    static const char line[] = "# a comment\nXDG_MUSIC_DIR=\"$HOME/Music\"\nXDG_PICTURES_DIR=\"$HOME/photos\"\n";
    write_bytes("config/user-dirs.dirs", line, sizeof line - 1);
    setenv("HOME", path_of("album"), 1);
    setenv("XDG_CONFIG_HOME", path_of("config"), 1);
    sdimage_photos_library *library = NULL;
    CHECK_EQUAL(sdimage_photos_library_open(NULL, NULL, &library, NULL), 0);
    CHECK_EQUAL(count_of(library, NULL), 1);
    sdimage_photos_library_unref(library);
    unsetenv("XDG_CONFIG_HOME");
    CHECK_EQUAL(sdimage_photos_library_open(NULL, NULL, &library, NULL), SDIMAGE_STATUS_NOT_FOUND);
}

static void aForkGetsAnError(void) {
    use_folders();
    sdimage_photos_library *library = open_album(false);
    CHECK_EQUAL(count_of(library, NULL), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        sdimage_status scanned = sdimage_photos_library_scan(library, NULL, NULL, NULL, NULL);
        sdimage_photos_library_unref(library);
        _exit(scanned == SDIMAGE_STATUS_FORKED ? 0 : 1);
    }
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    sdimage_photos_library_unref(library);
}

/* Refused calls of a forked process; none waits for a lock. */
static bool refuses_all(sdimage_photos_library *library) {
    sdimage_photos_list *list = NULL;
    sdimage_photos_asset *asset = NULL;
    atomic_int destroyed = 0;
    sdimage_photos_library_cancel_loads(library);
    return sdimage_photos_library_scan(library, NULL, NULL, NULL, NULL) == SDIMAGE_STATUS_FORKED &&
           sdimage_photos_library_fetch(library, NULL, &list, NULL) == SDIMAGE_STATUS_FORKED &&
           sdimage_photos_library_find(library, "a", NULL, &asset, NULL) == SDIMAGE_STATUS_FORKED &&
           sdimage_photos_library_set_handler(library, NULL, &destroyed, count_destroy, NULL) ==
               SDIMAGE_STATUS_FORKED &&
           atomic_load(&destroyed) == 1 && !sdimage_photos_library_is_watching(library) &&
           !*sdimage_photos_library_note(library);
}

/* As if the fork had come while the library's thread changed the table. */
static void aForkReleasesALibraryInUse(void) {
    use_folders();
    sdimage_photos_library *library = open_album(true);
    fflush(stdout);
    pthread_mutex_lock(&library->lock);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        bool is_refused = refuses_all(library);
        sdimage_manager *manager = new_photo_manager(library, true);
        is_refused = is_refused && load_identifier(manager, "a", NULL).status == SDIMAGE_STATUS_FORKED;
        sdimage_manager_unref(manager);
        sdimage_photos_library_unref(library);
        _exit(is_refused ? 0 : 1);
    }
    pthread_mutex_unlock(&library->lock);
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    sdimage_photos_library_unref(library);
}

static void wrongObjectsAreRefused(void) {
    use_folders();
    sdimage_photos_library *library = open_album(false), *other = NULL;
    sdimage_photos_list *list = NULL;
    sdimage_photos_fetch_options *options = sdimage_photos_fetch_options_new();
    CHECK_EQUAL(sdimage_photos_library_fetch(NULL, NULL, &list, NULL), SDIMAGE_STATUS_INVALID_ARGUMENT);
    CHECK_EQUAL(sdimage_photos_library_fetch((sdimage_photos_library *)(void *)options, NULL, &list, NULL),
                SDIMAGE_STATUS_BAD_HANDLE);
    CHECK_EQUAL(sdimage_photos_library_fetch(library, NULL, NULL, NULL), SDIMAGE_STATUS_INVALID_ARGUMENT);
    CHECK_EQUAL(sdimage_photos_library_open(NULL, NULL, NULL, NULL), SDIMAGE_STATUS_INVALID_ARGUMENT);
    CHECK_EQUAL(sdimage_photos_library_open(path_of("album"), (void *)options, &other, NULL),
                SDIMAGE_STATUS_BAD_HANDLE);
    CHECK(!strcmp(sdimage_photos_asset_identifier(NULL), ""));
    CHECK(!strcmp(sdimage_photos_asset_path((void *)options), ""));
    CHECK_EQUAL(sdimage_photos_list_count((void *)options), 0);
    sdimage_photos_asset_unref(NULL);
    sdimage_photos_library_unref(NULL);
    CHECK(!sdimage_photos_loader_config_add_library(NULL, library));
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_photos_loader_new(NULL, &loader, NULL), SDIMAGE_STATUS_INVALID_ARGUMENT);
    sdimage_photos_fetch_options_unref(options);
    sdimage_photos_library_unref(library);
}

int main(void) {
    static const test tests[] = {
        TEST(identifiersStayWhenFilesMoveBetweenTwoPrograms),
        TEST(aFileThatComesBackHasItsOldIdentifier),
        TEST(anEditedFileKeepsItsIdentifier),
        TEST(hardLinksAreTwoPhotos),
        TEST(librariesOfOneTreeAgree),
        TEST(aDamagedIndexIsReplaced),
        TEST(truncatedFilesOfAnOpenIndexNeverEndTheProcess),
        TEST(anIndexThatIsLockedIsKept),
        TEST(anIndexThatIsLockedDoesNotEndTheWatching),
        TEST(rowsThatCouldNotBeWrittenAreWrittenLater),
        TEST(anIndexOfAnEarlierVersionIsReadOn),
        TEST(anIndexWithoutAnEndIsReplaced),
        TEST(theJournalOfAnIndexNamesNoOtherFile),
        TEST(anIndexBehindALinkIsLeftAlone),
        TEST(filesThatAreGoneAreForgotten),
        TEST(anIndexWithOtherTablesIsReplaced),
        TEST(rowsOfAnIndexNameNothingOutsideTheLibrary),
        TEST(filesOfAnyYearHaveADate),
        TEST(changesAreToldWhileTheLibraryWatches),
        TEST(aPhotoThatWasMovedAndChangedAtOnceKeepsItsIdentifier),
        TEST(aPhotoThatReplacedAnotherKeepsItsIdentifier),
        TEST(aPhotoWithABackupKeepsItsIdentifier),
        TEST(newFoldersAreWatchedToo),
        TEST(oneThreadWatchesAndEndsWithTheLibrary),
        TEST(eventsOfAllScansComeInOrderOnOneThread),
        TEST(aLibraryThatDoesNotWatchCallsNoHandler),
        TEST(aHandlerMayReleaseTheLibrary),
        TEST(whereTheKernelAllowsNoWatchesEachFetchLooks),
        TEST(fetchesFilterSortAndPage),
        TEST(aFilterOfTheHostIsAsked),
        TEST(hiddenFilesLinksAndStrangeNames),
        TEST(foldersThatCannotBeReadKeepWhatWasKnown),
        TEST(changesWithoutAPauseDoNotHoldALibrary),
        TEST(vanishedAndMovedFilesAreNoticedByTheLoad),
        TEST(aFileThatGrowsIsLookedAtAgain),
        TEST(scansTellHowFarTheyAreAndCanBeStopped),
        TEST(aScanStopsBetweenTwoFilesThatItReads),
        TEST(aHandlerOfAScanDoesNotWaitForTheFirst),
        TEST(nothingIsWrittenIntoTheLibrary),
        TEST(thePicturesFolderIsThatOfTheUser),
        TEST(aForkGetsAnError),
        TEST(aForkReleasesALibraryInUse),
        TEST(wrongObjectsAreRefused),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
