/* check.c: refuses documents that librsvg would read without a limit. The rules answer librsvg 2.54 and libxml2 2.9
 * (Debian 12), with which they were measured. What later versions do is taken from their release notes. When the
 * minimum is raised to a version in parentheses, measure the rule again without this check, and remove it if it holds.
 *
 * - Embedded images (check_image): every loader of gdk-pixbuf decodes them, librsvg's own for SVG included, without a
 *   limit of pixels. Since 2.57 the loaders are written in Rust. The limit of pixels is needed with every version.
 * - Other data: URLs (check_css, check_attribute, on_instruction): documents and style sheets in them are read like the
 *   document, and nothing in them is checked. Needed with every version.
 * - Elements (MOST_ELEMENTS): librsvg has the same limit, with libxml2 2.15 only since 2.61.3. No version limits the
 *   bytes of elements and rules (take_memory).
 * - Attributes (MOST_ATTRIBUTES) and their default values: libxml2 compares each one with all others (2.12). The limit
 *   of librsvg since 2.55 is 65535.
 * - Entities (MOST_ENTITIES): their texts are never freed (2.59, for documents that cannot be parsed). In a style sheet
 *   (on_use) their text reaches this check only at the first use; needed with every version.
 * - Nested elements (MOST_DEPTH) and chains of references (check_chains): librsvg recurses, and the process ends when
 *   the stack is full. Since 2.59.2 it limits nested layers, but neither other nesting nor the bytes of the stack.
 * - Surfaces of the size of the drawing (sdsvg_check reports their number): librsvg makes one for each open group with
 *   opacity, a mask, a filter, a blend mode or a clip path in units of its element (objectBoundingBox), and one for
 *   each named result of a filter. Since 2.59.2 it limits nested layers, but not the bytes of their surfaces.
 * - Numbers of a kernelMatrix (MOST_KERNEL, until 2.55.90), feTile (until 2.55.91) and the size of text (MOST_TEXT,
 *   until 2.55.92): librsvg panics, which ends the process.
 * - Nested selectors (MOST_SELECTORS): parsed and matched by recursion. No release note names a limit.
 * - Rules times elements (MOST_MATCHES): each selector is tested on each element while the document is read. Only
 *   drawing can be cancelled, since 2.59.
 *
 * The check ends with the work budget of its operation, which is examined after each MiB of counted memory and each
 * 64 KiB of CSS: a small document may repeat a long entity in many attributes. */
#include "check.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "base64.h"
#include "css.h"
#include "embedded.h"
#include "encoding.h"
#include "font_sizes.h"
#include "names.h"
#include "percent.h"
#include "rule_names.h"

/* Limits: elements; bytes of all entities; attributes of an element; pixels of all embedded images. */
enum { MOST_ELEMENTS = 1000000, MOST_ENTITIES = 1 << 16, MOST_ATTRIBUTES = 512 };
static const uint64_t MOST_PIXELS = (uint64_t)32 << 20;

/* Bytes that librsvg 2.54 takes for parts of a document, measured and rounded up: 1.3 KB for an element, 0.8 KB for a
 * rule of one selector and one declaration. Their sum must stay within the working memory. */
enum { ELEMENT_BYTES = 1280, ATTRIBUTE_BYTES = 64, RULE_BYTES = 1024, CSS_TOKEN_BYTES = 256 };

/* Bytes for a part of a text element, and for a byte of its text, while it is drawn. */
enum { SPAN_BYTES = 5120, GLYPH_BYTES = 48 };

/* Memory and CSS between two examinations of the budget, in bytes. Powers of two. */
enum { MEMORY_STEP = 1 << 20, CSS_STEP = 1 << 16 };

/* Limit of selector matches: librsvg tests each selector on each element, at 40 ns each. */
static const uint64_t MOST_MATCHES = 100000000;

/* Limit of the numbers of a kernelMatrix (feConvolveMatrix). librsvg 2.54 reads 400 of them, and ends the process if
 * the matrix has another number. */
enum { MOST_KERNEL = 399 };

/* Limits of recursion. librsvg recurses for nested elements, for referenced elements and for nested selectors.
 * MOST_DEPTH: nested elements. MOST_LEVELS: their depth times the number of elements that refer on. MOST_SELECTORS:
 * nested selectors. All fit in the stack of the thread (drawing.h). */
enum { MOST_DEPTH = 512, MOST_LEVELS = 20000, MOST_SELECTORS = 2000 };

static const char TOO_MANY_ATTRIBUTES[] = "svg: attributes of an element exceed the limit of 512";

void sdsvg_prepare(void) {
    xmlInitParser();
}

/* MOST_TEXT: limit of the bytes of text between two tags times the font size in pixels. librsvg 2.54 ends the process
 * if a line of text has 2097152 pixels, or its font that size; a byte has at most two widths of it. MEDIUM: the size
 * that is assumed without a larger one in numbers; those of all keywords are smaller. */
