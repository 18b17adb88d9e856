package sdimage

// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"strings"
	"sync"
	"unsafe"
)

// A Loader fetches bytes from any source. Load runs on a goroutine of its own and may block; its context is cancelled
// when no caller is waiting any longer. A Len method of the reader announces the number of bytes to come; a Close
// method is called. An *Error or a Code is the error of the load. Any other error becomes INTERNAL_ERROR with its text,
// and so does a panic. A manager to which one of its loaders refers is never collected: it must be closed.
type Loader interface {
	Load(ctx context.Context, url string) (io.Reader, error)
}

// A LoaderFunc is a function that implements Loader.
type LoaderFunc func(ctx context.Context, url string) (io.Reader, error)

// Load calls the function.
func (f LoaderFunc) Load(ctx context.Context, url string) (io.Reader, error) { return f(ctx, url) }

// loaders holds the loaders of a manager and their current work.
type loaders struct {
	byScheme map[string]Loader
	lock     sync.Mutex
	running  map[*C.sdimage_load_sink]context.CancelFunc
}

func (l *loaders) find(url string) Loader {
	if scheme, _, found := strings.Cut(url, ":"); found {
		if loader := l.byScheme[strings.ToLower(scheme)]; loader != nil {
			return loader
		}
	}
	return l.byScheme[""]
}

// newChain places loaders of the program before the built-in ones. The caller releases the result.
func newChain(byScheme map[string]Loader) (*handle, error) {
	made := &loaders{byScheme: map[string]Loader{}, running: map[*C.sdimage_load_sink]context.CancelFunc{}}
	for scheme, loader := range byScheme {
		made.byScheme[strings.ToLower(scheme)] = loader
	}
	return chainOf(
		newFileLoader,
		maker(func(l **C.sdimage_loader, e **C.sdimage_error) C.sdimage_status {
			return C.sdimage_loader_new_data_url(l, e)
		}),
		maker(func(l **C.sdimage_loader, e **C.sdimage_error) C.sdimage_status {
			return C.sdimage_downloader_new(nil, l, e)
		}),
		maker(func(l **C.sdimage_loader, e **C.sdimage_error) C.sdimage_status {
			return C.glue_loader(C.uintptr_t(cgo.NewHandle(made)), l, e)
		}),
	)
}

var newFileLoader = maker(func(l **C.sdimage_loader, e **C.sdimage_error) C.sdimage_status {
	return C.sdimage_loader_new_file(l, e)
})

// maker wraps a call that creates a loader in a function that returns its handle.
func maker(call func(**C.sdimage_loader, **C.sdimage_error) C.sdimage_status) func() (*handle, error) {
	unref := func(loader unsafe.Pointer) { C.sdimage_loader_unref((*C.sdimage_loader)(loader)) }
	return func() (*handle, error) {
		var loader *C.sdimage_loader
		var err *C.sdimage_error
		if status := call(&loader, &err); status < 0 {
			return nil, errorOf(status, err)
		}
		return own(unsafe.Pointer(loader), unref), nil
	}
}

// chainOf creates a chain that tries its last part first. After a failure it releases the parts created before.
func chainOf(makers ...func() (*handle, error)) (*handle, error) {
	chain, failure := maker(func(l **C.sdimage_loader, e **C.sdimage_error) C.sdimage_status {
		return C.sdimage_loader_new_chain(l, e)
	})()
	for index := 0; failure == nil && index < len(makers); index++ {
		var part *handle
		if part, failure = makers[index](); failure == nil {
			failure = add(chain, part)
			part.release()
		}
	}
	if failure != nil && chain != nil {
		chain.release()
		chain = nil
	}
	return chain, failure
}

func add(chain, part *handle) error {
	var err *C.sdimage_error
	return failed(C.sdimage_loader_chain_add((*C.sdimage_loader)(chain.get()), (*C.sdimage_loader)(part.get()), &err), err)
}

