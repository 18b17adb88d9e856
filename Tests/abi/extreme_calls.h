/* extreme_calls.h: support for the generated calls of extreme_calls.c: lists of extreme values, and objects to call
 * them on. */
#ifndef SDIMAGE_TESTS_EXTREME_CALLS_H
#define SDIMAGE_TESTS_EXTREME_CALLS_H

#include "null_calls.h"

/* A list of values and, for reports, their texts. */
#define LIST(type, name)                                                                                               \
    typedef struct name##_item {                                                                                       \
        type value;                                                                                                    \
        const char *text;                                                                                              \
    } name##_item;                                                                                                     \
    extern const name##_item name[];                                                                                   \
    extern const size_t name##_count;                                                                                  \
    const char *name##_text(size_t index)

LIST(bool, flags);
LIST(double, doubles);
LIST(uint64_t, sizes);
LIST(int64_t, integers);
LIST(uint32_t, words);
LIST(int32_t, short_integers);
LIST(int32_t, enums);
LIST(size_t, counts);
LIST(size_t, array_sizes);
LIST(const double *, scales);
LIST(const uint32_t *, durations);
LIST(const char *, names);

/* Memory and its length: texts of all kinds, encoded images and hashes. */
typedef struct extent {
    const void *bytes;
    size_t length;
    const char *text;
} extent;
extern const extent texts[], contents[];
extern const size_t texts_count, contents_count;
const char *texts_text(size_t index);
const char *contents_text(size_t index);

/* Images of several formats and scales. */
typedef struct picture {
    sdimage_image *image;
    const char *text;
} picture;
extern picture images[];
extern const size_t images_count;
const char *images_text(size_t index);

/* A reservation of 1 GiB of memory that uses a page only after access. */
extern void *region;
extern const char *const urls[];
extern sdimage_image *frames[];
extern sdimage_transformer *transformers[];
extern sdimage_color out_color;
extern const sdimage_source_vtable reading_table;
const char *output_path(void);
sdimage_loader *new_downloader(void);
sdimage_manager *new_closing_manager(void);
sdimage_task *finished_task(void);

/* True if the memory behind these arguments has the given size, or if that is so large that the library must refuse
 * it. */
bool may_copy(uint32_t width, uint32_t height, size_t stride, sdimage_pixel_format format);
bool may_read(size_t length);
bool may_load_batch(size_t size);

/* A variable parameter and its list. */
typedef struct component {
    const char *name;
    const size_t *count;
    const char *(*text)(size_t index);
} component;

/* A function, and its variable parameters. */
typedef struct function {
    const char *name;
    void (*call)(const size_t *values);
    const component *components;
    size_t count;
} function;

/* Calls each function with every value of each component, and with all pairs of values of any two components. */
void call_pairwise(const function *functions, size_t count);

/* Makes random calls with random values, on objects that retain the values of earlier calls. EXTREME_CALLS in the
 * environment sets the number of calls, EXTREME_SEED the seed. */
void call_at_random(const function *functions, size_t count);

/* Put a new single-owner object into `good`; during random calls only occasionally. */
void renew_batch_options(void);
void renew_cache_config(void);
void renew_cache_query(void);
void renew_decode_options(void);
void renew_downloader_config(void);
void renew_encode_options(void);
void renew_manager_config(void);
void renew_metadata(void);
void renew_options(void);
void renew_request(void);
void renew_response(void);
void renew_target_options(void);

/* Make the library use the values that were set. */
void use_animated_view(sdimage_animated_view *view);
void use_batch_options(sdimage_batch_options *options);
void use_cache(sdimage_cache *cache);
void use_cache_config(sdimage_cache_config *config);
void use_cache_query(sdimage_cache_query *query);
void use_decode_options(sdimage_decode_options *options);
void use_downloader_config(sdimage_downloader_config *config);
void use_encode_options(sdimage_encode_options *options);
void use_manager_config(sdimage_manager_config *config);
void use_metadata(sdimage_metadata *metadata);
void use_options(sdimage_options *options);
void use_player(sdimage_player *player);
void use_prefetcher(sdimage_prefetcher *prefetcher);
void use_request(sdimage_request *request);
void use_response(sdimage_response *response);
void use_target_options(sdimage_target_options *options);
void use_outputs(void);

#endif
