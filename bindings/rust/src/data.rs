//! Bytes that are passed by reference.

use crate::error::run;
use crate::handle::{destroy, handle, made};
use crate::{sys, Result};
use std::ffi::c_void;
use std::ops::Deref;
use std::ptr;

handle! {
    shared
    /// Immutable bytes of the library or the program; dereferences to a slice.
    Data, sdimage_data, sdimage_data_ref, sdimage_data_unref
}

impl Data {
    /// Takes over the vector, without a copy.
    pub fn from_vec(bytes: Vec<u8>) -> Result<Self> {
        let kept = Box::new(bytes);
        let (start, length) = (kept.as_ptr(), kept.len());
        let owner = Box::into_raw(kept).cast::<c_void>();
        let mut raw = ptr::null_mut();
        // SAFETY: the vector's bytes do not move until `destroy`, also when this fails.
        run(|why| unsafe {
            sys::sdimage_data_new_adopting(start.cast(), length, owner, Some(destroy::<Vec<u8>>), &mut raw, why)
        })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// Copies the bytes.
    pub fn copy_of(bytes: &[u8]) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: the bytes are read during the call.
        run(|why| unsafe { sys::sdimage_data_new(bytes.as_ptr().cast(), bytes.len(), &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// The bytes as text, if they are UTF-8.
    pub(crate) fn into_string(self) -> String {
        String::from_utf8_lossy(&self).into_owned()
    }
}

impl Deref for Data {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the bytes live and stay unchanged as long as the object.
        unsafe {
            let start = sys::sdimage_data_bytes(self.as_ptr()).cast::<u8>();
            if start.is_null() {
                return &[];
            }
            std::slice::from_raw_parts(start, sys::sdimage_data_length(self.as_ptr()))
        }
    }
}
