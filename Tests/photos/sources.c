/* sources.c: photo libraries of other programs and of hosts. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "album.h"
#include "database.h"
#include "mounts.h"

static void run_sql(const char *name, const char *sql) {
    sqlite3 *database = NULL;
    char *message = NULL;
    CHECK_EQUAL(sqlite3_open(path_of(name), &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_test(__FILE__, __LINE__, "%s", message);
    sqlite3_close(database);
}

static size_t files_in(const char *name) {
    size_t count = 0;
    DIR *folder = opendir(path_of(name));
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static bool has_album(const sdimage_photos_asset *asset, const char *album) {
    for (size_t i = 0; i < sdimage_photos_asset_album_count(asset); i++)
        if (!strcmp(sdimage_photos_asset_album(asset, i), album))
            return true;
    return false;
}

/* --- Shotwell. */

static const char shotwell_tables[] =
    "CREATE TABLE VersionTable (id INTEGER PRIMARY KEY, schema_version INTEGER, app_version TEXT, user_data TEXT);"
    "CREATE TABLE PhotoTable (id INTEGER PRIMARY KEY, filename TEXT UNIQUE NOT NULL, width INTEGER, height INTEGER, "
    "filesize"
    " INTEGER, timestamp INTEGER, exposure_time INTEGER, orientation INTEGER, original_orientation INTEGER, import_id"
    " INTEGER, event_id INTEGER, md5 TEXT, flags INTEGER DEFAULT 0, rating INTEGER DEFAULT 0, title TEXT);"
    "CREATE TABLE VideoTable (id INTEGER PRIMARY KEY, filename TEXT UNIQUE NOT NULL, width INTEGER, height INTEGER,"
    " clip_duration REAL, exposure_time INTEGER, event_id INTEGER, rating INTEGER DEFAULT 0, flags INTEGER DEFAULT 0);"
    "CREATE TABLE EventTable (id INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE TagTable (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, photo_id_list TEXT);"
    "INSERT INTO VersionTable VALUES (1, 20, '0.30', NULL);";

static void make_shotwell(void) {
    char sql[4000];
    use_folders();
    make_folder("data");
    write_photo("album/a.jpg", (photo){.width = 40, .height = 20, .orientation = 6});
    write_photo("album/b.jpg", (photo){.width = 8, .height = 8});
    write_photo("album/trash.jpg", (photo){.width = 8, .height = 8});
    write_video("album/clip.mp4");
    run_sql("data/photo.db", shotwell_tables);
    snprintf(
        sql, sizeof sql,
        "INSERT INTO EventTable VALUES (1, 'A walk');"
        "INSERT INTO PhotoTable (id, filename, width, height, exposure_time, orientation, event_id, flags, rating) "
        "VALUES"
        " (10, '%s', 40, 20, 1700000000, 6, 1, 0, 5), (11, '%s', 8, 8, 1600000000, 1, -1, 16, -1),"
        " (12, '%s', 8, 8, 0, 1, -1, 4, 0), (13, '/nowhere/gone.jpg', 8, 8, 0, 1, -1, 0, 0);"
        "INSERT INTO VideoTable (id, filename, width, height, exposure_time, event_id) VALUES (7, '%s', 640, 480, 0, "
        "1);"
        "INSERT INTO TagTable VALUES (1, '/trees/oak', 'thumb000000000000000a,video-0000000000000007,'),"
        " (2, 'broken', 'thumb,video-,,x,thumbzz,thumb0000000000000000000000000000000000000a,thumb000000000000000b');",
        path_of("album/a.jpg"), path_of("album/b.jpg"), path_of("album/trash.jpg"), path_of("album/clip.mp4"));
    run_sql("data/photo.db", sql);
}

static void theDatabaseOfShotwellIsALibrary(void) {
    make_shotwell();
    sdimage_photos_library *library = NULL;
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL), 0);
    sdimage_photos_list *list = fetch(library, NULL);
    CHECK_EQUAL(sdimage_photos_list_count(list), 3);
    sdimage_photos_list_unref(list);
    sdimage_photos_asset *a = asset_named(library, "a.jpg"), *b = asset_named(library, "b.jpg");
    sdimage_photos_asset *clip = asset_named(library, "clip.mp4");
    CHECK(!strcmp(sdimage_photos_asset_identifier(a), "shotwell/photo/10"));
    CHECK_EQUAL(sdimage_photos_asset_pixel_size(a).height, 40);
    CHECK_EQUAL(sdimage_photos_asset_taken_ns(a), 1700000000LL * 1000000000);
    CHECK_EQUAL(sdimage_photos_asset_rating(a), 5);
    CHECK(has_album(a, "A walk") && has_album(a, "trees/oak"));
    CHECK_EQUAL(sdimage_photos_asset_rating(b), -1);
    CHECK(has_album(b, "broken") && !has_album(b, "A walk"));
    CHECK_EQUAL(sdimage_photos_asset_media(clip), SDIMAGE_PHOTOS_MEDIA_VIDEO);
    CHECK(has_album(clip, "trees/oak"));
    sdimage_photos_fetch_options *options = sdimage_photos_fetch_options_new();
    sdimage_photos_fetch_options_set_album(options, "trees", true);
    list = fetch(library, options);
    CHECK_EQUAL(sdimage_photos_list_count(list), 2);
    sdimage_photos_list_unref(list);
    sdimage_manager *manager = new_photo_manager(library, true);
    CHECK_EQUAL(load_identifier(manager, "shotwell/photo/10", NULL).last.height, 40);
    CHECK_EQUAL(load_identifier(manager, "shotwell/photo/12", NULL).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    /* The next fetch sees changes by Shotwell. */
    run_sql("data/photo.db", "UPDATE PhotoTable SET flags = 0 WHERE id = 12");
    list = fetch(library, NULL);
    CHECK_EQUAL(sdimage_photos_list_count(list), 4);
    sdimage_photos_list_unref(list);
    sdimage_photos_fetch_options_unref(options);
    sdimage_photos_asset_unref(a);
    sdimage_photos_asset_unref(b);
    sdimage_photos_asset_unref(clip);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static void databasesAreOpenedForReadingAlone(void) {
    make_shotwell();
    /* With a write-ahead log, which SQLite would otherwise create again next to it. */
    run_sql("data/photo.db", "PRAGMA journal_mode = WAL");
    stop_being_root();
    CHECK_EQUAL(chmod(path_of("data/photo.db"), 0444), 0);
    sdimage_photos_library *library = NULL;
    for (int closed = 0; closed < 2; closed++) {
        CHECK_EQUAL(chmod(path_of("data"), closed ? 0555 : 0755), 0);
        CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL), 0);
        sdimage_photos_list_unref(fetch(library, NULL));
        sdimage_photos_library_unref(library);
        CHECK_EQUAL(files_in("data"), 1);
    }
    CHECK_EQUAL(chmod(path_of("data"), 0755), 0);
}

