//! Errors.

use crate::handle::{c_text, text};
use crate::{sys, Result, Status};
use std::fmt;
use std::ptr;

/// The reason of a failure: a code that is stable across versions, and one readable line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: Status,
    message: String,
    http_status: i32,
    system_error: i32,
    library_code: i32,
    url: String,
    is_transient: bool,
}

impl Error {
    /// Creates an error, for custom loaders; the message is one line.
    pub fn new(code: Status, message: &str) -> Self {
        Self {
            code,
            message: message.into(),
            http_status: 0,
            system_error: 0,
            library_code: 0,
            url: String::new(),
            is_transient: false,
        }
    }

    /// The code.
    pub fn code(&self) -> Status {
        self.code
    }

    /// One readable line, without code and URL.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The HTTP status of the refused response, or 0.
    pub fn http_status(&self) -> i32 {
        self.http_status
    }

    /// The errno of the failed call, or 0.
    pub fn system_error(&self) -> i32 {
        self.system_error
    }

    /// The error number from the codec, database or transfer library, or 0.
    pub fn library_code(&self) -> i32 {
        self.library_code
    }

    /// The URL of the load, without user and password; "" if no URL was involved.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Reports whether the same load may succeed later without any change.
    pub fn is_transient(&self) -> bool {
        self.is_transient
    }

    /// Reads a borrowed error.
    pub(crate) unsafe fn borrowed(raw: *const sys::sdimage_error) -> Self {
        // SAFETY: the caller guarantees that it is alive; the texts are copied.
        unsafe {
            Self {
                code: Status::from_raw(sys::sdimage_error_code(raw)),
                message: text(sys::sdimage_error_message(raw)).into(),
                http_status: sys::sdimage_error_http_status(raw),
                system_error: sys::sdimage_error_system_error(raw),
                library_code: sys::sdimage_error_library_code(raw),
                url: text(sys::sdimage_error_url(raw)).into(),
                is_transient: sys::sdimage_error_is_transient(raw),
            }
        }
    }

    /// A C error with the same code and message, which the caller unrefs. NULL when memory is refused.
    pub(crate) fn to_raw(&self) -> *mut sys::sdimage_error {
        let message = c_text(&self.message);
        // SAFETY: the text is copied.
        unsafe { sys::sdimage_error_new(self.code.raw(), message.as_ptr()) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: static text.
        let name = unsafe { text(sys::sdimage_status_name(self.code.raw())) };
        match self.message.as_str() {
            "" => formatter.write_str(name),
            message => write!(formatter, "{name}: {message}"),
        }
    }
}

impl std::error::Error for Error {}

/// Calls a function with an output for an error, and reads that error. The status of a success may be other than OK.
pub(crate) fn run(call: impl FnOnce(*mut *mut sys::sdimage_error) -> sys::sdimage_status) -> Result<Status> {
    let mut why = ptr::null_mut();
    let status = call(&mut why);
    if status >= 0 {
        return Ok(Status::from_raw(status));
    }
    // SAFETY: NULL, or an error whose reference is ours.
    let mut error = unsafe { Error::borrowed(why) };
    unsafe { sys::sdimage_error_unref(why) };
    error.code = Status::from_raw(status);
    Err(error)
}
