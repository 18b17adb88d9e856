#include "glue.h"

#include "_cgo_export.h"

static void result(void *handle, sdimage_task *task, sdimage_result *result) {
    (void)task;
    goResult((uintptr_t)handle, result);
}

static void progress(void *handle, sdimage_task *task, int64_t received, int64_t expected) {
    (void)task;
    goProgress((uintptr_t)handle, received, expected);
}

static void destroy(void *handle) {
    goDestroy((uintptr_t)handle);
}

sdimage_status glue_load(sdimage_manager *manager, const sdimage_request *request, uintptr_t handle,
                         sdimage_task **task, sdimage_error **error) {
    static const sdimage_load_handler handler = {sizeof handler, result, progress};
    return sdimage_manager_load(manager, request, &handler, (void *)handle, destroy, task, error);
}

static bool can_load(void *handle, const sdimage_request *request) {
    size_t length = 0;
    const char *url = sdimage_request_url(request, &length);
    return goCanLoad((uintptr_t)handle, (char *)url, length);
}

static sdimage_status load(void *handle, const sdimage_request *request, sdimage_load_sink *sink) {
    size_t length = 0;
    const char *url = sdimage_request_url(request, &length);
    goLoad((uintptr_t)handle, (char *)url, length, sdimage_load_sink_ref(sink));
    return SDIMAGE_STATUS_OK;
}

static void cancel(void *handle, sdimage_load_sink *sink) {
    goCancel((uintptr_t)handle, sink);
}

sdimage_status glue_loader(uintptr_t handle, sdimage_loader **loader, sdimage_error **error) {
    static const sdimage_loader_vtable table = {
        .size = sizeof table, .can_load = can_load, .load = load, .cancel = cancel};
    return sdimage_loader_new_custom("go", &table, (void *)handle, destroy, loader, error);
}
