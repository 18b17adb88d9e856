/* cli.h: the functions of the commands, and what all of them use. */
#ifndef SDIMAGE_CLI_H
#define SDIMAGE_CLI_H

#include "arguments.h"
#include "commands.h"
#include "isolation.h"
#include "messages.h"

/* Exit statuses that scripts rely on. */
enum { EXIT_FINE = 0, EXIT_NO_IMAGE = 1, EXIT_USAGE = 2 };

/* One function for each command or group of commands. argv[0] is the last word of the command's name. Returns the exit
 * status. */
int run_bench(const command_row *command, int argc, char **argv);
int run_cache(const command_row *command, int argc, char **argv);
int run_completion(const command_row *command, int argc, char **argv);
int run_convert(const command_row *command, int argc, char **argv);
int run_doctor(const command_row *command, int argc, char **argv);
int run_frames(const command_row *command, int argc, char **argv);
int run_get(const command_row *command, int argc, char **argv);
int run_info(const command_row *command, int argc, char **argv);
int run_photos(const command_row *command, int argc, char **argv);
int run_play(const command_row *command, int argc, char **argv);
int run_prefetch(const command_row *command, int argc, char **argv);
int run_thumb(const command_row *command, int argc, char **argv);

#endif