static void copy_file(const char *from, const char *to) {
    static char bytes[1 << 20];
    FILE *file = fopen(path_of(from), "rb");
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    CHECK(file && length && length < sizeof bytes && !fclose(file));
    write_bytes(to, bytes, length);
}

/* Changes in a log count if its program runs, has crashed, or was on another machine from which the files come. */
static void aLogIsReadAndStaysAsItIs(void) {
    make_shotwell();
    sqlite3 *writer = NULL;
    sdimage_photos_library *library = NULL;
    CHECK_EQUAL(sqlite3_open(path_of("data/photo.db"), &writer), SQLITE_OK);
    CHECK_EQUAL(sqlite3_exec(writer, "PRAGMA journal_mode = WAL; UPDATE PhotoTable SET rating = 3", NULL, NULL, NULL),
                SQLITE_OK);
    make_folder("crashed");
    make_folder("copied");
    copy_file("data/photo.db", "crashed/photo.db");
    copy_file("data/photo.db-wal", "crashed/photo.db-wal");
    copy_file("data/photo.db-shm", "crashed/photo.db-shm");
    copy_file("data/photo.db", "copied/photo.db");
    copy_file("data/photo.db-wal", "copied/photo.db-wal");
    static const char *const databases[] = {"data/photo.db", "crashed/photo.db", "copied/photo.db"};
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of(databases[i]), &library, NULL), 0);
        sdimage_photos_asset *asset = asset_named(library, "a.jpg");
        CHECK_EQUAL(sdimage_photos_asset_rating(asset), 3);
        sdimage_photos_asset_unref(asset);
        sdimage_photos_library_unref(library);
    }
    CHECK_EQUAL(files_in("data"), 3);
    CHECK_EQUAL(files_in("crashed"), 3);
    CHECK_EQUAL(files_in("copied"), 2);
    sqlite3_close(writer);
}

/* --- Another process that writes with a write-ahead log while the database is read. */

enum { MANY = 2000 };

/* Writes the same rating to all photos in one transaction, repeatedly. SQLite copies the log into the database at
 * its checkpoint size and restarts it. */
_Noreturn static void write_ratings(const char *path) {
    sqlite3 *writer = NULL;
    if (sqlite3_open(path, &writer) != SQLITE_OK ||
        sqlite3_exec(writer, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 50",
                     NULL, NULL, NULL))
        _exit(1);
    sqlite3_busy_timeout(writer, 60000);
    for (int rating = 1;; rating = rating % 5 + 1) {
        char sql[100];
        snprintf(sql, sizeof sql, "UPDATE PhotoTable SET rating = %d", rating);
        if (sqlite3_exec(writer, sql, NULL, NULL, NULL) != SQLITE_OK)
            _exit(1);
    }
}

static bool has_log_index(void *argument) {
    (void)argument;
    return exists("data/photo.db-shm");
}

static pid_t start_writer(void) {
    const char *path = path_of("data/photo.db");
    char sql[300];
    make_shotwell();
    snprintf(
        sql, sizeof sql,
        "DELETE FROM PhotoTable; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " INSERT INTO PhotoTable (id, filename, flags, rating) SELECT i, '%s', 0, 1 FROM n; DELETE FROM VideoTable",
        MANY, path_of("album/a.jpg"));
    /* Removes the constraint of unique names: one file is read once for each row. */
    run_sql("data/photo.db", "CREATE TABLE Other AS SELECT * FROM PhotoTable; DROP TABLE PhotoTable;"
                             "ALTER TABLE Other RENAME TO PhotoTable");
    run_sql("data/photo.db", sql);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        write_ratings(path);
    }
    /* The log's index exists after the first write. */
    CHECK(becomes_true(has_log_index, NULL));
    return child;
}

static void stop_writer(pid_t child) {
    int status = 0;
    kill(child, SIGKILL);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
}

/* All photos have the rating of one transaction during concurrent writes, and the writer never fails. */
static void aReadingIsOfOneMomentWhileAnotherProcessWrites(void) {
    pid_t child = start_writer();
    int seen = 0;
    /* More than one rating: the database was written between the reads. */
    for (int round = 0; round < 40 || (seen & (seen - 1)) == 0; round++) {
        sdimage_photos_library *library = NULL;
        sdimage_status status = sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL);
        if (status == SDIMAGE_STATUS_BUSY)
            continue;
        CHECK_EQUAL(status, 0);
        sdimage_photos_list *list = fetch(library, NULL);
        CHECK_EQUAL(sdimage_photos_list_count(list), MANY);
        int rating = sdimage_photos_asset_rating(sdimage_photos_list_asset(list, 0));
        for (size_t i = 0; i < MANY; i++)
            CHECK_EQUAL(sdimage_photos_asset_rating(sdimage_photos_list_asset(list, i)), rating);
        seen |= 1 << rating;
        sdimage_photos_list_unref(list);
        sdimage_photos_library_unref(library);
    }
    stop_writer(child);
}

