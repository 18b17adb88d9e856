//! A load in progress.

use crate::error::run;
use crate::handle::handle;
use crate::request::milliseconds;
use crate::{sys, LoadResult, Priority, Result};
use std::ptr;
use std::time::Duration;

handle! {
    shared
    /// A load in progress. Dropping it does not cancel the load.
    Task, sdimage_task, sdimage_task_ref, sdimage_task_unref
}

/// Progress of a load in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes received.
    pub received: u64,
    /// Total bytes, if known.
    pub expected: Option<u64>,
}

impl Progress {
    pub(crate) fn from_raw(received: i64, expected: i64) -> Self {
        Self { received: u64::try_from(received).unwrap_or(0), expected: u64::try_from(expected).ok() }
    }
}

impl Task {
    /// Requests the end of the load. Its final result is `Cancelled` unless another one was already on its way.
    pub fn cancel(&self) {
        unsafe { sys::sdimage_task_cancel(self.as_ptr()) }
    }

    /// Cancels, and returns when the last callback has returned.
    pub fn cancel_and_wait(&self, limit: Duration) -> Result<()> {
        run(|why| unsafe { sys::sdimage_task_cancel_and_wait(self.as_ptr(), milliseconds(limit), why) }).map(drop)
    }

    /// Changes the priority of the load, for example when its image scrolls into view or out of it. Takes effect while
    /// the load is queued, for its transfer or for its decode.
    pub fn set_priority(&self, priority: Priority) {
        unsafe { sys::sdimage_task_set_priority(self.as_ptr(), priority.raw()) }
    }

    /// The priority of the load: that of its request until it is changed.
    pub fn priority(&self) -> Priority {
        Priority::from_raw(unsafe { sys::sdimage_task_priority(self.as_ptr()) })
    }

    /// Waits for the final result. Fails with `Timeout`, and with `WouldDeadlock` in a callback.
    pub fn wait(&self, limit: Duration) -> Result<()> {
        run(|why| unsafe { sys::sdimage_task_wait(self.as_ptr(), milliseconds(limit), why) }).map(drop)
    }

    /// Reports whether the final result is available.
    pub fn is_finished(&self) -> bool {
        unsafe { sys::sdimage_task_is_finished(self.as_ptr()) }
    }

    /// The final result, once available.
    pub fn result(&self) -> Option<LoadResult> {
        let mut raw = ptr::null_mut();
        unsafe {
            sys::sdimage_task_get_result(self.as_ptr(), &mut raw);
            LoadResult::owned(raw)
        }
    }

    /// Bytes received so far.
    pub fn progress(&self) -> Progress {
        let (mut received, mut expected) = (0, -1);
        unsafe { sys::sdimage_task_progress(self.as_ptr(), &mut received, &mut expected) };
        Progress::from_raw(received, expected)
    }

    /// The token of [`Manager::start_for_events`](crate::Manager::start_for_events).
    pub fn token(&self) -> usize {
        unsafe { sys::sdimage_task_token(self.as_ptr()) as usize }
    }
}
