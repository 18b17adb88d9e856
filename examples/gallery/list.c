/* list.c: reads the list of images of a wall from a file. */
#include "wall.h"

#include <stdlib.h>
#include <string.h>

bool list_add(wall *wall, const char *url) {
    wall_item *items = realloc(wall->items, (wall->item_count + 1) * sizeof *items);
    if (!items)
        return false;
    wall->items = items;
    wall_item *item = &items[wall->item_count];
    *item = (wall_item){.url = strdup(url)};
    if (!item->url)
        return false;
    wall->item_count++;
    return true;
}

static void read_thumbhash(wall_item *item, const char *text) {
    unsigned byte;
    for (; item->thumbhash_length < sizeof item->thumbhash && text[0] && text[1]; text += 2) {
        if (sscanf(text, "%2x", &byte) != 1)
            return;
        item->thumbhash[item->thumbhash_length++] = (uint8_t)byte;
    }
}

bool list_read(wall *wall, FILE *list) {
    static const char blanks[] = " \t\r\n";
    char *line = NULL;
    size_t size = 0;
    bool is_fine = true;
    while (is_fine && getline(&line, &size, list) >= 0) {
        char *rest = NULL, *url = strtok_r(line, blanks, &rest);
        if (!url)
            continue;
        is_fine = list_add(wall, url);
        char *kind = strtok_r(NULL, blanks, &rest), *hash = strtok_r(NULL, blanks, &rest);
        if (!is_fine || !kind || !hash)
            continue;
        wall_item *item = &wall->items[wall->item_count - 1];
        if (strcmp(kind, "blurhash") == 0)
            is_fine = (item->blurhash = strdup(hash)) != NULL;
        else if (strcmp(kind, "thumbhash") == 0)
            read_thumbhash(item, hash);
    }
    free(line);
    return is_fine && !ferror(list);
}
