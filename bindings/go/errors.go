package sdimage

// #include "glue.h"
import "C"

import (
	"context"
	"fmt"
)

// A Code is the name of a status of sdimage/error.h without its prefix. It is an error itself, for errors.Is:
//
//	if errors.Is(err, sdimage.NotFound) { … }
type Code string

func (c Code) Error() string { return string(c) }

// status returns the number of a code; an unknown one is INTERNAL_ERROR.
func (c Code) status() C.sdimage_status {
	for number := C.sdimage_status(-1); number > -128; number-- {
		if C.GoString(C.sdimage_status_name(number)) == string(c) {
			return number
		}
	}
	return C.SDIMAGE_STATUS_INTERNAL_ERROR
}

// An Error is an error of the library.
type Error struct {
	Code       Code
	Message    string
	HTTPStatus int    // status of the refused response; 0 if HTTP was not involved
	URL        string // without user and password; "" if no URL was involved
	Transient  bool   // the same operation may succeed later
	cause      error
}

func (e *Error) Error() string {
	if e.Message == "" {
		return "sdimage: " + string(e.Code)
	}
	return fmt.Sprintf("sdimage: %s: %s", e.Code, e.Message)
}

// Is compares codes; CANCELLED also matches context.Canceled.
func (e *Error) Is(target error) bool {
	return target == e.Code || target == context.Canceled && e.Code == Cancelled && e.cause == nil
}

// Unwrap returns the error of the context of a cancelled load.
func (e *Error) Unwrap() error { return e.cause }

// errorOf releases `err`.
func errorOf(status C.sdimage_status, err *C.sdimage_error) *Error {
	if err == nil {
		return &Error{Code: Code(C.GoString(C.sdimage_status_name(status)))}
	}
	defer C.sdimage_error_unref(err)
	return borrowedError(err)
}

func borrowedError(err *C.sdimage_error) *Error {
	return &Error{
		Code:       Code(C.GoString(C.sdimage_status_name(C.sdimage_error_code(err)))),
		Message:    C.GoString(C.sdimage_error_message(err)),
		HTTPStatus: int(C.sdimage_error_http_status(err)),
		URL:        C.GoString(C.sdimage_error_url(err)),
		Transient:  bool(C.sdimage_error_is_transient(err)),
	}
}
