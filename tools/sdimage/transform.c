/* transform.c: parses transformers in the notation of the command line (see transform.h).
 *
 * Each kind has a function that reads what follows its name. It returns false without an error if the text has another
 * form, and with one if the library refuses the values. */
#include "transform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "messages.h"

/* Parses a number and the character that must follow it. Returns NULL on failure. */
static const char *number(const char *text, char terminator, double *value) {
    char *end = NULL;
    /* strtod would skip spaces. The search finds the NUL of an empty text too. */
    if (!text || strchr(" \t\n", *text))
        return NULL;
    *value = strtod(text, &end);
    return end == text || *end != terminator ? NULL : end + (terminator != '\0');
}

/* WxH[:fit|fill|cover] */
static bool resize(const char *text, sdimage_transformer **transformer, sdimage_error **error) {
    static const struct {
        const char *name;
        sdimage_scale_mode mode;
    } modes[] = {{"fit", SDIMAGE_SCALE_MODE_ASPECT_FIT},
                 {"fill", SDIMAGE_SCALE_MODE_FILL},
                 {"cover", SDIMAGE_SCALE_MODE_ASPECT_FILL}};
    char size[64];
    size_t length = strcspn(text, ":");
    double width = 0, height = 0;
    size_t mode = 0, count = sizeof modes / sizeof *modes;
    snprintf(size, sizeof size, "%.*s", (int)length, text);
    if (!number(number(size, 'x', &width), '\0', &height))
        return false;
    if (text[length] == ':') {
        while (mode < count && strcmp(text + length + 1, modes[mode].name))
            mode++;
        if (mode == count)
            return false;
    }
    return sdimage_transformer_new_resize(width, height, modes[mode].mode, transformer, error) >= 0;
}

/* X,Y,WxH */
static bool crop(const char *text, sdimage_transformer **transformer, sdimage_error **error) {
    sdimage_rect rect;
    const char *size = number(number(text, ',', &rect.x), ',', &rect.y);
    if (!number(number(size, 'x', &rect.width), '\0', &rect.height))
        return false;
    return sdimage_transformer_new_crop(rect, transformer, error) >= 0;
}

/* h, v or hv */
static bool flip(const char *text, sdimage_transformer **transformer, sdimage_error **error) {
    bool horizontal = strchr(text, 'h') != NULL, vertical = strchr(text, 'v') != NULL;
    if (!*text || strspn(text, "hv") != strlen(text))
        return false;
    return sdimage_transformer_new_flip(horizontal, vertical, transformer, error) >= 0;
}

/* DEGREES, converted to radians */
static bool rotate(const char *text, sdimage_transformer **transformer, sdimage_error **error) {
    double degrees;
    if (!number(text, '\0', &degrees))
        return false;
    return sdimage_transformer_new_rotate(degrees * acos(-1.0) / 180, true, transformer, error) >= 0;
}

/* RADIUS */
static bool round_corner(const char *text, sdimage_transformer **transformer, sdimage_error **error) {
    double radius;
    if (!number(text, '\0', &radius))
        return false;
    return sdimage_transformer_new_round_corner(radius, SDIMAGE_CORNERS_ALL, 0, NULL, transformer, error) >= 0;
}

/* RADIUS */
static bool blur(const char *text, sdimage_transformer **transformer, sdimage_error **error) {
    double radius;
    if (!number(text, '\0', &radius))
        return false;
    return sdimage_transformer_new_blur(radius, transformer, error) >= 0;
}

bool parse_color(const char *text, sdimage_color *color) {
    char *end = NULL;
    size_t digits = strlen(text) - 1;
    if (*text != '#' || (digits != 6 && digits != 8) || strspn(text + 1, "0123456789abcdefABCDEF") != digits)
        return false;
    unsigned long value = strtoul(text + 1, &end, 16);
    /* Opaque without an alpha. */
    if (digits == 6)
        value = value << 8 | 255;
    color->red = (double)(value >> 24 & 255) / 255;
    color->green = (double)(value >> 16 & 255) / 255;
    color->blue = (double)(value >> 8 & 255) / 255;
    color->alpha = (double)(value & 255) / 255;
    return true;
}

