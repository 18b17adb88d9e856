//! The C functions of loads, caches and loaders; see [`crate::sys`], of which this is a part.
#![allow(missing_docs)]

use crate::sys::*;
use std::os::raw::{c_char, c_int, c_void};

extern "C" {
    // cache.h
    pub fn sdimage_cache_config_new() -> *mut sdimage_cache_config;
    pub fn sdimage_cache_config_unref(config: *mut sdimage_cache_config);
    pub fn sdimage_cache_config_set_directory(config: *mut sdimage_cache_config, path: *const c_char);
    pub fn sdimage_cache_config_set_namespace(config: *mut sdimage_cache_config, name: *const c_char);
    pub fn sdimage_cache_config_set_memory_only(config: *mut sdimage_cache_config, memory_only: bool);
    pub fn sdimage_cache_config_set_max_memory_cost(config: *mut sdimage_cache_config, bytes: usize);
    pub fn sdimage_cache_config_set_max_memory_count(config: *mut sdimage_cache_config, count: usize);
    pub fn sdimage_cache_config_set_max_disk_size(config: *mut sdimage_cache_config, bytes: u64);
    pub fn sdimage_cache_config_set_max_disk_age(config: *mut sdimage_cache_config, seconds: i64);
    pub fn sdimage_cache_new(
        config: *const sdimage_cache_config,
        cache: *mut *mut sdimage_cache,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_cache_ref(cache: *mut sdimage_cache) -> *mut sdimage_cache;
    pub fn sdimage_cache_unref(cache: *mut sdimage_cache);
    pub fn sdimage_cache_close(cache: *mut sdimage_cache, error: *mut *mut sdimage_error) -> sdimage_status;
    pub fn sdimage_cache_memory_image(cache: *const sdimage_cache, key: *const c_void, length: usize) -> *mut sdimage_image;
    pub fn sdimage_cache_set_memory_image(
        cache: *mut sdimage_cache,
        key: *const c_void,
        length: usize,
        image: *mut sdimage_image,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_cache_data(
        cache: *const sdimage_cache,
        key: *const c_void,
        length: usize,
        data: *mut *mut sdimage_data,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_cache_store_data(
        cache: *mut sdimage_cache,
        key: *const c_void,
        length: usize,
        data: *mut sdimage_data,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_cache_store(
        cache: *mut sdimage_cache,
        key: *const c_void,
        length: usize,
        image: *mut sdimage_image,
        data: *mut sdimage_data,
        layers: sdimage_cache_layers,
        options: *const sdimage_encode_options,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_cache_image(
        cache: *mut sdimage_cache,
        key: *const c_void,
        length: usize,
        options: *const sdimage_decode_options,
        image: *mut *mut sdimage_image,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_cache_contains(cache: *const sdimage_cache, key: *const c_void, length: usize) -> sdimage_cache_layers;
    pub fn sdimage_cache_remove(
        cache: *mut sdimage_cache,
        key: *const c_void,
        length: usize,
        layers: sdimage_cache_layers,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_cache_clear(
        cache: *mut sdimage_cache,
        layers: sdimage_cache_layers,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_cache_flush(cache: *mut sdimage_cache, error: *mut *mut sdimage_error) -> sdimage_status;
    pub fn sdimage_cache_disk_totals(
        cache: *const sdimage_cache,
        bytes: *mut u64,
        count: *mut u64,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_cache_statistics(
        cache: *const sdimage_cache,
        json: *mut *mut sdimage_data,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;

    // dispatcher.h
    pub fn sdimage_dispatcher_new_library(
        dispatcher: *mut *mut sdimage_dispatcher,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_dispatcher_new_immediate(
        dispatcher: *mut *mut sdimage_dispatcher,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_dispatcher_new_pollable(
        dispatcher: *mut *mut sdimage_dispatcher,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_dispatcher_ref(dispatcher: *mut sdimage_dispatcher) -> *mut sdimage_dispatcher;
    pub fn sdimage_dispatcher_unref(dispatcher: *mut sdimage_dispatcher);
    pub fn sdimage_dispatcher_descriptor(dispatcher: *const sdimage_dispatcher) -> c_int;
    pub fn sdimage_dispatcher_drain(dispatcher: *mut sdimage_dispatcher) -> usize;
    pub fn sdimage_dispatcher_next_event(
        dispatcher: *mut sdimage_dispatcher,
        event: *mut *mut sdimage_event,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_dispatcher_bind_current_thread(
        dispatcher: *mut sdimage_dispatcher,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_event_unref(event: *mut sdimage_event);
    pub fn sdimage_event_kind(event: *const sdimage_event) -> sdimage_event_type;
    pub fn sdimage_event_task(event: *const sdimage_event) -> *mut sdimage_task;
    pub fn sdimage_event_result(event: *const sdimage_event) -> *const sdimage_result;
    pub fn sdimage_event_received(event: *const sdimage_event) -> i64;
    pub fn sdimage_event_expected(event: *const sdimage_event) -> i64;
    pub fn sdimage_event_token(event: *const sdimage_event) -> *mut c_void;

    // downloader.h
    pub fn sdimage_downloader_new(
        config: *const sdimage_downloader_config,
        loader: *mut *mut sdimage_loader,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;

    // loader.h
    pub fn sdimage_loader_ref(loader: *mut sdimage_loader) -> *mut sdimage_loader;
    pub fn sdimage_loader_unref(loader: *mut sdimage_loader);
    pub fn sdimage_loader_name(loader: *const sdimage_loader) -> *const c_char;
    pub fn sdimage_loader_new_file(loader: *mut *mut sdimage_loader, error: *mut *mut sdimage_error) -> sdimage_status;
    pub fn sdimage_loader_new_data_url(loader: *mut *mut sdimage_loader, error: *mut *mut sdimage_error) -> sdimage_status;
    pub fn sdimage_loader_new_chain(chain: *mut *mut sdimage_loader, error: *mut *mut sdimage_error) -> sdimage_status;
    pub fn sdimage_loader_chain_add(
        chain: *mut sdimage_loader,
        loader: *mut sdimage_loader,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_loader_new_custom(
        name: *const c_char,
        vtable: *const sdimage_loader_vtable,
        user_data: *mut c_void,
        destroy: sdimage_destroy_fn,
        loader: *mut *mut sdimage_loader,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_load_sink_ref(sink: *mut sdimage_load_sink) -> *mut sdimage_load_sink;
    pub fn sdimage_load_sink_unref(sink: *mut sdimage_load_sink);
    pub fn sdimage_load_sink_set_expected_length(sink: *mut sdimage_load_sink, length: u64);
    pub fn sdimage_load_sink_write(
        sink: *mut sdimage_load_sink,
        bytes: *const c_void,
        length: usize,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_load_sink_finish(sink: *mut sdimage_load_sink, error: *mut sdimage_error);
    pub fn sdimage_load_sink_finish_with_data(sink: *mut sdimage_load_sink, data: *mut sdimage_data);
    pub fn sdimage_load_sink_finish_with_image(sink: *mut sdimage_load_sink, image: *mut sdimage_image);
    pub fn sdimage_load_sink_report_progress(sink: *mut sdimage_load_sink, received: i64, expected: i64);
    pub fn sdimage_load_sink_is_cancelled(sink: *const sdimage_load_sink) -> bool;

    // manager.h
    pub fn sdimage_manager_config_new() -> *mut sdimage_manager_config;
    pub fn sdimage_manager_config_unref(config: *mut sdimage_manager_config);
    pub fn sdimage_manager_config_set_cache(config: *mut sdimage_manager_config, cache: *mut sdimage_cache);
    pub fn sdimage_manager_config_set_loader(config: *mut sdimage_manager_config, loader: *mut sdimage_loader);
    pub fn sdimage_manager_config_set_dispatcher(config: *mut sdimage_manager_config, dispatcher: *mut sdimage_dispatcher);
    pub fn sdimage_manager_config_set_freshness(config: *mut sdimage_manager_config, freshness: sdimage_freshness);
    pub fn sdimage_manager_config_set_failed_url_retry_after(config: *mut sdimage_manager_config, seconds: i64);
    pub fn sdimage_manager_new(
        config: *const sdimage_manager_config,
        manager: *mut *mut sdimage_manager,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_manager_ref(manager: *mut sdimage_manager) -> *mut sdimage_manager;
    pub fn sdimage_manager_unref(manager: *mut sdimage_manager);
    pub fn sdimage_manager_load(
        manager: *mut sdimage_manager,
        request: *const sdimage_request,
        handler: *const sdimage_load_handler,
        user_data: *mut c_void,
        destroy: sdimage_destroy_fn,
        task: *mut *mut sdimage_task,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_manager_load_sync(
        manager: *mut sdimage_manager,
        request: *const sdimage_request,
        result: *mut *mut sdimage_result,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_manager_cache_key(
        manager: *const sdimage_manager,
        request: *const sdimage_request,
        key: *mut *mut sdimage_data,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_manager_cancel_all(manager: *mut sdimage_manager);
    pub fn sdimage_manager_running_count(manager: *const sdimage_manager) -> usize;
    pub fn sdimage_manager_set_offline(manager: *mut sdimage_manager, offline: bool);
    pub fn sdimage_manager_forget_failed(manager: *mut sdimage_manager, url: *const c_char, length: usize);
    pub fn sdimage_manager_flush(
        manager: *mut sdimage_manager,
        timeout_ms: u32,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_manager_close(
        manager: *mut sdimage_manager,
        timeout_ms: u32,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_doctor(json: *mut *mut sdimage_data, error: *mut *mut sdimage_error) -> sdimage_status;

    // metrics.h
    pub fn sdimage_metrics(text: *mut *mut sdimage_data, error: *mut *mut sdimage_error) -> sdimage_status;

    // request.h
    pub fn sdimage_request_new(url: *const c_char, length: usize) -> *mut sdimage_request;
    pub fn sdimage_request_unref(request: *mut sdimage_request);
    pub fn sdimage_request_copy(request: *const sdimage_request) -> *mut sdimage_request;
    pub fn sdimage_request_url(request: *const sdimage_request, length: *mut usize) -> *const c_char;
    pub fn sdimage_request_set_url(request: *mut sdimage_request, url: *const c_char, length: usize);
    pub fn sdimage_request_set_cache_key(request: *mut sdimage_request, key: *const c_void, length: usize);
    pub fn sdimage_request_set_priority(request: *mut sdimage_request, priority: sdimage_priority);
    pub fn sdimage_request_set_source_policy(request: *mut sdimage_request, policy: sdimage_source_policy);
    pub fn sdimage_request_set_thumbnail_size(
        request: *mut sdimage_request,
        width: u32,
        height: u32,
        preserve_aspect_ratio: bool,
    );
    pub fn sdimage_request_set_decode_options(request: *mut sdimage_request, options: *const sdimage_decode_options);
    pub fn sdimage_request_set_progressive(request: *mut sdimage_request, progressive: bool);
    pub fn sdimage_request_set_progressive_interval_ms(request: *mut sdimage_request, interval_ms: u32);
    pub fn sdimage_request_set_wants_data(request: *mut sdimage_request, wants_data: bool);
    pub fn sdimage_request_set_wait_for_store(request: *mut sdimage_request, wait: bool);
    pub fn sdimage_request_set_retry_failed(request: *mut sdimage_request, retry: bool);
    pub fn sdimage_request_set_freshness(request: *mut sdimage_request, freshness: sdimage_freshness);
    pub fn sdimage_request_set_header(request: *mut sdimage_request, name: *const c_char, value: *const c_char);
    pub fn sdimage_request_set_timeout_ms(request: *mut sdimage_request, timeout_ms: u32);
    pub fn sdimage_request_set_max_retries(request: *mut sdimage_request, count: u32);
    pub fn sdimage_request_set_dispatcher(request: *mut sdimage_request, dispatcher: *mut sdimage_dispatcher);
    pub fn sdimage_request_set_cache(request: *mut sdimage_request, cache: *mut sdimage_cache);
    pub fn sdimage_request_set_loader(request: *mut sdimage_request, loader: *mut sdimage_loader);

    // result.h
    pub fn sdimage_result_ref(result: *mut sdimage_result) -> *mut sdimage_result;
    pub fn sdimage_result_unref(result: *mut sdimage_result);
    pub fn sdimage_result_kind(result: *const sdimage_result) -> sdimage_delivery_kind;
    pub fn sdimage_result_image(result: *const sdimage_result) -> *mut sdimage_image;
    pub fn sdimage_result_data(result: *const sdimage_result) -> *mut sdimage_data;
    pub fn sdimage_result_error(result: *const sdimage_result) -> *mut sdimage_error;
    pub fn sdimage_result_source(result: *const sdimage_result) -> sdimage_image_source;
    pub fn sdimage_result_is_changed(result: *const sdimage_result) -> bool;
    pub fn sdimage_result_is_stale(result: *const sdimage_result) -> bool;
    pub fn sdimage_result_url(result: *const sdimage_result) -> *const c_char;
    pub fn sdimage_result_cache_key(result: *const sdimage_result) -> *const c_char;
    pub fn sdimage_result_time_ns(result: *const sdimage_result, stage: sdimage_stage) -> u64;
    pub fn sdimage_image_source_name(source: sdimage_image_source) -> *const c_char;

    // task.h
    pub fn sdimage_task_ref(task: *mut sdimage_task) -> *mut sdimage_task;
    pub fn sdimage_task_unref(task: *mut sdimage_task);
    pub fn sdimage_task_cancel(task: *mut sdimage_task);
    pub fn sdimage_task_cancel_and_wait(
        task: *mut sdimage_task,
        timeout_ms: u32,
        error: *mut *mut sdimage_error,
    ) -> sdimage_status;
    pub fn sdimage_task_wait(task: *mut sdimage_task, timeout_ms: u32, error: *mut *mut sdimage_error) -> sdimage_status;
    pub fn sdimage_task_is_finished(task: *const sdimage_task) -> bool;
    pub fn sdimage_task_copy_result(task: *const sdimage_task, result: *mut *mut sdimage_result);
    pub fn sdimage_task_set_priority(task: *mut sdimage_task, priority: sdimage_priority);
    pub fn sdimage_task_priority(task: *const sdimage_task) -> sdimage_priority;
    pub fn sdimage_task_progress(task: *const sdimage_task, received: *mut i64, expected: *mut i64);
    pub fn sdimage_task_token(task: *const sdimage_task) -> *mut c_void;
}
