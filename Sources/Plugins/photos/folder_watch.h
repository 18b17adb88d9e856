/* folder_watch.h: the kernel's watches (inotify) of the folders of a tree. Only the tree's thread has them. */
#ifndef SDPHOTO_FOLDER_WATCH_H
#define SDPHOTO_FOLDER_WATCH_H

#include "tree.h"

/* Watches a folder; called during scans, before the folder is read. Ignored on other threads. */
void sdphoto_watch_folder(sdphoto_tree *tree, const char *folder);

/* Returns the folder of a watch, borrowed until it is forgotten; NULL for none. */
const char *sdphoto_watched_folder(const sdphoto_tree *tree, int number);
void sdphoto_forget_watch(sdphoto_tree *tree, int number);
void sdphoto_forget_watches(sdphoto_tree *tree);

/* Ends watching, and notes the reason: from then on each fetch scans the tree. */
void sdphoto_stop_watching(sdphoto_tree *tree, const char *note);

#endif
