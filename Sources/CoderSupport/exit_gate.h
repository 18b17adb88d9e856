/* exit_gate.h: calls of a C++ library, which destroys its global objects at exit(3).
 *
 * A call in progress on another thread then, or a later one, would crash. The gate is closed before: this waits for
 * calls in progress, for at most a second; one that takes longer may still crash. Later ones are refused
 * (docs/decisions.md, "Calls of C++ libraries end at exit"). */
#ifndef SDCS_EXIT_GATE_H
#define SDCS_EXIT_GATE_H

#include <sdimage/error.h>

/* Has exit(3) close the gate before it destroys objects that the library has constructed so far. Called when the
 * library is open; further calls have no effect. */
void sdcs_exit_gate_open(void);

/* Begins a call of the library. A call that begins is ended by sdcs_exit_gate_leave. Errors: SHUTDOWN when the process
 * ends. */
sdimage_status sdcs_exit_gate_enter(sdimage_error **error);

/* Ends a call, after the objects that it got from the library were freed. */
void sdcs_exit_gate_leave(void);

#endif
