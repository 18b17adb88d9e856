/* options.h: a bag of named values that travels with a request to custom loaders, caches, coders and plug-ins.
 *
 * The library carries the bag and never looks into it: its own choices are typed setters (request.h). A plug-in
 * declares the keys that it reads in its own header.
 *
 * Class: single-owner. A request copies the bag; the copy that a hook sees is immutable. Names are bytes up to the NUL,
 * compared bytewise. A getter answers with `fallback` when the name is absent or holds another type. */
#ifndef SDIMAGE_OPTIONS_H
#define SDIMAGE_OPTIONS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An empty bag. NULL when memory is refused. */
SDIMAGE_API sdimage_options *sdimage_options_new(void);
SDIMAGE_API sdimage_options *sdimage_options_ref(sdimage_options *options);
SDIMAGE_API void sdimage_options_unref(sdimage_options *options);

/* How many values there are. */
SDIMAGE_API size_t sdimage_options_count(const sdimage_options *options);

/* Whether there is a value of that name, whatever its type. */
SDIMAGE_API bool sdimage_options_has(const sdimage_options *options, const char *name);

/* Removes a value; nothing happens when it is absent. */
SDIMAGE_API void sdimage_options_remove(sdimage_options *options, const char *name);

/* Set or replace. Text and data are copied and referenced; a NULL `value` removes the name. */
SDIMAGE_API void sdimage_options_set_string(sdimage_options *options, const char *name, const char *value);
SDIMAGE_API void sdimage_options_set_int64(sdimage_options *options, const char *name, int64_t value);
SDIMAGE_API void sdimage_options_set_double(sdimage_options *options, const char *name, double value);
SDIMAGE_API void sdimage_options_set_bool(sdimage_options *options, const char *name, bool value);
SDIMAGE_API void sdimage_options_set_data(sdimage_options *options, const char *name, sdimage_data *value);

/* Carries a pointer of the host. `destroy(value)` is called once, when the last copy of the bag is gone. */
SDIMAGE_API void sdimage_options_set_pointer(sdimage_options *options, const char *name, void *value,
                                             sdimage_destroy_fn destroy);

/* The value, or `fallback`. Text is borrowed until the name is set again or the bag is freed. */
SDIMAGE_API const char *sdimage_options_get_string(const sdimage_options *options, const char *name,
                                                   const char *fallback);
SDIMAGE_API int64_t sdimage_options_get_int64(const sdimage_options *options, const char *name, int64_t fallback);
SDIMAGE_API double sdimage_options_get_double(const sdimage_options *options, const char *name, double fallback);
SDIMAGE_API bool sdimage_options_get_bool(const sdimage_options *options, const char *name, bool fallback);

/* The value, borrowed like the text; NULL when absent. */
SDIMAGE_API const sdimage_data *sdimage_options_get_data(const sdimage_options *options, const char *name);
SDIMAGE_API void *sdimage_options_get_pointer(const sdimage_options *options, const char *name);

#ifdef __cplusplus
}
#endif

#endif
