package sdimage

// #include "glue.h"
import "C"

import (
	"context"
	"runtime/cgo"
	"time"
)

// A Result is one delivery of a load.
type Result struct {
	Image     *Image // nil after a cache-only load that found nothing
	Data      []byte // the encoded bytes, if the load had them; a copy
	Source    string // "memory", "disk", "remote", "network", "loader" or "none"
	Changed   bool   // for a refresh: the image differs from the cached one
	Stale     bool   // the image is stale and could not be revalidated
	Err       error  // the reason for Stale
	Freshness string // the freshness rule that applied: "max_age", "refresh", …
	URL       string
	CacheKey  string
	Total     time.Duration // from the start to the delivery
}

func newResult(result *C.sdimage_result) *Result {
	made := &Result{
		Data:      copied(C.sdimage_result_data(result)),
		Source:    C.GoString(C.sdimage_image_source_name(C.sdimage_result_source(result))),
		Changed:   bool(C.sdimage_result_is_changed(result)),
		Stale:     bool(C.sdimage_result_is_stale(result)),
		Freshness: C.GoString(C.sdimage_freshness_rule_name(C.sdimage_result_freshness(result))),
		URL:       C.GoString(C.sdimage_result_url(result)),
		CacheKey:  C.GoString(C.sdimage_result_cache_key(result)),
		Total:     time.Duration(C.sdimage_result_time_ns(result, C.SDIMAGE_STAGE_TOTAL)),
	}
	if image := C.sdimage_result_image(result); image != nil {
		made.Image = newImage(C.sdimage_image_ref(image))
	}
	if err := C.sdimage_result_error(result); err != nil {
		made.Err = borrowedError(err)
	}
	return made
}

// An EventKind is the type of an event.
type EventKind int

// Received bytes; a partial image; a cached image during revalidation; the end.
const (
	Progress EventKind = iota
	Partial
	Cached
	Final
)

// An Event of a load.
type Event struct {
	Kind               EventKind
	Received, Expected int64   // byte counts of Progress; -1 = unknown
	Result             *Result // for the other kinds; nil with an error
	Err                error   // error of Final
}

// The capacity of the event channel. Once it is full, progress and partial images are dropped, the end never.
const eventsHeld = 32

// A Task is a load in progress. The library holds it until the load has ended.
type Task struct {
	ctx     context.Context
	manager *Manager // keeps the manager reachable: its collection would end the load
	handle  *handle
	events  chan Event
	done    chan struct{}
	result  *Result
	err     error
}

// Events returns the events of the load in order, ending with one Final; then the channel is closed. Reading is
// optional.
func (t *Task) Events() <-chan Event { return t.events }

// Done returns a channel that is closed when the load has ended.
func (t *Task) Done() <-chan struct{} { return t.done }

// Wait returns the final result.
func (t *Task) Wait() (*Result, error) {
	<-t.done
	return t.result, t.err
}

// Cancel requests the end of the load with CANCELLED; harmless after its end.
func (t *Task) Cancel() {
	defer t.handle.enter().leave()
	C.sdimage_task_cancel((*C.sdimage_task)(t.handle.get()))
}

// SetPriority changes the priority of the load, for example when its image scrolls into view or out of it. It takes
// effect while the load is queued, for its transfer or for its decode.
func (t *Task) SetPriority(priority Priority) {
	defer t.handle.enter().leave()
	C.sdimage_task_set_priority((*C.sdimage_task)(t.handle.get()), C.sdimage_priority(priority))
}

// Priority returns the priority of the load: that of its options until it is changed.
func (t *Task) Priority() Priority {
	defer t.handle.enter().leave()
	return Priority(C.sdimage_task_priority((*C.sdimage_task)(t.handle.get())))
}

func (t *Task) follow() {
	select {
	case <-t.ctx.Done():
		t.Cancel()
	case <-t.done:
	}
}

// send is called by one thread at a time, so free capacity stays free.
func (t *Task) send(event Event) {
	if event.Kind == Final || len(t.events) < eventsHeld-1 {
		t.events <- event
	}
}

func (t *Task) finish(result *Result) {
	// A stale image is delivered with the error of its failed revalidation: the load still has a result.
	if result.Image == nil && result.Err != nil {
		failure := result.Err.(*Error)
		if failure.Code == Cancelled {
			failure.cause = t.ctx.Err()
		}
		t.err = failure
	} else {
		t.result = result
	}
	t.send(Event{Kind: Final, Result: t.result, Err: t.err})
	close(t.events)
	close(t.done)
}

//export goResult
func goResult(handle C.uintptr_t, result *C.sdimage_result) {
	task := cgo.Handle(handle).Value().(*Task)
	switch C.sdimage_result_kind(result) {
	case C.SDIMAGE_DELIVERY_KIND_FINAL:
		task.finish(newResult(result))
	case C.SDIMAGE_DELIVERY_KIND_CACHED:
		task.send(Event{Kind: Cached, Result: newResult(result)})
	default:
		task.send(Event{Kind: Partial, Result: newResult(result)})
	}
}

//export goProgress
func goProgress(handle C.uintptr_t, received, expected C.int64_t) {
	task := cgo.Handle(handle).Value().(*Task)
	task.send(Event{Kind: Progress, Received: int64(received), Expected: int64(expected)})
}

//export goDestroy
func goDestroy(handle C.uintptr_t) { cgo.Handle(handle).Delete() }
