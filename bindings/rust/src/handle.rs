//! References to objects of the library as values, and pointer helpers for all modules.
//!
//! A call with `as_ptr()` of handles and values alone is sound, because each object lives as long as its handle. SAFETY
//! comments state further requirements.

use std::any::Any;
use std::ffi::{c_char, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A type that owns one reference. `shared` types are cloned by taking another reference and may be used on any thread.
/// `single` types belong to one thread at a time.
macro_rules! handle {
    (shared $(#[$about:meta])* $name:ident, $object:ident, $reference:ident, $unreference:ident) => {
        handle!(single $(#[$about])* $name, $object, $unreference);

        // SAFETY: the header declares the class immutable or synchronized.
        unsafe impl Sync for $name {}

        impl Clone for $name {
            fn clone(&self) -> Self {
                // SAFETY: the object is alive as long as this handle.
                let raw = unsafe { $crate::sys::$reference(self.raw.as_ptr()) };
                Self { raw: std::ptr::NonNull::new(raw).expect("libsdimage refuses this object in a forked child") }
            }
        }

        impl $name {
            /// A handle of a borrowed object; takes a reference of its own. `None` for NULL, and for an object that is
            /// refused in a forked child.
            #[allow(dead_code)]
            pub(crate) unsafe fn retained(raw: *const $crate::sys::$object) -> Option<Self> {
                let raw = std::ptr::NonNull::new(raw.cast_mut())?;
                // SAFETY: the caller guarantees that the object is alive.
                Some(Self { raw: std::ptr::NonNull::new(unsafe { $crate::sys::$reference(raw.as_ptr()) })? })
            }
        }
    };
    (single $(#[$about:meta])* $name:ident, $object:ident, $unreference:ident) => {
        $(#[$about])*
        pub struct $name {
            raw: std::ptr::NonNull<$crate::sys::$object>,
        }

        // SAFETY: no object of the library is bound to a thread.
        unsafe impl Send for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the one reference that this handle owns.
                unsafe { $crate::sys::$unreference(self.raw.as_ptr()) }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, concat!(stringify!($name), "({:?})"), self.raw)
            }
        }

        impl $name {
            /// Takes over a reference; `None` for NULL.
            #[allow(dead_code)]
            pub(crate) unsafe fn owned(raw: *mut $crate::sys::$object) -> Option<Self> {
                Some(Self { raw: std::ptr::NonNull::new(raw)? })
            }

            /// The borrowed object, for functions of [`crate::sys`].
            pub fn as_ptr(&self) -> *mut $crate::sys::$object {
                self.raw.as_ptr()
            }
        }
    };
}
pub(crate) use handle;

/// Unwraps the result of a `_new` that reports no error. NULL means that memory was refused, and panics.
pub(crate) fn made<T>(object: Option<T>) -> T {
    object.expect("libsdimage refuses memory")
}

/// Text that is borrowed from the library for `'a`; "" for NULL and for text that is not UTF-8.
///
/// # Safety
/// `lent` must be NULL, or NUL-terminated text that lives for `'a`.
pub(crate) unsafe fn text<'a>(lent: *const c_char) -> &'a str {
    if lent.is_null() {
        return "";
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(lent) }.to_str().unwrap_or("")
}

/// Text for the library. A NUL would truncate it, so it becomes a line break, which the library refuses in names and
/// header fields.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\n")).unwrap_or_default()
}

/// Calls a function of the program; returns `otherwise` for a panic, which the panic hook has already reported.
pub(crate) fn guarded<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        forget_panic(panic);
        otherwise
    })
}

/// Drops the payload of a panic, which may itself panic.
pub(crate) fn forget_panic(panic: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(panic))) {
        std::mem::forget(again);
    }
}

/// The `destroy` function for a `Box<T>` whose pointer is a `user_data`.
///
/// # Safety
/// Only for the library, called once with the pointer of `Box::into_raw`.
pub(crate) unsafe extern "C" fn destroy<T>(user_data: *mut std::ffi::c_void) {
    // SAFETY: guaranteed by the caller.
    guarded((), || drop(unsafe { Box::from_raw(user_data.cast::<T>()) }));
}