//export goCanLoad
func goCanLoad(handle C.uintptr_t, url *C.char, length C.size_t) C.bool {
	return cgo.Handle(handle).Value().(*loaders).find(C.GoStringN(url, C.int(length))) != nil
}

//export goLoad
func goLoad(handle C.uintptr_t, url *C.char, length C.size_t, sink *C.sdimage_load_sink) {
	all := cgo.Handle(handle).Value().(*loaders)
	ctx, cancel := context.WithCancel(context.Background())
	all.lock.Lock()
	all.running[sink] = cancel
	all.lock.Unlock()
	if C.sdimage_load_sink_is_cancelled(sink) {
		cancel() // goCancel may have come before the load was registered
	}
	address := C.GoStringN(url, C.int(length))
	go func() {
		defer C.sdimage_load_sink_unref(sink)
		defer all.forget(sink)
		defer cancel()
		finish(sink, load(ctx, all.find(address), address, sink))
	}()
}

func (l *loaders) forget(sink *C.sdimage_load_sink) {
	l.lock.Lock()
	defer l.lock.Unlock()
	delete(l.running, sink)
}

//export goCancel
func goCancel(handle C.uintptr_t, sink *C.sdimage_load_sink) {
	all := cgo.Handle(handle).Value().(*loaders)
	all.lock.Lock()
	cancel := all.running[sink]
	all.lock.Unlock()
	if cancel != nil {
		cancel()
	}
}

func load(ctx context.Context, loader Loader, url string, sink *C.sdimage_load_sink) (failure error) {
	defer func() {
		if problem := recover(); problem != nil {
			failure = fmt.Errorf("%v", problem)
		}
	}()
	reader, err := loader.Load(ctx, url)
	if err != nil {
		return err
	}
	if closer, is := reader.(io.Closer); is {
		defer closer.Close()
	}
	if sized, is := reader.(interface{ Len() int }); is {
		C.sdimage_load_sink_set_expected_length(sink, C.uint64_t(sized.Len()))
	}
	// The reader's WriteTo is not used, because it would pass all its bytes at once.
	_, err = io.CopyBuffer(sinkWriter{sink}, struct{ io.Reader }{reader}, make([]byte, 32768))
	return err
}

type sinkWriter struct{ sink *C.sdimage_load_sink }

func (w sinkWriter) Write(bytes []byte) (int, error) {
	var err *C.sdimage_error
	if status := C.sdimage_load_sink_write(w.sink, first(bytes), C.size_t(len(bytes)), &err); status < 0 {
		return 0, errorOf(status, err)
	}
	return len(bytes), nil
}

func finish(sink *C.sdimage_load_sink, failure error) {
	if failure == nil {
		C.sdimage_load_sink_finish(sink, nil)
		return
	}
	code, message := wordsOf(failure)
	line := C.CString(message)
	defer C.free(unsafe.Pointer(line))
	err := C.sdimage_error_new(code.status(), line)
	if err == nil {
		return // without memory: releasing the sink is an error of the load, finishing it with NULL is not
	}
	C.sdimage_load_sink_finish(sink, err)
	C.sdimage_error_unref(err)
}

// wordsOf returns code and message of an error of the program; its methods may panic, as those of a nil *Error do.
func wordsOf(failure error) (code Code, message string) {
	defer func() {
		if problem := recover(); problem != nil {
			code = InternalError
		}
	}()
	code, message = InternalError, textOf(failure)
	var own *Error
	if errors.As(failure, &own) {
		return own.Code, own.Message
	}
	if !errors.As(failure, &code) && errors.Is(failure, context.Canceled) {
		code = Cancelled
	}
	return code, message
}

// textOf returns the text of an error of the program; its method may panic.
func textOf(failure error) (message string) {
	defer func() {
		if problem := recover(); problem != nil {
			message = fmt.Sprintf("%T", failure)
		}
	}()
	return failure.Error()
}
