/* waiting.h: loads that wait for the first scan of a tree without holding a thread: a queue, which the tree's thread
 * resumes. */
#ifndef SDPHOTO_WAITING_H
#define SDPHOTO_WAITING_H

#include "load.h"
#include "tree.h"

/* Entries of sdphoto_library_kind. A load is deferred before the end of the first scan, unless its photo is
 * known and has not moved. */
bool sdphoto_tree_defer(sdimage_photos_library *library, sdphoto_load *load);
void sdphoto_tree_cancel_loads(sdimage_photos_library *library, const void *owner);

/* Resumes all waiting loads with the result of the first scan. Called on the tree's thread after the scan has ended. */
void sdphoto_tree_resume_loads(sdphoto_tree *tree, sdimage_status status);

#endif
