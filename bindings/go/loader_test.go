package sdimage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"sdimage"
)

func managerOf(t *testing.T, load sdimage.LoaderFunc) *sdimage.Manager {
	return newManager(t, &sdimage.Config{NoCache: true, Loaders: map[string]sdimage.Loader{"Mine": load}})
}

func TestALoaderGivesBytesAndOtherSchemesAreNotIts(t *testing.T) {
	var asked []string
	manager := managerOf(t, func(_ context.Context, url string) (io.Reader, error) {
		asked = append(asked, url)
		return bytes.NewReader(picture(t, "badge.png")), nil
	})
	result := load(t, manager, "mine:badge", nil)
	expect(t, result.Source, "loader")
	expect(t, result.Image.Format(), sdimage.PNG)
	expect(t, load(t, manager, fresh("badge.png", ""), nil).Source, "network")
	expect(t, fmt.Sprint(asked), "[mine:badge]")
}

type closingReader struct {
	*bytes.Reader
	closed *int32
}

func (r closingReader) Read(into []byte) (int, error) {
	if len(into) > 1000 {
		into = into[:1000]
	}
	return r.Reader.Read(into)
}

func (r closingReader) Close() error {
	atomic.AddInt32(r.closed, 1)
	return nil
}

func TestAReaderIsReadToItsEndAndClosed(t *testing.T) {
	file, closed := picture(t, "aurora.jpg"), int32(0)
	manager := managerOf(t, func(context.Context, string) (io.Reader, error) {
		return closingReader{bytes.NewReader(file), &closed}, nil
	})
	expect(t, bytes.Equal(load(t, manager, "mine:a", nil).Data, file), true)
	// The reader is closed before the end of the load is reported.
	expect(t, atomic.LoadInt32(&closed), int32(1))
}

func TestErrorsAndPanicsOfALoaderAreThoseOfTheLoad(t *testing.T) {
	manager := managerOf(t, func(_ context.Context, url string) (io.Reader, error) {
		switch url {
		case "mine:code":
			return nil, fmt.Errorf("no: %w", sdimage.PermissionDenied)
		case "mine:error":
			return nil, &sdimage.Error{Code: sdimage.Offline, Message: "asleep"}
		case "mine:panic":
			panic("oh")
		}
		return io.MultiReader(bytes.NewReader(picture(t, "badge.png")[:100]), failing{}), nil
	})
	for url, wanted := range map[string]sdimage.Code{
		"mine:code": sdimage.PermissionDenied, "mine:error": sdimage.Offline,
		"mine:panic": sdimage.InternalError, "mine:half": sdimage.InternalError,
	} {
		if _, err := manager.Load(background, url, nil); !errors.Is(err, wanted) {
			t.Fatalf("%s: %v", url, err)
		}
	}
}

// A loader whose error panics in its methods must not end the program.
type speechless struct{}

func (*speechless) Error() string { panic("no words") }

func TestAnErrorThatPanicsIsOneOfTheLoad(t *testing.T) {
	manager := managerOf(t, func(context.Context, string) (io.Reader, error) { return nil, &speechless{} })
	if _, err := manager.Load(background, "mine:a", nil); !errors.Is(err, sdimage.InternalError) {
		t.Fatal(err)
	}
}

// The same for one that panics when its type is examined.
type shapeless struct{}

func (shapeless) Error() string { return "shapeless" }
func (shapeless) As(any) bool   { panic("no shape") }

func TestAnErrorThatIsNilOrPanicsWhenItIsUnwrappedIsOneOfTheLoad(t *testing.T) {
	for _, failure := range []error{(*sdimage.Error)(nil), shapeless{}} {
		manager := managerOf(t, func(context.Context, string) (io.Reader, error) { return nil, failure })
		if _, err := manager.Load(background, "mine:a", nil); !errors.Is(err, sdimage.InternalError) {
			t.Fatal(err)
		}
	}
}

func TestEveryLoaderThatBeganHearsOfACancellation(t *testing.T) {
	var begun, told int64
	manager := managerOf(t, func(ctx context.Context, _ string) (io.Reader, error) {
		atomic.AddInt64(&begun, 1)
		<-ctx.Done()
		atomic.AddInt64(&told, 1)
		return nil, ctx.Err()
	})
	for index := 0; index < 500; index++ {
		task, err := manager.Start(background, fmt.Sprint("mine:", index), nil)
		must(t, err)
		for pause := 0; pause < index%50; pause++ {
			runtime.Gosched()
		}
		task.Cancel()
		_, err = task.Wait()
		expect(t, errors.Is(err, sdimage.Cancelled), true)
	}
	for tries := 0; tries < 20000 && atomic.LoadInt64(&told) < atomic.LoadInt64(&begun); tries++ {
		time.Sleep(5 * time.Millisecond)
	}
	expect(t, atomic.LoadInt64(&told), atomic.LoadInt64(&begun))
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("torn") }

func TestTheContextOfALoaderEndsWhenNoCallerWaits(t *testing.T) {
	started, told := make(chan bool), make(chan error, 1)
	manager := managerOf(t, func(ctx context.Context, _ string) (io.Reader, error) {
		close(started)
		<-ctx.Done()
		told <- ctx.Err()
		return nil, ctx.Err()
	})
	task, err := manager.Start(background, "mine:a", nil)
	must(t, err)
	<-started
	task.Cancel()
	expect(t, <-told, error(context.Canceled))
	if _, err = task.Wait(); !errors.Is(err, sdimage.Cancelled) {
		t.Fatal(err)
	}
}
