package sdimage_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sdimage"
)

func TestPictureComesFromNetworkThenMemoryThenDisk(t *testing.T) {
	directory, url := t.TempDir(), fresh("balloons.jpg", "")
	before := hits(t, "balloons.jpg")
	for round, wanted := range []string{"network", "disk"} {
		cache, err := sdimage.OpenCache(&sdimage.CacheConfig{Directory: directory})
		must(t, err)
		manager, err := sdimage.NewManager(&sdimage.Config{Cache: cache})
		must(t, err)
		result := load(t, manager, url, &sdimage.Options{WaitForStore: true})
		expect(t, result.Source, wanted)
		if round == 0 && !bytes.Equal(result.Data, picture(t, "balloons.jpg")) {
			t.Fatal("other bytes")
		}
		expect(t, load(t, manager, url, nil).Source, "memory")
		must(t, manager.Close())
		must(t, cache.Close())
	}
	expect(t, hits(t, "balloons.jpg"), before+1)
}

func TestThumbnailHasTheSizeAskedFor(t *testing.T) {
	manager := newManager(t, &sdimage.Config{NoCache: true})
	options := &sdimage.Options{DecodeOptions: sdimage.DecodeOptions{Thumbnail: sdimage.Size{Width: 200, Height: 200}}}
	picture := load(t, manager, fresh("aurora.jpg", ""), options).Image
	expect(t, picture.Bounds(), image.Rect(0, 0, 200, 125))
	expect(t, picture.SourceSize(), sdimage.Size{Width: 1000, Height: 625})
}

func TestWhatExceedsASafetyLimitIsRefused(t *testing.T) {
	manager := newManager(t, &sdimage.Config{NoCache: true})
	length := uint64(len(picture(t, "balloons.jpg")))
	for _, options := range []sdimage.Options{
		{DecodeOptions: sdimage.DecodeOptions{MaxPixels: 1000}}, {DecodeOptions: sdimage.DecodeOptions{MaxBytes: 1000}},
		{MaxBodyBytes: length - 1},
	} {
		_, err := manager.Load(background, fresh("balloons.jpg", ""), &options)
		expect(t, errors.Is(err, sdimage.TooLarge), true)
	}
	load(t, manager, fresh("balloons.jpg", ""), &sdimage.Options{MaxBodyBytes: length})
	_, err := sdimage.Decode(picture(t, "ink-garden.jpg"), &sdimage.DecodeOptions{MaxWork: time.Millisecond})
	expect(t, errors.Is(err, sdimage.Timeout), true)
	_, err = sdimage.Decode(picture(t, "ink-garden.jpg"), &sdimage.DecodeOptions{MaxWork: time.Hour})
	must(t, err)
}

func TestATimeoutThatHasPassedEndsALoad(t *testing.T) {
	manager := newManager(t, &sdimage.Config{NoCache: true})
	never := uint32(0)
	options := &sdimage.Options{Timeout: time.Until(time.Now().Add(-time.Second)), MaxRetries: &never}
	_, err := manager.Load(background, fresh("badge.png", "fault=hang"), options)
	expect(t, err.(*sdimage.Error).Message, "http: transfer exceeded the total timeout")
}

func TestFailedURLsAreRememberedUnlessTheManagerRemembersNone(t *testing.T) {
	for code, config := range map[sdimage.Code]*sdimage.Config{
		sdimage.FailedURL: {NoCache: true}, sdimage.HTTPStatus: {NoCache: true, NoFailedURLs: true, FailedURLRetryAfter: time.Hour},
	} {
		manager, url := newManager(t, config), fresh("none.png", "")
		_, err := manager.Load(background, url, nil)
		expect(t, errors.Is(err, sdimage.HTTPStatus), true)
		_, err = manager.Load(background, url, nil)
		expect(t, errors.Is(err, code), true)
	}
}