/* #rrggbb[aa] */
static bool tint(const char *text, sdimage_transformer **transformer, sdimage_error **error) {
    sdimage_color color;
    if (!*text || !parse_color(text, &color))
        return false;
    return sdimage_transformer_new_tint(color, SDIMAGE_BLEND_MODE_SOURCE_ATOP, transformer, error) >= 0;
}

/* "sepia" for CISepiaTone; NULL beyond the last. */
static const char *short_name(size_t filter) {
    const char *alias = sdimage_filter_alias(filter, 0);
    return alias ? alias : sdimage_filter_name(filter);
}

/* An error with the names that there are: of the filters for SIZE_MAX, otherwise of the parameters of a filter. */
static sdimage_error *unknown_name(const char *name, size_t filter) {
    bool is_filter = filter == SIZE_MAX;
    char text[1024];
    size_t length =
        (size_t)snprintf(text, sizeof text, "no %s '%.100s'; there are:", is_filter ? "filter" : "parameter", name);
    const char *known;
    for (size_t i = 0; length < sizeof text; i++) {
        if (!(known = is_filter ? short_name(i) : sdimage_filter_parameter_name(filter, i)))
            break;
        length += (size_t)snprintf(text + length, sizeof text - length, " %s", known);
    }
    return sdimage_error_new(SDIMAGE_STATUS_INVALID_ARGUMENT, text);
}

/* Reports that a filter has a parameter; otherwise an error lists those that it has. */
static bool has_parameter(size_t filter, const char *name) {
    const char *known;
    for (size_t i = 0; (known = sdimage_filter_parameter_name(filter, i)); i++) {
        if (!strcmp(known, name))
            return true;
    }
    return false;
}

/* NAME[,parameter=number]... */
static bool filter(const char *text, sdimage_transformer **transformer, sdimage_error **error) {
    char copy[512];
    /* strtok_r writes into the text. */
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        return false;
    sdimage_options *parameters = sdimage_options_new();
    char *rest = NULL, *name = strtok_r(copy, ",", &rest);
    size_t index = name ? sdimage_filter_index(name) : SIZE_MAX;
    bool is_fine = name && parameters;
    if (is_fine && index == SIZE_MAX)
        *error = unknown_name(name, index);
    for (char *part; is_fine && !*error && (part = strtok_r(NULL, ",", &rest));) {
        char *equals = strchr(part, '=');
        double value;
        is_fine = equals && number(equals + 1, '\0', &value);
        if (is_fine) {
            *equals = '\0';
            sdimage_options_set_double(parameters, part, value);
            if (!has_parameter(index, part))
                *error = unknown_name(part, index);
        }
    }
    is_fine = is_fine && !*error && sdimage_transformer_new_filter(name, parameters, transformer, error) >= 0;
    sdimage_options_unref(parameters);
    return is_fine;
}

parse_result parse_transform(const char *text, sdimage_transformer **transformer) {
    static const struct {
        const char *name, *form;
        bool (*read)(const char *text, sdimage_transformer **transformer, sdimage_error **error);
    } all[] = {{"resize:", "WxH[:fit|fill|cover]", resize},
               {"crop:", "X,Y,WxH", crop},
               {"flip:", "h, v or hv", flip},
               {"rotate:", "DEGREES", rotate},
               {"round:", "RADIUS", round_corner},
               {"blur:", "RADIUS", blur},
               {"tint:", "#rrggbb[aa]", tint},
               {"filter:", "NAME[,PARAMETER=NUMBER]...", filter}};
    sdimage_error *error = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t length = strlen(all[i].name);
        if (strncmp(text, all[i].name, length))
            continue;
        if (all[i].read(text + length, transformer, &error))
            return PARSE_OK;
        if (error)
            report_error(text, error);
        else
            complain("invalid --transform '%s'; expected %s%s", text, all[i].name, all[i].form);
        return PARSE_REPORTED;
    }
    return PARSE_INVALID;
}
