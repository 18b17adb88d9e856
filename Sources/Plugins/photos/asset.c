/* asset.c: assets: their getters, copies, and the parameters from which a host makes one of its own (see asset.h).
 *
 * An asset is written by the function that makes it, before other threads can see it, and immutable afterwards. So its
 * getters take no lock. */
#include "asset.h"

#include <sdimage/plugins/sys/photos_source.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "uri.h"

/* Maximum number of albums of one asset; further ones are ignored. */
enum { ALBUM_LIMIT = 64 };

sdimage_photos_asset *sdphoto_asset_new(const char *identifier, const char *path, const char *name) {
    sdimage_photos_asset *asset = sdphoto_new(SDPHOTO_ASSET, sizeof *asset);
    if (!asset)
        return NULL;
    asset->origin = SDIMAGE_PHOTOS_ORIGIN_OWN;
    asset->info.format = SDIMAGE_FORMAT_UNKNOWN;
    asset->info.orientation = SDIMAGE_ORIENTATION_UP;
    asset->identifier = sdphoto_join(identifier, NULL, NULL);
    asset->path = sdphoto_join(path, NULL, NULL);
    asset->name = sdphoto_join(name, NULL, NULL);
    if (asset->identifier && asset->path && asset->name)
        return asset;
    sdimage_photos_asset_unref(asset);
    return NULL;
}

bool sdphoto_asset_add_album(sdimage_photos_asset *asset, const char *album) {
    if (asset->album_count >= ALBUM_LIMIT)
        return true;
    for (size_t i = 0; i < asset->album_count; i++)
        /* An event and a tag may have the same name. */
        if (strcmp(asset->albums[i], album) == 0)
            return true;
    char *copy = sdphoto_join(album, NULL, NULL);
    if (!copy || !sdphoto_grow(&asset->albums, asset->album_count, &asset->album_capacity, sizeof *asset->albums)) {
        free(copy);
        return false;
    }
    asset->albums[asset->album_count++] = copy;
    return true;
}

sdimage_photos_asset *sdphoto_asset_copy(const sdimage_photos_asset *asset) {
    sdimage_photos_asset *copy = sdphoto_asset_new(asset->identifier, asset->path, asset->name);
    if (!copy)
        return NULL;
    copy->info = asset->info;
    copy->origin = asset->origin;
    copy->modified_ns = asset->modified_ns;
    copy->file_size = asset->file_size;
    copy->rating = asset->rating;
    copy->library = asset->library;
    for (size_t i = 0; i < asset->album_count; i++)
        if (!sdphoto_asset_add_album(copy, asset->albums[i])) {
            sdimage_photos_asset_unref(copy);
            return NULL;
        }
    return copy;
}

sdimage_photos_asset *sdimage_photos_asset_ref(const sdimage_photos_asset *asset) {
    return sdphoto_ref(asset, SDPHOTO_ASSET);
}

void sdimage_photos_asset_unref(sdimage_photos_asset *asset) {
    if (!sdphoto_unref(asset, SDPHOTO_ASSET))
        return;
    for (size_t i = 0; i < asset->album_count; i++)
        free(asset->albums[i]);
    free(asset->albums);
    free(asset->identifier);
    free(asset->path);
    free(asset->name);
    free(asset);
}

/* Reads a member of an asset, or a neutral value for other objects. */
#define OF(asset, value, neutral) (sdphoto_is(asset, SDPHOTO_ASSET) ? (asset)->value : (neutral))

