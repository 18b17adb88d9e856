#include "processes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int parent_of(const char *process, char name[64]) {
    char path[300], line[600] = "", *end, *begin;
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fgets(line, sizeof line, file) != NULL && (end = strrchr(line, ')')) != NULL &&
        (begin = strchr(line, '(')) != NULL) {
        *end = 0;
        snprintf(name, 64, "%s", begin + 1);
        if (sscanf(end + 2, "%*c %d", &parent) != 1)
            parent = 0;
    }
    fclose(file);
    return parent;
}

int find_workers(int *ids, int most, int *keepers) {
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    int count = 0;
    char name[64];
    *keepers = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        int parent = atoi(entry->d_name) > 0 ? parent_of(entry->d_name, name) : 0;
        char text[20];
        *keepers += parent == getpid() && strcmp(name, "sdimage-keeper") == 0;
        if (parent == 0 || strncmp(name, "sdimage-decoder", 15) != 0)
            continue;
        snprintf(text, sizeof text, "%d", parent);
        if (parent_of(text, name) == getpid() && count < most)
            ids[count++] = atoi(entry->d_name);
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}
