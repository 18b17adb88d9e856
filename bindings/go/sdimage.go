// Package sdimage loads images from URLs: through memory, disk and network, with thumbnails; and it decodes and encodes
// bytes. It is built on libsdimage.
//
//	manager, err := sdimage.NewManager(nil)
//	result, err := manager.Load(ctx, url, &sdimage.Options{DecodeOptions: sdimage.DecodeOptions{Thumbnail: sdimage.Size{Width: 256, Height: 256}}})
//	png.Encode(file, result.Image)
//
// Everything may be used from any goroutine. Objects with memory of the library are released by Close, or when
// collected.
package sdimage

// #cgo pkg-config: sdimage
// #cgo CFLAGS: -std=c11 -D_GNU_SOURCE
// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Version returns the version of the library in use, "1.2.3".
func Version() string { return C.GoString(C.sdimage_version()) }

// Doctor returns the diagnostics for a bug report, as a JSON object.
func Doctor() (string, error) {
	var diagnosis *C.sdimage_diagnosis
	var data *C.sdimage_data
	var err *C.sdimage_error
	status := C.sdimage_diagnosis_new(&diagnosis, &err)
	if status >= 0 {
		status = C.sdimage_diagnosis_to_json(diagnosis, &data, &err)
		C.sdimage_diagnosis_unref(diagnosis)
	}
	if status < 0 {
		return "", errorOf(status, err)
	}
	return string(takeBytes(data)), nil
}

// Metrics returns the metrics of the process in the Prometheus text format.
func Metrics() (string, error) {
	var data *C.sdimage_data
	var err *C.sdimage_error
	if status := C.sdimage_metrics(&data, &err); status < 0 {
		return "", errorOf(status, err)
	}
	return string(takeBytes(data)), nil
}

var live int64

// LiveHandles returns the number of library objects that this program holds, for leak tests.
func LiveHandles() int { return int(atomic.LoadInt64(&live)) }

// A handle owns one reference.
type handle struct {
	lock       sync.Mutex
	pointer    unsafe.Pointer
	users      int
	isReleased bool
	unref      func(unsafe.Pointer)
}

func own(pointer unsafe.Pointer, unref func(unsafe.Pointer)) *handle {
	atomic.AddInt64(&live, 1)
	made := &handle{pointer: pointer, unref: unref}
	runtime.SetFinalizer(made, (*handle).release)
	return made
}

// release may be called repeatedly. An object in use is released after its last use.
func (h *handle) release() {
	h.change(func() { h.isReleased = true })
}

// enter begins a use, which leave ends. In between the pointer stays valid even if the handle is released.
func (h *handle) enter() *handle {
	h.change(func() { h.users++ })
	return h
}

func (h *handle) leave() {
	h.change(func() { h.users-- })
}

func (h *handle) change(how func()) {
	h.lock.Lock()
	how()
	pointer := h.pointer
	isOver := pointer != nil && h.isReleased && h.users == 0
	if isOver {
		h.pointer = nil
	}
	h.lock.Unlock()
	if isOver {
		runtime.SetFinalizer(h, nil)
		atomic.AddInt64(&live, -1)
		h.unref(pointer)
	}
}

// get borrows the pointer for a use; nil after release.
func (h *handle) get() unsafe.Pointer {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.isReleased {
		return nil
	}
	return h.pointer
}

// seconds rounds up to whole seconds: a negative duration means forever, and a fraction of a second does not become 0.
func seconds(duration time.Duration) int64 {
	if duration < 0 {
		return -1
	}
	return int64(duration/time.Second) + more(duration%time.Second)
}

// milliseconds rounds up to a value from 0 to the maximum of 32 bits, which is 49 days.
func milliseconds(duration time.Duration) uint32 {
	if duration < 0 {
		return 0
	}
	whole := int64(duration/time.Millisecond) + more(duration%time.Millisecond)
	if whole > math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(whole)
}

// limit returns a time limit in milliseconds, at least 1 for a negative duration: a deadline has passed, and 0 is the default.
func limit(duration time.Duration) uint32 {
	if duration < 0 {
		return 1
	}
	return milliseconds(duration)
}

func more(rest time.Duration) int64 {
	if rest > 0 {
		return 1
	}
	return 0
}

// fit rejects numbers that an unsigned C integer of 32 bits cannot hold: a conversion would wrap them.
func fit(what string, values ...int) error {
	for _, value := range values {
		if value < 0 || uint64(value) > math.MaxUint32 {
			return &Error{Code: InvalidArgument, Message: fmt.Sprintf("argument: %s is out of range (%d, limit %d)", what, value, uint64(math.MaxUint32))}
		}
	}
	return nil
}

// plain rejects text with a NUL, which would end it in C.
func plain(what string, values ...string) error {
	for _, value := range values {
		if strings.IndexByte(value, 0) >= 0 {
			return &Error{Code: InvalidArgument, Message: "argument: " + what + " contains a NUL"}
		}
	}
	return nil
}

// text returns a C string, which the caller frees, and its length without the NUL.
func text(value string) (*C.char, C.size_t) { return C.CString(value), C.size_t(len(value)) }

func free(value *C.char) { C.free(unsafe.Pointer(value)) }

// takeBytes copies the bytes and releases the data.
func takeBytes(data *C.sdimage_data) []byte {
	defer C.sdimage_data_unref(data)
	return copied(data)
}

func copied(data *C.sdimage_data) []byte {
	if data == nil {
		return nil
	}
	return append([]byte{}, unsafe.Slice((*byte)(C.sdimage_data_bytes(data)), int(C.sdimage_data_length(data)))...)
}

// first returns the address of the bytes for a call that reads them; never nil, as the library requires.
func first(bytes []byte) unsafe.Pointer {
	if len(bytes) == 0 {
		return unsafe.Pointer(&[]byte{0}[0])
	}
	return unsafe.Pointer(&bytes[0])
}

func newData(bytes []byte) (*C.sdimage_data, error) {
	var data *C.sdimage_data
	var err *C.sdimage_error
	if status := C.sdimage_data_new(first(bytes), C.size_t(len(bytes)), &data, &err); status < 0 {
		return nil, errorOf(status, err)
	}
	return data, nil
}
