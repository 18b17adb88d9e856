package sdimage

// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"context"
	"math"
	"runtime/cgo"
	"time"
	"unsafe"
)

// A Freshness selects how a load treats cached images that may be stale.
type Freshness int

// A Priority orders waiting loads.
type Priority int

// A SourcePolicy restricts the sources of a load.
type SourcePolicy int

// A CachePolicy is the use of a cache by a load: bits, each an exception from the default.
type CachePolicy int

// Options are the parameters of a load; the zero value loads the full image.
type Options struct {
	DecodeOptions
	Priority        Priority
	SourcePolicy    SourcePolicy
	CachePolicy     CachePolicy
	Freshness       *Freshness // nil: that of the manager
	Progressive     bool       // Partial events while bytes arrive
	PartialInterval time.Duration
	IncludeData     bool // deliver the encoded bytes also for images in memory
	WaitForStore    bool // end after the disk has committed
	RetryFailed     bool
	Timeout         time.Duration // limit for the transfer; 0: that of the downloader; negative: a millisecond
	MaxRetries      *uint32       // after transient failures; nil: those of the downloader
	MaxBodyBytes    uint64        // the largest accepted body, without its content coding; 0: that of the downloader
	CacheKey        string        // replaces the URL
	Header          map[string]string
	WithoutHeader   []string // fields that are not sent, even if the downloader has a default, such as Accept
}

// Config is the configuration of a manager; the zero value uses the cache that the process shares.
type Config struct {
	Cache               *Cache
	NoCache             bool
	Loaders             map[string]Loader // by scheme, "" for every URL; the built-in loaders load the rest
	Freshness           Freshness
	FailedURLRetryAfter time.Duration // 0: 300 s; negative: until ForgetFailed
	NoFailedURLs        bool          // failed URLs are not remembered
	IgnoreSignatures    bool
}

// A Manager loads images through memory, disk and network.
type Manager struct {
	handle *handle
	cache  *Cache
}

// NewManager creates a manager; nil means the default configuration.
func NewManager(config *Config) (*Manager, error) {
	if config == nil {
		config = &Config{}
	}
	c := C.sdimage_manager_config_new()
	defer C.sdimage_manager_config_unref(c)
	if config.Cache != nil {
		defer config.Cache.handle.enter().leave()
		cache, failure := config.Cache.open()
		if failure != nil {
			return nil, failure
		}
		C.sdimage_manager_config_set_cache(c, cache)
	} else if config.NoCache {
		C.sdimage_manager_config_set_cache(c, nil)
	}
	C.sdimage_manager_config_set_freshness(c, C.sdimage_freshness(config.Freshness))
	C.sdimage_manager_config_set_ignore_signatures(c, C.bool(config.IgnoreSignatures))
	if config.NoFailedURLs {
		C.sdimage_manager_config_set_failed_url_retry_after(c, 0)
	} else if config.FailedURLRetryAfter != 0 {
		C.sdimage_manager_config_set_failed_url_retry_after(c, C.int64_t(seconds(config.FailedURLRetryAfter)))
	}
	if len(config.Loaders) > 0 {
		chain, failure := newChain(config.Loaders)
		if failure != nil {
			return nil, failure
		}
		defer chain.release()
		C.sdimage_manager_config_set_loader(c, (*C.sdimage_loader)(chain.get()))
	}
	var manager *C.sdimage_manager
	var err *C.sdimage_error
	if status := C.sdimage_manager_new(c, &manager, &err); status < 0 {
		return nil, errorOf(status, err)
	}
	unref := func(manager unsafe.Pointer) { C.sdimage_manager_unref((*C.sdimage_manager)(manager)) }
	return &Manager{own(unsafe.Pointer(manager), unref), config.Cache}, nil
}

func (m *Manager) c() *C.sdimage_manager { return (*C.sdimage_manager)(m.handle.get()) }

// Load loads an image and waits. When the context ends first, the load is cancelled, and the error matches both
// CANCELLED and the error of the context.
func (m *Manager) Load(ctx context.Context, url string, options *Options) (*Result, error) {
	task, err := m.Start(ctx, url, options)
	if err != nil {
		return nil, err
	}
	return task.Wait()
}

// Start starts a load. The context, which must not be nil, cancels it.
func (m *Manager) Start(ctx context.Context, url string, options *Options) (*Task, error) {
	defer m.handle.enter().leave()
	if m.c() == nil {
		return nil, &Error{Code: Shutdown, Message: "manager: closed"}
	}
	request, failure := newRequest(url, options)
	if failure != nil {
		return nil, failure
	}
	defer C.sdimage_request_unref(request)
	task := &Task{ctx: ctx, manager: m, events: make(chan Event, eventsHeld), done: make(chan struct{})}
	var pointer *C.sdimage_task
	var err *C.sdimage_error
	status := C.glue_load(m.c(), request, C.uintptr_t(cgo.NewHandle(task)), &pointer, &err)
	if status < 0 {
		return nil, errorOf(status, err)
	}
	unref := func(task unsafe.Pointer) { C.sdimage_task_unref((*C.sdimage_task)(task)) }
	task.handle = own(unsafe.Pointer(pointer), unref)
	if ctx.Done() != nil {
		go task.follow()
	}
	return task, nil
}

