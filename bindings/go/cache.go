package sdimage

// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"errors"
	"time"
	"unsafe"
)

// Layers is a set of cache layers, as bits.
type Layers int

// CacheConfig holds the location and the limits of a cache; zero values mean the defaults of the library.
type CacheConfig struct {
	Directory      string // "": $XDG_CACHE_HOME/sdimage
	Namespace      string
	MemoryOnly     bool
	MaxMemoryCost  uint64        // bytes of pixels
	MaxMemoryCount uint64        // images
	MaxDiskSize    uint64        // bytes
	MaxDiskAge     time.Duration // after the last access; negative: never expires
}

// A Cache holds images in memory and their bytes on disk. Several managers, and several processes, may share one.
type Cache struct{ handle *handle }

// OpenCache opens a cache; nil means the default configuration. An unusable folder is no error: stores report the
// reason.
func OpenCache(config *CacheConfig) (*Cache, error) {
	if config == nil {
		config = &CacheConfig{}
	}
	if failure := plain("directory or namespace", config.Directory, config.Namespace); failure != nil {
		return nil, failure
	}
	c := C.sdimage_cache_config_new()
	defer C.sdimage_cache_config_unref(c)
	if config.Directory != "" {
		directory, _ := text(config.Directory)
		defer free(directory)
		C.sdimage_cache_config_set_directory(c, directory)
	}
	if config.Namespace != "" {
		name, _ := text(config.Namespace)
		defer free(name)
		C.sdimage_cache_config_set_namespace(c, name)
	}
	C.sdimage_cache_config_set_memory_only(c, C.bool(config.MemoryOnly))
	C.sdimage_cache_config_set_max_memory_cost(c, C.size_t(config.MaxMemoryCost))
	C.sdimage_cache_config_set_max_memory_count(c, C.size_t(config.MaxMemoryCount))
	C.sdimage_cache_config_set_max_disk_size(c, C.uint64_t(config.MaxDiskSize))
	if config.MaxDiskAge != 0 {
		C.sdimage_cache_config_set_max_disk_age(c, C.int64_t(seconds(config.MaxDiskAge)))
	}
	var cache *C.sdimage_cache
	var err *C.sdimage_error
	if status := C.sdimage_cache_new(c, &cache, &err); status < 0 {
		return nil, errorOf(status, err)
	}
	unref := func(cache unsafe.Pointer) { C.sdimage_cache_unref((*C.sdimage_cache)(cache)) }
	return &Cache{own(unsafe.Pointer(cache), unref)}, nil
}

func (c *Cache) c() *C.sdimage_cache { return (*C.sdimage_cache)(c.handle.get()) }

// open borrows the pointer for a use; SHUTDOWN after Close.
func (c *Cache) open() (*C.sdimage_cache, error) {
	cache := c.c()
	if cache == nil {
		return nil, &Error{Code: Shutdown, Message: "cache: closed"}
	}
	return cache, nil
}

// Close commits pending stores and closes the disk part. Repeated calls are harmless; other calls then return SHUTDOWN,
// and MemoryImage nil.
func (c *Cache) Close() error {
	defer c.handle.enter().leave()
	if c.c() == nil {
		return nil
	}
	var err *C.sdimage_error
	status := C.sdimage_cache_close(c.c(), &err)
	c.handle.release()
	if status < 0 {
		return errorOf(status, err)
	}
	return nil
}

// MemoryImage returns the image of a key in memory, or nil.
func (c *Cache) MemoryImage(key string) *Image {
	defer c.handle.enter().leave()
	k, length := text(key)
	defer free(k)
	var found *C.sdimage_image
	C.sdimage_cache_get_memory_image(c.c(), unsafe.Pointer(k), length, &found)
	return newImage(found)
}

// SetMemoryImage stores an image in memory.
func (c *Cache) SetMemoryImage(key string, picture *Image) error {
	defer c.handle.enter().leave()
	cache, failure := c.open()
	if failure != nil {
		return failure
	}
	defer picture.handle.enter().leave()
	k, length := text(key)
	defer free(k)
	var err *C.sdimage_error
	return failed(C.sdimage_cache_set_memory_image(cache, unsafe.Pointer(k), length, picture.c(), &err), err)
}

