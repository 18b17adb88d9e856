/* Worker processes, as the system lists them. */
#ifndef PROCESSES_H
#define PROCESSES_H

/* Finds the workers of this process and their keepers; stores at most `most` ids of workers, returns their number. */
int find_workers(int *ids, int most, int *keepers);

#endif
