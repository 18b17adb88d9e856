//! The C enums as Rust enums. The C headers document each value; `Other` is a value of a later version.

use crate::sys;

macro_rules! choices {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $constant:ident),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $value,)*
            /// A value unknown to this version of the crate.
            Other(i32),
        }

        impl $name {
            // Some enums are converted in one direction only.
            #[allow(dead_code)]
            pub(crate) fn from_raw(raw: i32) -> Self {
                match raw {
                    $(sys::$constant => Self::$value,)*
                    other => Self::Other(other),
                }
            }

            #[allow(dead_code)]
            pub(crate) fn raw(self) -> i32 {
                match self {
                    $(Self::$value => sys::$constant,)*
                    Self::Other(other) => other,
                }
            }
        }
    };
}

choices! {
    /// The code of a failure.
    Status {
        /// `NEED_MORE_DATA`.
        NeedMoreData = SDIMAGE_STATUS_NEED_MORE_DATA,
        /// `END`.
        End = SDIMAGE_STATUS_END,
        /// `OK`.
        Ok = SDIMAGE_STATUS_OK,
        /// `INVALID_ARGUMENT`.
        InvalidArgument = SDIMAGE_STATUS_INVALID_ARGUMENT,
        /// `BAD_HANDLE`.
        BadHandle = SDIMAGE_STATUS_BAD_HANDLE,
        /// `UNSUPPORTED`.
        Unsupported = SDIMAGE_STATUS_UNSUPPORTED,
        /// `NO_MEMORY`.
        NoMemory = SDIMAGE_STATUS_NO_MEMORY,
        /// `CANCELLED`.
        Cancelled = SDIMAGE_STATUS_CANCELLED,
        /// `SHUTDOWN`.
        Shutdown = SDIMAGE_STATUS_SHUTDOWN,
        /// `FORKED`.
        Forked = SDIMAGE_STATUS_FORKED,
        /// `WOULD_DEADLOCK`.
        WouldDeadlock = SDIMAGE_STATUS_WOULD_DEADLOCK,
        /// `TIMEOUT`.
        Timeout = SDIMAGE_STATUS_TIMEOUT,
        /// `NOT_FOUND`.
        NotFound = SDIMAGE_STATUS_NOT_FOUND,
        /// `BUSY`.
        Busy = SDIMAGE_STATUS_BUSY,
        /// `INTERNAL_ERROR`.
        InternalError = SDIMAGE_STATUS_INTERNAL_ERROR,
        /// `INVALID_URL`.
        InvalidUrl = SDIMAGE_STATUS_INVALID_URL,
        /// `SCHEME_FORBIDDEN`.
        SchemeForbidden = SDIMAGE_STATUS_SCHEME_FORBIDDEN,
        /// `ADDRESS_FORBIDDEN`.
        AddressForbidden = SDIMAGE_STATUS_ADDRESS_FORBIDDEN,
        /// `RESOLVE_FAILED`.
        ResolveFailed = SDIMAGE_STATUS_RESOLVE_FAILED,
        /// `CONNECT_FAILED`.
        ConnectFailed = SDIMAGE_STATUS_CONNECT_FAILED,
        /// `TLS_FAILED`.
        TlsFailed = SDIMAGE_STATUS_TLS_FAILED,
        /// `CONNECTION_LOST`.
        ConnectionLost = SDIMAGE_STATUS_CONNECTION_LOST,
        /// `HTTP_STATUS`.
        HttpStatus = SDIMAGE_STATUS_HTTP_STATUS,
        /// `TOO_MANY_REDIRECTS`.
        TooManyRedirects = SDIMAGE_STATUS_TOO_MANY_REDIRECTS,
        /// `REDIRECT_FORBIDDEN`.
        RedirectForbidden = SDIMAGE_STATUS_REDIRECT_FORBIDDEN,
        /// `CONTENT_TYPE`.
        ContentType = SDIMAGE_STATUS_CONTENT_TYPE,
        /// `NOT_MODIFIED`.
        NotModified = SDIMAGE_STATUS_NOT_MODIFIED,
        /// `OFFLINE`.
        Offline = SDIMAGE_STATUS_OFFLINE,
        /// `FAILED_URL`.
        FailedUrl = SDIMAGE_STATUS_FAILED_URL,
        /// `INVALID_REQUEST`.
        InvalidRequest = SDIMAGE_STATUS_INVALID_REQUEST,
        /// `INVALID_RESPONSE`.
        InvalidResponse = SDIMAGE_STATUS_INVALID_RESPONSE,
        /// `PROTOCOL_ERROR`.
        ProtocolError = SDIMAGE_STATUS_PROTOCOL_ERROR,
        /// `AUTHENTICATION_FAILED`.
        AuthenticationFailed = SDIMAGE_STATUS_AUTHENTICATION_FAILED,
        /// `BAD_DATA`.
        BadData = SDIMAGE_STATUS_BAD_DATA,
        /// `TRUNCATED`.
        Truncated = SDIMAGE_STATUS_TRUNCATED,
        /// `NOT_AN_IMAGE`.
        NotAnImage = SDIMAGE_STATUS_NOT_AN_IMAGE,
        /// `TOO_LARGE`.
        TooLarge = SDIMAGE_STATUS_TOO_LARGE,
        /// `EMPTY_DATA`.
        EmptyData = SDIMAGE_STATUS_EMPTY_DATA,
        /// `TRANSFORM_FAILED`.
        TransformFailed = SDIMAGE_STATUS_TRANSFORM_FAILED,
        /// `ENCODE_FAILED`.
        EncodeFailed = SDIMAGE_STATUS_ENCODE_FAILED,
        /// `DECODER_CRASHED`.
        DecoderCrashed = SDIMAGE_STATUS_DECODER_CRASHED,
        /// `MODULE_MISSING`.
        ModuleMissing = SDIMAGE_STATUS_MODULE_MISSING,
        /// `IO_ERROR`.
        IoError = SDIMAGE_STATUS_IO_ERROR,
        /// `PERMISSION_DENIED`.
        PermissionDenied = SDIMAGE_STATUS_PERMISSION_DENIED,
        /// `NOT_A_FILE`.
        NotAFile = SDIMAGE_STATUS_NOT_A_FILE,
        /// `DISK_FULL`.
        DiskFull = SDIMAGE_STATUS_DISK_FULL,
        /// `CACHE_UNUSABLE`.
        CacheUnusable = SDIMAGE_STATUS_CACHE_UNUSABLE,
        /// `CACHE_DAMAGED`.
        CacheDamaged = SDIMAGE_STATUS_CACHE_DAMAGED,
        /// `PHOTOS_NOT_AUTHORIZED`.
        PhotosNotAuthorized = SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED,
        /// `PHOTOS_NOT_AN_IMAGE`.
        PhotosNotAnImage = SDIMAGE_STATUS_PHOTOS_NOT_AN_IMAGE,
        /// `PHOTOS_NOT_FOUND`.
        PhotosNotFound = SDIMAGE_STATUS_PHOTOS_NOT_FOUND,
    }
}

