/* Isolated decodes with the coder of attacks. */
#ifndef SDIMAGE_TESTS_ATTACK_DECODES_H
#define SDIMAGE_TESTS_ATTACK_DECODES_H

#include "attack_coder.h"
#include "check.h"

/* Registers the coder and sets the isolation RISKY. */
void start_isolation(void);

/* Decodes an image that runs the attack and contains the text, within a time limit. All bytes differ from call to call:
 * equal ones would be refused after two crashes. The caller owns *image, NULL after an error. */
sdimage_status decode_attack(const char *attack, const char *text, uint32_t limit_ms, sdimage_image **image);

sdimage_isolation_statistics isolation_counts(void);

#endif