enum { MOST_TEXT = 1 << 19, MEDIUM = 32 };

/* Kinds of elements that librsvg draws on a surface of their own; CLIPPED: only if the clip path has the units of the
 * element (clipPathUnits="objectBoundingBox"). */
enum { LAYER = 1, CLIPPED = 2 };

/* An open element. */
typedef struct level {
    uint64_t id;            /* 0 for none */
    bool refers;            /* the element or a descendant refers to another */
    unsigned kinds;         /* LAYER or CLIPPED: it may be drawn on a surface of its own */
    bool is_text;           /* a text element or a descendant of one */
    sdsvg_font_sizes fonts; /* with those of its ancestors; the font size is at most their product */
} level;

/* The state of one check, which the SAX callbacks of libxml2 update. Used on the thread of the decode. */
typedef struct checker {
    xmlParserCtxtPtr parser;                                        /* valid during `parse` */
    const sdimage_work_budget *budget;                              /* NULL for none */
    uint64_t pixels, memory, rules;                                 /* `rules`: number of style sheet selectors */
    size_t elements, entities, defaults, depth, deepest, selectors; /* counts; `entities`: bytes of their texts */
    level levels[MOST_DEPTH];                                       /* the open elements, `depth` of them */
    size_t layers[4], most_layers[4]; /* indexed by LAYER, or LAYER | CLIPPED: open layers, and the most of them */
    size_t results, most_results;     /* named results of the current filter, and the largest number of them */
    unsigned kinds, css_kinds;        /* those of the current element, and of all rules, which may select any element */
    bool has_clip_units;              /* a clip path has the units of its element: CLIPPED counts */
    size_t style;                     /* the depth of the current style element; 0 outside of one */
    uint8_t *css;                     /* its text */
    size_t css_length, css_room;
    bool css_refers;                   /* a rule may make any element refer to another */
    sdsvg_font_sizes fonts, css_fonts; /* sizes of the current element; of all rules */
    bool knows_rules;                  /* a second parse: `css_fonts` and `rule_names` are those of the first */
    sdsvg_rule_names rule_names;       /* names in all rules */
    size_t run;                        /* bytes since the last tag */
    uint64_t text_memory;              /* memory of the current or last text element */
    double most_run;                   /* the largest run of all elements */
    double most_scaled, most_text;     /* in text elements: the largest run times the factor, and times the pixels */
    sdsvg_font_sizes most_fonts;       /* largest sizes of all elements */
    sdsvg_font_sizes use_fonts;        /* largest sizes of elements that draw others with their own font */
    bool has_foreign_text;             /* an element draws the text of another (tref) */
    sdsvg_names referring, silent;     /* elements that refer to others, elements that do not */
    sdsvg_names meant;                 /* elements that are referred to */
    sdimage_status status;
    const char *message; /* static text; set with `status` */
} checker;

/* Ends the parse with an error. The first error counts: libxml2 may call further callbacks before it stops. */
static void refuse(checker *checker, sdimage_status status, const char *message) {
    if (checker->status >= 0)
        checker->status = status, checker->message = message;
    xmlStopParser(checker->parser);
}

/* Ends the parse when the budget of the operation is used up. */
static void check_budget(checker *checker) {
    sdimage_status status = sdimage_work_budget_check(checker->budget);
    if (status != SDIMAGE_STATUS_OK)
        refuse(checker, status,
               status == SDIMAGE_STATUS_CANCELLED ? "task: cancelled" : "image: work exceeded its time limit");
}

/* Checks an embedded image by its header. `pixels` is the sum of all images of the document. */
static void check_image(checker *checker, uint8_t *bytes, size_t length) {
    if (!sdsvg_accepts_format(sdimage_sniff(bytes, length))) {
        refuse(checker, SDIMAGE_STATUS_UNSUPPORTED, "svg: embedded image is not JPEG, PNG, GIF, WebP or BMP");
        return;
    }
    uint64_t pixels = sdsvg_pixels_of(bytes, length);
    checker->pixels += pixels;
    if (!pixels)
        refuse(checker, SDIMAGE_STATUS_BAD_DATA, "svg: size of an embedded image cannot be read");
    else if (checker->pixels > MOST_PIXELS)
        refuse(checker, SDIMAGE_STATUS_TOO_LARGE, "svg: embedded images exceed the limit of 32 Mi pixels");
}

/* Counts memory that librsvg takes. */
static void take_memory(checker *checker, uint64_t bytes) {
    uint64_t before = checker->memory;
    checker->memory += bytes;
    if (before / MEMORY_STEP != checker->memory / MEMORY_STEP)
        check_budget(checker);
    if (checker->memory + checker->text_memory > SDCS_WORKING_BYTES)
        refuse(checker, SDIMAGE_STATUS_TOO_LARGE, "svg: elements and style rules exceed the limit of 256 MiB");
}