choices! {
    /// The layout of one pixel in memory, in the order of the letters.
    PixelFormat {
        /// `AUTOMATIC`.
        Automatic = SDIMAGE_PIXEL_FORMAT_AUTOMATIC,
        /// `GRAY8`.
        Gray8 = SDIMAGE_PIXEL_FORMAT_GRAY8,
        /// `RGB8`.
        Rgb8 = SDIMAGE_PIXEL_FORMAT_RGB8,
        /// `RGBA8`.
        Rgba8 = SDIMAGE_PIXEL_FORMAT_RGBA8,
        /// `RGBA8_PREMULTIPLIED`.
        Rgba8Premultiplied = SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED,
        /// `BGRA8_PREMULTIPLIED`.
        Bgra8Premultiplied = SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED,
        /// `GRAY16`.
        Gray16 = SDIMAGE_PIXEL_FORMAT_GRAY16,
        /// `RGB16`.
        Rgb16 = SDIMAGE_PIXEL_FORMAT_RGB16,
        /// `RGBA16`.
        Rgba16 = SDIMAGE_PIXEL_FORMAT_RGBA16,
        /// `RGBA_FLOAT`.
        RgbaFloat = SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT,
    }
}

choices! {
    /// Container formats.
    Format {
        /// `UNDEFINED`.
        Undefined = SDIMAGE_FORMAT_UNDEFINED,
        /// `JPEG`.
        Jpeg = SDIMAGE_FORMAT_JPEG,
        /// `PNG`.
        Png = SDIMAGE_FORMAT_PNG,
        /// `GIF`.
        Gif = SDIMAGE_FORMAT_GIF,
        /// `TIFF`.
        Tiff = SDIMAGE_FORMAT_TIFF,
        /// `WEBP`.
        Webp = SDIMAGE_FORMAT_WEBP,
        /// `HEIC`.
        Heic = SDIMAGE_FORMAT_HEIC,
        /// `HEIF`.
        Heif = SDIMAGE_FORMAT_HEIF,
        /// `PDF`.
        Pdf = SDIMAGE_FORMAT_PDF,
        /// `SVG`.
        Svg = SDIMAGE_FORMAT_SVG,
        /// `BMP`.
        Bmp = SDIMAGE_FORMAT_BMP,
        /// `RAW`.
        Raw = SDIMAGE_FORMAT_RAW,
        /// `ICO`.
        Ico = SDIMAGE_FORMAT_ICO,
        /// `AVIF`.
        Avif = SDIMAGE_FORMAT_AVIF,
        /// `JXL`.
        Jxl = SDIMAGE_FORMAT_JXL,
    }
}

