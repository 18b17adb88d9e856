package sdimage

import (
	"errors"
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
