/* folder.h: the folder of a cache. */
#ifndef SDIMAGE_CLI_FOLDER_H
#define SDIMAGE_CLI_FOLDER_H

#include <sdimage.h>

/* Sets a cache in `folder` as the cache of the managers of a configuration. */
sdimage_status set_cache_folder(sdimage_manager_config *config, const char *folder, sdimage_error **error);

#endif
