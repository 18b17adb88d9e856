//! Where callbacks run, and events in place of callbacks.

use crate::error::run;
use crate::handle::{handle, made};
use crate::{sys, LoadResult, Progress, Result, Task};
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;

handle! {
    shared
    /// Where callbacks run.
    Dispatcher, sdimage_dispatcher, sdimage_dispatcher_ref, sdimage_dispatcher_unref
}

/// One delivery of a load, taken out of a pollable dispatcher.
#[derive(Debug)]
pub struct Event {
    /// The number that the load was started with.
    pub token: usize,
    /// The load.
    pub task: Task,
    /// What there is to say.
    pub kind: EventKind,
}

/// What an event says.
#[derive(Debug)]
#[non_exhaustive]
pub enum EventKind {
    /// A partial, cached or final result.
    Result(LoadResult),
    /// Bytes as they arrive; only the latest is kept.
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

    /// Whatever thread finishes the load: for callbacks that only hand the result on.
    pub fn immediate() -> Result<Self> {
        Self::made_by(sys::sdimage_dispatcher_new_immediate)
    }

    /// A queue behind a file descriptor ([`AsRawFd`]), to be watched for reading by an event loop: then [`drain`](Self::drain), or
    /// [`next_event`](Self::next_event) until there is none.
    pub fn pollable() -> Result<Self> {
        Self::made_by(sys::sdimage_dispatcher_new_pollable)
    }

    /// Runs the callbacks that are queued now on this thread; how many deliveries that were.
    pub fn drain(&self) -> usize {
        unsafe { sys::sdimage_dispatcher_drain(self.as_ptr()) }
    }

    /// Says that this thread is the one that drains: memory hits and cancellations asked for on it are delivered at once.
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
        // SAFETY: the event's reference is ours; what it lends is referenced before it goes.
        let event = unsafe { Self::read(raw) };
        unsafe { sys::sdimage_event_unref(raw) };
        Ok(event)
    }

    unsafe fn read(raw: *const sys::sdimage_event) -> Option<Event> {
        // SAFETY: the caller says that it is alive.
        unsafe {
            let kind = match sys::sdimage_event_kind(raw) {
                sys::SDIMAGE_EVENT_TYPE_PROGRESS => {
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
    /// Of a pollable one: open as long as a handle is there, and not to be read from. -1 for other kinds.
    fn as_raw_fd(&self) -> RawFd {
        unsafe { sys::sdimage_dispatcher_descriptor(self.as_ptr()) }
    }
}
