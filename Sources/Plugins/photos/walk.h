/* walk.h: the walk through the folders of a scan. */
#ifndef SDPHOTO_WALK_H
#define SDPHOTO_WALK_H

#include "scan_state.h"

/* Reads the folders of the scope, and queues the files that are new or changed. */
void sdphoto_scan_walk(sdphoto_scan *scan);

/* Reports names that the walk skips: hidden files and backup copies of editors. */
bool sdphoto_is_skipped(const char *name);

#endif
