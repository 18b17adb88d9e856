/* font_sizes.c: the numbers in declarations of font-size, font and letter-spacing (see font_sizes.h). */
#include "font_sizes.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "css.h"

static const char *const properties[] = {"font-size", "font", "letter-spacing"};

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

/* Reads an unsigned number at an offset, which it moves to the unit. */
static double read_number(const uint8_t *text, size_t length, size_t *at) {
    double value = 0, scale = 1, exponent = 0;
    size_t i = *at;
    for (; i < length && is_digit(text[i]); i++)
        value = value * 10 + (text[i] - '0');
    if (i < length && text[i] == '.')
        for (i++; i < length && is_digit(text[i]); i++)
            value += (text[i] - '0') * (scale /= 10);
    /* An "e" without a number begins the unit em. */
    size_t sign = i + 1 < length && (text[i + 1] == '-' || text[i + 1] == '+') ? 1 : 0;
    if (i + 1 + sign < length && (text[i] | 32) == 'e' && is_digit(text[i + 1 + sign])) {
        bool is_negative = text[i + 1] == '-';
        for (i += 1 + sign; i < length && is_digit(text[i]); i++)
            exponent = exponent * 10 + (text[i] - '0');
        value *= pow(10, is_negative ? -exponent : exponent);
    }
    *at = i;
    return value;
}

/* Adds a number with the unit at an offset (CSS Values 3; 96 pixels per inch). */
static void add_number(sdsvg_font_sizes *sizes, double value, const uint8_t *text, size_t length) {
    static const struct {
        const char *name;
        double pixels;
    } units[] = {{"in", 96}, {"cm", 96 / 2.54}, {"mm", 96 / 25.4}, {"pt", 96 / 72.0}, {"pc", 16}};
    bool is_percent = length && text[0] == '%';
    if (is_percent || (length && (text[0] | 32) == 'e')) {
        value = is_percent ? value / 100 : value;
        sizes->factor = value > sizes->factor ? value : sizes->factor;
        return;
    }
    for (size_t i = 0; length > 1 && i < sizeof units / sizeof *units; i++) {
        if (strncasecmp((const char *)text, units[i].name, 2) == 0)
            value *= units[i].pixels;
    }
    sizes->pixels = value > sizes->pixels ? value : sizes->pixels;
}

/* Adds the numbers of a value. Returns its length: up to the end of the declaration or, after the beginning of a
 * comment, which may contain such an end, of the text. */
static size_t add_value(sdsvg_font_sizes *sizes, const uint8_t *text, size_t length) {
    bool has_comment = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '/' && i + 1 < length && text[i + 1] == '*')
            has_comment = true;
        if ((text[i] == ';' || text[i] == '}') && !has_comment)
            return i;
        /* "larger" is a factor of 1.2. */
        if (length - i >= 6 && strncasecmp((const char *)text + i, "larger", 6) == 0)
            sizes->factor = sizes->factor > 1.2 ? sizes->factor : 1.2;
        if (!is_digit(text[i]) && !(text[i] == '.' && i + 1 < length && is_digit(text[i + 1])))
            continue;
        /* The line height follows a slash. */
        bool is_line_height = i && text[i - 1] == '/' && (i < 2 || text[i - 2] != '*');
        double value = read_number(text, length, &i);
        if (!is_line_height)
            add_number(sizes, value, text + i, length - i);
        i--;
    }
    return length;
}

void sdsvg_font_sizes_add_css(sdsvg_font_sizes *sizes, const uint8_t *css, size_t length) {
    for (size_t i = 0; i < length; i++) {
        for (size_t p = 0; p < sizeof properties / sizeof *properties; p++) {
            size_t size = strlen(properties[p]);
            if (size > length - i || strncasecmp((const char *)css + i, properties[p], size) != 0)
                continue;
            if ((i && sdsvg_is_in_name(css[i - 1])) || (i + size < length && sdsvg_is_in_name(css[i + size])))
                continue;
            i += size;
            i += add_value(sizes, css + i, length - i);
            break;
        }
    }
}

void sdsvg_font_sizes_add(sdsvg_font_sizes *sizes, const char *attribute, const uint8_t *text, size_t length) {
    if (strcmp(attribute, "style") == 0)
        sdsvg_font_sizes_add_css(sizes, text, length);
    for (size_t p = 0; p < sizeof properties / sizeof *properties; p++)
        if (strcmp(attribute, properties[p]) == 0)
            add_value(sizes, text, length);
}

void sdsvg_font_sizes_apply(const sdsvg_font_sizes *sizes, sdsvg_font_sizes *inherited) {
    inherited->pixels = fmax(inherited->pixels, sizes->pixels);
    inherited->factor *= fmax(sizes->factor, 1);
}

void sdsvg_font_sizes_raise(sdsvg_font_sizes *most, const sdsvg_font_sizes *sizes) {
    most->pixels = fmax(most->pixels, sizes->pixels);
    most->factor = fmax(most->factor, sizes->factor);
}