/* Counts memory that librsvg takes for the current text element and releases afterwards. */
static void take_text_memory(checker *checker, uint64_t bytes) {
    checker->text_memory += bytes;
    take_memory(checker, 0);
}

/* Counts the rules of a style sheet by the punctuation that separates their parts. */
static void count_rules(checker *checker, const uint8_t *css, size_t length) {
    /* The text counts, too. */
    uint64_t bytes = length;
    for (size_t i = 0; i < length; i++)
        switch (css[i]) {
        case '{':
            checker->rules++;
            bytes += RULE_BYTES;
            break;
        case ',': checker->rules++; /* fall through */
        case ';':
        case '.':
        case '#':
        case '>':
        case '+':
        case '~':
        case '[': bytes += CSS_TOKEN_BYTES; break;
        default: break;
        }
    take_memory(checker, bytes);
}

/* Reports a character that URL parsers ignore, so that "da\nta:" is found. */
static bool is_ignored(uint8_t character) {
    return character == '\t' || character == '\n' || character == '\r';
}

/* Reports that a URL begins with data:. The text has no ignored characters left. */
static bool is_data(const uint8_t *text, size_t length) {
    return length >= 5 && xmlStrncasecmp(text, (const xmlChar *)"data:", 5) == 0;
}

/* Checks the value of an image reference. Only data: URLs are followed. */
static void check_reference(checker *checker, const uint8_t *value, size_t length) {
    static const char base64[] = ";base64";
    if (!is_data(value, length))
        return;
    /* data:[type][;base64],DATA (RFC 2397, section 3). */
    const uint8_t *comma = memchr(value, ',', length);
    size_t head = comma ? (size_t)(comma - value) : length, size = comma ? length - head - 1 : 0;
    bool is_base64 = head >= sizeof base64 - 1 && xmlStrncasecmp(value + head - (sizeof base64 - 1),
                                                                 (const xmlChar *)base64, sizeof base64 - 1) == 0;
    /* Decoded in a copy: the caller still reads the text. */
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes) {
        refuse(checker, SDIMAGE_STATUS_NO_MEMORY, "svg: no memory for an embedded image");
        return;
    }
    memcpy(bytes, value + length - size, size);
    size = sdcs_percent_decode(bytes, size);
    check_image(checker, bytes, is_base64 ? sdcs_base64_decode(bytes, size) : size);
    free(bytes);
}

/* --- References between elements. */

/* Adds a name to a set, or refuses the document. */
static void add_name(checker *checker, sdsvg_names *names, uint64_t hash) {
    sdimage_status status = sdsvg_names_add(names, hash);
    if (status == SDIMAGE_STATUS_TOO_LARGE)
        refuse(checker, status, "svg: references exceed the limit of 1000000");
    else if (status < 0)
        refuse(checker, status, "svg: no memory for references");
}

/* Collects all #names in a value; false for none. */
static bool note_names(checker *checker, const uint8_t *text, size_t length) {
    bool any = false;
    for (size_t i = 0; checker->status >= 0 && i < length; i++) {
        if (text[i] != '#')
            continue;
        size_t end = i + 1;
        while (end < length && !strchr(")\"' #;}", text[end]))
            end++;
        add_name(checker, &checker->meant, sdsvg_name_hash(text + i + 1, end - i - 1));
        any = true;
    }
    return any;
}

/* Compares the beginning of a text, ignoring the case of ASCII letters. */
static bool begins(const uint8_t *text, size_t length, const char *with) {
    return length >= strlen(with) && xmlStrncasecmp(text, (const xmlChar *)with, (int)strlen(with)) == 0;
}

/* Returns the quotation mark or parenthesis before a URL that may begin at an offset of normalized CSS (css.h); 0 if
 * none may begin. Elsewhere data: is text, or the end of a selector. URL parsers skip spaces and control characters,
 * for which escapes leave "?". */
static uint8_t before_url(const uint8_t *text, size_t at) {
    while (at && (text[at - 1] <= ' ' || text[at - 1] == '?'))
        at--;
    return at && strchr("\"'(", text[at - 1]) ? text[at - 1] : 0;
}

/* Reports that selectors follow the parenthesis at an offset (Selectors 4; CSS Scoping 1). librsvg 2.54 knows the first
 * three. */
static bool nests_selectors(const uint8_t *text, size_t at) {
    static const char *const names[] = {"not", "host", "slotted", "is", "where", "has", "child"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (at >= length && begins(text + at - length, length, names[i]))
            return true;
    }
    return false;
}

/* Checks data: URLs in CSS. Fonts are harmless. librsvg reads other data: URLs only as a style sheet, or as an SVG of
 * which one element is referenced. */
