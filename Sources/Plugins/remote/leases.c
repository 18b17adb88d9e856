/* leases.c: a list of leases, short because each stands for a load in progress (see leases.h). */
#include "leases.h"

#include <stdlib.h>
#include <string.h>

held_lease *sdremote_find_lease(tier *self, const char *name) {
    held_lease *held = self->held;
    while (held && strcmp(held->name, name))
        held = held->next;
    return held;
}

void sdremote_forget_lease(tier *self, held_lease *held) {
    held_lease **link = &self->held;
    while (*link && *link != held)
        link = &(*link)->next;
    if (*link)
        *link = held->next;
    free(held);
}
