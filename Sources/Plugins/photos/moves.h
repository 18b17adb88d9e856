/* moves.h: changes of the files of a tree: moved, changed, new or gone. */
#ifndef SDPHOTO_MOVES_H
#define SDPHOTO_MOVES_H

#include "scan_state.h"

/* Applies the renames of the scope, before the walk. */
void sdphoto_scan_apply_moves(sdphoto_scan *scan);
/* Updates the entries with the results of the walk. */
void sdphoto_scan_process_items(sdphoto_scan *scan);

#endif
