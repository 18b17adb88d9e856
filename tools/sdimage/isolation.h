/* isolation.h: the isolation of decodes (sdimage/isolation.h): RISKY, unless the option chooses. */
#ifndef SDIMAGE_CLI_ISOLATION_H
#define SDIMAGE_CLI_ISOLATION_H

#include <stdbool.h>

/* Sets the isolation to none, risky or all; false for another name. Without workers such decodes then fail. */
bool set_isolation(const char *name);

/* Sets the isolation from the arguments of a command: it applies to plug-ins that are loaded afterwards. By default
 * images are decoded in this process if no worker can be started. */
void set_isolation_before_plugins(int argc, char **argv);

#endif
