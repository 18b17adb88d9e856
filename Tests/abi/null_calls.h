/* null_calls.h: support for the generated calls of null_calls.c: valid objects of every kind, and expectations. */
#ifndef SDIMAGE_TESTS_NULL_CALLS_H
#define SDIMAGE_TESTS_NULL_CALLS_H

#include "check.h"

/* Expectations beside real status codes. */
enum { ANY = 1000, ANY_ERROR = 1001 };

/* One valid object of every kind. */
typedef struct objects {
    sdimage_animated_view *animated_view;
    sdimage_cache *cache;
    sdimage_cache_config *cache_config;
    sdimage_cache_entry *cache_entry;
    sdimage_cache_page *cache_page;
    sdimage_cache_query *cache_query;
    sdimage_cache_verification *cache_verification;
    sdimage_coder *coder;
    sdimage_data *data;
    sdimage_decode_options *decode_options;
    sdimage_decoder *decoder;
    sdimage_diagnosis *diagnosis;
    sdimage_dispatcher *dispatcher;
    sdimage_download_event *download_event; /* passed only to a hook: not available here */
    sdimage_download_hooks *download_hooks;
    sdimage_downloader_config *downloader_config;
    sdimage_encode_options *encode_options;
    sdimage_error *error;
    sdimage_event *event;
    sdimage_exchange *exchange; /* passed only to a transport: not available here */
    sdimage_frame_provider *frame_provider;
    sdimage_gain_map *gain_map;
    sdimage_image *image;
    sdimage_info *info;
    sdimage_load_hooks *load_hooks;
    sdimage_load_sink *load_sink;
    sdimage_loader *loader;
    sdimage_manager *manager;
    sdimage_manager_config *manager_config;
    sdimage_metadata *metadata;
    sdimage_options *options;
    sdimage_prefetch_group *prefetch_group;
    sdimage_prefetcher *prefetcher;
    sdimage_player *player;
    sdimage_plugin_list *plugin_list;
    sdimage_reply *reply;
    sdimage_resources *resources;
    sdimage_response *response;
    sdimage_request *request;
    sdimage_result *result;
    sdimage_source *source;
    sdimage_target *target;
    sdimage_target_options *target_options;
    sdimage_batch_options *batch_options;
    const sdimage_work_budget *work_budget; /* passed only to coders: not available here */
    sdimage_task *task;
    sdimage_transformer *transformer;
    sdimage_transport *transport;
    void *pointer;
} objects;

extern objects good, out;
extern const char *doing; /* the current call */
extern const char text[];
extern uint8_t bytes[64];
extern const sdimage_load_hooks_vtable empty_load_hooks_vtable;
extern const sdimage_target_vtable empty_target_vtable;

void make_good_objects(void);

/* Releases the outputs of a call in `out`. */
void release_outputs(void);

/* Records an unexpected result; the test fails at its end with the first call and the number of failures. */
void expect(bool condition);
void expect_status(sdimage_status status, int expected);
void finish_calls(void);

#endif