/* --- Another process that writes with a rollback journal while the database is read. */

typedef struct asked_writer {
    int question, answer; /* ends of pipes */
    pid_t child;
} asked_writer;

static asked_writer asked;

/* Replies to each byte with the result of a write. */
_Noreturn static void write_when_asked(const char *path, int question, int answer) {
    for (char code; read(question, &code, 1) == 1;) {
        sqlite3 *writer = NULL;
        code = (char)(sqlite3_open(path, &writer) == SQLITE_OK
                          ? sqlite3_exec(writer, "UPDATE PhotoTable SET rating = 3", NULL, NULL, NULL)
                          : SQLITE_CANTOPEN);
        sqlite3_close(writer);
        if (write(answer, &code, 1) != 1)
            break;
    }
    _exit(0);
}

/* The child is forked while this process has no database open: its SQLite would count the locks of the parent as its
 * own. */
static void start_asked_writer(void) {
    const char *path = path_of("data/photo.db");
    int question[2], answer[2];
    CHECK(pipe(question) == 0 && pipe(answer) == 0);
    asked = (asked_writer){.question = question[1], .answer = answer[0], .child = fork()};
    if (asked.child == 0) {
        close(question[1]);
        close(answer[0]);
        write_when_asked(path, question[0], answer[1]);
    }
    close(question[0]);
    close(answer[1]);
}

static int result_of_writing(void) {
    char code = 0;
    CHECK(write(asked.question, &code, 1) == 1 && read(asked.answer, &code, 1) == 1);
    return code;
}

/* A reading during which another library of the same database is opened and closed, and a scan reads the file. */
static sdimage_status read_with_others(sdphoto_reading *reading, sqlite3 *connection, sdimage_error **error) {
    sdimage_photos_library *other = NULL, *tree = NULL;
    sdimage_photos_library_config *config = sdimage_photos_library_config_new();
    (void)reading, (void)connection, (void)error;
    CHECK_EQUAL(result_of_writing(), SQLITE_BUSY);
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &other, NULL), 0);
    sdimage_photos_library_unref(other);
    CHECK_EQUAL(result_of_writing(), SQLITE_BUSY);
    sdimage_photos_library_config_set_watch(config, false);
    CHECK_EQUAL(sdimage_photos_library_open(path_of("data"), config, &tree, NULL), 0);
    sdimage_photos_list_unref(fetch(tree, NULL));
    sdimage_photos_library_unref(tree);
    sdimage_photos_library_config_unref(config);
    CHECK_EQUAL(result_of_writing(), SQLITE_BUSY);
    return SDIMAGE_STATUS_OK;
}

static void aReadingKeepsItsLocksWhenOthersCloseTheFile(void) {
    sdimage_photos_library *library = NULL;
    int status = 0;
    make_shotwell();
    start_asked_writer();
    CHECK_EQUAL(
        sdphoto_database_open("test", sdphoto_real_path(path_of("data/photo.db")), read_with_others, &library, NULL),
        0);
    CHECK_EQUAL(result_of_writing(), SQLITE_OK);
    sdimage_photos_library_unref(library);
    close(asked.question);
    CHECK(waitpid(asked.child, &status, 0) == asked.child && status == 0);
}

/* Removes the locks of open files (F_OFD_SETLK) from the process. False if the kernel does not permit filters. */
static bool remove_open_file_locks(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void aSystemWithoutLocksOfOpenFilesReadsRollbackJournals(void) {
    make_shotwell();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        sdimage_photos_library *library = NULL;
        if (!remove_open_file_locks())
            _exit(0);
        int rollback = sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL);
        sdimage_photos_library_unref(library);
        library = NULL;
        run_sql("data/photo.db", "PRAGMA journal_mode = WAL");
        int log = sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL);
        _exit(rollback != 0 ? 1 : log != SDIMAGE_STATUS_IO_ERROR ? 2 : 0);
    }
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

static void databasesThatCannotBeReadSayWhy(void) {
    make_shotwell();
    sdimage_photos_library *library = NULL;
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/nothing.db"), &library, NULL),
                SDIMAGE_STATUS_NOT_FOUND);
    run_sql("data/photo.db", "UPDATE VersionTable SET schema_version = 999");
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL),
                SDIMAGE_STATUS_UNSUPPORTED);
    run_sql("data/photo.db", "DROP TABLE PhotoTable; UPDATE VersionTable SET schema_version = 20");
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL),
                SDIMAGE_STATUS_UNSUPPORTED);
    static char rubbish[8192];
    memset(rubbish, 'x', sizeof rubbish);
    write_bytes("data/rubbish.db", rubbish, sizeof rubbish);
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/rubbish.db"), &library, NULL),
                SDIMAGE_STATUS_CACHE_DAMAGED);
    CHECK_EQUAL(mkfifo(path_of("data/fifo.db"), 0600), 0);
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/fifo.db"), &library, NULL),
                SDIMAGE_STATUS_NOT_A_FILE);
    stop_being_root();
    CHECK_EQUAL(chmod(path_of("data/photo.db"), 0), 0);
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL),
                SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED);
}

/* A table whose rows are compared with all rows of another one: its statistics claim that there are few. */
static void queriesOfADatabaseEnd(void) {
    make_shotwell();
    sdimage_photos_library *library = NULL;
    run_sql(
        "data/photo.db",
        "DROP TABLE EventTable; CREATE TABLE EventTable (id INTEGER, name TEXT);"
        "CREATE TABLE Other AS SELECT * FROM PhotoTable; DROP TABLE PhotoTable; ALTER TABLE Other RENAME TO PhotoTable;"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO EventTable (id)"
        " SELECT i FROM n; INSERT INTO PhotoTable (id, event_id, flags) SELECT id, -id, 0 FROM EventTable; ANALYZE;"
        "UPDATE sqlite_stat1 SET stat = '1' WHERE tbl = 'EventTable'");
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL),
                SDIMAGE_STATUS_TOO_LARGE);
}

