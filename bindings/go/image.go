package sdimage

// #include "glue.h"
import "C"

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"time"
	"unsafe"
)

// A PixelFormat is the layout of a pixel in memory, in the order of the letters; 16-bit samples are in native byte
// order.
type PixelFormat int

func (f PixelFormat) String() string {
	return C.GoString(C.sdimage_pixel_format_name(C.sdimage_pixel_format(f)))
}

// Bytes returns the size of one pixel in bytes.
func (f PixelFormat) Bytes() int {
	return int(C.sdimage_pixel_format_bytes(C.sdimage_pixel_format(f)))
}

// A Format is a container: "jpeg", "png", …
type Format string

func (f Format) number() C.sdimage_format {
	for number := C.sdimage_format(0); number < 32; number++ {
		if C.GoString(C.sdimage_format_name(number)) == string(f) {
			return number
		}
	}
	return C.SDIMAGE_FORMAT_UNKNOWN
}

// An Image holds immutable pixels in memory of the library. It implements image.Image without a copy; NRGBA converts it
// to a type of the Go library.
type Image struct {
	handle *handle
	width  int
	height int
	stride int
	format PixelFormat
	pixels []byte
}

// newImage takes over the reference.
func newImage(pointer *C.sdimage_image) *Image {
	if pointer == nil {
		return nil
	}
	made := &Image{
		handle: own(unsafe.Pointer(pointer), func(image unsafe.Pointer) { C.sdimage_image_unref((*C.sdimage_image)(image)) }),
		width:  int(C.sdimage_image_width(pointer)),
		height: int(C.sdimage_image_height(pointer)),
		stride: int(C.sdimage_image_stride(pointer)),
		format: PixelFormat(C.sdimage_image_pixel_format(pointer)),
	}
	// The last row ends with its last pixel, because a crop is a view of the original image.
	length := made.stride*(made.height-1) + made.width*made.format.Bytes()
	made.pixels = unsafe.Slice((*byte)(C.sdimage_image_pixels(pointer)), length)
	return made
}

// NewImage copies pixels: rows from top to bottom, stride bytes apart.
func NewImage(width, height, stride int, format PixelFormat, pixels []byte) (*Image, error) {
	if failure := fit("size", width, height); failure != nil {
		return nil, failure
	}
	row := width * format.Bytes()
	if width <= 0 || height <= 0 || row <= 0 || row/width != format.Bytes() || stride < row || len(pixels) < row ||
		(len(pixels)-row)/stride < height-1 {
		return nil, &Error{Code: InvalidArgument, Message: "image: too few bytes for the size"}
	}
	var made *C.sdimage_image
	var err *C.sdimage_error
	status := C.sdimage_image_new(C.uint32_t(width), C.uint32_t(height), C.size_t(stride), C.sdimage_pixel_format(format),
		first(pixels), &made, &err)
	if status < 0 {
		return nil, errorOf(status, err)
	}
	return newImage(made), nil
}

// FromImage copies any image.Image.
func FromImage(picture image.Image) (*Image, error) {
	if own, is := picture.(*Image); is {
		return own, nil
	}
	bounds := picture.Bounds()
	if gray, is := picture.(*image.Gray); is && !bounds.Empty() {
		return NewImage(bounds.Dx(), bounds.Dy(), gray.Stride, Gray8, gray.Pix)
	}
	straight := toNRGBA(picture)
	return NewImage(bounds.Dx(), bounds.Dy(), straight.Stride, RGBA8, straight.Pix)
}

// Close releases the memory now; otherwise it is released when the image is collected. Pixels must not be used any
// more.
func (m *Image) Close() { m.handle.release() }

func (m *Image) c() *C.sdimage_image { return (*C.sdimage_image)(m.handle.get()) }

// Width and Height are in pixels.
func (m *Image) Width() int  { return m.width }
func (m *Image) Height() int { return m.height }

// Stride is the number of bytes from one row to the next.
func (m *Image) Stride() int { return m.stride }

// PixelFormat returns the format of Pixels.
func (m *Image) PixelFormat() PixelFormat { return m.format }

// Pixels returns the rows, Stride bytes apart, in memory of the library. They are read-only, and invalid after Close or
// when the Image becomes unreachable (runtime.KeepAlive).
func (m *Image) Pixels() []byte {
	if m.handle.get() == nil {
		return nil
	}
	return m.pixels
}

// Format returns the container that the image was decoded from; "unknown" for images created from pixels.
func (m *Image) Format() Format {
	defer m.handle.enter().leave()
	return Format(C.GoString(C.sdimage_format_name(C.sdimage_image_format(m.c()))))
}

// HasAlpha reports whether a pixel can be transparent.
func (m *Image) HasAlpha() bool {
	defer m.handle.enter().leave()
	return bool(C.sdimage_image_has_alpha(m.c()))
}

// SourceSize returns the size of the encoded image: larger than the size of a thumbnail.
func (m *Image) SourceSize() Size {
	defer m.handle.enter().leave()
	size := C.sdimage_image_source_size(m.c())
	return Size{int(size.width), int(size.height)}
}

// Headroom returns the headroom of the pixels in stops above SDR white; 0 for SDR.
func (m *Image) Headroom() float64 {
	defer m.handle.enter().leave()
	return float64(C.sdimage_image_headroom(m.c()))
}

// ContentHeadroom returns the headroom of the brightest rendition of the file in stops: that of its gain map if it was
// applied or kept, or of PQ and HLG; 0 for SDR.
func (m *Image) ContentHeadroom() float64 {
	defer m.handle.enter().leave()
	return float64(C.sdimage_image_content_headroom(m.c()))
}

