/* plugins.h: coder plug-ins for further formats: TIFF, JPEG XL, SVG, PDF, and those of libavformat.
 *
 * Each is a shared library of its own, because it depends on a large library or on one with a restrictive licence. A
 * program links a plug-in and registers its coder (sdimage/plugins/NAME.h), or loads all that are installed:
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

/* Opens all installed coder plug-ins of this version and registers their coders (sdimage_coder_register) unless they
 * are registered already. The files are libsdimage-NAME.so.1 beside the library's own, or in the folder that the
 * environment variable SDIMAGE_PLUGIN_PATH names. A program that runs with more rights than its caller ignores the
 * variable. An opened plug-in stays open; one that could not be opened is not tried again. Returns OK also if some
 * could not be loaded: *plugins, which may be NULL, reports them. Loading their libraries takes some tens of
 * milliseconds. */
SDIMAGE_API sdimage_status sdimage_plugins_load_all(sdimage_plugin_list **plugins, sdimage_error **error);

SDIMAGE_API sdimage_plugin_list *sdimage_plugin_list_ref(sdimage_plugin_list *plugins);
SDIMAGE_API void sdimage_plugin_list_unref(sdimage_plugin_list *plugins);

/* Number of plug-ins known to this version, installed or not. */
SDIMAGE_API size_t sdimage_plugin_list_count(const sdimage_plugin_list *plugins);

/* Name of a plug-in: "tiff", … Borrowed; NULL for an index out of range, here and below. */
SDIMAGE_API const char *sdimage_plugin_list_name(const sdimage_plugin_list *plugins, size_t index);

/* Path of the file, which may not exist. Borrowed. */
SDIMAGE_API const char *sdimage_plugin_list_path(const sdimage_plugin_list *plugins, size_t index);

/* The library that it decodes with and its version, "libtiff 4.5.0"; without the version while the plug-in is not
 * loaded. Borrowed. */
SDIMAGE_API const char *sdimage_plugin_list_library(const sdimage_plugin_list *plugins, size_t index);

/* The error that prevented loading; NULL if the plug-in is loaded. NOT_FOUND: it is not installed. MODULE_MISSING: the
 * file could not be opened; the message is that of the system's loader and names the missing library. Borrowed. */
SDIMAGE_API const sdimage_error *sdimage_plugin_list_error(const sdimage_plugin_list *plugins, size_t index);

#ifdef __cplusplus
}
#endif

#endif