static void check_css(checker *checker, const uint8_t *text, size_t length) {
    /* The URLs in which the text is: in quotation marks, in apostrophes, and in url(). One that begins in a comment
     * ends anywhere, and hides none of the others. */
    bool is_quoted = false, is_single = false, is_bare = false;
    for (size_t i = 0; checker->status >= 0 && i < length; i++) {
        if (i % CSS_STEP == CSS_STEP - 1)
            check_budget(checker);
        if (text[i] == '(' && nests_selectors(text, i) && ++checker->selectors > MOST_SELECTORS)
            refuse(checker, SDIMAGE_STATUS_TOO_LARGE, "svg: nested selectors exceed the limit of 2000");
        is_quoted = is_quoted && text[i] != '"';
        is_single = is_single && text[i] != '\'';
        is_bare = is_bare && text[i] != ')' && text[i] != ' ';
        bool is_harmful = text[i] == '#' && (is_quoted || is_single || is_bare);
        uint8_t before = is_data(text + i, length - i) ? before_url(text, i) : 0;
        if (before) {
            is_harmful = !begins(text + i, length - i, "data:font/") &&
                         !begins(text + i, length - i, "data:application/") &&
                         !begins(text + i, length - i, "data:image/");
            is_quoted = is_quoted || before == '"';
            is_single = is_single || before == '\'';
            is_bare = is_bare || before == '(';
        }
        if (is_harmful)
            refuse(checker, SDIMAGE_STATUS_UNSUPPORTED, "svg: embedded data is neither an image nor a font");
    }
}

/* --- Elements. */

/* Compares names exactly: XML distinguishes upper and lower case. */
static bool is_named(const xmlChar *name, const char *other) {
    return xmlStrEqual(name, (const xmlChar *)other);
}

/* Properties that draw an element on a surface of its own. */
static const struct {
    const char *name;
    unsigned kind;
} layer_properties[] = {{"opacity", LAYER},        {"mask", LAYER},      {"filter", LAYER},
                        {"mix-blend-mode", LAYER}, {"isolation", LAYER}, {"clip-path", CLIPPED}};

/* Reports a value of such a property that needs no surface. In CSS the value ends with its declaration. */
static bool is_neutral(const uint8_t *value, size_t length) {
    static const char *const neutral[] = {"none", "normal", "auto", "1"};
    size_t end = 0;
    while (end < length && value[end] != ';' && value[end] != '}')
        end++;
    for (; end && *value <= ' '; end--)
        value++;
    while (end && value[end - 1] <= ' ')
        end--;
    for (size_t i = 0; i < sizeof neutral / sizeof *neutral; i++)
        if (end == strlen(neutral[i]) && begins(value, end, neutral[i]))
            return true;
    return false;
}

/* Returns the kind for a property that is an attribute; 0 for other attributes, and neutral values. */
static unsigned attribute_kind(const char *name, const uint8_t *value, size_t length) {
    for (size_t i = 0; i < sizeof layer_properties / sizeof *layer_properties; i++)
        if (strcmp(name, layer_properties[i].name) == 0 && !is_neutral(value, length))
            return layer_properties[i].kind;
    return 0;
}

/* Returns the kind for a declaration that may begin at an offset of CSS text. A comment may be before the colon. */
static unsigned declaration_kind(const uint8_t *text, size_t length, size_t at) {
    for (size_t i = 0; i < sizeof layer_properties / sizeof *layer_properties; i++) {
        const char *name = layer_properties[i].name;
        size_t end = at + strlen(name);
        if (!begins(text + at, length - at, name) || (at && sdsvg_is_in_name(text[at - 1])))
            continue;
        while (end < length && text[end] <= ' ')
            end++;
        bool is_set = end < length && (text[end] == '/' || text[end] == ':');
        if (is_set && !is_neutral(text + end + 1, length - end - 1))
            return layer_properties[i].kind;
    }
    return 0;
}

/* Returns the kinds of all declarations in CSS text. */
static unsigned kinds_in_css(const uint8_t *text, size_t length) {
    unsigned kinds = 0;
    for (size_t i = 0; i < length; i++)
        kinds |= declaration_kind(text, length, i);
    return kinds;
}

/* Returns the number of characters that may begin a number of a list; at least that of the numbers. */
static size_t count_numbers(const xmlChar *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        bool is_digit = text[i] >= '0' && text[i] <= '9', follows = i && strchr("0123456789.+-eE", text[i - 1]);
        count += is_digit ? !follows : text[i] == '.' || text[i] == '+' || text[i] == '-';
    }
    return count;
}

