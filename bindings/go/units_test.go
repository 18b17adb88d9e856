package sdimage

import (
	"context"
	"errors"
	"io"
	"math"
	"testing"
	"time"
	"unsafe"
)

func TestDurationsAreRoundedUpAndStayWithinTheirRange(t *testing.T) {
	for duration, wanted := range map[time.Duration]int64{
		-1: -1, -time.Hour: -1, 0: 0, 1: 1, time.Second: 1, time.Second + 1: 2, math.MaxInt64: math.MaxInt64/int64(time.Second) + 1,
	} {
		if got := seconds(duration); got != wanted {
			t.Fatalf("%v is %d s, not %d", duration, got, wanted)
		}
	}
	for duration, wanted := range map[time.Duration]uint32{
		-time.Hour: 0, 0: 0, 1: 1, time.Millisecond: 1, time.Second: 1000, 50 * 24 * time.Hour: math.MaxUint32,
	} {
		if got := milliseconds(duration); got != wanted {
			t.Fatalf("%v is %d ms, not %d", duration, got, wanted)
		}
	}
}

func TestALimitThatHasPassedIsShort(t *testing.T) {
	for duration, wanted := range map[time.Duration]uint32{-time.Hour: 1, -1: 1, 0: 0, 1: 1, time.Second: 1000} {
		if got := limit(duration); got != wanted {
			t.Fatalf("%v is a limit of %d ms, not %d", duration, got, wanted)
		}
	}
}

func TestWhatIsReleasedWhileItIsUsedGoesAfterThat(t *testing.T) {
	object, gone := new(int), 0
	held := own(unsafe.Pointer(object), func(unsafe.Pointer) { gone++ })
	first, second := held.enter(), held.enter()
	first.leave()
	held.release()
	if held.get() != nil || gone != 0 {
		t.Fatal("released while it was used")
	}
	second.leave()
	held.release()
	if gone != 1 {
		t.Fatalf("released %d times", gone)
	}
}

func TestWhatWasMadeForAChainThatFailsIsReleased(t *testing.T) {
	before := LiveHandles()
	fails := func() (*handle, error) { return nil, &Error{Code: Offline} }
	if chain, err := chainOf(newFileLoader, fails, newFileLoader); chain != nil || !errors.Is(err, Offline) {
		t.Fatal(chain, err)
	}
	if LiveHandles() > before {
		t.Fatal("something is left")
	}
	chain, err := chainOf(newFileLoader)
	if err != nil || LiveHandles() > before+1 {
		t.Fatal(err)
	}
	chain.release()
}

func TestNumbersThatDoNotFitAreRefused(t *testing.T) {
	picture, err := NewImage(1, 1, 4, RGBA8, make([]byte, 4))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := OpenCache(&CacheConfig{MemoryOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	manager, err := NewManager(&Config{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	for _, number := range []int{-1, math.MinInt, math.MaxUint32 + 1, math.MaxUint32 + 2, math.MaxInt} {
		decode := DecodeOptions{Thumbnail: Size{number, 1}}
		calls := map[string]func() error{
			"thumbnail": func() error { _, err := Decode([]byte("GIF89a"), &decode); return err },
			"cached":    func() error { _, err := cache.Image("key", &decode); return err },
			"load": func() error {
				_, err := manager.Start(context.Background(), "data:,", &Options{DecodeOptions: decode})
				return err
			},
			"effort": func() error { return Encode(io.Discard, picture, "png", &EncodeOptions{Effort: number}) },
			"size":   func() error { return Encode(io.Discard, picture, "png", &EncodeOptions{MaxSize: Size{1, number}}) },
			"frame":  func() error { _, err := picture.Frame(number); return err },
			"width":  func() error { _, err := NewImage(number, 1, 4, RGBA8, make([]byte, 4)); return err },
			"height": func() error { _, err := NewImage(1, number, 4, RGBA8, make([]byte, 4)); return err },
		}
		for name, call := range calls {
			if err := call(); !errors.Is(err, InvalidArgument) {
				t.Fatalf("%s of %d: %v", name, number, err)
			}
		}
		if picture.FrameDuration(number) != 0 {
			t.Fatalf("frame %d has a duration", number)
		}
	}
}

func TestTextWithANULIsRefused(t *testing.T) {
	for _, config := range []CacheConfig{{Directory: "a\x00b"}, {Namespace: "a\x00b"}} {
		if _, err := OpenCache(&config); !errors.Is(err, InvalidArgument) {
			t.Fatalf("%q: %v", config.Directory+config.Namespace, err)
		}
	}
	manager, err := NewManager(&Config{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	for name, value := range map[string]string{"a\x00b": "c", "a": "b\x00c"} {
		_, err := manager.Start(context.Background(), "data:,", &Options{Header: map[string]string{name: value}})
		if !errors.Is(err, InvalidArgument) {
			t.Fatalf("%q: %q: %v", name, value, err)
		}
	}
}