const char *sdimage_photos_asset_identifier(const sdimage_photos_asset *asset) {
    return OF(asset, identifier, "");
}
sdimage_photos_media sdimage_photos_asset_media(const sdimage_photos_asset *asset) {
    return OF(asset, info.media, (sdimage_photos_media)0);
}
sdimage_photos_origin sdimage_photos_asset_origin(const sdimage_photos_asset *asset) {
    return OF(asset, origin, (sdimage_photos_origin)0);
}
sdimage_photos_playback sdimage_photos_asset_playback(const sdimage_photos_asset *asset) {
    return OF(asset, info.playback, SDIMAGE_PHOTOS_PLAYBACK_NONE);
}
const char *sdimage_photos_asset_type(const sdimage_photos_asset *asset) {
    return OF(asset, info.type, "");
}
sdimage_format sdimage_photos_asset_format(const sdimage_photos_asset *asset) {
    return OF(asset, info.format, SDIMAGE_FORMAT_UNKNOWN);
}
sdimage_size sdimage_photos_asset_pixel_size(const sdimage_photos_asset *asset) {
    return OF(asset, info.size, ((sdimage_size){0, 0}));
}
sdimage_orientation sdimage_photos_asset_orientation(const sdimage_photos_asset *asset) {
    return OF(asset, info.orientation, SDIMAGE_ORIENTATION_UP);
}
int64_t sdimage_photos_asset_taken_ns(const sdimage_photos_asset *asset) {
    return OF(asset, info.taken_ns, 0);
}
int64_t sdimage_photos_asset_modified_ns(const sdimage_photos_asset *asset) {
    return OF(asset, modified_ns, 0);
}
uint64_t sdimage_photos_asset_file_size(const sdimage_photos_asset *asset) {
    return OF(asset, file_size, 0);
}
int32_t sdimage_photos_asset_rating(const sdimage_photos_asset *asset) {
    return OF(asset, rating, 0);
}
const char *sdimage_photos_asset_path(const sdimage_photos_asset *asset) {
    return OF(asset, path, "");
}
const char *sdimage_photos_asset_name(const sdimage_photos_asset *asset) {
    return OF(asset, name, "");
}
size_t sdimage_photos_asset_album_count(const sdimage_photos_asset *asset) {
    return OF(asset, album_count, 0);
}
const char *sdimage_photos_asset_album(const sdimage_photos_asset *asset, size_t index) {
    return index < OF(asset, album_count, 0) ? asset->albums[index] : NULL;
}

char *sdimage_photos_url_of_asset(const sdimage_photos_asset *asset) {
    return sdimage_photos_url_of_identifier(sdimage_photos_asset_identifier(asset));
}

/* --- Assets from hosts. */

/* A configuration is an asset that is not published yet. `is_incomplete`: a setter had no memory, so that no asset is
 * made. */
struct sdimage_photos_asset_config {
    sdphoto_object object;
    sdimage_photos_asset *asset;
    bool has_playback, is_incomplete;
};

sdimage_photos_asset_config *sdimage_photos_asset_config_new(const char *identifier) {
    if (!identifier || !*identifier || strlen(identifier) > SDPHOTO_IDENTIFIER_LIMIT)
        return NULL;
    sdimage_photos_asset_config *config = sdphoto_new(SDPHOTO_ASSET_CONFIG, sizeof *config);
    if (!config)
        return NULL;
    config->asset = sdphoto_asset_new(identifier, "", "");
    if (!config->asset) {
        free(config);
        return NULL;
    }
    /* An image, unless the host sets another kind. */
    config->asset->info.media = SDIMAGE_PHOTOS_MEDIA_IMAGE;
    return config;
}

sdimage_photos_asset_config *sdimage_photos_asset_config_ref(const sdimage_photos_asset_config *config) {
    return sdphoto_ref(config, SDPHOTO_ASSET_CONFIG);
}

void sdimage_photos_asset_config_unref(sdimage_photos_asset_config *config) {
    if (!sdphoto_unref(config, SDPHOTO_ASSET_CONFIG))
        return;
    sdimage_photos_asset_unref(config->asset);
    free(config);
}

/* Returns the mutable asset of a config; NULL for another object. */
static sdimage_photos_asset *draft(sdimage_photos_asset_config *config) {
    return sdphoto_is(config, SDPHOTO_ASSET_CONFIG) ? config->asset : NULL;
}

void sdimage_photos_asset_config_set_media(sdimage_photos_asset_config *config, sdimage_photos_media media) {
    if (draft(config))
        config->asset->info.media = media;
}

void sdimage_photos_asset_config_set_origin(sdimage_photos_asset_config *config, sdimage_photos_origin origin) {
    if (draft(config))
        config->asset->origin = origin;
}

void sdimage_photos_asset_config_set_format(sdimage_photos_asset_config *config, sdimage_format format) {
    if (!draft(config))
        return;
    sdphoto_info *info = &config->asset->info;
    info->format = format;
    /* The MIME type follows from the format. */
    snprintf(info->type, sizeof info->type, "%s",
             format == SDIMAGE_FORMAT_UNKNOWN ? "" : sdimage_format_mime_type(format));
}

void sdimage_photos_asset_config_set_playback(sdimage_photos_asset_config *config, sdimage_photos_playback playback) {
    if (!draft(config))
        return;
    config->asset->info.playback = playback;
    config->has_playback = true;
}