// FrameCount returns the number of frames, 1 for a still.
func (m *Image) FrameCount() int {
	defer m.handle.enter().leave()
	return int(C.sdimage_image_frame_count(m.c()))
}

// LoopCount returns the number of loops; 0 repeats forever.
func (m *Image) LoopCount() int {
	defer m.handle.enter().leave()
	return int(C.sdimage_image_loop_count(m.c()))
}

// FrameDuration returns the display duration of a frame.
func (m *Image) FrameDuration(index int) time.Duration {
	if fit("frame", index) != nil {
		return 0
	}
	defer m.handle.enter().leave()
	return time.Duration(C.sdimage_image_frame_duration_ms(m.c(), C.uint32_t(index))) * time.Millisecond
}

// Frame returns a frame of an animation, composed to the whole canvas.
func (m *Image) Frame(index int) (*Image, error) {
	if failure := fit("frame", index); failure != nil {
		return nil, failure
	}
	defer m.handle.enter().leave()
	var frame *C.sdimage_image
	var err *C.sdimage_error
	if status := C.sdimage_image_get_frame(m.c(), C.uint32_t(index), &frame, &err); status < 0 {
		return nil, errorOf(status, err)
	}
	return newImage(frame), nil
}

// Convert returns the image in another pixel format.
func (m *Image) Convert(format PixelFormat) (*Image, error) {
	defer m.handle.enter().leave()
	var converted *C.sdimage_image
	var err *C.sdimage_error
	status := C.sdimage_image_convert(m.c(), C.sdimage_pixel_format(format), &converted, &err)
	if status < 0 {
		return nil, errorOf(status, err)
	}
	return newImage(converted), nil
}

// ApplyGainMap applies the gain map that a decode with KeepGainMap left, for a display with a headroom in stops;
// math.Inf(1) selects the headroom of the content. The result is RGBAFloat, or the same pixels if they are the rendition.
func (m *Image) ApplyGainMap(headroom float64) (*Image, error) {
	defer m.handle.enter().leave()
	var rendition *C.sdimage_image
	var err *C.sdimage_error
	if status := C.sdimage_image_apply_gain_map(m.c(), C.double(headroom), &rendition, &err); status < 0 {
		return nil, errorOf(status, err)
	}
	return newImage(rendition), nil
}

// NRGBA copies the image into Go memory.
func (m *Image) NRGBA() *image.NRGBA {
	made := image.NewNRGBA(m.Bounds())
	straight, err := m.Convert(RGBA8)
	if err != nil {
		return toNRGBA(m)
	}
	defer straight.Close()
	for y := 0; y < m.height; y++ {
		copy(made.Pix[y*made.Stride:], straight.pixels[y*straight.stride:y*straight.stride+m.width*4])
	}
	return made
}

func toNRGBA(picture image.Image) *image.NRGBA {
	bounds := picture.Bounds()
	made := image.NewNRGBA(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	for y := 0; y < bounds.Dy(); y++ {
		for x := 0; x < bounds.Dx(); x++ {
			made.Set(x, y, picture.At(bounds.Min.X+x, bounds.Min.Y+y))
		}
	}
	return made
}

// Bounds returns a rectangle that begins at the origin.
func (m *Image) Bounds() image.Rectangle { return image.Rect(0, 0, m.width, m.height) }

// ColorModel returns the model of the colors that At returns.
func (m *Image) ColorModel() color.Model {
	switch m.format {
	case Gray8:
		return color.GrayModel
	case Gray16:
		return color.Gray16Model
	case RGB8, RGBA8:
		return color.NRGBAModel
	case RGBA8Premultiplied, BGRA8Premultiplied:
		return color.RGBAModel
	}
	return color.NRGBA64Model
}

// At returns one pixel; transparent outside of the image, and after Close.
func (m *Image) At(x, y int) color.Color {
	defer m.handle.enter().leave()
	if x < 0 || y < 0 || x >= m.width || y >= m.height || m.handle.get() == nil {
		return color.NRGBA{}
	}
	p := m.pixels[y*m.stride+x*m.format.Bytes():]
	word := func(index int) uint16 { return binary.LittleEndian.Uint16(p[index*2:]) }
	switch m.format {
	case Gray8:
		return color.Gray{Y: p[0]}
	case RGB8:
		return color.NRGBA{R: p[0], G: p[1], B: p[2], A: 255}
	case RGBA8:
		return color.NRGBA{R: p[0], G: p[1], B: p[2], A: p[3]}
	case RGBA8Premultiplied:
		return color.RGBA{R: p[0], G: p[1], B: p[2], A: p[3]}
	case BGRA8Premultiplied:
		return color.RGBA{R: p[2], G: p[1], B: p[0], A: p[3]}
	case Gray16:
		return color.Gray16{Y: word(0)}
	case RGB16:
		return color.NRGBA64{R: word(0), G: word(1), B: word(2), A: 0xffff}
	case RGBA16:
		return color.NRGBA64{R: word(0), G: word(1), B: word(2), A: word(3)}
	}
	light := func(index int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(p[index*4:]))) }
	return color.NRGBA64{R: encoded(light(0)), G: encoded(light(1)), B: encoded(light(2)), A: whole(light(3))}
}

// encoded converts linear light to sRGB (IEC 61966-2-1).
func encoded(light float64) uint16 {
	if light <= 0.0031308 {
		return whole(light * 12.92)
	}
	return whole(1.055*math.Pow(light, 1/2.4) - 0.055)
}

func whole(share float64) uint16 { return uint16(math.Min(math.Max(share, 0), 1)*0xffff + 0.5) }
