/* waiting.c: loads of photos that a tree does not know before its first scan has ended. */
#include <sched.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "album.h"
#include "load.h"
#include "tree.h"

/* More than the library has threads for loaders. */
enum { WAITING = 5 };

/* An album whose first scan waits for that of another process, with loads of its photo. */
typedef struct album {
    sdimage_photos_library *other, *library; /* `other` has the lock of the index */
    sdimage_manager *manager;
    const char *identifier; /* identifies the photo, which the scan will find in the index */
    deliveries results[WAITING];
    sdimage_task *tasks[WAITING];
} album;

static sdphoto_tree *tree_of(const album *album) {
    return (sdphoto_tree *)album->library;
}

/* Opens the album while the index has no rows; the scan will find those of the other library. */
static void open_held(album *album) {
    char path[500];
    sqlite3 *database = NULL;
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    album->other = open_album(false);
    album->identifier = identifier_of(album->other, "a.jpg");
    CHECK(sdphoto_index_try_lock(&((sdphoto_tree *)album->other)->index));
    snprintf(path, sizeof path, "%s-1.db", ((sdphoto_tree *)album->other)->index.stem);
    CHECK_EQUAL(sqlite3_open(path, &database), SQLITE_OK);
    CHECK_EQUAL(
        sqlite3_exec(database, "CREATE TEMP TABLE rows AS SELECT * FROM files; DELETE FROM files", NULL, NULL, NULL),
        SQLITE_OK);
    album->library = open_album(true);
    CHECK_EQUAL(sqlite3_exec(database, "INSERT INTO files SELECT * FROM rows", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    album->manager = new_photo_manager(album->library, true);
}

/* Lets the scan begin. */
static void end_scan_of_other(album *album) {
    sdphoto_index_unlock(&((sdphoto_tree *)album->other)->index);
}

static void start_load(album *album, int index, const char *identifier) {
    char url[200];
    snprintf(url, sizeof url, "ph://%s", identifier);
    sdimage_request *request = new_request(url);
    album->results[index] = (deliveries){.over = GATE_CLOSED, .progressed = GATE_CLOSED};
    CHECK_EQUAL(sdimage_manager_load(album->manager, request, &delivery_handler, &album->results[index], NULL,
                                     &album->tasks[index], NULL),
                0);
    sdimage_request_unref(request);
}

static int waiting_count(const album *album) {
    int count = 0;
    pthread_mutex_lock(&album->library->lock);
    for (sdphoto_load *load = tree_of(album)->first_load; load; load = load->next_waiting)
        count++;
    pthread_mutex_unlock(&album->library->lock);
    return count;
}

static bool all_wait(void *album) {
    return waiting_count(album) == WAITING;
}

static bool none_waits(void *album) {
    return waiting_count(album) == 0;
}

static void start_loads(album *album) {
    for (int i = 0; i < WAITING; i++)
        start_load(album, i, album->identifier);
    CHECK(becomes_true(all_wait, album));
}

/* Waits until all loads have ended, with the status and once. */
static void expect_end(album *album, sdimage_status status) {
    for (int i = 0; i < WAITING; i++) {
        wait_for_end(&album->results[i]);
        CHECK_EQUAL(album->results[i].status, status);
        CHECK_EQUAL(album->results[i].final, 1);
        sdimage_task_unref(album->tasks[i]);
    }
}

static void close_album(album *album) {
    sdimage_manager_unref(album->manager);
    sdimage_photos_library_unref(album->library);
    sdimage_photos_library_unref(album->other);
}

static void loadsThatWaitForTheFirstScanHoldNoThread(void) {
    album album;
    open_held(&album);
    make_folder("others");
    write_photo("others/b.jpg", (photo){.width = 16, .height = 8, .shade = 2});
    sdimage_photos_library_config *config = sdimage_photos_library_config_new();
    sdimage_photos_library *others = NULL;
    sdimage_photos_library_config_set_watch(config, false);
    CHECK_EQUAL(sdimage_photos_library_open(path_of("others"), config, &others, NULL), 0);
    sdimage_photos_library_config_unref(config);
    sdimage_manager *manager = new_photo_manager(others, true);
    for (int i = 0; i < WAITING; i++)
        start_load(&album, i, i ? album.identifier : "unknown");
    CHECK(becomes_true(all_wait, &album));
    CHECK_EQUAL(load_identifier(manager, identifier_of(others, "b.jpg"), NULL).last.width, 16);
    for (int i = 0; i < WAITING; i++)
        CHECK_EQUAL(album.results[i].final, 0);
    end_scan_of_other(&album);
    for (int i = 0; i < WAITING; i++) {
        wait_for_end(&album.results[i]);
        CHECK_EQUAL(album.results[i].status, i ? SDIMAGE_STATUS_OK : SDIMAGE_STATUS_PHOTOS_NOT_FOUND);
        CHECK_EQUAL(album.results[i].final, 1);
        sdimage_task_unref(album.tasks[i]);
    }
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(others);
    close_album(&album);
}

/* The photo of the index is loaded while the scan waits. */
static void knownPhotosDoNotWaitForTheFirstScan(void) {
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    sdimage_photos_library *other = open_album(false);
    const char *a = identifier_of(other, "a.jpg");
    CHECK(sdphoto_index_try_lock(&((sdphoto_tree *)other)->index));
    sdimage_photos_library *library = open_album(true);
    sdimage_manager *manager = new_photo_manager(library, true);
    CHECK_EQUAL(load_identifier(manager, a, NULL).last.width, 32);
    CHECK(!((sdphoto_tree *)library)->is_first_finished);
    sdimage_manager_unref(manager);
    sdimage_photos_library_unref(library);
    sdimage_photos_library_unref(other);
}

/* Each load would wait for the first scan, and then scan again. */
static void photosThatWereMovedWaitForTheFirstScan(void) {
    album album;
    use_folders();
    write_photo("album/a.jpg", (photo){.width = 32, .height = 8, .shade = 1});
    album.other = open_album(false);
    album.identifier = identifier_of(album.other, "a.jpg");
    CHECK(sdphoto_index_try_lock(&((sdphoto_tree *)album.other)->index));
    move_file("album/a.jpg", "album/b.jpg");
    album.library = open_album(true);
    album.manager = new_photo_manager(album.library, true);
    start_loads(&album);
    end_scan_of_other(&album);
    expect_end(&album, SDIMAGE_STATUS_OK);
    close_album(&album);
}

static void aWaitingLoadThatIsCancelledLeavesTheQueue(void) {
    album album;
    open_held(&album);
    start_loads(&album);
    CHECK_EQUAL(sdimage_task_cancel_and_wait(album.tasks[2], 60000, NULL), 0);
    wait_for_end(&album.results[2]);
    CHECK_EQUAL(album.results[2].status, SDIMAGE_STATUS_CANCELLED);
    while (waiting_count(&album) == WAITING)
        sched_yield();
    CHECK_EQUAL(waiting_count(&album), WAITING - 1);
    /* A load that comes later is the last one of the queue. */
    sdimage_task_unref(album.tasks[2]);
    start_load(&album, 2, album.identifier);
    CHECK(becomes_true(all_wait, &album));
    end_scan_of_other(&album);
    expect_end(&album, SDIMAGE_STATUS_OK);
    close_album(&album);
}

static void allWaitingLoadsOfALibraryAreCancelled(void) {
    album album;
    open_held(&album);
    start_loads(&album);
    sdimage_photos_library_cancel_loads(album.library);
    expect_end(&album, SDIMAGE_STATUS_CANCELLED);
    CHECK(none_waits(&album));
    end_scan_of_other(&album);
    CHECK_EQUAL(load_identifier(album.manager, album.identifier, NULL).status, 0);
    close_album(&album);
}

/* Loads that start and are cancelled at once meet each other at any point of the code. */
static void cancellationsMeetTheQueueAtAnyPoint(void) {
    album album;
    open_held(&album);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < WAITING; i++)
            start_load(&album, i, album.identifier);
        for (int i = 0; i < WAITING; i++)
            CHECK_EQUAL(sdimage_task_cancel_and_wait(album.tasks[i], 60000, NULL), 0);
        expect_end(&album, SDIMAGE_STATUS_CANCELLED);
    }
    CHECK(becomes_true(none_waits, &album));
    end_scan_of_other(&album);
    close_album(&album);
}