void sdimage_photos_asset_config_set_pixel_size(sdimage_photos_asset_config *config, uint32_t width, uint32_t height) {
    if (draft(config))
        config->asset->info.size = (sdimage_size){width, height};
}

void sdimage_photos_asset_config_set_dates(sdimage_photos_asset_config *config, int64_t taken_ns, int64_t modified_ns) {
    if (!draft(config))
        return;
    config->asset->info.taken_ns = taken_ns;
    config->asset->modified_ns = modified_ns;
}

void sdimage_photos_asset_config_set_rating(sdimage_photos_asset_config *config, int32_t rating) {
    if (draft(config))
        config->asset->rating = rating;
}

void sdimage_photos_asset_config_set_name(sdimage_photos_asset_config *config, const char *name) {
    char *copy = draft(config) ? sdphoto_join(name, NULL, NULL) : NULL;
    /* The old name stays if there is no memory for the new one. */
    if (copy) {
        free(config->asset->name);
        config->asset->name = copy;
    } else if (draft(config)) {
        config->is_incomplete = true;
    }
}

void sdimage_photos_asset_config_add_album(sdimage_photos_asset_config *config, const char *album) {
    if (draft(config) && album && !sdphoto_asset_add_album(config->asset, album))
        config->is_incomplete = true;
}

/* Returns the asset of a config; NULL for another object. */
static const sdimage_photos_asset *asset_of(const sdimage_photos_asset_config *config) {
    return sdphoto_is(config, SDPHOTO_ASSET_CONFIG) ? config->asset : NULL;
}

/* Returns the playback of assets for which none is set. */
static sdimage_photos_playback default_playback(const sdphoto_info *info) {
    switch (info->media) {
    case SDIMAGE_PHOTOS_MEDIA_VIDEO: return SDIMAGE_PHOTOS_PLAYBACK_VIDEO;
    case SDIMAGE_PHOTOS_MEDIA_AUDIO: return SDIMAGE_PHOTOS_PLAYBACK_NONE;
    default:
        return info->format == SDIMAGE_FORMAT_GIF ? SDIMAGE_PHOTOS_PLAYBACK_ANIMATED : SDIMAGE_PHOTOS_PLAYBACK_STILL;
    }
}

sdimage_photos_media sdimage_photos_asset_config_media(const sdimage_photos_asset_config *config) {
    return sdimage_photos_asset_media(asset_of(config));
}

sdimage_photos_origin sdimage_photos_asset_config_origin(const sdimage_photos_asset_config *config) {
    return sdimage_photos_asset_origin(asset_of(config));
}

sdimage_format sdimage_photos_asset_config_format(const sdimage_photos_asset_config *config) {
    return sdimage_photos_asset_format(asset_of(config));
}

sdimage_size sdimage_photos_asset_config_pixel_size(const sdimage_photos_asset_config *config) {
    return sdimage_photos_asset_pixel_size(asset_of(config));
}

int32_t sdimage_photos_asset_config_rating(const sdimage_photos_asset_config *config) {
    return sdimage_photos_asset_rating(asset_of(config));
}

sdimage_photos_playback sdimage_photos_asset_config_playback(const sdimage_photos_asset_config *config) {
    const sdimage_photos_asset *asset = asset_of(config);
    if (!asset || config->has_playback)
        return sdimage_photos_asset_playback(asset);
    return default_playback(&asset->info);
}

void sdimage_photos_asset_config_get_dates(const sdimage_photos_asset_config *config, int64_t *taken_ns,
                                           int64_t *modified_ns) {
    if (taken_ns)
        *taken_ns = sdimage_photos_asset_taken_ns(asset_of(config));
    if (modified_ns)
        *modified_ns = sdimage_photos_asset_modified_ns(asset_of(config));
}

const char *sdimage_photos_asset_config_name(const sdimage_photos_asset_config *config) {
    return sdimage_photos_asset_name(asset_of(config));
}

const char *sdimage_photos_asset_config_album(const sdimage_photos_asset_config *config, size_t index) {
    return sdimage_photos_asset_album(asset_of(config), index);
}

sdimage_photos_asset *sdimage_photos_asset_new(const sdimage_photos_asset_config *config) {
    if (!sdphoto_is(config, SDPHOTO_ASSET_CONFIG) || config->is_incomplete)
        return NULL;
    /* A copy, because the configuration may change afterwards. */
    sdimage_photos_asset *asset = sdphoto_asset_copy(config->asset);
    if (asset && !config->has_playback)
        asset->info.playback = default_playback(&asset->info);
    return asset;
}
