/* manager.c: managers and loads: started here; take_events delivers their results.
 *
 * Loads have no callbacks. Their events wait in the dispatcher of the environment. Its loop passes them to index.js,
 * with the token that index.js gave to the load. */
#include "binding.h"
#include "enums.h"

/* Sets the cache of a manager: that of the property, none, or the default. */
static void set_cache(napi_env env, napi_value object, sdimage_manager_config *config) {
    napi_value value;
    bool none;
    if (property(env, object, "cache", &value))
        sdimage_manager_config_set_cache(config, handle_get(env, value, CACHE));
    else if (has_bool(env, object, "noCache", &none) && none)
        sdimage_manager_config_set_cache(config, NULL);
}

/* Gives the downloader the signature of the other makers. It has the default configuration. */
static sdimage_status new_downloader(sdimage_loader **loader, sdimage_error **error) {
    return sdimage_downloader_new(NULL, loader, error);
}

/* Adds the built-in loaders, then those of the program, which are tried before them. */
static sdimage_status fill_chain(napi_env env, napi_value loaders, sdimage_loader *chain, sdimage_error **error) {
    sdimage_status (*const makers[])(sdimage_loader **, sdimage_error **) = {
        sdimage_loader_new_file, sdimage_loader_new_data_url, new_downloader};
    sdimage_status status = SDIMAGE_STATUS_OK;
    uint32_t count = 0;
    for (size_t index = 0; status >= 0 && index < sizeof makers / sizeof *makers; index++) {
        sdimage_loader *made = NULL;
        status = makers[index](&made, error);
        if (status >= 0)
            status = sdimage_loader_chain_add(chain, made, error);
        sdimage_loader_unref(made);
    }
    napi_get_array_length(env, loaders, &count);
    for (uint32_t index = 0; status >= 0 && index < count; index++) {
        napi_value value;
        napi_get_element(env, loaders, index, &value);
        status = sdimage_loader_chain_add(chain, handle_get(env, value, LOADER), error);
    }
    return status;
}

/* Sets a chain as the loader, if the program has loaders. */
static sdimage_status set_loaders(napi_env env, napi_value object, sdimage_manager_config *config,
                                  sdimage_error **error) {
    sdimage_loader *chain = NULL;
    napi_value loaders;
    if (!property(env, object, "loaders", &loaders))
        return SDIMAGE_STATUS_OK;
    sdimage_status status = sdimage_loader_new_chain(&chain, error);
    if (status >= 0)
        status = fill_chain(env, loaders, chain, error);
    if (status >= 0)
        sdimage_manager_config_set_loader(config, chain);
    sdimage_loader_unref(chain);
    return status;
}

/* Makes a configuration of the properties of an object, for the caller to release. An exception may be pending
 * afterwards. */
static sdimage_manager_config *config_of(napi_env env, napi_value object) {
    sdimage_manager_config *config = sdimage_manager_config_new();
    double value;
    set_cache(env, object, config);
    if (has_number(env, object, "freshness", &value))
        sdimage_manager_config_set_freshness(config, (sdimage_freshness)value);
    if (has_number(env, object, "failedUrlRetryAfter", &value))
        sdimage_manager_config_set_failed_url_retry_after(config, (int64_t)value);
    sdimage_manager_config_set_ignore_signatures(config, is_true(env, object, "ignoreSignatures"));
    sdimage_manager_config_set_dispatcher(config, binding_of(env)->dispatcher);
    return config;
}

/* managerNew(options) */
napi_value manager_new(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    bool thrown = false;
    arguments(env, info, values);
    sdimage_manager_config *config = config_of(env, values[0]);
    /* A manager without a configuration would have the defaults. */
    sdimage_status status = config ? set_loaders(env, values[0], config, &error) : SDIMAGE_STATUS_NO_MEMORY;
    napi_is_exception_pending(env, &thrown);
    if (status >= 0 && !thrown)
        status = sdimage_manager_new(config, &manager, &error);
    sdimage_manager_config_unref(config);
    if (thrown) {
        sdimage_error_unref(error);
        return NULL;
    }
    return status < 0 ? throw_error(env, status, error) : handle_wrap(env, MANAGER, manager);
}

/* managerStart(manager, url, options, token, hasProgress) => task. `deliver` reports all events of the load under its
 * token. */
napi_value manager_start(napi_env env, napi_callback_info info) {
    /* A handler without functions: its loads have no progress events, which would wake the loop in vain. */
    static const sdimage_load_handler results_only = {.size = sizeof results_only};
    napi_value values[MAX_ARGUMENTS];
    bool has_progress = true;
    sdimage_task *task = NULL;
    sdimage_error *error = NULL;
    arguments(env, info, values);
    binding *binding = binding_of(env);
    sdimage_manager *manager = handle_get(env, values[0], MANAGER);
    sdimage_request *request = manager ? request_of(env, values[1], values[2]) : NULL;
    if (!manager)
        return NULL;
    if (!request)
        return throw_error(env, SDIMAGE_STATUS_INVALID_ARGUMENT, NULL);
    void *token = (void *)(uintptr_t)number_of(env, values[3]);
    napi_get_value_bool(env, values[4], &has_progress);
    const sdimage_load_handler *handler = has_progress ? NULL : &results_only;
    sdimage_status status = sdimage_manager_load(manager, request, handler, token, NULL, &task, &error);
    sdimage_request_unref(request);
    if (status < 0)
        return throw_error(env, status, error);
    /* Loads without a final result keep the loop, and so the process, alive. */
    if (binding->pending++ == 0)
        uv_ref((uv_handle_t *)&binding->events->poll);
    return handle_wrap(env, TASK, task);
}