/* Checks an attribute; reports that its value refers to another element. */
static bool check_attribute(checker *checker, const xmlChar *element, const xmlChar *name, const xmlChar *value,
                            size_t length) {
    uint8_t *text = malloc(length ? length : 1);
    bool refers = false;
    if (!text) {
        refuse(checker, SDIMAGE_STATUS_NO_MEMORY, "svg: no memory for a reference");
        return false;
    }
    memcpy(text, value, length);
    if (is_named(name, "href")) {
        size_t made = 0, start = 0;
        for (size_t i = 0; i < length; i++)
            if (!is_ignored(text[i]))
                text[made++] = text[i];
        while (start < made && text[start] <= ' ')
            start++;
        /* Their data: URLs are images. Those of links and scripts are not followed by librsvg. */
        if (is_named(element, "image") || is_named(element, "feImage"))
            check_reference(checker, text + start, made - start);
        else if (is_data(text + start, made - start) && !is_named(element, "a") && !is_named(element, "script"))
            refuse(checker, SDIMAGE_STATUS_UNSUPPORTED, "svg: reference into an embedded document");
        refers = !is_data(text + start, made - start) && note_names(checker, text, made);
    } else {
        length = sdsvg_plain_css(text, length);
        check_css(checker, text, length);
        sdsvg_font_sizes_add(&checker->fonts, (const char *)name, text, length);
        checker->kinds |=
            is_named(name, "style") ? kinds_in_css(text, length) : attribute_kind((const char *)name, text, length);
        /* Colors begin with # too. */
        for (size_t i = 0; !refers && i < length; i++)
            refers = begins(text + i, length - i, "url(");
        if (refers)
            note_names(checker, text, length);
    }
    free(text);
    return refers;
}

/* Reports that a rule may select an element. */
static bool is_selected(const checker *checker, const xmlChar *name, const xmlChar **attributes, int count) {
    bool selected = sdsvg_rule_names_have(&checker->rule_names, name, (size_t)xmlStrlen(name));
    for (int i = 0; !selected && i < count; i++) {
        const xmlChar **attribute = attributes + (size_t)i * 5;
        selected = (is_named(attribute[0], "id") || is_named(attribute[0], "class")) &&
                   sdsvg_rule_names_have(&checker->rule_names, attribute[3], (size_t)(attribute[4] - attribute[3]));
    }
    return selected;
}

/* Returns the sizes of the current element, whose attributes were checked, and its ancestors. */
static sdsvg_font_sizes fonts_of(checker *checker, const xmlChar *name, const xmlChar **attributes, int count) {
    sdsvg_font_sizes fonts = {MEDIUM, 1};
    if (checker->depth)
        fonts = checker->levels[checker->depth - 1].fonts;
    bool selected = checker->knows_rules && is_selected(checker, name, attributes, count);
    /* librsvg applies the factors of a link twice if another element draws it. */
    for (int times = is_named(name, "a") ? 2 : 1; times > 0; times--) {
        sdsvg_font_sizes_apply(&checker->fonts, &fonts);
        if (selected)
            sdsvg_font_sizes_apply(&checker->css_fonts, &fonts);
    }
    sdsvg_font_sizes_raise(&checker->most_fonts, &fonts);
    if (is_named(name, "use") || is_named(name, "feImage"))
        sdsvg_font_sizes_raise(&checker->use_fonts, &fonts);
    return fonts;
}

