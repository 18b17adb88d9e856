//! One delivery of a load.

use crate::handle::{handle, text};
use crate::{sys, Data, DeliveryKind, Error, FreshnessRule, Image, ImageSource, Stage};
use std::time::Duration;

handle! {
    shared
    /// One delivery of a load.
    LoadResult, sdimage_result, sdimage_result_ref, sdimage_result_unref
}

impl LoadResult {
    /// The kind of delivery. Every load ends with exactly one `Final`.
    pub fn kind(&self) -> DeliveryKind {
        DeliveryKind::from_raw(unsafe { sys::sdimage_result_kind(self.as_ptr()) })
    }

    /// The image, if there is one.
    pub fn image(&self) -> Option<Image> {
        unsafe { Image::retained(sys::sdimage_result_image(self.as_ptr())) }
    }

    /// The encoded bytes, if the load has them.
    pub fn data(&self) -> Option<Data> {
        unsafe { Data::retained(sys::sdimage_result_data(self.as_ptr())) }
    }

    /// The reason for a missing or stale image. A cache-only load that found nothing has neither image nor error.
    pub fn error(&self) -> Option<Error> {
        // SAFETY: borrowed from this object; its contents are copied.
        unsafe {
            let why = sys::sdimage_result_error(self.as_ptr());
            (!why.is_null()).then(|| Error::borrowed(why))
        }
    }

    /// The source of the image.
    pub fn source(&self) -> ImageSource {
        ImageSource::from_raw(unsafe { sys::sdimage_result_source(self.as_ptr()) })
    }

    /// The freshness rule that applied.
    pub fn freshness(&self) -> FreshnessRule {
        FreshnessRule::from_raw(unsafe { sys::sdimage_result_freshness(self.as_ptr()) })
    }

    /// For the end of a refresh: false if the image equals the cached one.
    pub fn is_changed(&self) -> bool {
        unsafe { sys::sdimage_result_is_changed(self.as_ptr()) }
    }

    /// Reports whether the image is stale and could not be revalidated.
    pub fn is_stale(&self) -> bool {
        unsafe { sys::sdimage_result_is_stale(self.as_ptr()) }
    }

    /// The requested URL, without user and password.
    pub fn url(&self) -> &str {
        unsafe { text(sys::sdimage_result_url(self.as_ptr())) }
    }

    /// The cache key of the image; "" when none.
    pub fn cache_key(&self) -> &str {
        unsafe { text(sys::sdimage_result_cache_key(self.as_ptr())) }
    }

    /// The time spent in a stage; zero if it did not run.
    pub fn time(&self, stage: Stage) -> Duration {
        Duration::from_nanos(unsafe { sys::sdimage_result_time_ns(self.as_ptr(), stage.raw()) })
    }

    /// Converts the result of an ended load: an error if there is no image.
    pub(crate) fn into_outcome(self) -> crate::Result<Self> {
        match (self.image().is_some(), self.error()) {
            (false, Some(why)) => Err(why),
            _ => Ok(self),
        }
    }
}
