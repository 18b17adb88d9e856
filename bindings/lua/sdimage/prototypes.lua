--- The functions that this package calls, as declared in the headers, and the library that has them.

local ffi = require("ffi")

ffi.cdef([[
typedef int sdimage_status, sdimage_pixel_format, sdimage_format, sdimage_priority, sdimage_source_policy, sdimage_freshness,
    sdimage_cache_layers, sdimage_delivery_kind, sdimage_image_source, sdimage_freshness_rule, sdimage_event_type;
typedef struct sdimage_size { uint32_t width; uint32_t height; } sdimage_size;
typedef struct sdimage_cache sdimage_cache; typedef struct sdimage_cache_config sdimage_cache_config;
typedef struct sdimage_data sdimage_data; typedef struct sdimage_decode_options sdimage_decode_options;
typedef struct sdimage_dispatcher sdimage_dispatcher; typedef struct sdimage_encode_options sdimage_encode_options;
typedef struct sdimage_error sdimage_error; typedef struct sdimage_event sdimage_event;
typedef struct sdimage_image sdimage_image; typedef struct sdimage_load_handler sdimage_load_handler;
typedef struct sdimage_manager sdimage_manager; typedef struct sdimage_manager_config sdimage_manager_config;
typedef struct sdimage_request sdimage_request; typedef struct sdimage_result sdimage_result;
typedef struct sdimage_task sdimage_task;
typedef void (*sdimage_destroy_fn)(void *user_data);
typedef void (*sdimage_cache_done_fn)(void *user_data, sdimage_error *error);

const char *sdimage_version(void);
const char *sdimage_status_name(sdimage_status status);
sdimage_status sdimage_doctor(sdimage_data **json, sdimage_error **error);
sdimage_status sdimage_metrics(sdimage_data **text, sdimage_error **error);
void sdimage_error_unref(sdimage_error *error);
sdimage_status sdimage_error_code(const sdimage_error *error);
const char *sdimage_error_message(const sdimage_error *error);
int32_t sdimage_error_http_status(const sdimage_error *error);
const char *sdimage_error_url(const sdimage_error *error);
bool sdimage_error_is_transient(const sdimage_error *error);
sdimage_status sdimage_data_new(const void *bytes, size_t length, sdimage_data **data, sdimage_error **error);
void sdimage_data_unref(sdimage_data *data);
const void *sdimage_data_bytes(const sdimage_data *data);
size_t sdimage_data_length(const sdimage_data *data);
sdimage_status sdimage_image_new(uint32_t width, uint32_t height, size_t stride, sdimage_pixel_format pixel_format, const void *pixels, sdimage_image **image, sdimage_error **error);
sdimage_image *sdimage_image_ref(sdimage_image *image);
void sdimage_image_unref(sdimage_image *image);
uint32_t sdimage_image_width(const sdimage_image *image);
uint32_t sdimage_image_height(const sdimage_image *image);
size_t sdimage_image_stride(const sdimage_image *image);
const void *sdimage_image_pixels(const sdimage_image *image);
sdimage_pixel_format sdimage_image_pixel_format(const sdimage_image *image);
sdimage_format sdimage_image_format(const sdimage_image *image);
bool sdimage_image_has_alpha(const sdimage_image *image);
sdimage_size sdimage_image_source_size(const sdimage_image *image);
uint32_t sdimage_image_frame_count(const sdimage_image *image);
uint32_t sdimage_image_loop_count(const sdimage_image *image);
uint64_t sdimage_image_duration_ms(const sdimage_image *image);
size_t sdimage_image_memory_cost(const sdimage_image *image);
sdimage_status sdimage_image_copy_frame(const sdimage_image *image, uint32_t index, sdimage_image **frame, sdimage_error **error);
sdimage_status sdimage_image_convert(const sdimage_image *image, sdimage_pixel_format pixel_format, sdimage_image **converted, sdimage_error **error);
const char *sdimage_format_name(sdimage_format format);
const char *sdimage_pixel_format_name(sdimage_pixel_format pixel_format);
size_t sdimage_pixel_format_bytes(sdimage_pixel_format pixel_format);
sdimage_format sdimage_sniff(const void *bytes, size_t length);
sdimage_status sdimage_info(const void *bytes, size_t length, sdimage_data **json, sdimage_error **error);
sdimage_status sdimage_decode(const void *bytes, size_t length, const sdimage_decode_options *options, sdimage_image **image, sdimage_error **error);
sdimage_status sdimage_encode(const sdimage_image *image, sdimage_format format, const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error);
sdimage_decode_options *sdimage_decode_options_new(void);
void sdimage_decode_options_unref(sdimage_decode_options *options);
void sdimage_decode_options_set_thumbnail_size(sdimage_decode_options *options, uint32_t width, uint32_t height, bool preserve_aspect_ratio);
void sdimage_decode_options_set_pixel_format(sdimage_decode_options *options, sdimage_pixel_format pixel_format);
void sdimage_decode_options_set_first_frame_only(sdimage_decode_options *options, bool first_frame_only);
void sdimage_decode_options_set_accept_partial(sdimage_decode_options *options, bool accept);
sdimage_encode_options *sdimage_encode_options_new(void);
void sdimage_encode_options_unref(sdimage_encode_options *options);
void sdimage_encode_options_set_quality(sdimage_encode_options *options, double quality);
void sdimage_encode_options_set_lossless(sdimage_encode_options *options, bool lossless);
void sdimage_encode_options_set_max_pixel_size(sdimage_encode_options *options, uint32_t width, uint32_t height);
sdimage_cache_config *sdimage_cache_config_new(void);
void sdimage_cache_config_unref(sdimage_cache_config *config);
void sdimage_cache_config_set_directory(sdimage_cache_config *config, const char *path);
void sdimage_cache_config_set_namespace(sdimage_cache_config *config, const char *name);
void sdimage_cache_config_set_memory_only(sdimage_cache_config *config, bool memory_only);
void sdimage_cache_config_set_max_memory_cost(sdimage_cache_config *config, size_t bytes);
void sdimage_cache_config_set_max_memory_count(sdimage_cache_config *config, size_t count);
void sdimage_cache_config_set_max_disk_size(sdimage_cache_config *config, uint64_t bytes);
sdimage_status sdimage_cache_new(const sdimage_cache_config *config, sdimage_cache **cache, sdimage_error **error);
void sdimage_cache_unref(sdimage_cache *cache);
sdimage_status sdimage_cache_close(sdimage_cache *cache, sdimage_error **error);
sdimage_image *sdimage_cache_memory_image(const sdimage_cache *cache, const void *key, size_t length);
sdimage_status sdimage_cache_image(sdimage_cache *cache, const void *key, size_t length, const sdimage_decode_options *options, sdimage_image **image, sdimage_error **error);
sdimage_status sdimage_cache_data(const sdimage_cache *cache, const void *key, size_t length, sdimage_data **data, sdimage_error **error);
sdimage_status sdimage_cache_store(sdimage_cache *cache, const void *key, size_t length, sdimage_image *image, sdimage_data *data, sdimage_cache_layers layers, const sdimage_encode_options *options, sdimage_error **error);
sdimage_status sdimage_cache_store_data_async(sdimage_cache *cache, const void *key, size_t length, sdimage_data *data, sdimage_cache_done_fn stored, void *user_data, sdimage_destroy_fn destroy, sdimage_error **error);
sdimage_cache_layers sdimage_cache_contains(const sdimage_cache *cache, const void *key, size_t length);
sdimage_status sdimage_cache_remove(sdimage_cache *cache, const void *key, size_t length, sdimage_cache_layers layers, sdimage_error **error);
sdimage_status sdimage_cache_clear(sdimage_cache *cache, sdimage_cache_layers layers, sdimage_error **error);
sdimage_status sdimage_cache_flush(sdimage_cache *cache, sdimage_error **error);
sdimage_request *sdimage_request_new(const char *url, size_t length);
void sdimage_request_unref(sdimage_request *request);
void sdimage_request_set_cache_key(sdimage_request *request, const void *key, size_t length);
void sdimage_request_set_priority(sdimage_request *request, sdimage_priority priority);
void sdimage_request_set_source_policy(sdimage_request *request, sdimage_source_policy policy);
void sdimage_request_set_decode_options(sdimage_request *request, const sdimage_decode_options *options);
void sdimage_request_set_freshness(sdimage_request *request, sdimage_freshness freshness);
void sdimage_request_set_progressive(sdimage_request *request, bool progressive);
void sdimage_request_set_progressive_interval_ms(sdimage_request *request, uint32_t interval_ms);
void sdimage_request_set_wants_data(sdimage_request *request, bool wants_data);
void sdimage_request_set_wait_for_store(sdimage_request *request, bool wait);
void sdimage_request_set_retry_failed(sdimage_request *request, bool retry);
void sdimage_request_set_timeout_ms(sdimage_request *request, uint32_t timeout_ms);
void sdimage_request_set_header(sdimage_request *request, const char *name, const char *value);
sdimage_manager_config *sdimage_manager_config_new(void);
void sdimage_manager_config_unref(sdimage_manager_config *config);
void sdimage_manager_config_set_cache(sdimage_manager_config *config, sdimage_cache *cache);
void sdimage_manager_config_set_dispatcher(sdimage_manager_config *config, sdimage_dispatcher *dispatcher);
void sdimage_manager_config_set_freshness(sdimage_manager_config *config, sdimage_freshness freshness);
sdimage_status sdimage_manager_new(const sdimage_manager_config *config, sdimage_manager **manager, sdimage_error **error);
void sdimage_manager_unref(sdimage_manager *manager);
sdimage_status sdimage_manager_load(sdimage_manager *manager, const sdimage_request *request, const sdimage_load_handler *handler, void *user_data, sdimage_destroy_fn destroy, sdimage_task **task, sdimage_error **error);
void sdimage_manager_cancel_all(sdimage_manager *manager);
size_t sdimage_manager_running_count(const sdimage_manager *manager);
void sdimage_manager_set_offline(sdimage_manager *manager, bool offline);
sdimage_status sdimage_manager_flush(sdimage_manager *manager, uint32_t timeout_ms, sdimage_error **error);
sdimage_status sdimage_manager_close(sdimage_manager *manager, uint32_t timeout_ms, sdimage_error **error);
void sdimage_task_unref(sdimage_task *task);
void sdimage_task_cancel(sdimage_task *task);
void sdimage_task_set_priority(sdimage_task *task, sdimage_priority priority);
sdimage_priority sdimage_task_priority(const sdimage_task *task);
sdimage_delivery_kind sdimage_result_kind(const sdimage_result *result);
sdimage_image *sdimage_result_image(const sdimage_result *result);
sdimage_data *sdimage_result_data(const sdimage_result *result);
sdimage_error *sdimage_result_error(const sdimage_result *result);
sdimage_image_source sdimage_result_source(const sdimage_result *result);
bool sdimage_result_is_changed(const sdimage_result *result);
bool sdimage_result_is_stale(const sdimage_result *result);
const char *sdimage_result_cache_key(const sdimage_result *result);
const char *sdimage_image_source_name(sdimage_image_source source);
sdimage_status sdimage_dispatcher_new_pollable(sdimage_dispatcher **dispatcher, sdimage_error **error);
void sdimage_dispatcher_unref(sdimage_dispatcher *dispatcher);
int sdimage_dispatcher_descriptor(const sdimage_dispatcher *dispatcher);
sdimage_status sdimage_dispatcher_next_event(sdimage_dispatcher *dispatcher, sdimage_event **event, sdimage_error **error);
void sdimage_event_unref(sdimage_event *event);
sdimage_event_type sdimage_event_kind(const sdimage_event *event);
const sdimage_result *sdimage_event_result(const sdimage_event *event);
int64_t sdimage_event_received(const sdimage_event *event);
int64_t sdimage_event_expected(const sdimage_event *event);
void *sdimage_event_token(const sdimage_event *event);

struct sdimage_lua_pollfd { int fd; short events; short revents; };
int sdimage_lua_poll(struct sdimage_lua_pollfd *entries, unsigned long count, int timeout) __asm__("poll");
]])

local function open()
  local named, prefix = os.getenv("SDIMAGE_LIBRARY"), os.getenv("SDIMAGE_PREFIX")
  if named then return ffi.load(named) end
  if prefix then return ffi.load(prefix .. "/lib/libsdimage.so.1") end
  local found, library = pcall(ffi.load, "libsdimage.so.1")
  if found then return library end
  local pipe = assert(io.popen("pkg-config --variable=libdir sdimage"))
  local folder = pipe:read("*l")
  pipe:close()
  return ffi.load(assert(folder, library) .. "/libsdimage.so.1")
end

return open()
