package sdimage

// #include "glue.h"
import "C"

import (
	"encoding/json"
	"image"
	"io"
	"time"
)

// A Size is in pixels.
type Size struct{ Width, Height int }

// A ScaleMode selects how an image fits into a box.
type ScaleMode int

// A DynamicRange selects the rendition of an image that has more than the range of SDR.
type DynamicRange int

// DecodeOptions are the parameters of a decode; the zero value means full size, upright, in sRGB.
type DecodeOptions struct {
	Thumbnail       Size         // a box that the image is scaled down into while it is decoded; nothing is enlarged
	ThumbnailMode   ScaleMode    // how the thumbnail fits the box
	PixelFormat     PixelFormat  // Automatic: gray, RGB or RGBA with 8 bits a channel; Native: the depth of the file
	DynamicRange    DynamicRange // all but DynamicRangeSDR decode an image with more than that to RGBAFloat
	DisplayHeadroom float64      // for DynamicRangeAutomatic: the stops of the display above SDR white
	KeepGainMap     bool         // leaves the base image with its gain map, for ApplyGainMap and EmbedGainMap
	FirstFrameOnly  bool         // decodes an animation as a still
	KeepOrientation bool         // ignores the orientation in the metadata
	KeepColors      bool         // keeps the color space of the file
	AcceptPartial   bool         // truncated or damaged bytes are no error
	LimitBytes      uint64       // scales down until the bitmap takes at most this many bytes; 0: no limit
	MaxPixels       uint64       // safety limits; 0: those of the library
	MaxBytes        uint64
	MaxWork         time.Duration // negative: a millisecond
}

func (o *DecodeOptions) check() error {
	if o == nil {
		return nil
	}
	return fit("thumbnail size", o.Thumbnail.Width, o.Thumbnail.Height)
}

// c returns nil for nil. The caller releases the result.
func (o *DecodeOptions) c() *C.sdimage_decode_options {
	if o == nil {
		return nil
	}
	options := C.sdimage_decode_options_new()
	C.sdimage_decode_options_set_thumbnail_size(options, C.uint32_t(o.Thumbnail.Width), C.uint32_t(o.Thumbnail.Height),
		C.sdimage_scale_mode(o.ThumbnailMode))
	C.sdimage_decode_options_set_pixel_format(options, C.sdimage_pixel_format(o.PixelFormat))
	C.sdimage_decode_options_set_dynamic_range(options, C.sdimage_dynamic_range(o.DynamicRange))
	C.sdimage_decode_options_set_display_headroom(options, C.double(o.DisplayHeadroom))
	C.sdimage_decode_options_set_keep_gain_map(options, C.bool(o.KeepGainMap))
	C.sdimage_decode_options_set_first_frame_only(options, C.bool(o.FirstFrameOnly))
	C.sdimage_decode_options_set_apply_orientation(options, C.bool(!o.KeepOrientation))
	C.sdimage_decode_options_set_convert_to_srgb(options, C.bool(!o.KeepColors))
	C.sdimage_decode_options_set_accept_partial(options, C.bool(o.AcceptPartial))
	C.sdimage_decode_options_set_limit_bytes(options, C.size_t(o.LimitBytes))
	C.sdimage_decode_options_set_max_pixels(options, C.uint64_t(o.MaxPixels))
	C.sdimage_decode_options_set_max_bytes(options, C.size_t(o.MaxBytes))
	C.sdimage_decode_options_set_max_work_ms(options, C.uint32_t(limit(o.MaxWork)))
	return options
}

// EncodeOptions are the parameters of an encode; the zero value is the best quality.
type EncodeOptions struct {
	Quality        float64 // above 0, up to 1; 0 means the default, 1
	Lossless       bool
	Effort         int // 1 (fastest) to 9; 0: the default of the format
	MaxFileSize    uint64
	MaxSize        Size // scales down into a box
	EmbedGainMap   bool // JPEG: writes the gain map of a base image, or one for the light above SDR white
	FirstFrameOnly bool
	Progressive    bool
}

func (o *EncodeOptions) check() error {
	if o == nil {
		return nil
	}
	return fit("effort or size", o.Effort, o.MaxSize.Width, o.MaxSize.Height)
}

