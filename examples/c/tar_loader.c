/* tar_loader.c: loads images from a tar archive, by URLs of the form tar:ARCHIVE!NAME, with a cache in memory.
 *
 *   tar_loader ARCHIVE NAME...
 *
 * cc tar_loader.c $(pkg-config --cflags --libs sdimage) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sdimage.h>
#include <sdimage/sys.h>

enum { BLOCK = 512 };

static bool can_load(void *user_data, const sdimage_request *request) {
    (void)user_data;
    return !strncmp(sdimage_request_url(request, NULL), "tar:", 4);
}

/* Seeks to the content of a member and returns its length, or -1 if the member is missing (POSIX.1-1988, "ustar"). */
static long find(FILE *archive, const char *wanted) {
    char head[BLOCK], name[BLOCK], digits[13] = "";
    while (fread(head, 1, BLOCK, archive) == BLOCK && head[0]) {
        bool has_prefix = !memcmp(head + 257, "ustar", 5) && head[345];
        snprintf(name, sizeof name, "%.155s%s%.100s", has_prefix ? head + 345 : "", has_prefix ? "/" : "", head);
        memcpy(digits, head + 124, 12);
        long size = strtol(digits, NULL, 8);
        if ((head[156] == '0' || !head[156]) && !strcmp(name, wanted))
            return size;
        if (size < 0 || fseek(archive, (size + BLOCK - 1) / BLOCK * BLOCK, SEEK_CUR))
            return -1;
    }
    return -1;
}

/* May block. A progressive load shows the bytes written so far. */
static sdimage_status load(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    char path[4096], piece[65536];
    snprintf(path, sizeof path, "%s", sdimage_request_url(request, NULL) + 4);
    char *name = strrchr(path, '!');
    (void)user_data;
    if (!name)
        return SDIMAGE_STATUS_INVALID_URL;
    *name++ = 0;
    sdimage_load_sink_set_storable(sink, false); /* another archive may have this path */
    FILE *archive = fopen(path, "rb");
    long left = archive ? find(archive, name) : -1;
    sdimage_status status = left < 0 ? SDIMAGE_STATUS_NOT_FOUND : SDIMAGE_STATUS_OK;
    if (status == SDIMAGE_STATUS_OK)
        sdimage_load_sink_set_expected_length(sink, (uint64_t)left);
    while (status == SDIMAGE_STATUS_OK && left > 0) {
        size_t got = fread(piece, 1, left < (long)sizeof piece ? (size_t)left : sizeof piece, archive);
        left -= (long)got;
        /* Fails when no load waits any more. */
        status = got ? sdimage_load_sink_write(sink, piece, got, NULL) : SDIMAGE_STATUS_TRUNCATED;
    }
    if (archive)
        fclose(archive);
    if (status == SDIMAGE_STATUS_OK)
        sdimage_load_sink_finish(sink, NULL);
    return status;
}

static int show(sdimage_manager *manager, const char *archive, const char *name) {
    char url[4096];
    sdimage_result *result = NULL;
    snprintf(url, sizeof url, "tar:%s!%s", archive, name);
    sdimage_request *request = sdimage_request_new(url);
    sdimage_status status = sdimage_manager_load_sync(manager, request, &result, NULL);
    const sdimage_image *image = sdimage_result_image(result);
    if (status < 0)
        fprintf(stderr, "tar_loader: %s: %s\n", name, sdimage_status_name(status));
    else
        printf("%s %ux%u from %s\n", name, sdimage_image_width(image), sdimage_image_height(image),
               sdimage_image_source_name(sdimage_result_source(result)));
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    return status < 0;
}

int main(int argc, char **argv) {
    sdimage_loader_vtable table = {.size = sizeof table, .can_load = can_load, .load = load};
    sdimage_loader *loader = NULL;
    sdimage_manager *manager = NULL;
    sdimage_manager_config *config = sdimage_manager_config_new();
    int code = argc < 3 ? 2 : 1;
    if (argc < 3)
        fputs("usage: tar_loader ARCHIVE NAME...\n", stderr);
    else if (sdimage_loader_new_custom("tar", &table, NULL, NULL, &loader, NULL) >= 0) {
        sdimage_manager_config_set_loader(config, loader);
        code = sdimage_manager_new(config, &manager, NULL) < 0;
        for (int i = 2; i < argc && manager; i++)
            code |= show(manager, argv[1], argv[i]);
    }
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
    sdimage_manager_config_unref(config);
    return code;
}