/* Callback startElementNs: counts the element, checks its attributes and opens a level. */
static void on_element(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                       const xmlChar **declared, int count, int defaulted, const xmlChar **attributes) {
    (void)prefix, (void)uri, (void)namespaces, (void)declared, (void)defaulted;
    checker *checker = ((xmlParserCtxtPtr)context)->_private;
    if (++checker->elements > MOST_ELEMENTS)
        refuse(checker, SDIMAGE_STATUS_TOO_LARGE, "svg: elements exceed the limit of 1000000");
    if (count > MOST_ATTRIBUTES)
        refuse(checker, SDIMAGE_STATUS_TOO_LARGE, TOO_MANY_ATTRIBUTES);
    if (checker->depth == MOST_DEPTH)
        refuse(checker, SDIMAGE_STATUS_BAD_DATA, "svg: nested elements exceed the limit of 512");
    if (checker->status < 0)
        return;
    take_memory(checker, ELEMENT_BYTES);
    level level = {.is_text = is_named(name, "text")};
    if (checker->depth)
        level.is_text = level.is_text || checker->levels[checker->depth - 1].is_text;
    checker->kinds = 0, checker->run = 0, checker->fonts = (sdsvg_font_sizes){0, 0};
    if (level.is_text && !(checker->depth && checker->levels[checker->depth - 1].is_text))
        checker->text_memory = 0;
    if (level.is_text)
        take_text_memory(checker, SPAN_BYTES);
    checker->has_foreign_text = checker->has_foreign_text || is_named(name, "tref");
    if (is_named(name, "filter"))
        checker->results = 0;
#if !LIBRSVG_CHECK_VERSION(2, 55, 91)
    /* librsvg panics if nothing of the input is in the drawing, which depends on all transformations. */
    if (is_named(name, "feTile"))
        refuse(checker, SDIMAGE_STATUS_UNSUPPORTED, "svg: librsvg before 2.55.91 cannot draw feTile");
#endif
    /* librsvg resolves chains of gradients with a list, not by recursion. */
    bool is_gradient = is_named(name, "linearGradient") || is_named(name, "radialGradient");
    for (int i = 0; checker->status >= 0 && i < count; i++) {
        /* Five pointers for each attribute: name, prefix, namespace, and begin and end of the value. */
        const xmlChar **attribute = attributes + (size_t)i * 5;
        size_t length = (size_t)(attribute[4] - attribute[3]);
        take_memory(checker, ATTRIBUTE_BYTES + 2 * (uint64_t)length);
        if (is_named(attribute[0], "clipPathUnits") &&
            !(length == 14 && begins(attribute[3], length, "userSpaceOnUse")))
            checker->has_clip_units = true;
        if (is_named(attribute[0], "kernelMatrix") && count_numbers(attribute[3], length) > MOST_KERNEL)
            refuse(checker, SDIMAGE_STATUS_TOO_LARGE, "svg: kernel matrix exceeds the limit of 399 numbers");
        if (is_named(attribute[0], "result") && ++checker->results > checker->most_results)
            checker->most_results = checker->results;
        /* An id of another namespace names nothing. */
        if (is_named(attribute[0], "id") && !attribute[2])
            level.id = sdsvg_name_hash(attribute[3], length);
        else if (check_attribute(checker, name, attribute[0], attribute[3], length))
            level.refers = !is_gradient;
    }
    /* A gradient is no link of a chain. */
    level.id = is_gradient ? 0 : level.id;
    level.kinds = checker->kinds;
    level.fonts = fonts_of(checker, name, attributes, count);
    /* The end of the document tells which of the counts holds (has_clip_units). */
    for (unsigned kinds = LAYER; kinds <= (LAYER | CLIPPED); kinds += CLIPPED)
        if (level.kinds & kinds && ++checker->layers[kinds] > checker->most_layers[kinds])
            checker->most_layers[kinds] = checker->layers[kinds];
    checker->levels[checker->depth++] = level;
    if (checker->depth > checker->deepest)
        checker->deepest = checker->depth;
    if (is_named(name, "style") && !checker->style)
        checker->style = checker->depth;
}

/* Checks the collected text of a style element. Attributes are checked one by one, a style sheet as a whole. */
static void end_style(checker *checker) {
    if (!checker->knows_rules)
        sdsvg_rule_names_add(&checker->rule_names, checker->css, checker->css_length);
    size_t length = sdsvg_plain_css(checker->css, checker->css_length);
    check_css(checker, checker->css, length);
    count_rules(checker, checker->css, length);
    checker->css_kinds |= kinds_in_css(checker->css, length);
    for (size_t i = 0; !checker->css_refers && i < length; i++)
        checker->css_refers = begins(checker->css + i, length - i, "url(");
    note_names(checker, checker->css, length);
    sdsvg_font_sizes_add_css(&checker->css_fonts, checker->css, length);
    checker->css_length = checker->style = 0;
}

/* Callback endElementNs: closes a level. An element refers if one of its descendants does. */
static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    (void)name, (void)prefix, (void)uri;
    checker *checker = ((xmlParserCtxtPtr)context)->_private;
    if (checker->status < 0 || !checker->depth)
        return;
    checker->run = 0;
    if (checker->style == checker->depth)
        end_style(checker);
    level ended = checker->levels[--checker->depth];
    for (unsigned kinds = LAYER; kinds <= (LAYER | CLIPPED); kinds += CLIPPED)
        checker->layers[kinds] -= (ended.kinds & kinds) != 0;
    /* A style rule may add a reference to elements without one of their own. */
    if (ended.id)
        add_name(checker, ended.refers ? &checker->referring : &checker->silent, ended.id);
    if (checker->depth && ended.refers)
        checker->levels[checker->depth - 1].refers = true;
}

/* Adds text of an element to the run that librsvg draws as one line. */
static void count_text(checker *checker, size_t length) {
    const level *level = &checker->levels[checker->depth - 1];
    checker->run += length;
    double run = (double)checker->run, scaled = run * level->fonts.factor;
    checker->most_run = fmax(checker->most_run, run);
    if (level->is_text) {
        take_text_memory(checker, (uint64_t)length * GLYPH_BYTES);
        checker->most_scaled = fmax(checker->most_scaled, scaled);
        checker->most_text = fmax(checker->most_text, scaled * level->fonts.pixels);
    }
}

/* Limits the size of the text. Elements that are drawn by others (use, feImage) inherit the font of those, which may be
 * drawn by others again, once for each link of a chain. */
