//! References of objects of the library as values, and what all modules do with pointers.
//!
//! A call with `as_ptr()` of handles and values alone is sound because each object is alive as long as its handle; comments tell of what
//! more a call relies on.

use std::any::Any;
use std::ffi::{c_char, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A type that owns one reference. `shared` ones are cloned by taking another and may go to any thread; `single` ones belong to one
/// thread at a time.
macro_rules! handle {
    (shared $(#[$about:meta])* $name:ident, $object:ident, $reference:ident, $unreference:ident) => {
        handle!(single $(#[$about])* $name, $object, $unreference);

        // SAFETY: the header's class is immutable or synchronised.
        unsafe impl Sync for $name {}

        impl Clone for $name {
            fn clone(&self) -> Self {
                // SAFETY: the object is alive as long as this handle.
                Self { raw: unsafe { std::ptr::NonNull::new_unchecked($crate::sys::$reference(self.raw.as_ptr())) } }
            }
        }

        impl $name {
            /// A handle of an object that is borrowed: takes a reference of its own. `None` for NULL.
            #[allow(dead_code)]
            pub(crate) unsafe fn retained(raw: *const $crate::sys::$object) -> Option<Self> {
                let raw = std::ptr::NonNull::new(raw.cast_mut())?;
                // SAFETY: the caller says that the object is alive.
                Some(Self { raw: unsafe { std::ptr::NonNull::new_unchecked($crate::sys::$reference(raw.as_ptr())) } })
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

            /// The object, lent: for functions of [`crate::sys`].
            pub fn as_ptr(&self) -> *mut $crate::sys::$object {
                self.raw.as_ptr()
            }
        }
    };
}
pub(crate) use handle;

/// What a `_new` that tells no error gave: NULL is refused memory, after which Rust programs do not go on either.
pub(crate) fn made<T>(object: Option<T>) -> T {
    object.expect("libsdimage refuses memory")
}

/// Text that the library lends for `'a`; "" for NULL and for what is not UTF-8.
///
/// # Safety
/// NULL, or text with a NUL that lives for `'a`.
pub(crate) unsafe fn text<'a>(lent: *const c_char) -> &'a str {
    if lent.is_null() {
        return "";
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(lent) }.to_str().unwrap_or("")
}

/// Text for the library. A NUL would cut it: it becomes a line break, which the library refuses in names and header fields.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\n")).unwrap_or_default()
}

/// Runs what the program gave to be called; the answer for a panic, which the hook of the program has told of.
pub(crate) fn guarded<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        forget_panic(panic);
        otherwise
    })
}

/// Drops what a panic carried, which may panic itself.
pub(crate) fn forget_panic(panic: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(panic))) {
        std::mem::forget(again);
    }
}

/// The `destroy` of a `Box<T>` whose pointer is a `user_data`.
///
/// # Safety
/// For the library, with the pointer of `Box::into_raw`, once.
pub(crate) unsafe extern "C" fn destroy<T>(user_data: *mut std::ffi::c_void) {
    // SAFETY: as the caller says.
    guarded((), || drop(unsafe { Box::from_raw(user_data.cast::<T>()) }));
}
