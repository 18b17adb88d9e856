/* scan.h: scans of a tree. */
#ifndef SDPHOTO_SCAN_H
#define SDPHOTO_SCAN_H

#include "scan_state.h"

/* Updates the table while holding `scanning`, and posts the events. */
sdimage_status sdphoto_tree_scan(sdphoto_tree *tree, const sdphoto_scope *scope, sdphoto_progress progress,
                                 sdimage_error **error);

/* Reports that the current thread is scanning the tree. */
bool sdphoto_tree_is_scanned_here(const sdphoto_tree *tree);

#endif
