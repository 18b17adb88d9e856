//! Images, and the gain maps of HDR images.

use crate::error::run;
use crate::handle::{destroy, handle, made};
use crate::{sys, Data, EncodeOptions, Error, Format, PixelFormat, Result, ScaleMode, Status};
use std::ffi::c_void;
use std::ptr;

handle! {
    shared
    /// An image. Its pixels are valid while a handle exists, whatever caches do.
    Image, sdimage_image, sdimage_image_ref, sdimage_image_unref
}

impl Image {
    /// Takes over pixels without a copy: rows from top to bottom, `stride` bytes apart. Fails with `InvalidArgument` if
    /// the vector is too short, a side is zero or the samples are not aligned.
    pub fn from_vec(width: u32, height: u32, stride: usize, pixel_format: PixelFormat, pixels: Vec<u8>) -> Result<Self> {
        // SAFETY: a lookup in a static table of the library.
        let row = (width as usize).checked_mul(unsafe { sys::sdimage_pixel_format_bytes(pixel_format.raw()) });
        let needed = row.and_then(|row| stride.checked_mul((height as usize).saturating_sub(1))?.checked_add(row));
        if needed.map_or(true, |needed| needed > pixels.len()) {
            return Err(Error::new(Status::InvalidArgument, "image: too few bytes for the size"));
        }
        let mut kept = Box::new(pixels);
        let start = kept.as_mut_ptr();
        let owner = Box::into_raw(kept).cast::<c_void>();
        let mut raw = ptr::null_mut();
        // SAFETY: the vector's bytes do not move until `destroy`, also when this fails.
        run(|why| unsafe {
            let free = Some(destroy::<Vec<u8>> as unsafe extern "C" fn(*mut c_void));
            sys::sdimage_image_new_adopting(width, height, stride, pixel_format.raw(), start.cast(), owner, free, &mut raw, why)
        })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// Width of the bitmap in pixels.
    pub fn width(&self) -> u32 {
        unsafe { sys::sdimage_image_width(self.as_ptr()) }
    }

    /// Height of the bitmap in pixels.
    pub fn height(&self) -> u32 {
        unsafe { sys::sdimage_image_height(self.as_ptr()) }
    }

    /// Bytes from one row to the next.
    pub fn stride(&self) -> usize {
        unsafe { sys::sdimage_image_stride(self.as_ptr()) }
    }

    /// Bytes of the pixels in one row.
    pub fn row_bytes(&self) -> usize {
        self.width() as usize * unsafe { sys::sdimage_pixel_format_bytes(sys::sdimage_image_pixel_format(self.as_ptr())) }
    }

    /// All rows, `stride()` bytes apart, without a copy; the last row ends with its last pixel.
    pub fn pixels(&self) -> &[u8] {
        let rows = self.height() as usize;
        // SAFETY: the bitmap lives and stays unchanged as long as the object.
        unsafe {
            let start = sys::sdimage_image_pixels(self.as_ptr()).cast::<u8>();
            if start.is_null() || rows == 0 {
                return &[];
            }
            std::slice::from_raw_parts(start, (rows - 1) * self.stride() + self.row_bytes())
        }
    }

    /// The pixels of one row, without a copy. Panics below the last row.
    pub fn row(&self, y: u32) -> &[u8] {
        let start = y as usize * self.stride();
        &self.pixels()[start..start + self.row_bytes()]
    }

    /// The layout of a pixel in memory.
    pub fn pixel_format(&self) -> PixelFormat {
        PixelFormat::from_raw(unsafe { sys::sdimage_image_pixel_format(self.as_ptr()) })
    }

    /// The container that the image was decoded from; `Unknown` for pixels of the program.
    pub fn format(&self) -> Format {
        Format::from_raw(unsafe { sys::sdimage_image_format(self.as_ptr()) })
    }

    /// Reports whether a pixel can be transparent.
    pub fn has_alpha(&self) -> bool {
        unsafe { sys::sdimage_image_has_alpha(self.as_ptr()) }
    }

    /// Pixels per point, at least 1.
    pub fn scale(&self) -> f64 {
        unsafe { sys::sdimage_image_scale(self.as_ptr()) }
    }

    /// Width and height of the encoded image as displayed: larger than those of a thumbnail.
    pub fn source_size(&self) -> (u32, u32) {
        let size = unsafe { sys::sdimage_image_source_size(self.as_ptr()) };
        (size.width, size.height)
    }

    /// The headroom of the pixels in stops above SDR white; 0 for SDR.
    pub fn headroom(&self) -> f64 {
        unsafe { sys::sdimage_image_headroom(self.as_ptr()) }
    }

    /// The headroom of the brightest rendition of the file in stops: that of the gain map if it was applied or kept, or
    /// of PQ and HLG; 0 for SDR.
    pub fn content_headroom(&self) -> f64 {
        unsafe { sys::sdimage_image_content_headroom(self.as_ptr()) }
    }

    /// The gain map that was applied to an `RgbaFloat` image, or that can be applied to an image of another format.
    pub fn gain_map(&self) -> Option<GainMap> {
        let mut raw = ptr::null_mut();
        unsafe {
            sys::sdimage_image_get_gain_map(self.as_ptr(), &mut raw);
            GainMap::owned(raw)
        }
    }

    /// The rendition for a display with a headroom in stops, as `RgbaFloat` in linear light; infinity selects the headroom
    /// of the content. The same image if it is the rendition for this headroom. Fails with `Unsupported` without a map.
    pub fn apply_gain_map(&self, headroom: f64) -> Result<Self> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_image_apply_gain_map(self.as_ptr(), headroom, &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// A base image of the same pixels with another gain map, or without one.
    pub fn with_gain_map(&self, map: Option<&GainMap>) -> Result<Self> {
        let (mut metadata, mut raw) = (ptr::null_mut(), ptr::null_mut());
        run(|why| unsafe { sys::sdimage_image_copy_metadata(self.as_ptr(), &mut metadata, why) })?;
        let map = map.map_or(ptr::null_mut(), GainMap::as_ptr);
        unsafe { sys::sdimage_metadata_set_gain_map(metadata, map) };
        let made_image = run(|why| unsafe { sys::sdimage_image_with_metadata(self.as_ptr(), metadata, &mut raw, why) });
        unsafe { sys::sdimage_metadata_unref(metadata) };
        made_image?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// Reports whether a thumbnail size was requested.
    pub fn is_thumbnail(&self) -> bool {
        unsafe { sys::sdimage_image_is_thumbnail(self.as_ptr()) }
    }

    /// Reports whether a part of the image had not arrived, or was damaged and accepted.
    pub fn is_incremental(&self) -> bool {
        unsafe { sys::sdimage_image_is_incremental(self.as_ptr()) }
    }

    /// Reports whether the image has more than one frame.
    pub fn is_animated(&self) -> bool {
        unsafe { sys::sdimage_image_is_animated(self.as_ptr()) }
    }

    /// Frames of an animation; 1 for a still.
    pub fn frame_count(&self) -> u32 {
        unsafe { sys::sdimage_image_frame_count(self.as_ptr()) }
    }

    /// The number of loops of an animation; 0 repeats forever.
    pub fn loop_count(&self) -> u32 {
        unsafe { sys::sdimage_image_loop_count(self.as_ptr()) }
    }

    /// The duration of one loop in milliseconds.
    pub fn duration_ms(&self) -> u64 {
        unsafe { sys::sdimage_image_duration_ms(self.as_ptr()) }
    }

    /// A frame, composed to the whole canvas; decoded on demand, on this thread.
    pub fn frame(&self, index: u32) -> Result<Self> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_image_get_frame(self.as_ptr(), index, &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// The display duration of a frame in milliseconds.
    pub fn frame_duration_ms(&self, index: u32) -> u32 {
        unsafe { sys::sdimage_image_frame_duration_ms(self.as_ptr(), index) }
    }

    /// The image in another pixel format; the same image if it already has that format.
    pub fn convert(&self, pixel_format: PixelFormat) -> Result<Self> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_image_convert(self.as_ptr(), pixel_format.raw(), &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// Resizes to exactly this size in points, which may be larger.
    pub fn resize(&self, width: f64, height: f64, mode: ScaleMode) -> Result<Self> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_image_resize(self.as_ptr(), width, height, mode.raw(), &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// Encodes the image as a file; `Unknown` selects PNG for an image with alpha, and for PQ, HLG or more than 8 bits in the
    /// options, otherwise JPEG.
    ///
    /// ```
    /// # use sdimage::{EncodeOptions, Format, Image, PixelFormat};
    /// let picture = Image::from_vec(2, 1, 6, PixelFormat::Rgb8, vec![255, 0, 0, 0, 0, 255])?;
    /// let file = picture.encode(Format::Png, &EncodeOptions::new())?;
    /// assert_eq!(sdimage::decode(&file, &Default::default())?.pixels(), picture.pixels());
    /// # Ok::<(), sdimage::Error>(())
    /// ```
    pub fn encode(&self, format: Format, options: &EncodeOptions) -> Result<Data> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_encode(self.as_ptr(), format.raw(), options.as_ptr(), &mut raw, why) })?;
        Ok(made(unsafe { Data::owned(raw) }))
    }
}

handle! {
    shared
    /// A gain map (ISO 21496-1): a small image, and the numbers that turn its samples into the ratio of an SDR and an HDR
    /// rendition. Channels are 0 to 2 for red, green and blue; other numbers return 0.
    GainMap, sdimage_gain_map, sdimage_gain_map_ref, sdimage_gain_map_unref
}

impl GainMap {
    /// A map of `samples`, a `Gray8` or `Rgb8` image, with parameters in the binary form of ISO 21496-1.
    pub fn new(samples: &Image, parameters: &[u8]) -> Result<Self> {
        let (bytes, mut raw) = (parameters.as_ptr().cast(), ptr::null_mut());
        run(|why| unsafe { sys::sdimage_gain_map_new(samples.as_ptr(), bytes, parameters.len(), &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// A map of Apple's format, whose headroom is given by the maker note in the EXIF block of the base image.
    pub fn apple(samples: &Image, exif: &[u8]) -> Result<Self> {
        let (bytes, mut raw) = (exif.as_ptr().cast(), ptr::null_mut());
        run(|why| unsafe { sys::sdimage_gain_map_new_apple(samples.as_ptr(), bytes, exif.len(), &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// Computes the map from an SDR image to its HDR rendition, a linear `RgbaFloat` image of the same size.
    pub fn between(sdr: &Image, hdr: &Image) -> Result<Self> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_gain_map_new_between(sdr.as_ptr(), hdr.as_ptr(), &mut raw, why) })?;
        Ok(made(unsafe { Self::owned(raw) }))
    }

    /// The parameters in binary form, as `new` reads them; fails with `Unsupported` for Apple's format.
    pub fn parameters(&self) -> Result<Data> {
        let mut raw = ptr::null_mut();
        run(|why| unsafe { sys::sdimage_gain_map_copy_parameters(self.as_ptr(), &mut raw, why) })?;
        Ok(made(unsafe { Data::owned(raw) }))
    }

    /// The samples, as an image of `Gray8` or `Rgb8`, turned as the base image is.
    pub fn image(&self) -> Image {
        made(unsafe { Image::retained(sys::sdimage_gain_map_image(self.as_ptr())) })
    }

    /// The headroom of the base image in stops.
    pub fn base_headroom(&self) -> f64 {
        unsafe { sys::sdimage_gain_map_base_headroom(self.as_ptr()) }
    }

    /// The headroom of the other rendition in stops.
    pub fn alternate_headroom(&self) -> f64 {
        unsafe { sys::sdimage_gain_map_alternate_headroom(self.as_ptr()) }
    }

    /// The gain of the sample 0 in stops.
    pub fn minimum(&self, channel: u32) -> f64 {
        unsafe { sys::sdimage_gain_map_minimum(self.as_ptr(), channel) }
    }

    /// The gain of the sample 1 in stops.
    pub fn maximum(&self, channel: u32) -> f64 {
        unsafe { sys::sdimage_gain_map_maximum(self.as_ptr(), channel) }
    }

    /// The exponent with which the samples were encoded.
    pub fn gamma(&self, channel: u32) -> f64 {
        unsafe { sys::sdimage_gain_map_gamma(self.as_ptr(), channel) }
    }

    /// The number that is added to the light of the base image.
    pub fn base_offset(&self, channel: u32) -> f64 {
        unsafe { sys::sdimage_gain_map_base_offset(self.as_ptr(), channel) }
    }

    /// The number that is subtracted from the light of the other rendition.
    pub fn alternate_offset(&self, channel: u32) -> f64 {
        unsafe { sys::sdimage_gain_map_alternate_offset(self.as_ptr(), channel) }
    }

    /// Reports whether the gains apply to the primaries of the base image; if not, to those of the other rendition.
    pub fn is_in_base_color_space(&self) -> bool {
        unsafe { sys::sdimage_gain_map_is_in_base_color_space(self.as_ptr()) }
    }

    /// Reports whether the map is of Apple's format, whose numbers per channel are 0.
    pub fn is_linear(&self) -> bool {
        unsafe { sys::sdimage_gain_map_is_linear(self.as_ptr()) }
    }
}