/* The last reference is that of a load, on the library's thread, or that of the manager. */
static void waitingLoadsKeepTheirLibrary(void) {
    size_t threads = thread_count(), descriptors = descriptor_count();
    for (int round = 0; round < 20; round++) {
        album album;
        open_held(&album);
        start_loads(&album);
        sdimage_photos_library_unref(album.library);
        end_scan_of_other(&album);
        expect_end(&album, SDIMAGE_STATUS_OK);
        sdimage_manager_unref(album.manager);
        sdimage_photos_library_unref(album.other);
    }
    CHECK(becomes_true(has_no_more_threads, &threads));
    CHECK(becomes_true(has_no_more_descriptors, &descriptors));
}

/* The library ends although its scan still waits. */
static void waitingLoadsEndWithTheirManager(void) {
    size_t threads = thread_count();
    album album;
    open_held(&album);
    start_loads(&album);
    sdimage_photos_library_unref(album.library);
    sdimage_manager_unref(album.manager);
    expect_end(&album, SDIMAGE_STATUS_SHUTDOWN);
    CHECK(becomes_true(has_no_more_threads, &threads));
    sdimage_photos_library_unref(album.other);
}

static void waitingLoadsFailWithTheFirstScan(void) {
    album album;
    open_held(&album);
    stop_being_root();
    for (int i = 0; i < WAITING; i++)
        start_load(&album, i, "unknown");
    CHECK(becomes_true(all_wait, &album));
    CHECK_EQUAL(chmod(path_of("album"), 0), 0);
    end_scan_of_other(&album);
    expect_end(&album, SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED);
    CHECK_EQUAL(chmod(path_of("album"), 0755), 0);
    close_album(&album);
}

