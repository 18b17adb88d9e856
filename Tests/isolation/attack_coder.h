/* A coder whose images are attacks: "ATTACK", a space, the name of the attack, and a line feed. */
#ifndef SDIMAGE_TESTS_ATTACK_CODER_H
#define SDIMAGE_TESTS_ATTACK_CODER_H

#include <sdimage.h>
#include <sdimage/sys.h>

/* Side of the image of an attack that returns, and the bytes of its pixels. */
enum { ATTACK_SIDE = 8, ATTACK_LARGE_SIDE = 5900, ATTACK_BYTE = 0x5A };

/* The file that workers open for the coder: attack.so in the folder of the program. */
void find_attack_module(void);

/* Makes the coder, in the host and in workers. */
__attribute__((visibility("default"))) sdimage_status sdimage_attack_coder_new(sdimage_coder **coder,
                                                                               sdimage_error **error);

#endif
