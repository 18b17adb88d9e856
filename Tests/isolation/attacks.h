/* Actions of code that an attacker runs in a worker. */
#ifndef SDIMAGE_TESTS_ATTACKS_H
#define SDIMAGE_TESTS_ATTACKS_H

#include <stddef.h>

typedef struct attack {
    const char *name;
    void (*run)(void);
} attack;

/* Forbidden system calls. In a process without sandbox each returns, with or without success, and leaves nothing
   behind. */
extern const attack forbidden_calls[];
extern const size_t forbidden_call_count;

/* Faults: each ends or occupies the process. */
extern const attack faults[];
extern const size_t fault_count;

/* Runs the attack with that name; returns 0 if there is none. */
int run_attack(const char *name);

#endif