/* One function of long texts computes for hours, and views that contain the one before twice cost as much before the
 * query begins. */
static void expressionsOfADatabaseAreRefused(void) {
    static const char *const columns[] = {"flags AS (id + id)",
                                          "flags AS (instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || '1'))"};
    char sql[500];
    sdimage_photos_library *library = NULL;
    make_shotwell();
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        snprintf(sql, sizeof sql,
                 "DROP TABLE PhotoTable; CREATE TABLE PhotoTable (id, filename, width, height, orientation,"
                 " exposure_time, rating, event_id); INSERT INTO PhotoTable (id) VALUES (1);"
                 "ALTER TABLE PhotoTable ADD COLUMN %s",
                 columns[i]);
        run_sql("data/photo.db", sql);
        CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL),
                    SDIMAGE_STATUS_UNSUPPORTED);
    }
    run_sql("data/photo.db", "DROP TABLE PhotoTable; CREATE TABLE view0 (id, filename, width, height, orientation,"
                             " exposure_time, rating, event_id, flags)");
    for (int i = 1; i <= 24; i++) {
        snprintf(sql, sizeof sql, "CREATE VIEW view%d AS SELECT * FROM view%d UNION ALL SELECT * FROM view%d", i, i - 1,
                 i - 1);
        run_sql("data/photo.db", sql);
    }
    run_sql("data/photo.db", "CREATE VIEW PhotoTable AS SELECT * FROM view24");
    CHECK_EQUAL(sdimage_photos_library_open_shotwell(path_of("data/photo.db"), &library, NULL),
                SDIMAGE_STATUS_UNSUPPORTED);
}

/* --- digiKam. */

static const char digikam_tables[] =
    "CREATE TABLE Settings (keyword TEXT NOT NULL UNIQUE, value TEXT);"
    "CREATE TABLE AlbumRoots (id INTEGER PRIMARY KEY, label TEXT, status INTEGER NOT NULL, type INTEGER NOT NULL, "
    "identifier"
    " TEXT, specificPath TEXT, UNIQUE(identifier, specificPath));"
    "CREATE TABLE Albums (id INTEGER PRIMARY KEY, albumRoot INTEGER NOT NULL, relativePath TEXT NOT NULL, date DATE, "
    "caption"
    " TEXT, collection TEXT, icon INTEGER, UNIQUE(albumRoot, relativePath));"
    "CREATE TABLE Images (id INTEGER PRIMARY KEY, album INTEGER, name TEXT NOT NULL, status INTEGER NOT NULL, category "
    "INTEGER"
    " NOT NULL, modificationDate DATETIME, fileSize INTEGER, uniqueHash TEXT, UNIQUE (album, name));"
    "CREATE TABLE ImageInformation (imageid INTEGER PRIMARY KEY, rating INTEGER, creationDate DATETIME, "
    "digitizationDate"
    " DATETIME, orientation INTEGER, width INTEGER, height INTEGER, format TEXT, colorDepth INTEGER, colorModel "
    "INTEGER);"
    "CREATE TABLE Tags (id INTEGER PRIMARY KEY, pid INTEGER, name TEXT NOT NULL, icon INTEGER, iconkde TEXT, UNIQUE "
    "(name,"
    " pid));"
    "CREATE TABLE ImageTags (imageid INTEGER NOT NULL, tagid INTEGER NOT NULL, UNIQUE (imageid, tagid));"
    "INSERT INTO Settings VALUES ('DBVersion', '16');";