static void check_text(checker *checker, size_t links) {
    const sdsvg_font_sizes *all = &checker->most_fonts, *uses = &checker->use_fonts;
    double scaled = checker->most_scaled, most = checker->most_text;
    if (checker->has_foreign_text)
        scaled = checker->most_run * all->factor, most = scaled * all->pixels;
    /* The factor of the root is in that of the text, too. */
    double factor = uses->factor / checker->levels[0].fonts.factor;
    if (uses->pixels > 0)
        most = fmax(most, scaled * uses->pixels) * pow(factor, (double)links + 1);
    /* Written so that NaN counts as too large. */
    if (checker->status >= 0 && !(most <= MOST_TEXT))
        checker->status = SDIMAGE_STATUS_TOO_LARGE, checker->message = "svg: text exceeds the limit of 524288 pixels";
}

/* Callbacks for text, white space and CDATA: collects the text of a style element, which may arrive in pieces. */
static void on_text(void *context, const xmlChar *text, int length) {
    checker *checker = ((xmlParserCtxtPtr)context)->_private;
    if (length <= 0 || checker->status < 0 || !checker->depth)
        return;
    if (!checker->style) {
        count_text(checker, (size_t)length);
        return;
    }
    size_t more = (size_t)length;
    if (more > checker->css_room - checker->css_length) {
        /* Doubled, because text arrives in many pieces. */
        size_t room = (checker->css_length + more) * 2;
        uint8_t *css = realloc(checker->css, room);
        if (!css) {
            refuse(checker, SDIMAGE_STATUS_NO_MEMORY, "svg: no memory for a style sheet");
            return;
        }
        checker->css = css, checker->css_room = room;
    }
    memcpy(checker->css + checker->css_length, text, more);
    checker->css_length += more;
}

/* Refuses external style sheets in data: URLs, the only ones that librsvg reads. Tabs and line ends within the scheme,
 * which URL parsers ignore, arrive as they are. */
static void on_instruction(void *context, const xmlChar *target, const xmlChar *data) {
    static const char scheme[] = "data:";
    checker *checker = ((xmlParserCtxtPtr)context)->_private;
    if (!is_named(target, "xml-stylesheet") || !data)
        return;
    size_t found = 0;
    for (; *data && *data != '&' && scheme[found]; data++)
        if (!is_ignored(*data))
            found = (*data | 32) == scheme[found] ? found + 1 : (*data | 32) == 'd';
    if (*data == '&' || !scheme[found])
        refuse(checker, SDIMAGE_STATUS_UNSUPPORTED, "svg: style sheet in a data URL");
}

/* Refuses entities in style sheets, and counts them elsewhere: the parser reports the text of an entity only at its
 * first use. */
static xmlEntityPtr on_use(void *context, const xmlChar *name) {
    checker *checker = ((xmlParserCtxtPtr)context)->_private;
    if (checker->style)
        refuse(checker, SDIMAGE_STATUS_UNSUPPORTED, "svg: style sheet has an entity");
    xmlEntityPtr entity = xmlSAX2GetEntity(context, name);
    /* Counted as text, although it may be used in an attribute; with the largest length if it has others in it. */
    if (entity && entity->content && checker->depth)
        count_text(checker, xmlStrchr(entity->content, '&') ? MOST_ENTITIES : (size_t)xmlStrlen(entity->content));
    return entity;
}

/* Limits chains of references, and returns the number of their links: elements that are referred to and refer to
 * another. */
static size_t check_chains(checker *checker) {
    sdsvg_names_sort(&checker->meant);
    size_t links = sdsvg_names_common(&checker->meant, &checker->referring);
    if (checker->css_refers)
        links += sdsvg_names_common(&checker->meant, &checker->silent);
    if (checker->rules * checker->elements > MOST_MATCHES && checker->status >= 0)
        checker->status = SDIMAGE_STATUS_TOO_LARGE,
        checker->message = "svg: too many style rules for the number of elements";
    if (links > MOST_LEVELS / (checker->deepest ? checker->deepest : 1) && checker->status >= 0)
        checker->status = SDIMAGE_STATUS_TOO_LARGE, checker->message = "svg: chains of references exceed the limit";
    return links;
}

/* Registers only internal entities: external ones are never fetched. */
static void on_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
                      xmlChar *content) {
    checker *checker = ((xmlParserCtxtPtr)context)->_private;
    checker->entities += content ? (size_t)xmlStrlen(content) : 0;
    if (checker->entities > MOST_ENTITIES)
        refuse(checker, SDIMAGE_STATUS_TOO_LARGE, "svg: entities exceed the limit of 64 KiB");
    else if (type == XML_INTERNAL_GENERAL_ENTITY || type == XML_INTERNAL_PARAMETER_ENTITY)
        xmlSAX2EntityDecl(context, name, type, public_id, system_id, content);
}

/* Counts the default values of attributes, of all elements together: the parser compares each one with the other
 * attributes. */