// c returns nil for nil. The caller releases the result.
func (o *EncodeOptions) c() *C.sdimage_encode_options {
	if o == nil {
		return nil
	}
	options := C.sdimage_encode_options_new()
	if o.Quality != 0 {
		C.sdimage_encode_options_set_quality(options, C.double(o.Quality))
	}
	C.sdimage_encode_options_set_lossless(options, C.bool(o.Lossless))
	C.sdimage_encode_options_set_effort(options, C.uint32_t(o.Effort))
	C.sdimage_encode_options_set_max_file_size(options, C.size_t(o.MaxFileSize))
	C.sdimage_encode_options_set_max_pixel_size(options, C.uint32_t(o.MaxSize.Width), C.uint32_t(o.MaxSize.Height))
	C.sdimage_encode_options_set_embed_gain_map(options, C.bool(o.EmbedGainMap))
	C.sdimage_encode_options_set_first_frame_only(options, C.bool(o.FirstFrameOnly))
	C.sdimage_encode_options_set_progressive(options, C.bool(o.Progressive))
	return options
}

// Decode decodes an image from bytes, on the calling goroutine.
func Decode(bytes []byte, options *DecodeOptions) (*Image, error) {
	if failure := options.check(); failure != nil {
		return nil, failure
	}
	var made *C.sdimage_image
	var err *C.sdimage_error
	c := options.c()
	defer C.sdimage_decode_options_unref(c)
	if status := C.sdimage_decode(first(bytes), C.size_t(len(bytes)), c, &made, &err); status < 0 {
		return nil, errorOf(status, err)
	}
	return newImage(made), nil
}

// Encode writes any image as a file of a format; an image that is not an *Image is copied first.
func Encode(to io.Writer, picture image.Image, format Format, options *EncodeOptions) error {
	if failure := options.check(); failure != nil {
		return failure
	}
	source, failure := FromImage(picture)
	if failure != nil {
		return failure
	}
	if copied := image.Image(source) != picture; copied {
		defer source.Close()
	}
	defer source.handle.enter().leave()
	number := format.number()
	if number == C.SDIMAGE_FORMAT_UNKNOWN {
		return &Error{Code: Unsupported, Message: "encoder: unknown format " + string(format)}
	}
	var data *C.sdimage_data
	var err *C.sdimage_error
	c := options.c()
	defer C.sdimage_encode_options_unref(c)
	if status := C.sdimage_encode(source.c(), number, c, &data, &err); status < 0 {
		return errorOf(status, err)
	}
	_, failure = to.Write(takeBytes(data))
	return failure
}

// A Header holds the properties of an encoded image.
type Header struct {
	Format         Format `json:"format"`
	Width          int    `json:"width"` // as displayed
	Height         int    `json:"height"`
	Orientation    int    `json:"orientation"`
	FrameCount     int    `json:"frame_count"`
	LoopCount      int    `json:"loop_count"`
	DurationMS     int    `json:"duration_ms"`
	HasAlpha       bool   `json:"has_alpha"`
	BitsPerChannel int    `json:"bits_per_channel"`
	Channels       int    `json:"channel_count"`
	IsProgressive  bool   `json:"is_progressive"`
	IsHDR          bool   `json:"is_hdr"`
	// TransferCharacteristics is a code point of ITU-T H.273; 16 for PQ, 18 for HLG, 0 for none.
	TransferCharacteristics int  `json:"transfer_characteristics"`
	HasGainMap              bool `json:"has_gain_map"`
	// ContentHeadroom is that of the brightest rendition in stops; 0 for SDR.
	ContentHeadroom float64           `json:"content_headroom"`
	Text            map[string]string `json:"text"`
}

// Info reads a header; it decodes no pixels.
func Info(bytes []byte) (*Header, error) {
	var info *C.sdimage_info
	var data *C.sdimage_data
	var err *C.sdimage_error
	status := C.sdimage_info_new(first(bytes), C.size_t(len(bytes)), nil, &info, &err)
	if status >= 0 {
		status = C.sdimage_info_to_json(info, &data, &err)
		C.sdimage_info_unref(info)
	}
	if status < 0 {
		return nil, errorOf(status, err)
	}
	header := new(Header)
	if failure := json.Unmarshal(takeBytes(data), header); failure != nil {
		return nil, failure
	}
	return header, nil
}

// Sniff detects the format by its signature; "" when none matches.
func Sniff(bytes []byte) Format {
	format := C.sdimage_sniff(first(bytes), C.size_t(len(bytes)))
	if format == C.SDIMAGE_FORMAT_UNKNOWN {
		return ""
	}
	return Format(C.GoString(C.sdimage_format_name(format)))
}
