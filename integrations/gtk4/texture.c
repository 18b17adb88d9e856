/* texture.c: textures of images, without a copy of the pixels. */
#include "sdimage-gtk4.h"

/* Returns the format of GDK for a pixel format, or -1. Samples of both are in the machine's byte order. */
static int memory_format(sdimage_pixel_format format) {
    switch (format) {
    case SDIMAGE_PIXEL_FORMAT_RGB8: return GDK_MEMORY_R8G8B8;
    case SDIMAGE_PIXEL_FORMAT_RGBA8: return GDK_MEMORY_R8G8B8A8;
    case SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED: return GDK_MEMORY_R8G8B8A8_PREMULTIPLIED;
    case SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED: return GDK_MEMORY_B8G8R8A8_PREMULTIPLIED;
    case SDIMAGE_PIXEL_FORMAT_RGB16: return GDK_MEMORY_R16G16B16;
    case SDIMAGE_PIXEL_FORMAT_RGBA16: return GDK_MEMORY_R16G16B16A16;
    default: return -1;
    }
}

/* Returns the nearest pixel format that GDK has. GDK takes float samples for sRGB, not for linear light. */
static sdimage_pixel_format substitute(sdimage_pixel_format format) {
    switch (format) {
    case SDIMAGE_PIXEL_FORMAT_GRAY8: return SDIMAGE_PIXEL_FORMAT_RGB8;
    case SDIMAGE_PIXEL_FORMAT_GRAY16: return SDIMAGE_PIXEL_FORMAT_RGB16;
    default: return SDIMAGE_PIXEL_FORMAT_RGBA16;
    }
}

static void free_image(gpointer image) {
    sdimage_image_unref(image);
}

GdkTexture *sdimage_gtk_texture(const sdimage_image *image) {
    if (!image)
        return NULL;
    sdimage_pixel_format format = sdimage_image_pixel_format(image);
    sdimage_image *shown = NULL;
    if (memory_format(format) >= 0)
        shown = sdimage_image_ref(image);
    else if (sdimage_image_convert(image, format = substitute(format), &shown, NULL) < 0)
        return NULL;
    uint32_t width = sdimage_image_width(shown), height = sdimage_image_height(shown);
    gsize stride = sdimage_image_stride(shown);
    /* The last row may end with its last pixel. */
    gsize length = stride * (height - 1) + width * sdimage_pixel_format_bytes(format);
    GBytes *bytes = g_bytes_new_with_free_func(sdimage_image_pixels(shown), length, free_image, shown);
    GdkTexture *texture =
        gdk_memory_texture_new((int)width, (int)height, (GdkMemoryFormat)memory_format(format), bytes, stride);
    g_bytes_unref(bytes);
    return texture;
}
