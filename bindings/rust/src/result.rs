//! What one delivery of a load carries.

use crate::handle::{handle, text};
use crate::{sys, Data, DeliveryKind, Error, Image, ImageSource, Stage};
use std::time::Duration;

handle! {
    shared
    /// What one delivery of a load carries.
    LoadResult, sdimage_result, sdimage_result_ref, sdimage_result_unref
}

impl LoadResult {
    /// Every load ends with exactly one `Final`.
    pub fn kind(&self) -> DeliveryKind {
        DeliveryKind::from_raw(unsafe { sys::sdimage_result_kind(self.as_ptr()) })
    }

    /// The picture, where there is one.
    pub fn image(&self) -> Option<Image> {
        unsafe { Image::retained(sys::sdimage_result_image(self.as_ptr())) }
    }

    /// Its encoded bytes, where the load has them.
    pub fn data(&self) -> Option<Data> {
        unsafe { Data::retained(sys::sdimage_result_data(self.as_ptr())) }
    }

    /// Why there is no picture, or why it is stale. A look into caches only that found nothing has neither picture nor error.
    pub fn error(&self) -> Option<Error> {
        // SAFETY: borrowed from this object; what is in it is copied.
        unsafe {
            let why = sys::sdimage_result_error(self.as_ptr());
            (!why.is_null()).then(|| Error::borrowed(why))
        }
    }

    /// Where the picture came from.
    pub fn source(&self) -> ImageSource {
        ImageSource::from_raw(unsafe { sys::sdimage_result_source(self.as_ptr()) })
    }

    /// For the end of a refresh: false when it is the picture that was cached.
    pub fn is_changed(&self) -> bool {
        unsafe { sys::sdimage_result_is_changed(self.as_ptr()) }
    }

    /// Whether the picture outlived its freshness and could not be renewed.
    pub fn is_stale(&self) -> bool {
        unsafe { sys::sdimage_result_is_stale(self.as_ptr()) }
    }

    /// The URL as asked for, without user and password.
    pub fn url(&self) -> &str {
        unsafe { text(sys::sdimage_result_url(self.as_ptr())) }
    }

    /// The cache key of the picture; "" when none.
    pub fn cache_key(&self) -> &str {
        unsafe { text(sys::sdimage_result_cache_key(self.as_ptr())) }
    }

    /// Time spent in a stage; zero where it did not run.
    pub fn time(&self, stage: Stage) -> Duration {
        Duration::from_nanos(unsafe { sys::sdimage_result_time_ns(self.as_ptr(), stage.raw()) })
    }

    /// The result of a load that ended: the error where there is no picture.
    pub(crate) fn into_outcome(self) -> crate::Result<Self> {
        match (self.image().is_some(), self.error()) {
            (false, Some(why)) => Err(why),
            _ => Ok(self),
        }
    }
}
