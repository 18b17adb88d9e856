/* outside.c: an external program that uses only the installed files. */
#include <sdimage.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    sdimage_request *request =
        sdimage_request_new("data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==");
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, NULL);
    sdimage_manager *manager = NULL;
    sdimage_result *result = NULL;
    if (sdimage_manager_new(config, &manager, NULL) < 0 ||
        sdimage_manager_load_sync(manager, request, &result, NULL) < 0)
        return 1;
    printf("%s %u\n", sdimage_version(), sdimage_image_width(sdimage_result_image(result)));
    sdimage_result_unref(result);
    sdimage_manager_unref(manager);
    sdimage_manager_config_unref(config);
    sdimage_request_unref(request);
    return 0;
}
