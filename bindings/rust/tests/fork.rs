//! Handles in a forked child. The only test of its program: no other thread holds a lock that the child needs.

mod support;

use sdimage::Image;
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use support::in_memory;

extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn alarm(seconds: u32) -> u32;
    fn _exit(status: i32) -> !;
}

#[test]
fn a_forked_child_clones_pictures_and_no_managers() {
    let manager = in_memory();
    let image = Image::from_vec(1, 1, 1, sdimage::PixelFormat::Gray8, vec![7]).unwrap();
    // SAFETY: the child ends with _exit, and soon.
    let child = unsafe { fork() };
    if child == 0 {
        unsafe { alarm(120) };
        set_hook(Box::new(|_| {}));
        let is_refused = catch_unwind(AssertUnwindSafe(|| std::mem::forget(manager.clone()))).is_err();
        let is_cloned = catch_unwind(AssertUnwindSafe(|| image.clone().row(0)[0])).is_ok_and(|gray| gray == 7);
        unsafe { _exit(i32::from(is_refused) + 2 * i32::from(is_cloned)) }
    }
    let mut status = 0;
    assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 3 << 8);
}
