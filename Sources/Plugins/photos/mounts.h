/* mounts.h: the mount points of devices. */
#ifndef SDPHOTO_MOUNTS_H
#define SDPHOTO_MOUNTS_H

#include <stdio.h>
#include <sys/types.h>

/* Returns the path at which the root of the file system on a device is mounted, to be freed; "" for "/". NULL if it is
 * not mounted, or memory is exhausted. `mounts`: /proc/self/mountinfo (proc(5)). */
char *sdphoto_mount_point(FILE *mounts, dev_t device);

#endif
