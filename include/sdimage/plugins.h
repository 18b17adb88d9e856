/* plugins.h: coders of further formats, each in a file of its own: TIFF, JPEG XL, SVG, PDF, and those of libavformat.
 *
 * Their libraries are large, or their licences not everybody's: a program decides whether it wants them. It links one
 * and registers its coder (sdimage/plugins/NAME.h), or takes all that are installed:
 *
 *   sdimage_plugin_list *plugins = NULL;
 *   sdimage_plugins_load_all(&plugins, NULL);
 *   for (size_t i = 0; i < sdimage_plugin_list_count(plugins); i++)
 *       if (sdimage_plugin_list_error(plugins, i))
 *           printf("%s: %s\n", sdimage_plugin_list_name(plugins, i),
 *                  sdimage_error_message(sdimage_plugin_list_error(plugins, i)));
 *   sdimage_plugin_list_unref(plugins);
 *
 * Class: sdimage_plugin_list immutable. */
#ifndef SDIMAGE_PLUGINS_H
#define SDIMAGE_PLUGINS_H

#include "base.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens each coder plug-in of this version that is installed, and registers its coder (sdimage_coder_register), unless
 * it is. The files are libsdimage-NAME.so.1 beside the library's own, or in the folder that the environment names in
 * SDIMAGE_PLUGIN_PATH, to which a program that runs with more rights than its caller has does not listen. An opened one
 * stays open, and one that could not be opened is not tried again. OK also when some could not be had: *plugins, which
 * may be NULL, tells. Costs the loading of their libraries: some tens of milliseconds. */
SDIMAGE_API sdimage_status sdimage_plugins_load_all(sdimage_plugin_list **plugins, sdimage_error **error);

SDIMAGE_API sdimage_plugin_list *sdimage_plugin_list_ref(sdimage_plugin_list *plugins);
SDIMAGE_API void sdimage_plugin_list_unref(sdimage_plugin_list *plugins);

/* All plug-ins that this version knows of, installed or not. */
SDIMAGE_API size_t sdimage_plugin_list_count(const sdimage_plugin_list *plugins);

/* "tiff", … Borrowed; NULL behind the last, as below. */
SDIMAGE_API const char *sdimage_plugin_list_name(const sdimage_plugin_list *plugins, size_t index);

/* The file, whether or not it is there. Borrowed. */
SDIMAGE_API const char *sdimage_plugin_list_path(const sdimage_plugin_list *plugins, size_t index);

/* The library that it decodes with and its version, "libtiff 4.5.0"; the library alone while the plug-in is not loaded.
 * Borrowed. */
SDIMAGE_API const char *sdimage_plugin_list_library(const sdimage_plugin_list *plugins, size_t index);

/* Why it is not loaded; NULL when it is. Else NOT_FOUND: it is not installed; or why the file could not be opened:
 * MODULE_MISSING, with the words of the system's loader, which name the library that is not there. Borrowed. */
SDIMAGE_API const sdimage_error *sdimage_plugin_list_error(const sdimage_plugin_list *plugins, size_t index);

#ifdef __cplusplus
}
#endif

#endif
