/* options.h: a set of named values that a request carries to custom loaders, caches, coders and plug-ins.
 *
 * The library itself does not read the values: its own options are typed setters (request.h). A plug-in declares the
 * names that it reads in its own header.
 *
 * Class: single-owner. A request copies the set; the copy that a hook receives is immutable. Names are bytes up to the
 * NUL, compared bytewise. A getter returns `fallback` if the name is absent or its value has another type. */
#ifndef SDIMAGE_OPTIONS_H
#define SDIMAGE_OPTIONS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes an empty set. NULL when memory is refused. */
SDIMAGE_API sdimage_options *sdimage_options_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_options *sdimage_options_ref(const sdimage_options *options);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_options_unref(sdimage_options *options);

/* Number of values. */
SDIMAGE_API size_t sdimage_options_count(const sdimage_options *options);

/* True if the set has a value of that name, of any type. */
SDIMAGE_API bool sdimage_options_has(const sdimage_options *options, const char *name);

/* Removes a value; no effect if it is absent. */
SDIMAGE_API void sdimage_options_remove(sdimage_options *options, const char *name);

/* Sets or replaces a text, which is copied; a NULL `value` removes the name. */
SDIMAGE_API void sdimage_options_set_string(sdimage_options *options, const char *name, const char *value);
/* Returns a text, or `fallback`. Borrowed until the name is set again or the set is freed. */
SDIMAGE_API const char *sdimage_options_string(const sdimage_options *options, const char *name, const char *fallback);

/* Sets or replaces an integer. */
SDIMAGE_API void sdimage_options_set_int64(sdimage_options *options, const char *name, int64_t value);
/* Returns an integer, or `fallback`. */
SDIMAGE_API int64_t sdimage_options_int64(const sdimage_options *options, const char *name, int64_t fallback);

/* Sets or replaces a number. */
SDIMAGE_API void sdimage_options_set_double(sdimage_options *options, const char *name, double value);
/* Returns a number, or `fallback`. */
SDIMAGE_API double sdimage_options_double(const sdimage_options *options, const char *name, double fallback);

/* Sets or replaces a truth value. */
SDIMAGE_API void sdimage_options_set_bool(sdimage_options *options, const char *name, bool value);
/* Returns a truth value, or `fallback`. */
SDIMAGE_API bool sdimage_options_is_true(const sdimage_options *options, const char *name, bool fallback);

/* Sets or replaces data, which are referenced; a NULL `value` removes the name. */
SDIMAGE_API void sdimage_options_set_data(sdimage_options *options, const char *name, sdimage_data *value);
/* Returns data; NULL if absent. Borrowed until the name is set again or the set is freed. */
SDIMAGE_API const sdimage_data *sdimage_options_data(const sdimage_options *options, const char *name);

/* Sets or replaces a pointer of the host; a NULL `value` removes the name. `destroy(value)` is called once, when the
 * last copy of the set is freed or has another value. */
SDIMAGE_API void sdimage_options_set_pointer(sdimage_options *options, const char *name, void *value,
                                             sdimage_destroy_fn destroy);
/* Returns a pointer of the host; NULL if absent. Valid until the name is set again or the set is freed. */
SDIMAGE_API void *sdimage_options_pointer(const sdimage_options *options, const char *name);

#ifdef __cplusplus
}
#endif

#endif
