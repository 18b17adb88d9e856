/* hex.h: hexadecimal digits. */
#ifndef SDCS_HEX_H
#define SDCS_HEX_H

#include <stddef.h>
#include <stdint.h>

/* Returns the value of a digit of either case; -1 for other characters. */
int sdcs_hex_digit(uint8_t character);

/* Writes two lower-case digits for each byte, and a NUL: `text` has room for 2 * length + 1 characters. */
void sdcs_hex_write(char *text, const uint8_t *bytes, size_t length);

#endif