func TestAHeaderFieldIsOmitted(t *testing.T) {
	manager, sent, file := newManager(t, &sdimage.Config{NoCache: true}), make(chan http.Header, 2), picture(t, "badge.png")
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		sent <- request.Header
		answer.Write(file)
	}))
	defer server.Close()
	load(t, manager, server.URL+"/a", nil)
	load(t, manager, server.URL+"/b", &sdimage.Options{Header: map[string]string{"X-Own": "1"}, WithoutHeader: []string{"Accept"}})
	first, second := <-sent, <-sent
	expect(t, len(first["Accept"]), 1)
	expect(t, len(second["Accept"]), 0)
	expect(t, second.Get("X-Own"), "1")
	_, err := manager.Load(background, server.URL, &sdimage.Options{WithoutHeader: []string{"a\x00b"}})
	expect(t, errors.Is(err, sdimage.InvalidArgument), true)
}

func TestATransientFailureIsRetriedAsOftenAsTheLoadAllows(t *testing.T) {
	manager := newManager(t, &sdimage.Config{NoCache: true})
	var never, once uint32 = 0, 1
	// The origin counts the requests of this path, which no other test loads.
	_, err := manager.Load(background, fresh("ripples.png", "status=503&first=1"), &sdimage.Options{MaxRetries: &never})
	expect(t, errors.Is(err, sdimage.HTTPStatus), true)
	load(t, manager, fresh("ripples.png", "status=503&first=2"), &sdimage.Options{MaxRetries: &once})
}

func TestTheCachePolicyOfALoadCounts(t *testing.T) {
	cache, err := sdimage.OpenCache(&sdimage.CacheConfig{MemoryOnly: true})
	must(t, err)
	manager := newManager(t, &sdimage.Config{Cache: cache})
	url, cached := fresh("badge.png", ""), &sdimage.Options{SourcePolicy: sdimage.CacheOnly}
	load(t, manager, url, &sdimage.Options{CachePolicy: sdimage.CacheNone})
	expect(t, load(t, manager, url, cached).Image == nil, true)
	reloaded := &sdimage.Options{CachePolicy: sdimage.CacheSkipMemoryRead | sdimage.CacheSkipDiskRead}
	load(t, manager, url, reloaded)
	expect(t, load(t, manager, url, reloaded).Source, "network")
	expect(t, load(t, manager, url, cached).Source, "memory")
}

func TestEventsComeInOrderAndEndWithOneFinal(t *testing.T) {
	file, open := picture(t, "aurora.jpg"), make(chan bool)
	gated := sdimage.LoaderFunc(func(context.Context, string) (io.Reader, error) {
		return &gatedReader{bytes.NewReader(file), open}, nil
	})
	manager := newManager(t, &sdimage.Config{NoCache: true, Loaders: map[string]sdimage.Loader{"gated": gated}})
	options := &sdimage.Options{Progressive: true, PartialInterval: time.Millisecond}
	task, err := manager.Start(background, "gated:a", options)
	must(t, err)
	var received int64
	kinds := map[sdimage.EventKind]int{}
	for event := range task.Events() {
		kinds[event.Kind]++
		expect(t, kinds[sdimage.Final] == 1, event.Kind == sdimage.Final)
		if event.Kind == sdimage.Progress {
			if event.Received < received || event.Received > 0 && event.Expected != int64(len(file)) {
				t.Fatalf("%+v after %d", event, received)
			}
			received = event.Received
		} else if event.Result.Image == nil {
			t.Fatalf("%+v", event)
		} else if event.Kind == sdimage.Partial && kinds[sdimage.Partial] == 1 {
			close(open)
		}
	}
	expect(t, kinds[sdimage.Progress] > 0, true)
	expect(t, kinds[sdimage.Partial] > 0, true)
}

// A gatedReader returns a part and waits before it returns the rest.
type gatedReader struct {
	*bytes.Reader
	open chan bool
}

func (r *gatedReader) Read(into []byte) (int, error) {
	if r.Size()-int64(r.Len()) < 20000 {
		if len(into) > 10000 {
			into = into[:10000]
		}
		return r.Reader.Read(into)
	}
	select {
	case <-r.open:
		return r.Reader.Read(into)
	case <-time.After(2 * time.Minute):
		return 0, errors.New("no part was shown")
	}
}

