//! The use of a cache by a load.

use crate::sys;
use std::ops::BitOr;

/// The use of a cache by a load: exceptions from the default, combined with `|`, and their common combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachePolicy(i32);

impl CachePolicy {
    /// Looks up and stores in memory and on disk.
    pub const DEFAULT: Self = Self(sys::SDIMAGE_CACHE_POLICY_DEFAULT);
    /// No look-up in memory.
    pub const SKIP_MEMORY_READ: Self = Self(sys::SDIMAGE_CACHE_POLICY_SKIP_MEMORY_READ);
    /// No store in memory.
    pub const SKIP_MEMORY_WRITE: Self = Self(sys::SDIMAGE_CACHE_POLICY_SKIP_MEMORY_WRITE);
    /// No look-up on disk.
    pub const SKIP_DISK_READ: Self = Self(sys::SDIMAGE_CACHE_POLICY_SKIP_DISK_READ);
    /// No store on disk.
    pub const SKIP_DISK_WRITE: Self = Self(sys::SDIMAGE_CACHE_POLICY_SKIP_DISK_WRITE);
    /// No look-up of the original on disk.
    pub const SKIP_ORIGINAL_READ: Self = Self(sys::SDIMAGE_CACHE_POLICY_SKIP_ORIGINAL_READ);
    /// No store of the original on disk.
    pub const SKIP_ORIGINAL_WRITE: Self = Self(sys::SDIMAGE_CACHE_POLICY_SKIP_ORIGINAL_WRITE);
    /// Also derives the image from an original in memory.
    pub const READ_ORIGINAL_FROM_MEMORY: Self = Self(sys::SDIMAGE_CACHE_POLICY_READ_ORIGINAL_FROM_MEMORY);
    /// Also stores in memory an original that was decoded only to be transformed.
    pub const STORE_ORIGINAL_IN_MEMORY: Self = Self(sys::SDIMAGE_CACHE_POLICY_STORE_ORIGINAL_IN_MEMORY);
    /// Neither reads nor writes the disk.
    pub const MEMORY_ONLY: Self = Self(sys::SDIMAGE_CACHE_POLICY_MEMORY_ONLY);
    /// Neither reads nor writes memory.
    pub const DISK_ONLY: Self = Self(sys::SDIMAGE_CACHE_POLICY_DISK_ONLY);
    /// Stores nothing.
    pub const READ_ONLY: Self = Self(sys::SDIMAGE_CACHE_POLICY_READ_ONLY);
    /// Looks up nothing.
    pub const WRITE_ONLY: Self = Self(sys::SDIMAGE_CACHE_POLICY_WRITE_ONLY);
    /// No cache.
    pub const NONE: Self = Self(sys::SDIMAGE_CACHE_POLICY_NONE);

    pub(crate) fn raw(self) -> sys::sdimage_cache_policy {
        self.0
    }
}

impl BitOr for CachePolicy {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
