package sdimage

import (
	"math"
	"testing"
	"time"
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