/* The library is the first of two that are asked. */
static void aLoadWaitsForOneLibraryAfterTheOther(void) {
    album album;
    open_held(&album);
    make_folder("others");
    write_photo("others/b.jpg", (photo){.width = 16, .height = 8, .shade = 2});
    sdimage_photos_library *others = NULL;
    CHECK_EQUAL(sdimage_photos_library_open(path_of("others"), NULL, &others, NULL), 0);
    sdimage_photos_loader_config *config = sdimage_photos_loader_config_new();
    sdimage_photos_loader_config_add_library(config, album.library);
    sdimage_photos_loader_config_add_library(config, others);
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_photos_loader_new(config, &loader, NULL), 0);
    sdimage_photos_loader_config_unref(config);
    sdimage_manager_unref(album.manager);
    album.manager = new_manager(NULL, loader, false);
    sdimage_loader_unref(loader);
    album.identifier = identifier_of(others, "b.jpg");
    start_loads(&album);
    end_scan_of_other(&album);
    expect_end(&album, SDIMAGE_STATUS_OK);
    CHECK_EQUAL(album.results[0].last.width, 16);
    sdimage_photos_library_unref(others);
    close_album(&album);
}

/* As if the fork had come while the library's thread changed the table. */
static void aForkLeavesWaitingLoadsAlone(void) {
    album album;
    open_held(&album);
    start_loads(&album);
    fflush(stdout);
    pthread_mutex_lock(&album.library->lock);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        sdimage_photos_library_cancel_loads(album.library);
        sdimage_photos_library_unref(album.library);
        _exit(0);
    }
    pthread_mutex_unlock(&album.library->lock);
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    end_scan_of_other(&album);
    expect_end(&album, SDIMAGE_STATUS_OK);
    close_album(&album);
}

int main(void) {
    static const test tests[] = {
        TEST(loadsThatWaitForTheFirstScanHoldNoThread),
        TEST(knownPhotosDoNotWaitForTheFirstScan),
        TEST(photosThatWereMovedWaitForTheFirstScan),
        TEST(aWaitingLoadThatIsCancelledLeavesTheQueue),
        TEST(allWaitingLoadsOfALibraryAreCancelled),
        TEST(cancellationsMeetTheQueueAtAnyPoint),
        TEST(waitingLoadsKeepTheirLibrary),
        TEST(waitingLoadsEndWithTheirManager),
        TEST(waitingLoadsFailWithTheFirstScan),
        TEST(aLoadWaitsForOneLibraryAfterTheOther),
        TEST(aForkLeavesWaitingLoadsAlone),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