/* managerCancelAll(manager) */
napi_value manager_cancel_all(napi_env env, napi_callback_info info) {
    sdimage_manager *manager = first_argument(env, info, MANAGER);
    if (manager)
        sdimage_manager_cancel_all(manager);
    return NULL;
}

/* managerRunningCount(manager) */
napi_value manager_running_count(napi_env env, napi_callback_info info) {
    sdimage_manager *manager = first_argument(env, info, MANAGER);
    return manager ? number(env, (double)sdimage_manager_running_count(manager)) : NULL;
}

/* managerIsOffline(manager) */
napi_value manager_is_offline(napi_env env, napi_callback_info info) {
    sdimage_manager *manager = first_argument(env, info, MANAGER);
    return manager ? boolean(env, sdimage_manager_is_offline(manager)) : NULL;
}

/* managerSetOffline(manager, flag) */
napi_value manager_set_offline(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    bool flag = false;
    arguments(env, info, values);
    sdimage_manager *manager = handle_get(env, values[0], MANAGER);
    napi_get_value_bool(env, values[1], &flag);
    if (manager)
        sdimage_manager_set_offline(manager, flag);
    return NULL;
}

/* managerForgetFailed(manager) */
napi_value manager_forget_failed(napi_env env, napi_callback_info info) {
    sdimage_manager *manager = first_argument(env, info, MANAGER);
    if (manager)
        sdimage_manager_forget_failed(manager, NULL, 0);
    return NULL;
}

/* taskCancel(task) */
napi_value task_cancel(napi_env env, napi_callback_info info) {
    sdimage_task *task = first_argument(env, info, TASK);
    if (task)
        sdimage_task_cancel(task);
    return NULL;
}

/* taskPriority(task) => number of the priority */
napi_value task_priority(napi_env env, napi_callback_info info) {
    sdimage_task *task = first_argument(env, info, TASK);
    return task ? number(env, sdimage_task_priority(task)) : NULL;
}

/* taskSetPriority(task, number) */
napi_value task_set_priority(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    arguments(env, info, values);
    sdimage_task *task = handle_get(env, values[0], TASK);
    if (task)
        sdimage_task_set_priority(task, (sdimage_priority)number_of(env, values[1]));
    return NULL;
}

/* taskResult(task) => result of a load; null while it runs */
napi_value task_result(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS], none;
    sdimage_result *result = NULL;
    arguments(env, info, values);
    sdimage_task *task = handle_get(env, values[0], TASK);
    if (task)
        sdimage_task_get_result(task, &result);
    napi_get_null(env, &none);
    if (!result)
        return none;
    napi_value fields = result_fields(env, result);
    sdimage_result_unref(result);
    return fields;
}

napi_value result_fields(napi_env env, sdimage_result *result) {
    napi_value fields, times;
    napi_create_object(env, &fields);
    napi_create_object(env, &times);
    sdimage_data *data = sdimage_result_data(result);
    sdimage_image *image = sdimage_result_image(result);
    sdimage_error *error = sdimage_result_error(result);
    set(env, fields, "kind", number(env, sdimage_result_kind(result)));
    set(env, fields, "image", image ? image_fields(env, sdimage_image_ref(image)) : undefined(env));
    /* buffer_of releases the reference that it receives. */
    set(env, fields, "data", buffer_of(env, sdimage_data_ref(data)));
    set(env, fields, "error", error ? error_value(env, SDIMAGE_STATUS_OK, error) : undefined(env));
    set(env, fields, "source", text(env, sdimage_image_source_name(sdimage_result_source(result))));
    set(env, fields, "isStale", boolean(env, sdimage_result_is_stale(result)));
    set(env, fields, "isChanged", boolean(env, sdimage_result_is_changed(result)));
    set(env, fields, "freshness", text(env, sdimage_freshness_rule_name(sdimage_result_freshness(result))));
    set(env, fields, "url", text(env, sdimage_result_url(result)));
    set(env, fields, "cacheKey", text(env, sdimage_result_cache_key(result)));
    for (int stage = 0; stage < (int)(sizeof STAGES / sizeof *STAGES); stage++)
        set(env, times, STAGES[stage], number(env, (double)sdimage_result_time_ns(result, (sdimage_stage)stage)));
    set(env, fields, "timesNs", times);
    return fields;
}

/* Passes an event to index.js: (token, isResult, received, expected, result). */
static void deliver(napi_env env, watch *watch, sdimage_event *event) {
    binding *binding = binding_of(env);
    bool is_result = sdimage_event_callback_kind(event) == SDIMAGE_CALLBACK_KIND_RESULT;
    sdimage_result *result = (sdimage_result *)sdimage_event_result(event);
    napi_value values[] = {number(env, (double)(uintptr_t)sdimage_event_token(event)), boolean(env, is_result),
                           number(env, (double)sdimage_event_received(event)),
                           number(env, (double)sdimage_event_expected(event)),
                           is_result ? result_fields(env, result) : undefined(env)};
    /* Before the call, because the callback may start the next load. */
    if (is_result && sdimage_result_kind(result) == SDIMAGE_DELIVERY_KIND_FINAL && --binding->pending == 0)
        uv_unref((uv_handle_t *)&binding->events->poll);
    watch_call(env, watch, binding->deliver, 5, values);
}

void take_events(napi_env env, watch *watch) {
    sdimage_event *event = NULL;
    binding *binding = binding_of(env);
    /* Leaves the rest to the next iteration of the loop, so that other handles are served. */
    for (int count = 0; count < 64; count++) {
        napi_handle_scope scope;
        if (sdimage_dispatcher_next_event(binding->dispatcher, &event, NULL) != SDIMAGE_STATUS_OK)
            return;
        napi_open_handle_scope(env, &scope);
        deliver(env, watch, event);
        napi_close_handle_scope(env, scope);
        sdimage_event_unref(event);
    }
}
