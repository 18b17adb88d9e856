/* watch.h: the thread of a tree: it receives changes from the kernel, scans the affected folders, and calls the
 * observer for the events of all scans. */
#ifndef SDPHOTO_WATCH_H
#define SDPHOTO_WATCH_H

#include "tree.h"

/* Starts the thread, which scans and then waits for changes. Without it each fetch scans. */
void sdphoto_watch_start(sdphoto_tree *tree);
/* Ends the thread and closes the descriptors. False on the thread itself, which frees the library when it ends. */
bool sdphoto_watch_stop(sdphoto_tree *tree);

#endif
