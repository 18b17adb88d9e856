/* deadlines.c: a doubly linked list of jobs in ascending order of deadlines, whose nodes are in the jobs (see
 * deadlines.h). */
#include "deadlines.h"

#include "threads.h"

void sdremote_watch(tier *self, job *watched) {
    /* Budgets are equal, so the deadline is nearly always the last one. */
    job *before = self->last_watched;
    while (before && before->deadline > watched->deadline)
        before = before->earlier;
    watched->earlier = before;
    watched->later = before ? before->later : self->first_watched;
    /* Links both neighbors, or the ends of the list, to the job. */
    *(before ? &before->later : &self->first_watched) = watched;
    *(watched->later ? &watched->later->earlier : &self->last_watched) = watched;
    watched->is_watched = true;
    watched->references++;
    sdremote_wake_timer(self, watched->deadline);
}

void sdremote_unwatch(tier *self, job *watched) {
    if (!watched->is_watched)
        return;
    *(watched->earlier ? &watched->earlier->later : &self->first_watched) = watched->later;
    *(watched->later ? &watched->later->earlier : &self->last_watched) = watched->earlier;
    watched->is_watched = false;
    /* The caller holds another reference. */
    watched->references--;
}