choices! {
    /// The kind of a delivery of a load.
    DeliveryKind {
        /// `PARTIAL`.
        Partial = SDIMAGE_DELIVERY_KIND_PARTIAL,
        /// `CACHED`.
        Cached = SDIMAGE_DELIVERY_KIND_CACHED,
        /// `FINAL`.
        Final = SDIMAGE_DELIVERY_KIND_FINAL,
    }
}

choices! {
    /// The source of an image.
    ImageSource {
        /// `NONE`.
        None = SDIMAGE_IMAGE_SOURCE_NONE,
        /// `MEMORY`.
        Memory = SDIMAGE_IMAGE_SOURCE_MEMORY,
        /// `DISK`.
        Disk = SDIMAGE_IMAGE_SOURCE_DISK,
        /// `REMOTE`.
        Remote = SDIMAGE_IMAGE_SOURCE_REMOTE,
        /// `NETWORK`.
        Network = SDIMAGE_IMAGE_SOURCE_NETWORK,
        /// `LOADER`.
        Loader = SDIMAGE_IMAGE_SOURCE_LOADER,
    }
}

choices! {
    /// The priority of a load.
    Priority {
        /// `LOW`.
        Low = SDIMAGE_PRIORITY_LOW,
        /// `NORMAL`.
        Normal = SDIMAGE_PRIORITY_NORMAL,
        /// `HIGH`.
        High = SDIMAGE_PRIORITY_HIGH,
    }
}

choices! {
    /// The layers that a load may use.
    SourcePolicy {
        /// `ANY`.
        Any = SDIMAGE_SOURCE_POLICY_ANY,
        /// `CACHE_ONLY`.
        CacheOnly = SDIMAGE_SOURCE_POLICY_CACHE_ONLY,
        /// `LOADER_ONLY`.
        LoaderOnly = SDIMAGE_SOURCE_POLICY_LOADER_ONLY,
    }
}

choices! {
    /// The treatment of cached images that may be stale.
    Freshness {
        /// `IGNORE`.
        Ignore = SDIMAGE_FRESHNESS_IGNORE,
        /// `RESPECT`.
        Respect = SDIMAGE_FRESHNESS_RESPECT,
        /// `REFRESH`.
        Refresh = SDIMAGE_FRESHNESS_REFRESH,
    }
}

choices! {
    /// The way an image fits a box of other proportions.
    ScaleMode {
        /// `FILL`.
        Fill = SDIMAGE_SCALE_MODE_FILL,
        /// `ASPECT_FIT`.
        AspectFit = SDIMAGE_SCALE_MODE_ASPECT_FIT,
        /// `ASPECT_FILL`.
        AspectFill = SDIMAGE_SCALE_MODE_ASPECT_FILL,
    }
}

choices! {
    /// The timed stages of a load.
    Stage {
        /// `TOTAL`.
        Total = SDIMAGE_STAGE_TOTAL,
        /// `QUEUED`.
        Queued = SDIMAGE_STAGE_QUEUED,
        /// `DISK`.
        Disk = SDIMAGE_STAGE_DISK,
        /// `LOAD`.
        Load = SDIMAGE_STAGE_LOAD,
        /// `DECODE`.
        Decode = SDIMAGE_STAGE_DECODE,
        /// `STORE`.
        Store = SDIMAGE_STAGE_STORE,
    }
}