// Image returns an image from memory, or decoded from disk; nil when there is none.
func (c *Cache) Image(key string, options *DecodeOptions) (*Image, error) {
	if failure := options.check(); failure != nil {
		return nil, failure
	}
	defer c.handle.enter().leave()
	cache, failure := c.open()
	if failure != nil {
		return nil, failure
	}
	k, length := text(key)
	defer free(k)
	o := options.c()
	defer C.sdimage_decode_options_unref(o)
	var made *C.sdimage_image
	var err *C.sdimage_error
	if status := C.sdimage_cache_get_image(cache, unsafe.Pointer(k), length, o, &made, &err); status < 0 {
		return nil, unlessMissing(errorOf(status, err))
	}
	return newImage(made), nil
}

// Data returns the bytes of an entry; nil when there is none.
func (c *Cache) Data(key string) ([]byte, error) {
	defer c.handle.enter().leave()
	cache, failure := c.open()
	if failure != nil {
		return nil, failure
	}
	k, length := text(key)
	defer free(k)
	var data *C.sdimage_data
	var err *C.sdimage_error
	if status := C.sdimage_cache_get_data(cache, unsafe.Pointer(k), length, &data, &err); status < 0 {
		return nil, unlessMissing(errorOf(status, err))
	}
	return takeBytes(data), nil
}

// Store stores an image, its bytes, or both, and returns when they are committed. An image without bytes is encoded.
func (c *Cache) Store(key string, picture *Image, bytes []byte, layers Layers) error {
	defer c.handle.enter().leave()
	cache, failure := c.open()
	if failure != nil {
		return failure
	}
	k, length := text(key)
	defer free(k)
	var image *C.sdimage_image
	var data *C.sdimage_data
	if picture != nil {
		defer picture.handle.enter().leave()
		image = picture.c()
	}
	if bytes != nil {
		made, failure := newData(bytes)
		if failure != nil {
			return failure
		}
		data = made
		defer C.sdimage_data_unref(data)
	}
	var err *C.sdimage_error
	return failed(C.sdimage_cache_store(cache, unsafe.Pointer(k), length, image, data, C.sdimage_cache_layers(layers), nil, &err), err)
}

// Contains returns the layers that hold an entry.
func (c *Cache) Contains(key string) Layers {
	defer c.handle.enter().leave()
	k, length := text(key)
	defer free(k)
	return Layers(C.sdimage_cache_contains(c.c(), unsafe.Pointer(k), length))
}

// Remove removes an entry from layers; a missing entry is no error.
func (c *Cache) Remove(key string, layers Layers) error {
	defer c.handle.enter().leave()
	cache, failure := c.open()
	if failure != nil {
		return failure
	}
	k, length := text(key)
	defer free(k)
	var err *C.sdimage_error
	return failed(C.sdimage_cache_remove(cache, unsafe.Pointer(k), length, C.sdimage_cache_layers(layers), &err), err)
}

// Clear empties the given layers.
func (c *Cache) Clear(layers Layers) error {
	defer c.handle.enter().leave()
	cache, failure := c.open()
	if failure != nil {
		return failure
	}
	var err *C.sdimage_error
	return failed(C.sdimage_cache_clear(cache, C.sdimage_cache_layers(layers), &err), err)
}

// Flush returns when all earlier stores are committed.
func (c *Cache) Flush() error {
	defer c.handle.enter().leave()
	cache, failure := c.open()
	if failure != nil {
		return failure
	}
	var err *C.sdimage_error
	return failed(C.sdimage_cache_flush(cache, &err), err)
}

// DiskTotals returns the bytes and entries on disk.
func (c *Cache) DiskTotals() (bytes, count uint64, failure error) {
	defer c.handle.enter().leave()
	cache, failure := c.open()
	if failure != nil {
		return 0, 0, failure
	}
	var size, entries C.uint64_t
	var err *C.sdimage_error
	status := C.sdimage_cache_get_disk_totals(cache, &size, &entries, &err)
	return uint64(size), uint64(entries), failed(status, err)
}

func failed(status C.sdimage_status, err *C.sdimage_error) error {
	if status < 0 {
		return errorOf(status, err)
	}
	return nil
}

func unlessMissing(err error) error {
	if errors.Is(err, NotFound) {
		return nil
	}
	return err
}