static void on_attribute(void *context, const xmlChar *element, const xmlChar *name, int type, int kind,
                         const xmlChar *value, xmlEnumerationPtr values) {
    checker *checker = ((xmlParserCtxtPtr)context)->_private;
    if (!value || ++checker->defaults <= MOST_ATTRIBUTES) {
        xmlSAX2AttributeDecl(context, element, name, type, kind, value, values);
        return;
    }
    refuse(checker, SDIMAGE_STATUS_TOO_LARGE, TOO_MANY_ATTRIBUTES);
    xmlFreeEnumeration(values);
}

/* Refuses encodings in which sdsvg_has_more_attributes finds no attributes. The encoding is known here. */
static void on_document(void *context) {
    xmlParserCtxtPtr parser = context;
    const xmlParserInputBuffer *buffer = parser->input ? parser->input->buf : NULL;
    xmlSAX2StartDocument(context);
    if (buffer && buffer->encoder && buffer->encoder->name && !sdsvg_is_ascii_compatible(buffer->encoder->name))
        refuse(parser->_private, SDIMAGE_STATUS_UNSUPPORTED, "svg: encoding is not an extension of ASCII");
}

/* Callback resolveEntity: opens no external entity. */
static xmlParserInputPtr fetch_nothing(void *context, const xmlChar *public_id, const xmlChar *system_id) {
    (void)context, (void)public_id, (void)system_id;
    return NULL;
}

/* Parses the text with the callbacks above. They replace those that build elements: libxml2 makes only the document,
 * which holds the entities. */
static void parse(checker *checker, const sdsvg_text *text) {
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    xmlSAXVersion(&handler, 2);
    handler.startDocument = on_document;
    handler.startElementNs = on_element;
    handler.attributeDecl = on_attribute;
    handler.entityDecl = on_entity;
    handler.resolveEntity = fetch_nothing;
    handler.endElementNs = on_end;
    handler.characters = handler.ignorableWhitespace = handler.cdataBlock = on_text;
    handler.comment = NULL;
    handler.processingInstruction = on_instruction;
    handler.getEntity = on_use;
    handler.error = handler.warning = NULL;
    handler.serror = NULL;
    checker->parser = xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
    if (!checker->parser) {
        checker->status = SDIMAGE_STATUS_NO_MEMORY, checker->message = "svg: no memory for a parser";
        return;
    }
    checker->parser->_private = checker;
    /* NOENT: replaces entities, as librsvg does, so that the checks see their text. */
    xmlCtxtUseOptions(checker->parser, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlParseChunk(checker->parser, (const char *)text->bytes, (int)text->length, 1);
    if (checker->status >= 0 && !checker->parser->wellFormed)
        checker->status = SDIMAGE_STATUS_BAD_DATA, checker->message = "svg: text is not well-formed XML";
    /* The context does not own the document. */
    xmlDocPtr document = checker->parser->myDoc;
    xmlFreeParserCtxt(checker->parser);
    xmlFreeDoc(document);
}

static void clear(checker *checker) {
    free(checker->css);
    sdsvg_names_clear(&checker->referring);
    sdsvg_names_clear(&checker->silent);
    sdsvg_names_clear(&checker->meant);
    sdsvg_names_clear(&checker->rule_names.names);
}

/* Parses the document again if its rules may enlarge text: they may follow the elements that they select. */
static void parse_with_rules(checker *checker, const sdsvg_text *text) {
    sdsvg_font_sizes fonts = checker->css_fonts;
    sdsvg_rule_names names = checker->rule_names;
    if (checker->status < 0 || (fonts.pixels <= MEDIUM && fonts.factor <= 1))
        return;
    checker->rule_names = (sdsvg_rule_names){0};
    clear(checker);
    *checker = (struct checker){.budget = checker->budget,
                                .status = SDIMAGE_STATUS_OK,
                                .css_fonts = fonts,
                                .knows_rules = true,
                                .rule_names = names};
    sdsvg_names_sort(&checker->rule_names.names);
    parse(checker, text);
}

sdimage_status sdsvg_check(const sdsvg_text *text, const sdimage_work_budget *budget, uint64_t *surfaces,
                           sdimage_error **error) {
    checker checker = {.budget = budget, .status = SDIMAGE_STATUS_OK};
    /* Before libxml2: it would already compare all attributes of the element with each other. */
    if (sdsvg_has_more_attributes(text, MOST_ATTRIBUTES))
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, TOO_MANY_ATTRIBUTES);
    parse(&checker, text);
    parse_with_rules(&checker, text);
    /* Each link may draw the layers once more, within the others. */
    unsigned kinds = checker.has_clip_units ? LAYER | CLIPPED : LAYER;
    size_t links = check_chains(&checker);
    check_text(&checker, links);
    uint64_t layers = checker.css_kinds & kinds ? checker.deepest : checker.most_layers[kinds];
    *surfaces = layers * ((uint64_t)links + 1) + checker.most_results;
    clear(&checker);
    return checker.status < 0 ? sdcs_fail(error, checker.status, checker.message) : SDIMAGE_STATUS_OK;
}
