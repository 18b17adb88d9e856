//! Dispatchers, which determine where callbacks run, and events instead of callbacks.

use crate::error::run;
use crate::handle::{handle, made};
use crate::{sys, LoadResult, Progress, Result, Task};
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;

handle! {
    shared
    /// Determines where callbacks run.
    Dispatcher, sdimage_dispatcher, sdimage_dispatcher_ref, sdimage_dispatcher_unref
}

/// One delivery of a load, taken from a pollable dispatcher.
#[derive(Debug)]
pub struct Event {
    /// The token that the load was started with.
    pub token: usize,
    /// The load.
    pub task: Task,
    /// The content of the event.
    pub kind: EventKind,
}

/// The content of an event.
#[derive(Debug)]
#[non_exhaustive]
pub enum EventKind {
    /// A partial, cached or final result.
    Result(LoadResult),
    /// Progress as bytes arrive; only the latest is held.
    Progress(Progress),
}

impl Dispatcher {
    fn made_by(
        make: unsafe extern "C" fn(*mut *mut sys::sdimage_dispatcher, *mut *mut sys::sdimage_error) -> sys::sdimage_status,
    ) -> Result<Self> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { make(&mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// The library's callback thread: the default.
    pub fn library() -> Result<Self> {
        Self::made_by(sys::sdimage_dispatcher_new_library)
    }

    /// The thread that finishes the load: for callbacks that only forward the result.
    pub fn immediate() -> Result<Self> {
        Self::made_by(sys::sdimage_dispatcher_new_immediate)
    }

    /// A queue behind a file descriptor ([`AsRawFd`]), which an event loop watches for reading. Then call
    /// [`drain`](Self::drain), or [`next_event`](Self::next_event) until it returns `None`.
    pub fn pollable() -> Result<Self> {
        Self::made_by(sys::sdimage_dispatcher_new_pollable)
    }

    /// Runs the queued callbacks on this thread; returns the number of deliveries.
    pub fn drain(&self) -> usize {
        unsafe { sys::sdimage_dispatcher_drain(self.as_ptr()) }
    }

    /// Declares that this thread drains the queue: memory hits and cancellations requested on it are delivered at once.
    pub fn bind_current_thread(&self) -> Result<()> {
        run(|why| unsafe { sys::sdimage_dispatcher_bind_current_thread(self.as_ptr(), why) }).map(drop)
    }

    /// The next delivery in place of its callback; `None` when nothing is queued.
    pub fn next_event(&self) -> Result<Option<Event>> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_dispatcher_next_event(self.as_ptr(), &mut raw, why) })?;
        if raw.is_null() {
            return Ok(None);
        }
        // SAFETY: the event's reference is ours; borrowed parts are referenced before it is released.
        let event = unsafe { Self::read(raw) };
        unsafe { sys::sdimage_event_unref(raw) };
        Ok(event)
    }

    unsafe fn read(raw: *const sys::sdimage_event) -> Option<Event> {
        // SAFETY: the caller guarantees that it is alive.
        unsafe {
            let kind = match sys::sdimage_event_callback_kind(raw) {
                sys::SDIMAGE_CALLBACK_KIND_PROGRESS => {
                    EventKind::Progress(Progress::from_raw(sys::sdimage_event_received(raw), sys::sdimage_event_expected(raw)))
                }
                _ => EventKind::Result(LoadResult::retained(sys::sdimage_event_result(raw))?),
            };
            Some(Event {
                token: sys::sdimage_event_token(raw) as usize,
                task: Task::retained(sys::sdimage_event_task(raw))?,
                kind,
            })
        }
    }
}

impl AsRawFd for Dispatcher {
    /// The descriptor of a pollable dispatcher: open while a handle exists, and not to be read from. -1 for other
    /// kinds.
    fn as_raw_fd(&self) -> RawFd {
        unsafe { sys::sdimage_dispatcher_descriptor(self.as_ptr()) }
    }
}