func TestAContextCancels(t *testing.T) {
	manager := newManager(t, &sdimage.Config{NoCache: true})
	ctx, cancel := context.WithCancel(background)
	task, err := manager.Start(ctx, fresh("badge.png", "fault=hang"), nil)
	must(t, err)
	cancel()
	_, err = task.Wait()
	if !errors.Is(err, context.Canceled) || !errors.Is(err, sdimage.Cancelled) {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(background, 20*time.Millisecond)
	defer cancel()
	if _, err = manager.Load(ctx, fresh("badge.png", "fault=hang"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	task, err = manager.Start(background, fresh("badge.png", "fault=hang"), nil)
	must(t, err)
	task.Cancel()
	if _, err = task.Wait(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	expect(t, manager.RunningCount(), 0)
}

func TestThePriorityOfALoadChanges(t *testing.T) {
	manager := newManager(t, &sdimage.Config{NoCache: true})
	task, err := manager.Start(background, fresh("badge.png", "fault=hang"), &sdimage.Options{Priority: sdimage.PriorityLow})
	must(t, err)
	expect(t, task.Priority(), sdimage.PriorityLow)
	task.SetPriority(sdimage.PriorityHigh)
	expect(t, task.Priority(), sdimage.PriorityHigh)
	task.SetPriority(7)
	task.Cancel()
	task.Wait()
	expect(t, task.Priority(), sdimage.PriorityHigh)
}

func TestFlushingCompletesWhatIsStillBeingEncoded(t *testing.T) {
	cache, err := sdimage.OpenCache(&sdimage.CacheConfig{Directory: t.TempDir()})
	must(t, err)
	manager := newManager(t, &sdimage.Config{Cache: cache})
	options := &sdimage.Options{DecodeOptions: sdimage.DecodeOptions{Thumbnail: sdimage.Size{Width: 64, Height: 64}}}
	names := []string{"badge.png", "aurora.jpg", "leaf.webp"}
	for _, name := range names {
		load(t, manager, fresh(name, ""), options)
	}
	must(t, manager.Flush(2*time.Minute))
	_, count, err := cache.DiskTotals()
	must(t, err)
	expect(t, count, uint64(2*len(names))) // originals and thumbnails
	must(t, cache.Close())
	if err = manager.Flush(0); !errors.Is(err, sdimage.Shutdown) {
		t.Fatal(err)
	}
	must(t, manager.Close())
	if err = manager.Flush(0); !errors.Is(err, sdimage.Shutdown) {
		t.Fatal(err)
	}
}

func TestErrorsHaveCodesStatusAndURL(t *testing.T) {
	manager := newManager(t, &sdimage.Config{NoCache: true})
	url := fresh("none.png", "")
	_, err := manager.Load(background, url, nil)
	var failure *sdimage.Error
	if !errors.As(err, &failure) || failure.Code != sdimage.HTTPStatus || failure.HTTPStatus != 404 || failure.URL != url {
		t.Fatalf("%+v", err)
	}
	if _, err = manager.Load(background, fresh("badge.png", "fault=html"), nil); !errors.Is(err, sdimage.NotAnImage) {
		t.Fatal(err)
	}
	if _, err = manager.Load(background, "", nil); !errors.Is(err, sdimage.Code("INVALID_URL")) {
		t.Fatal(err)
	}
	must(t, manager.Close())
	if _, err = manager.Start(background, url, nil); !errors.Is(err, sdimage.Shutdown) {
		t.Fatal(err)
	}
}

func TestARefreshShowsWhatWasCachedFirst(t *testing.T) {
	cache, err := sdimage.OpenCache(&sdimage.CacheConfig{Directory: t.TempDir()})
	must(t, err)
	// Before the folder is removed: a revalidation is stored after its result is delivered.
	t.Cleanup(func() { must(t, cache.Close()) })
	manager := newManager(t, &sdimage.Config{Cache: cache})
	url, refresh := fresh("leaf.webp", ""), sdimage.FreshnessRefresh
	load(t, manager, url, &sdimage.Options{WaitForStore: true})
	task, err := manager.Start(background, url, &sdimage.Options{Freshness: &refresh})
	must(t, err)
	expect(t, firstResult(task).Kind, sdimage.Cached)
	result, err := task.Wait()
	must(t, err)
	expect(t, result.Changed, false)
	manager.SetOffline(true)
	if _, err = manager.Load(background, fresh("leaf.webp", ""), nil); !errors.Is(err, sdimage.Offline) {
		t.Fatal(err)
	}
}

func firstResult(task *sdimage.Task) sdimage.Event {
	for event := range task.Events() {
		if event.Kind != sdimage.Progress {
			return event
		}
	}
	return sdimage.Event{}
}

func TestACacheKeepsPicturesAndBytes(t *testing.T) {
	cache, err := sdimage.OpenCache(&sdimage.CacheConfig{Directory: t.TempDir()})
	must(t, err)
	file := picture(t, "badge.png")
	decoded, err := sdimage.Decode(file, nil)
	must(t, err)
	must(t, cache.Store("k", decoded, file, sdimage.All))
	expect(t, cache.Contains("k"), sdimage.All)
	expect(t, cache.MemoryImage("k").Width(), decoded.Width())
	must(t, cache.Clear(sdimage.Memory))
	expect(t, cache.MemoryImage("k"), (*sdimage.Image)(nil))
	expect(t, cache.Contains("k"), sdimage.Disk)
	small, err := cache.Image("k", &sdimage.DecodeOptions{Thumbnail: sdimage.Size{Width: 10, Height: 10}})
	must(t, err)
	expect(t, small.Width(), 10)
	data, err := cache.Data("k")
	must(t, err)
	expect(t, bytes.Equal(data, file), true)
	_, count, err := cache.DiskTotals()
	must(t, err)
	expect(t, count, uint64(1))
	must(t, cache.Remove("k", sdimage.All))
	data, err = cache.Data("k")
	if data != nil || err != nil {
		t.Fatal(data, err)
	}
	must(t, cache.SetMemoryImage("m", decoded))
	expect(t, cache.Contains("m"), sdimage.Memory)
	must(t, cache.Flush())
	must(t, cache.Close())
	must(t, cache.Close())
	_, failedImage := cache.Image("k", nil)
	_, failedData := cache.Data("k")
	_, _, failedTotals := cache.DiskTotals()
	for _, err := range []error{
		failedImage, failedData, failedTotals, cache.SetMemoryImage("m", decoded), cache.Store("k", decoded, file, sdimage.All),
		cache.Remove("k", sdimage.All), cache.Clear(sdimage.All), cache.Flush(),
	} {
		expect(t, errors.Is(err, sdimage.Shutdown), true)
	}
	expect(t, cache.MemoryImage("m"), (*sdimage.Image)(nil))
	expect(t, cache.Contains("k"), sdimage.Layers(0))
}

func TestAManagerOfAClosedCacheIsRefused(t *testing.T) {
	cache, err := sdimage.OpenCache(&sdimage.CacheConfig{MemoryOnly: true})
	must(t, err)
	must(t, cache.Close())
	manager, err := sdimage.NewManager(&sdimage.Config{Cache: cache})
	if manager != nil || !errors.Is(err, sdimage.Shutdown) {
		t.Fatal(manager, err)
	}
}

func TestBytesAreDecodedDescribedAndRecognized(t *testing.T) {
	file := picture(t, "balloons.jpg")
	options := &sdimage.DecodeOptions{Thumbnail: sdimage.Size{Width: 100, Height: 100}, PixelFormat: sdimage.RGBA8}
	decoded, err := sdimage.Decode(file, options)
	must(t, err)
	expect(t, decoded.PixelFormat(), sdimage.RGBA8)
	expect(t, decoded.Width() == 100 || decoded.Height() == 100, true)
	header, err := sdimage.Info(file)
	must(t, err)
	expect(t, header.Format, sdimage.JPEG)
	expect(t, header.Width, decoded.SourceSize().Width)
	expect(t, sdimage.Sniff(picture(t, "leaf.webp")), sdimage.WebP)
	expect(t, sdimage.Sniff([]byte("<html>")), sdimage.Format(""))
	if _, err = sdimage.Decode(file[:5000], nil); !errors.Is(err, sdimage.Truncated) {
		t.Fatal(err)
	}
	if _, err = sdimage.Decode(nil, nil); !errors.Is(err, sdimage.Code("EMPTY_DATA")) {
		t.Fatal(err)
	}
}

func TestAThumbnailFitsItsBoxByItsMode(t *testing.T) {
	sizes := map[sdimage.ScaleMode]sdimage.Size{sdimage.AspectFit: {100, 63}, sdimage.Fill: {100, 100}, sdimage.AspectFill: {160, 100}}
	for mode, size := range sizes {
		options := &sdimage.DecodeOptions{Thumbnail: sdimage.Size{Width: 100, Height: 100}, ThumbnailMode: mode}
		decoded, err := sdimage.Decode(picture(t, "aurora.jpg"), options)
		must(t, err)
		expect(t, sdimage.Size{Width: decoded.Width(), Height: decoded.Height()}, size)
	}
}

// withGainMap makes a JPEG with a gain map (ISO 21496-1, annex C): the file is also its map, and both have the fields in
// their first segment: fractions of 16.
func withGainMap(file []byte) []byte {
	segment := []byte("\xff\xe2\x00\x43urn:iso:std:iso:ts:21496:-1\x00\x00\x00\x00\x00\x08")
	for _, number := range []uint32{16, 0, 32, 0, 48, 24, 1, 2} {
		segment = binary.BigEndian.AppendUint32(segment, number)
	}
	marked := bytes.Join([][]byte{file[:2], segment, file[2:]}, nil)
	return bytes.Repeat(marked, 2)
}

func TestARenditionHasTheHeadroomAskedFor(t *testing.T) {
	for _, c := range []struct {
		options         sdimage.DecodeOptions
		format          sdimage.PixelFormat
		headroom, whole float64
	}{
		{sdimage.DecodeOptions{}, sdimage.RGB8, 0, 0},
		{sdimage.DecodeOptions{DynamicRange: sdimage.DynamicRangeAutomatic}, sdimage.RGB8, 0, 0},
		{sdimage.DecodeOptions{DynamicRange: sdimage.DynamicRangeAutomatic, DisplayHeadroom: 1.5}, sdimage.RGBAFloat, 1.5, 2},
		{sdimage.DecodeOptions{DynamicRange: sdimage.DynamicRangeHDR}, sdimage.RGBAFloat, 2, 2},
	} {
		c.options.Thumbnail = sdimage.Size{Width: 100, Height: 100}
		decoded, err := sdimage.Decode(withGainMap(picture(t, "balloons.jpg")), &c.options)
		must(t, err)
		expect(t, decoded.PixelFormat(), c.format)
		expect(t, decoded.Headroom(), c.headroom)
		expect(t, decoded.ContentHeadroom(), c.whole)
	}
}

func TestAGainMapIsKeptAppliedAndWritten(t *testing.T) {
	kept, err := sdimage.Decode(withGainMap(picture(t, "balloons.jpg")), &sdimage.DecodeOptions{KeepGainMap: true})
	must(t, err)
	expect(t, kept.PixelFormat(), sdimage.RGB8)
	expect(t, kept.ContentHeadroom(), 2.0)
	for _, stops := range []float64{0, 1.5, math.Inf(1)} {
		rendition, err := kept.ApplyGainMap(stops)
		must(t, err)
		expect(t, rendition.Headroom(), math.Min(stops, 2))
	}
	for _, embed := range []bool{true, false} {
		var file bytes.Buffer
		must(t, sdimage.Encode(&file, kept, "jpeg", &sdimage.EncodeOptions{EmbedGainMap: embed}))
		written, err := sdimage.Decode(file.Bytes(), &sdimage.DecodeOptions{DynamicRange: sdimage.DynamicRangeHDR})
		must(t, err)
		expect(t, written.Headroom() == 2, embed)
		_, err = written.ApplyGainMap(1)
		expect(t, errors.Is(err, sdimage.Unsupported), true)
	}
}

func TestAnImageIsOneOfGos(t *testing.T) {
	decoded, err := sdimage.Decode(picture(t, "badge.png"), nil)
	must(t, err)
	ours, gos := decoded, decoded.NRGBA()
	for _, format := range []sdimage.PixelFormat{sdimage.RGBA8, sdimage.RGBA16, sdimage.RGBAFloat} {
		converted, err := ours.Convert(format)
		must(t, err)
		for y := 0; y < ours.Height(); y += 13 {
			for x := 0; x < ours.Width(); x += 7 {
				wanted := gos.NRGBAAt(x, y)
				if got := color.NRGBAModel.Convert(converted.At(x, y)).(color.NRGBA); wanted.A == 255 && got != wanted {
					t.Fatalf("%v at %d, %d is %v, not %v", format, x, y, got, wanted)
				}
			}
		}
	}
	expect(t, decoded.At(-1, 0), color.Color(color.NRGBA{}))
	for _, format := range []sdimage.PixelFormat{sdimage.RGBA8Premultiplied, sdimage.BGRA8Premultiplied} {
		converted, err := ours.Convert(format)
		must(t, err)
		expect(t, converted.At(200, 200), color.Color(color.RGBAModel.Convert(gos.At(200, 200))))
	}
}

func TestWhatIsEncodedWithoutLossIsWhatItWas(t *testing.T) {
	source := image.NewNRGBA(image.Rect(10, 20, 13, 22))
	for index := range source.Pix {
		source.Pix[index] = byte(index*9 | 3)
	}
	for y := 0; y < 2; y++ {
		for x := 0; x < 3; x++ {
			source.Pix[y*source.Stride+x*4+3] = 255
		}
	}
	for _, format := range []sdimage.Format{sdimage.PNG, sdimage.WebP, sdimage.BMP} {
		var file bytes.Buffer
		must(t, sdimage.Encode(&file, source, format, &sdimage.EncodeOptions{Lossless: format == sdimage.WebP}))
		again, err := sdimage.Decode(file.Bytes(), nil)
		must(t, err)
		expect(t, bytes.Equal(again.NRGBA().Pix, source.Pix), true)
	}
	if err := sdimage.Encode(&bytes.Buffer{}, source, "tga", nil); !errors.Is(err, sdimage.Unsupported) {
		t.Fatal(err)
	}
	if err := sdimage.Encode(&bytes.Buffer{}, image.NewGray(image.Rectangle{}), sdimage.PNG, nil); err == nil {
		t.Fatal("a picture without pixels")
	}
	if _, err := sdimage.NewImage(3, 3, 9, sdimage.RGB8, make([]byte, 26)); !errors.Is(err, sdimage.InvalidArgument) {
		t.Fatal(err)
	}
	if _, err := sdimage.NewImage(1, 1, 0, sdimage.Automatic, nil); !errors.Is(err, sdimage.InvalidArgument) {
		t.Fatal(err)
	}
}

func TestEncodeReleasesItsOwnCopyAndNothingElse(t *testing.T) {
	own, err := sdimage.NewImage(1, 1, 1, sdimage.Gray8, []byte{7})
	must(t, err)
	collected()
	before := sdimage.LiveHandles()
	must(t, sdimage.Encode(&bytes.Buffer{}, image.NewGray(image.Rect(0, 0, 9, 9)), sdimage.PNG, nil))
	must(t, sdimage.Encode(&bytes.Buffer{}, own, sdimage.PNG, nil))
	expect(t, sdimage.LiveHandles() <= before, true)
	expect(t, own.Pixels()[0], byte(7))
}

func TestAnAnimationGivesItsFrames(t *testing.T) {
	animation, err := sdimage.Decode(picture(t, "orbits.gif"), nil)
	must(t, err)
	expect(t, animation.FrameCount(), 16)
	frame, err := animation.Frame(15)
	must(t, err)
	expect(t, frame.Bounds(), animation.Bounds())
	expect(t, animation.FrameDuration(0), 80*time.Millisecond)
	if _, err = animation.Frame(16); !errors.Is(err, sdimage.InvalidArgument) {
		t.Fatal(err)
	}
}
