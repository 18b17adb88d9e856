/* replay.c: loads images from recorded responses, with everything that a downloader does with responses: redirects,
 * freshness, retries.
 *
 *   curl -si http://example.org/cat.jpg -o recorded/cat.jpg
 *   replay recorded http://example.org/cat.jpg...
 *
 * cc replay.c $(pkg-config --cflags --libs sdimage) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sdimage.h>
#include <sdimage/sys.h>

/* Reads the status line and the fields, up to the empty line. Returns NULL if the file does not begin with a
 * response (RFC 9112, section 2.1). */
static sdimage_response *read_head(FILE *file) {
    char line[8192];
    int status;
    if (!fgets(line, sizeof line, file) || sscanf(line, "HTTP/%*s %d", &status) != 1)
        return NULL;
    sdimage_response *response = sdimage_response_new(status);
    while (fgets(line, sizeof line, file) && strcspn(line, "\r\n")) {
        line[strcspn(line, "\r\n")] = 0;
        char *value = strchr(line, ':');
        if (!value)
            continue;
        *value++ = 0;
        sdimage_response_add_header(response, line, value + strspn(value, " \t"));
    }
    return response;
}

/* May block briefly. A slow transport would continue on a thread of its own and hold the exchange. */
static sdimage_status start(void *folder, sdimage_request *request, sdimage_exchange *exchange) {
    char path[4096], piece[65536];
    const char *name = strrchr(sdimage_request_url(request, NULL), '/');
    snprintf(path, sizeof path, "%s%s", (const char *)folder, name ? name : "/");
    FILE *file = fopen(path, "rb");
    if (!file)
        return SDIMAGE_STATUS_OFFLINE;
    sdimage_response *response = read_head(file);
    sdimage_status status =
        response ? sdimage_exchange_respond(exchange, response, NULL) : SDIMAGE_STATUS_INVALID_RESPONSE;
    size_t got;
    while (status == SDIMAGE_STATUS_OK && (got = fread(piece, 1, sizeof piece, file)) > 0)
        status = sdimage_exchange_write(exchange, piece, got, NULL);
    if (status == SDIMAGE_STATUS_OK)
        sdimage_exchange_finish(exchange, NULL);
    sdimage_response_unref(response);
    fclose(file);
    return status;
}

static sdimage_manager *open_manager(char *folder) {
    sdimage_transport_vtable table = {.size = sizeof table, .start = start};
    sdimage_downloader_config *network = sdimage_downloader_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_transport *transport = NULL;
    sdimage_loader *downloader = NULL;
    sdimage_manager *manager = NULL;
    if (sdimage_transport_new_custom(&table, folder, NULL, &transport, NULL) == SDIMAGE_STATUS_OK) {
        sdimage_downloader_config_set_transport(network, transport);
        if (sdimage_downloader_new(network, &downloader, NULL) == SDIMAGE_STATUS_OK) {
            sdimage_manager_config_set_loader(config, downloader);
            sdimage_manager_config_set_cache(config, NULL);
            (void)sdimage_manager_new(config, &manager, NULL);
        }
    }
    sdimage_loader_unref(downloader);
    sdimage_transport_unref(transport);
    sdimage_downloader_config_unref(network);
    sdimage_manager_config_unref(config);
    return manager;
}

int main(int count, char **words) {
    if (count < 3)
        return fprintf(stderr, "usage: replay FOLDER URL...\n"), 2;
    sdimage_manager *manager = open_manager(words[1]);
    int failed = manager ? 0 : 1;
    for (int i = 2; manager && i < count; i++) {
        sdimage_request *request = sdimage_request_new(words[i]);
        sdimage_result *result = NULL;
        sdimage_status status = sdimage_manager_load_sync(manager, request, &result, NULL);
        const sdimage_image *image = sdimage_result_image(result);
        if (image)
            printf("%s %ux%u\n", words[i], sdimage_image_width(image), sdimage_image_height(image));
        else
            fprintf(stderr, "%s: %s\n", words[i], sdimage_status_name(status)), failed = 1;
        sdimage_result_unref(result);
        sdimage_request_unref(request);
    }
    sdimage_manager_unref(manager);
    return failed;
}