static void theDatabaseOfDigikamIsALibrary(void) {
    char sql[4000];
    use_folders();
    make_folder("data");
    make_folder("album/walks");
    write_photo("album/walks/a b.jpg", (photo){.width = 40, .height = 20, .orientation = 6});
    write_photo("album/b.jpg", (photo){.width = 8, .height = 8});
    write_video("album/clip.mp4");
    run_sql("data/digikam4.db", digikam_tables);
    snprintf(
        sql, sizeof sql,
        "INSERT INTO AlbumRoots VALUES (1, 'p', 0, 1, 'volumeid:?path=%s', '/album'), (2, 'q', 0, 1,"
        " 'volumeid:?uuid=nobody-has-this', '/'), (3, 'r', 0, 1, 'something', '/');"
        "INSERT INTO Albums (id, albumRoot, relativePath) VALUES (1, 1, '/'), (2, 1, '/walks'), (3, 2, '/');"
        "INSERT INTO Images (id, album, name, status, category) VALUES (1, 2, 'a b.jpg', 1, 1), (2, 1, 'b.jpg', 1, 1),"
        " (3, 1, 'clip.mp4', 1, 2), (4, 1, 'gone.jpg', 3, 1), (5, 3, 'c.jpg', 1, 1), (6, 1, '../b.jpg', 1, 1);"
        "INSERT INTO ImageInformation (imageid, rating, creationDate, orientation, width, height) VALUES"
        " (1, 4, '2024-05-01T12:00:00.123', 6, 40, 20), (2, -1, NULL, 1, 8, 8);"
        "INSERT INTO Tags (id, pid, name) VALUES (1, 0, 'Trees'), (2, 1, 'Oak'), (3, 0, '_Digikam_Internal_Tags_'),"
        " (4, 3, 'Scanned'), (5, 6, 'x'), (6, 5, 'y');"
        "INSERT INTO ImageTags VALUES (1, 2), (1, 4), (2, 1), (2, 5);",
        temporary_folder());
    run_sql("data/digikam4.db", sql);
    sdimage_photos_library *library = NULL;
    CHECK_EQUAL(sdimage_photos_library_open_digikam(path_of("data/digikam4.db"), &library, NULL), 0);
    sdimage_photos_list *list = fetch(library, NULL);
    CHECK_EQUAL(sdimage_photos_list_count(list), 3);
    sdimage_photos_list_unref(list);
    sdimage_photos_asset *a = asset_named(library, "a b.jpg"), *b = asset_named(library, "b.jpg");
    CHECK(!strcmp(sdimage_photos_asset_identifier(a), "digikam/1"));
    CHECK_EQUAL(sdimage_photos_asset_rating(a), 4);
    CHECK_EQUAL(sdimage_photos_asset_taken_ns(a), 1714564800LL * 1000000000);
    CHECK_EQUAL(sdimage_photos_asset_pixel_size(a).height, 40);
    CHECK(has_album(a, "walks") && has_album(a, "Trees/Oak"));
    CHECK_EQUAL(sdimage_photos_asset_album_count(a), 2);
    CHECK_EQUAL(sdimage_photos_asset_rating(b), 0);
    CHECK_EQUAL(sdimage_photos_asset_taken_ns(b), sdimage_photos_asset_modified_ns(b));
    sdimage_manager *manager = new_photo_manager(library, true);
    CHECK_EQUAL(load_identifier(manager, "digikam/1", NULL).last.height, 40);
    run_sql("data/digikam4.db", "UPDATE Settings SET value = '99'");
    sdimage_photos_library *other = NULL;
    CHECK_EQUAL(sdimage_photos_library_open_digikam(path_of("data/digikam4.db"), &other, NULL),
                SDIMAGE_STATUS_UNSUPPORTED);
    sdimage_photos_asset_unref(a);
    sdimage_photos_asset_unref(b);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

/* Checks the mount point of a device in a table of mounts; NULL: there is none. */
static void check_mount(char *table, unsigned minor, const char *path) {
    FILE *mounts = fmemopen(table, strlen(table), "r");
    CHECK(mounts != NULL);
    char *found = sdphoto_mount_point(mounts, makedev(8, minor));
    CHECK(path ? found && !strcmp(found, path) : !found);
    fclose(mounts);
    free(found);
}

static void mountPointsHaveTheNamesOfTheirFolders(void) {
    char table[] = "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
                   "no line of a mount\n"
                   "22 21 8:2 /sub /media/sub rw - btrfs /dev/sda2 rw\n"
                   "23 21 8:2 / /media/whole rw - btrfs /dev/sda2 rw\n"
                   "24 21 8:3 / /media/My\\040old\\011disk\\012\\134040\\x rw - vfat /dev/sda3 rw\n"
                   "25 21 8:4 /sub /media/other rw - btrfs /dev/sda4 rw\n";
    check_mount(table, 1, "");
    check_mount(table, 2, "/media/whole");
    check_mount(table, 3, "/media/My old\tdisk\n\\040\\x");
    check_mount(table, 4, NULL);
    check_mount(table, 5, NULL);
    char path[3000], long_table[3100];
    snprintf(path, sizeof path, "/%02990d", 7);
    snprintf(long_table, sizeof long_table, "21 1 8:1 / %s rw - ext4 /dev/sda1 rw\n", path);
    check_mount(long_table, 1, path);
}

/* Returns the processor time of this thread. */
static int64_t processor_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Tags that are their own parents, repeatedly: each level multiplies them. */
static void tagsThatMultiplyAreCutShort(void) {
    sdimage_photos_library *library = NULL;
    use_folders();
    make_folder("data");
    run_sql("data/digikam4.db", digikam_tables);
    run_sql("data/digikam4.db",
            "DROP TABLE Tags; CREATE TABLE Tags (id, pid, name);"
            "INSERT INTO Tags VALUES (1, 0, 'a'); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
            " WHERE i < 40) INSERT INTO Tags SELECT 1, 1, 'tag' || i FROM n");
    sdimage_status status = sdimage_photos_library_open_digikam(path_of("data/digikam4.db"), &library, NULL);
    CHECK(status == SDIMAGE_STATUS_OK || status == SDIMAGE_STATUS_TOO_LARGE);
    sdimage_photos_library_unref(library);
}

/* Albums and images of the same number: a small file makes millions of rows, whose files would each be looked for. */
static void rowsOfOneIdentifierAreOneFile(void) {
    sdimage_photos_library *library = NULL;
    char sql[1000];
    use_folders();
    make_folder("data");
    write_photo("album/a.jpg", (photo){.width = 8, .height = 8});
    run_sql("data/digikam4.db", digikam_tables);
    snprintf(sql, sizeof sql,
             "INSERT INTO AlbumRoots VALUES (1, 'p', 0, 1, 'volumeid:?path=%s', '/album');"
             "DROP TABLE Albums; CREATE TABLE Albums (id, albumRoot, relativePath);"
             "DROP TABLE Images; CREATE TABLE Images (id, album, name, status, category);"
             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
             " INSERT INTO Albums SELECT 1, 1, '/' FROM n; INSERT INTO Images SELECT 1, 1, 'a.jpg', 1, 1 FROM Albums",
             temporary_folder());
    run_sql("data/digikam4.db", sql);
    int64_t before = processor_ns();
    CHECK_EQUAL(sdimage_photos_library_open_digikam(path_of("data/digikam4.db"), &library, NULL), 0);
    CHECK(processor_ns() - before < (int64_t)4 * 1000000000);
    sdimage_photos_list *list = fetch(library, NULL);
    CHECK_EQUAL(sdimage_photos_list_count(list), 1);
    sdimage_photos_list_unref(list);
    sdimage_photos_library_unref(library);
}

/* --- Hosts: the identifier selects the behavior. */

typedef struct phone {
    atomic_int running, overlapped, images, cancelled;
    gate asked;
    sdimage_photos_reply *kept;
    sdimage_load_sink *kept_sink;
    sdimage_size size;
    sdimage_photos_content content;
} phone;

static sdimage_photos_asset *phone_asset(const char *identifier) {
    sdimage_photos_asset_config *config = sdimage_photos_asset_config_new(identifier);
    bool is_moving = !strcmp(identifier, "moving");
    sdimage_photos_asset_config_set_format(config, is_moving ? SDIMAGE_FORMAT_GIF : SDIMAGE_FORMAT_JPEG);
    sdimage_photos_asset_config_set_pixel_size(config, 300, 200);
    sdimage_photos_asset_config_set_name(config, "IMG_0001.JPG");
    sdimage_photos_asset_config_add_album(config, "Camera");
    sdimage_photos_asset_config_set_dates(config, 5, 6);
    sdimage_photos_asset_config_set_rating(config, 3);
    if (!strcmp(identifier, "shared"))
        sdimage_photos_asset_config_set_origin(config, SDIMAGE_PHOTOS_ORIGIN_SHARED);
    sdimage_photos_asset *asset = sdimage_photos_asset_new(config);
    sdimage_photos_asset_config_unref(config);
    return asset;
}

static void *answer_later(void *argument) {
    sdimage_photos_reply *reply = argument;
    sdimage_photos_asset *asset = phone_asset("later");
    sdimage_photos_reply_complete(reply, asset);
    sdimage_photos_reply_complete(reply, NULL);
    sdimage_photos_asset_unref(asset);
    sdimage_photos_reply_unref(reply);
    return NULL;
}

static void phone_fetch(void *user_data, const char *identifier, const sdimage_photos_fetch_options *options,
                        sdimage_photos_reply *reply) {
    phone *phone = user_data;
    (void)options;
    if (atomic_fetch_add(&phone->running, 1) > 0)
        atomic_fetch_add(&phone->overlapped, 1);
    if (!strcmp(identifier, "dropped")) {
        sdimage_photos_reply_unref(reply);
    } else if (!strcmp(identifier, "error")) {
        sdimage_error *error = sdimage_error_new(SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED, "the phone is locked");
        sdimage_photos_reply_fail(reply, error);
        sdimage_error_unref(error);
        sdimage_photos_reply_unref(reply);
    } else if (!strcmp(identifier, "never")) {
        phone->kept = reply;
        gate_open(&phone->asked);
    } else if (!strcmp(identifier, "later")) {
        pthread_t thread;
        CHECK_EQUAL(pthread_create(&thread, NULL, answer_later, reply), 0);
        pthread_detach(thread);
    } else {
        sdimage_photos_asset *asset = strcmp(identifier, "nobody") ? phone_asset(identifier) : NULL;
        sdimage_photos_reply_complete(reply, asset);
        sdimage_photos_asset_unref(asset);
        sdimage_photos_reply_unref(reply);
    }
    atomic_fetch_sub(&phone->running, 1);
}

static sdimage_status phone_image(void *user_data, sdimage_photos_asset *asset, sdimage_size size,
                                  const sdimage_photos_request_options *options, sdimage_load_sink *sink) {
    static const uint8_t pixels[64];
    phone *phone = user_data;
    sdimage_image *image = NULL;
    atomic_fetch_add(&phone->images, 1);
    phone->size = size;
    phone->content = sdimage_photos_request_options_content(options);
    if (!strcmp(sdimage_photos_asset_identifier(asset), "refused"))
        return SDIMAGE_STATUS_OFFLINE;
    if (!strcmp(sdimage_photos_asset_identifier(asset), "slow")) {
        phone->kept_sink = sdimage_load_sink_ref(sink);
        sdimage_load_sink_report_progress(sink, 40, 100);
        gate_open(&phone->asked);
        return SDIMAGE_STATUS_OK;
    }
    CHECK_EQUAL(sdimage_image_new(8, 8, 8, SDIMAGE_PIXEL_FORMAT_GRAY8, pixels, &image, NULL), 0);
    sdimage_load_sink_finish_with_image(sink, image);
    sdimage_image_unref(image);
    return SDIMAGE_STATUS_OK;
}

static sdimage_status phone_bytes(void *user_data, sdimage_photos_asset *asset, sdimage_load_sink *sink) {
    (void)user_data, (void)asset;
    sdimage_data *data = new_data(gif_1x1, sizeof gif_1x1);
    sdimage_load_sink_finish_with_data(sink, data);
    sdimage_data_unref(data);
    return SDIMAGE_STATUS_OK;
}

static void phone_cancel(void *user_data, sdimage_load_sink *sink) {
    phone *phone = user_data;
    if (sink == phone->kept_sink)
        atomic_fetch_add(&phone->cancelled, 1);
}

static sdimage_photos_library *open_phone(phone *phone) {
    static const sdimage_photos_library_vtable table = {
        .size = sizeof table, .fetch = phone_fetch, .image = phone_image, .bytes = phone_bytes, .cancel = phone_cancel};
    sdimage_photos_library *library = NULL;
    CHECK_EQUAL(sdimage_photos_library_new_custom("phone", &table, phone, NULL, &library, NULL), 0);
    return library;
}

static void aHostAnswersForItsAssets(void) {
    phone phone = {.asked = GATE_CLOSED};
    sdimage_photos_library *library = open_phone(&phone);
    sdimage_manager *manager = new_photo_manager(library, true);
    static const struct {
        const char *identifier;
        sdimage_status status;
    } cases[] = {{"one", SDIMAGE_STATUS_OK},
                 {"later", SDIMAGE_STATUS_OK},
                 {"nobody", SDIMAGE_STATUS_PHOTOS_NOT_FOUND},
                 {"error", SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED},
                 {"dropped", SDIMAGE_STATUS_INTERNAL_ERROR},
                 {"refused", SDIMAGE_STATUS_OFFLINE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQUAL(load_identifier(manager, cases[i].identifier, NULL).status, cases[i].status);
    deliveries moving = load_identifier(manager, "moving", NULL);
    CHECK(moving.has_data);
    CHECK_EQUAL(moving.last.width, 1);
    sdimage_options *bag = sdimage_options_new();
    sdimage_photos_fetch_options *own = sdimage_photos_fetch_options_new();
    sdimage_photos_fetch_options_set_origins(own, SDIMAGE_PHOTOS_ORIGIN_ALL & ~(uint32_t)SDIMAGE_PHOTOS_ORIGIN_SHARED);
    sdimage_photos_set_fetch_options(bag, own);
    CHECK_EQUAL(load_identifier(manager, "shared", bag).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    CHECK_EQUAL(load_identifier(manager, "shared", NULL).status, SDIMAGE_STATUS_OK);
    sdimage_photos_list *list = NULL;
    CHECK_EQUAL(sdimage_photos_library_fetch(library, NULL, &list, NULL), SDIMAGE_STATUS_UNSUPPORTED);
    sdimage_photos_fetch_options_unref(own);
    sdimage_options_unref(bag);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static void aHostIsAskedOneThingAtATime(void) {
    enum { LOADS = 40 };
    phone phone = {.asked = GATE_CLOSED};
    sdimage_photos_library *library = open_phone(&phone);
    sdimage_manager *manager = new_photo_manager(library, true);
    static deliveries all[LOADS];
    for (int i = 0; i < LOADS; i++) {
        char url[32];
        snprintf(url, sizeof url, "ph://photo%d", i);
        sdimage_request *request = new_request(url);
        all[i] = (deliveries){.over = GATE_CLOSED, .progressed = GATE_CLOSED};
        CHECK_EQUAL(sdimage_manager_load(manager, request, &delivery_handler, &all[i], NULL, NULL, NULL), 0);
        sdimage_request_unref(request);
    }
    for (int i = 0; i < LOADS; i++) {
        wait_for_end(&all[i]);
        CHECK_EQUAL(all[i].status, 0);
    }
    CHECK_EQUAL(atomic_load(&phone.overlapped), 0);
    CHECK_EQUAL(atomic_load(&phone.images), LOADS);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static void aHostIsToldTheTarget(void) {
    phone phone = {.asked = GATE_CLOSED};
    sdimage_photos_library *library = open_phone(&phone);
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_request *request = new_request("ph://one");
    CHECK_EQUAL(load(manager, request).status, 0);
    CHECK_EQUAL(phone.size.width, 0);
    sdimage_request_set_thumbnail_size(request, 64, 48, SDIMAGE_SCALE_MODE_FILL);
    CHECK_EQUAL(load(manager, request).status, 0);
    CHECK_EQUAL(phone.size.width, 64);
    CHECK_EQUAL(phone.size.height, 48);
    CHECK_EQUAL(phone.content, SDIMAGE_PHOTOS_CONTENT_ASPECT_FILL);
    sdimage_request_set_thumbnail_size(request, 0, 0, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    sdimage_options *bag = sdimage_options_new();
    sdimage_photos_request_options *options = sdimage_photos_request_options_new();
    sdimage_photos_request_options_set_target_point_size(options);
    sdimage_photos_set_request_options(bag, options);
    sdimage_decode_options *decode = sdimage_decode_options_new();
    sdimage_decode_options_set_scale(decode, 2);
    sdimage_request_set_decode_options(request, decode);
    sdimage_request_set_options(request, bag);
    CHECK_EQUAL(load(manager, request).status, 0);
    /* divided by the scale, and each side separately. */
    CHECK_EQUAL(phone.size.width, 150);
    CHECK_EQUAL(phone.size.height, 100);
    CHECK_EQUAL(phone.content, SDIMAGE_PHOTOS_CONTENT_ASPECT_FIT);
    sdimage_decode_options_unref(decode);
    sdimage_photos_request_options_unref(options);
    sdimage_options_unref(bag);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static void progressIsInHundredths(void) {
    phone phone = {.asked = GATE_CLOSED};
    sdimage_photos_library *library = open_phone(&phone);
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_request *request = new_request("ph://slow");
    deliveries result = {.over = GATE_CLOSED, .progressed = GATE_CLOSED};
    CHECK_EQUAL(sdimage_manager_load(manager, request, &delivery_handler, &result, NULL, NULL, NULL), 0);
    gate_wait(&phone.asked, 1);
    gate_wait(&result.progressed, 1);
    CHECK_EQUAL(result.received, 40);
    CHECK_EQUAL(result.expected, 100);
    sdimage_load_sink_finish(phone.kept_sink, NULL);
    sdimage_load_sink_unref(phone.kept_sink);
    wait_for_end(&result);
    CHECK_EQUAL(result.status, SDIMAGE_STATUS_EMPTY_DATA);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static void aCancelledLoadEndsOnceWithCancelled(void) {
    static const char *const urls[] = {"ph://never", "ph://slow"};
    for (int i = 0; i < 2; i++) {
        phone phone = {.asked = GATE_CLOSED};
        sdimage_photos_library *library = open_phone(&phone);
        sdimage_manager *manager = new_photo_manager(library, true);
        sdimage_request *request = new_request(urls[i]);
        deliveries result = {.over = GATE_CLOSED, .progressed = GATE_CLOSED};
        sdimage_task *task = NULL;
        CHECK_EQUAL(sdimage_manager_load(manager, request, &delivery_handler, &result, NULL, &task, NULL), 0);
        gate_wait(&phone.asked, 1);
        CHECK_EQUAL(sdimage_task_cancel_and_wait(task, 60000, NULL), 0);
        wait_for_end(&result);
        CHECK_EQUAL(result.final, 1);
        CHECK_EQUAL(result.status, SDIMAGE_STATUS_CANCELLED);
        /* The library continues with the next load. */
        CHECK_EQUAL(load_identifier(manager, "one", NULL).status, 0);
        if (phone.kept_sink) {
            CHECK_EQUAL(atomic_load(&phone.cancelled), 1);
            CHECK(sdimage_load_sink_is_cancelled(phone.kept_sink));
            sdimage_load_sink_finish(phone.kept_sink, NULL);
        }
        CHECK(!phone.kept || sdimage_photos_reply_is_cancelled(phone.kept));
        sdimage_load_sink_unref(phone.kept_sink);
        sdimage_photos_reply_unref(phone.kept);
        CHECK_EQUAL(result.final, 1);
        sdimage_task_unref(task);
        sdimage_request_unref(request);
        sdimage_manager_unref(manager);
        sdimage_photos_library_unref(library);
    }
}

static void loadsOfALibraryEndWhenMemoryIsShort(void) {
    phone phone = {.asked = GATE_CLOSED};
    sdimage_photos_library *library = open_phone(&phone);
    sdimage_manager *manager = new_photo_manager(library, true);
    sdimage_request *first = new_request("ph://never"), *second = new_request("ph://one");
    deliveries results[2] = {{.over = GATE_CLOSED, .progressed = GATE_CLOSED},
                             {.over = GATE_CLOSED, .progressed = GATE_CLOSED}};
    CHECK_EQUAL(sdimage_manager_load(manager, first, &delivery_handler, &results[0], NULL, NULL, NULL), 0);
    gate_wait(&phone.asked, 1);
    sdimage_photos_library_cancel_loads(library);
    wait_for_end(&results[0]);
    CHECK_EQUAL(results[0].status, SDIMAGE_STATUS_CANCELLED);
    CHECK_EQUAL(sdimage_manager_load(manager, second, &delivery_handler, &results[1], NULL, NULL, NULL), 0);
    wait_for_end(&results[1]);
    CHECK_EQUAL(results[1].status, 0);
    sdimage_photos_reply_unref(phone.kept);
    sdimage_request_unref(first);
    sdimage_request_unref(second);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
}

static void severalLibrariesAreAskedInTurn(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 16});
    phone phone = {.asked = GATE_CLOSED};
    sdimage_photos_library *album = open_album(false), *host = open_phone(&phone);
    sdimage_photos_loader_config *config = sdimage_photos_loader_config_new();
    sdimage_photos_loader_config_add_library(config, album);
    sdimage_photos_loader_config_add_library(config, host);
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_photos_loader_new(config, &loader, NULL), 0);
    sdimage_photos_loader_config_unref(config);
    sdimage_manager *manager = new_manager(NULL, loader, false);
    CHECK_EQUAL(load_identifier(manager, identifier_of(album, "a.jpg"), NULL).last.width, 32);
    CHECK_EQUAL(load_identifier(manager, "one", NULL).last.width, 8);
    CHECK_EQUAL(load_identifier(manager, "nobody", NULL).status, SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
    /* A host's asset in the request is used without a look-up. */
    sdimage_photos_asset *asset = phone_asset("never");
    sdimage_request *request = NULL;
    CHECK_EQUAL(sdimage_photos_asset_request(asset, &request, NULL), 0);
    CHECK_EQUAL(load(manager, request).last.width, 8);
    CHECK(phone.kept == NULL);
    sdimage_request_unref(request);
    sdimage_photos_asset_unref(asset);
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
    sdimage_photos_library_unref(album);
    sdimage_photos_library_unref(host);
}

static void aHostWithoutTheNeededFunctionsIsRefused(void) {
    sdimage_photos_library_vtable table = {.size = sizeof table, .fetch = phone_fetch};
    sdimage_photos_library *library = NULL;
    atomic_int destroyed = 0;
    CHECK_EQUAL(sdimage_photos_library_new_custom("x", &table, &destroyed, count_destroy, &library, NULL),
                SDIMAGE_STATUS_INVALID_ARGUMENT);
    CHECK_EQUAL(sdimage_photos_library_new_custom("x", NULL, &destroyed, count_destroy, &library, NULL),
                SDIMAGE_STATUS_INVALID_ARGUMENT);
    CHECK_EQUAL(atomic_load(&destroyed), 2);
    table.image = phone_image;
    CHECK_EQUAL(sdimage_photos_library_new_custom("x", &table, &destroyed, count_destroy, &library, NULL), 0);
    sdimage_photos_library_unref(library);
    CHECK_EQUAL(atomic_load(&destroyed), 3);
    CHECK(sdimage_photos_asset_config_new("") == NULL);
    CHECK(sdimage_photos_asset_config_new(NULL) == NULL);
}

int main(void) {
    static const test tests[] = {
        TEST(theDatabaseOfShotwellIsALibrary),
        TEST(databasesAreOpenedForReadingAlone),
        TEST(aLogIsReadAndStaysAsItIs),
        TEST(aReadingIsOfOneMomentWhileAnotherProcessWrites),
        TEST(aReadingKeepsItsLocksWhenOthersCloseTheFile),
        TEST(aSystemWithoutLocksOfOpenFilesReadsRollbackJournals),
        TEST(databasesThatCannotBeReadSayWhy),
        TEST(queriesOfADatabaseEnd),
        TEST(expressionsOfADatabaseAreRefused),
        TEST(theDatabaseOfDigikamIsALibrary),
        TEST(mountPointsHaveTheNamesOfTheirFolders),
        TEST(tagsThatMultiplyAreCutShort),
        TEST(rowsOfOneIdentifierAreOneFile),
        TEST(aHostAnswersForItsAssets),
        TEST(aHostIsAskedOneThingAtATime),
        TEST(aHostIsToldTheTarget),
        TEST(progressIsInHundredths),
        TEST(aCancelledLoadEndsOnceWithCancelled),
        TEST(loadsOfALibraryEndWhenMemoryIsShort),
        TEST(severalLibrariesAreAskedInTurn),
        TEST(aHostWithoutTheNeededFunctionsIsRefused),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
