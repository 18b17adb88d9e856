/* scan_state.c: the end of a scan: cancellation and cleanup (see scan_state.h). */
#include "scan_state.h"

#include <stdlib.h>
#include <unistd.h>

bool sdphoto_scan_continues(sdphoto_scan *scan) {
    if (atomic_load(&scan->tree->is_stopping) ||
        (scan->progress.report && !scan->progress.report(scan->progress.user_data, scan->found, scan->read)))
        scan->is_cancelled = true;
    return !scan->is_cancelled && scan->updates.has_memory;
}

void sdphoto_scan_close(sdphoto_scan *scan) {
    for (size_t i = 0; i < scan->folder_count; i++)
        free(scan->folders[i]);
    /* The values are also the keys, so they are freed once. */
    for (size_t i = 0; i < scan->scanned.capacity; i++)
        free(scan->scanned.slots[i].value);
    for (size_t i = 0; i < scan->unread.capacity; i++)
        free(scan->unread.slots[i].value);
    for (size_t i = 0; i < scan->item_count; i++)
        free(scan->items[i].path);
    free(scan->folders);
    free(scan->items);
    sdphoto_map_clear(&scan->scanned);
    sdphoto_map_clear(&scan->unread);
    if (scan->root >= 0)
        close(scan->root);
}
