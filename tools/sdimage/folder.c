/* folder.c: the folder of a cache. */
#include "folder.h"

sdimage_status set_cache_folder(sdimage_manager_config *config, const char *folder, sdimage_error **error) {
    sdimage_cache *cache = NULL;
    sdimage_cache_config *cache_config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(cache_config, folder);
    sdimage_status status = sdimage_cache_new(cache_config, &cache, error);
    sdimage_cache_config_unref(cache_config);
    if (status >= 0)
        sdimage_manager_config_set_cache(config, cache);
    sdimage_cache_unref(cache);
    return status;
}