// Flush waits until the stores of finished loads are committed, images that are still being encoded for the cache
// included. It fails with TIMEOUT after the given time; 0 is no limit.
func (m *Manager) Flush(timeout time.Duration) error {
	defer m.handle.enter().leave()
	if m.c() == nil {
		return &Error{Code: Shutdown, Message: "manager: closed"}
	}
	limit := C.uint32_t(milliseconds(timeout))
	if timeout == 0 {
		limit = math.MaxUint32
	}
	var err *C.sdimage_error
	return failed(C.sdimage_manager_flush(m.c(), limit, &err), err)
}

// Close accepts no more loads, ends the running ones with SHUTDOWN, and waits until all of them are reported. Repeated
// calls are harmless. Running loaders are notified by their context.
func (m *Manager) Close() error {
	defer m.handle.enter().leave()
	if m.c() == nil {
		return nil
	}
	defer m.handle.release()
	var err *C.sdimage_error
	return failed(C.sdimage_manager_close(m.c(), 10000, &err), err)
}

// CancelAll cancels all loads in progress.
func (m *Manager) CancelAll() {
	defer m.handle.enter().leave()
	C.sdimage_manager_cancel_all(m.c())
}

// RunningCount returns the number of loads without a final result.
func (m *Manager) RunningCount() int {
	defer m.handle.enter().leave()
	return int(C.sdimage_manager_running_count(m.c()))
}

// SetOffline switches network loading off and on again.
func (m *Manager) SetOffline(offline bool) {
	defer m.handle.enter().leave()
	C.sdimage_manager_set_offline(m.c(), C.bool(offline))
}

// ForgetFailed forgets all failed URLs.
func (m *Manager) ForgetFailed() {
	defer m.handle.enter().leave()
	C.sdimage_manager_forget_failed(m.c(), nil, 0)
}

func newRequest(url string, options *Options) (*C.sdimage_request, error) {
	if options != nil {
		if failure := options.check(); failure != nil {
			return nil, failure
		}
		for name, value := range options.Header {
			if failure := plain("header field", name, value); failure != nil {
				return nil, failure
			}
		}
		if failure := plain("header field", options.WithoutHeader...); failure != nil {
			return nil, failure
		}
	}
	u, length := text(url)
	defer free(u)
	request := C.sdimage_request_new_bytes(u, length)
	if request == nil {
		return nil, &Error{Code: "NO_MEMORY"}
	}
	if options == nil {
		return request, nil
	}
	decode := options.DecodeOptions.c()
	C.sdimage_request_set_decode_options(request, decode)
	C.sdimage_decode_options_unref(decode)
	C.sdimage_request_set_priority(request, C.sdimage_priority(options.Priority))
	C.sdimage_request_set_source_policy(request, C.sdimage_source_policy(options.SourcePolicy))
	C.sdimage_request_set_cache_policy(request, C.sdimage_cache_policy(options.CachePolicy))
	if options.Freshness != nil {
		C.sdimage_request_set_freshness(request, C.sdimage_freshness(*options.Freshness))
	}
	C.sdimage_request_set_progressive(request, C.bool(options.Progressive))
	C.sdimage_request_set_progressive_interval_ms(request, C.uint32_t(milliseconds(options.PartialInterval)))
	C.sdimage_request_set_include_data(request, C.bool(options.IncludeData))
	C.sdimage_request_set_wait_for_store(request, C.bool(options.WaitForStore))
	C.sdimage_request_set_retry_failed(request, C.bool(options.RetryFailed))
	C.sdimage_request_set_timeout_ms(request, C.uint32_t(limit(options.Timeout)))
	if options.MaxRetries != nil {
		C.sdimage_request_set_max_retries(request, C.uint32_t(*options.MaxRetries))
	}
	C.sdimage_request_set_max_body_bytes(request, C.size_t(options.MaxBodyBytes))
	if options.CacheKey != "" {
		key, length := text(options.CacheKey)
		C.sdimage_request_set_cache_key(request, unsafe.Pointer(key), length)
		free(key)
	}
	for name, value := range options.Header {
		n, _ := text(name)
		v, _ := text(value)
		C.sdimage_request_set_header(request, n, v)
		free(n)
		free(v)
	}
	for _, name := range options.WithoutHeader {
		n, _ := text(name)
		C.sdimage_request_set_header(request, n, nil)
		free(n)
	}
	return request, nil
}
