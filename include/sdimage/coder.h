/* coder.h: coders, which decode and encode one or more formats: the registered ones, the built-in ones, and plug-ins
 * for further formats: TIFF, JPEG XL, SVG, PDF, and those of libavformat.
 *
 * Each plug-in is a shared library of its own, because it depends on a large library or on one with a restrictive
 * license. A program links a plug-in and registers its coder (sdimage/plugins/NAME.h), or loads all that are installed:
 *
 *   sdimage_plugin_list *plugins = NULL;
 *   sdimage_plugins_load_all(&plugins, NULL);
 *   for (size_t i = 0; i < sdimage_plugin_list_count(plugins); i++)
 *       if (sdimage_plugin_list_error(plugins, i))
 *           printf("%s: %s\n", sdimage_plugin_list_name(plugins, i),
 *                  sdimage_error_message(sdimage_plugin_list_error(plugins, i)));
 *   sdimage_plugin_list_unref(plugins);
 *
 * Custom coders are created with sys/coder.h. Classes: sdimage_coder and sdimage_plugin_list immutable. */
#ifndef SDIMAGE_CODER_H
#define SDIMAGE_CODER_H

#include "base.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_coder *sdimage_coder_ref(const sdimage_coder *coder);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_coder_unref(sdimage_coder *coder);

/* Returns the name given at creation, or the name of a built-in coder. Borrowed. */
SDIMAGE_API const char *sdimage_coder_name(const sdimage_coder *coder);

/* Returns the built-in coder of a name; NOT_FOUND if there is none. The first group is registered, the last of it tried
 * first. The others are for decoders and requests that set their coder.
 *
 *   "basic"                           the first frame of every core format
 *   "gif", "apng", "webp"             all frames; without these an animation is a still
 *   "heif", "avif"                    registered last; their modules are opened when their format is first seen
 *
 *   "jpeg", "png", "bmp", "ico"       not registered; one format each */
SDIMAGE_API sdimage_status sdimage_coder_get_builtin(const char *name, sdimage_coder **coder, sdimage_error **error);

/* Registers a coder for this process. From the next decode on it is tried before all others. */
SDIMAGE_API sdimage_status sdimage_coder_register(sdimage_coder *coder, sdimage_error **error);

/* Unregisters a coder; NOT_FOUND when it is not registered. */
SDIMAGE_API sdimage_status sdimage_coder_unregister(const sdimage_coder *coder, sdimage_error **error);

/* Returns the number of registered coders. Indexes follow the order in which they are tried: 0 is the one registered
 * last. */
SDIMAGE_API size_t sdimage_coder_registered_count(void);
/* Returns the coder at `index`, with a reference for the caller; NOT_FOUND beyond the last. */
SDIMAGE_API sdimage_status sdimage_coder_get_registered(size_t index, sdimage_coder **coder, sdimage_error **error);

/* Unregisters all coders. */
SDIMAGE_API void sdimage_coder_unregister_all(void);
/* Registers the built-in coders again, in their original order, to be tried after those of the host. */
SDIMAGE_API void sdimage_coder_register_builtin(void);

/* Returns true if a registered coder recognizes the bytes; false for zero bytes. */
SDIMAGE_API bool sdimage_can_decode(const void *bytes, size_t length);
/* Returns true if a registered coder encodes the format. For UNKNOWN, for which sdimage_encode chooses the format, true
 * if one encodes PNG or JPEG. */
SDIMAGE_API bool sdimage_can_encode(sdimage_format format);

/* --- Plug-ins. */

/* Opens all installed coder plug-ins of this version and registers their coders (sdimage_coder_register) unless they
 * are registered already. The files are libsdimage-NAME.so.1 beside the library's own, or in the folder that the
 * environment variable SDIMAGE_PLUGIN_PATH names. A program that runs with more rights than its caller ignores the
 * variable. An opened plug-in stays open; one that could not be opened is not tried again. Returns OK also if some
 * could not be loaded: *plugins, which may be NULL, reports them. Loading their libraries takes some tens of
 * milliseconds. */
SDIMAGE_API sdimage_status sdimage_plugins_load_all(sdimage_plugin_list **plugins, sdimage_error **error);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_plugin_list *sdimage_plugin_list_ref(const sdimage_plugin_list *plugins);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_plugin_list_unref(sdimage_plugin_list *plugins);

/* Number of plug-ins known to this version, installed or not. */
SDIMAGE_API size_t sdimage_plugin_list_count(const sdimage_plugin_list *plugins);

/* Name of a plug-in: "tiff", … Borrowed; NULL for an index out of range, here and below. */
SDIMAGE_API const char *sdimage_plugin_list_name(const sdimage_plugin_list *plugins, size_t index);

/* Path of the file, which may not exist. Borrowed. */
SDIMAGE_API const char *sdimage_plugin_list_path(const sdimage_plugin_list *plugins, size_t index);

/* The library that it decodes with and its version, "libtiff 4.5.0"; without the version while this process has not
 * opened the plug-in. Borrowed. */
SDIMAGE_API const char *sdimage_plugin_list_library(const sdimage_plugin_list *plugins, size_t index);

/* The error that prevented loading; NULL if the plug-in is loaded, or will be opened by isolated workers
 * (sdimage_set_isolation). NOT_FOUND: it is not installed. MODULE_MISSING: the file could not be opened; the message is
 * that of the system's loader and names the missing library. Borrowed. */
SDIMAGE_API const sdimage_error *sdimage_plugin_list_error(const sdimage_plugin_list *plugins, size_t index);

#ifdef __cplusplus
}
#endif

#endif
