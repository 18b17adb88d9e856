/* folders.h: folders of the user. All results are to be freed. */
#ifndef SDPHOTO_FOLDERS_H
#define SDPHOTO_FOLDERS_H

/* The XDG Pictures folder (xdg-user-dirs); NULL without a home. */
char *sdphoto_xdg_pictures_folder(void);

/* Returns a folder below XDG_CACHE_HOME or ~/.cache. NULL without either, or if memory is exhausted. */
char *sdphoto_cache_folder(const char *name);

/* Resolves the links in the path of a folder that may not exist yet; NULL if it cannot be resolved. */
char *sdphoto_resolved_folder(const char *folder);

#endif
