//! A load as a future.

use crate::{DeliveryKind, Dispatcher, LoadResult, Manager, Progress, Request, Result, Task};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The state shared by the load's callback and the future. The lock is not held while a waker is called.
#[derive(Default)]
struct Meeting {
    ended: Option<LoadResult>,
    waker: Option<Waker>,
}

/// A load in progress: a future of its final result, for any executor. Dropping it cancels the load, unless it has
/// ended.
///
/// It delivers on the thread where the load ends; the dispatcher of the request is ignored. An image in memory is ready
/// at the first poll. The error is that of the load, or `Cancelled`.
#[derive(Debug)]
#[must_use = "dropping it cancels the load"]
pub struct Load {
    task: Task,
    meeting: Arc<Mutex<Meeting>>,
}

impl std::fmt::Debug for Meeting {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Meeting({})", if self.ended.is_some() { "ended" } else { "waiting" })
    }
}

fn locked(meeting: &Mutex<Meeting>) -> MutexGuard<'_, Meeting> {
    meeting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Load {
    pub(crate) fn start(manager: &Manager, request: &Request) -> Result<Self> {
        let meeting = Arc::new(Mutex::new(Meeting::default()));
        let shared = Arc::clone(&meeting);
        let request = request.clone().dispatcher(&Dispatcher::immediate()?);
        let ended = move |_: &Task, result: &LoadResult| {
            if result.kind() != DeliveryKind::Final {
                return;
            }
            let mut meeting = locked(&shared);
            meeting.ended = Some(result.clone());
            let waker = meeting.waker.take();
            drop(meeting);
            if let Some(waker) = waker {
                waker.wake();
            }
        };
        let task = manager.start(&request, ended, |_, _| {})?;
        Ok(Self { task, meeting })
    }

    /// Requests the end of the load; the future then resolves to `Cancelled`.
    pub fn cancel(&self) {
        self.task.cancel();
    }

    /// Bytes received so far.
    pub fn progress(&self) -> Progress {
        self.task.progress()
    }

    /// The load itself.
    pub fn task(&self) -> &Task {
        &self.task
    }
}

impl Future for Load {
    type Output = Result<LoadResult>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Wakers are code of the executor, so they are cloned and dropped outside the lock. Only that of the latest
        // poll is held.
        let waker = context.waker().clone();
        let mut meeting = locked(&self.meeting);
        if let Some(result) = meeting.ended.clone() {
            drop(meeting);
            return Poll::Ready(result.into_outcome());
        }
        let before = meeting.waker.replace(waker);
        drop(meeting);
        drop(before);
        Poll::Pending
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.task.cancel();
    }
}
