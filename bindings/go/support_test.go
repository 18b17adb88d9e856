package sdimage_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"sdimage"
)

var background = context.Background()
var serial int64

// fresh returns a URL of the origin that no other test requests.
func fresh(name, query string) string {
	return fmt.Sprintf("%s%s?test=go%d-%d&%s", os.Getenv("ORIGIN"), name, os.Getpid(), atomic.AddInt64(&serial, 1), query)
}

func picture(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(os.Getenv("PICTURES"), name))
	must(t, err)
	return data
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, got, wanted any) {
	t.Helper()
	if got != wanted {
		t.Fatalf("%v, not %v", got, wanted)
	}
}

func newManager(t *testing.T, config *sdimage.Config) *sdimage.Manager {
	t.Helper()
	manager, err := sdimage.NewManager(config)
	must(t, err)
	t.Cleanup(func() { must(t, manager.Close()) })
	return manager
}

func load(t *testing.T, manager *sdimage.Manager, url string, options *sdimage.Options) *sdimage.Result {
	t.Helper()
	result, err := manager.Load(background, url, options)
	must(t, err)
	return result
}

// hits returns the number of requests that the origin received for an image.
func hits(t *testing.T, name string) int {
	t.Helper()
	answer, err := http.Get(os.Getenv("ORIGIN") + "_counters")
	must(t, err)
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	found := regexp.MustCompile(`"` + regexp.QuoteMeta(name) + `": (\d+)`).FindSubmatch(text)
	if found == nil {
		return 0
	}
	count, _ := strconv.Atoi(string(found[1]))
	return count
}

// livePixels returns the bytes of pixels in use, by the library's own count.
func livePixels(t *testing.T) int {
	t.Helper()
	text, err := sdimage.Metrics()
	must(t, err)
	found := regexp.MustCompile(`(?m)^sdimage_pixel_bytes\{state="live"\} (\d+)$`).FindStringSubmatch(text)
	count, err := strconv.Atoi(found[1])
	must(t, err)
	return count
}

// collected collects garbage until no handle is held, or for a second; it returns the number of handles.
func collected() int { return collectedWithin(200, 0) }

// settled collects garbage until at most the given number of handles are held, or for a minute.
func settled(wanted int) int { return collectedWithin(12000, wanted) }

func collectedWithin(tries, wanted int) int {
	for ; tries > 0 && sdimage.LiveHandles() > wanted; tries-- {
		runtime.GC()
		time.Sleep(5 * time.Millisecond) // finalizers have a goroutine of their own
	}
	return sdimage.LiveHandles()
}

// flat returns a PNG of few bytes and many pixels: the library counts large bitmaps only.
func flat() []byte {
	var file bytes.Buffer
	gray := image.NewGray(image.Rect(0, 0, 512, 512))
	for index := range gray.Pix {
		gray.Pix[index] = 77
	}
	if err := png.Encode(&file, gray); err != nil {
		panic(err)
	}
	return file.Bytes()
}
