package sdimage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

type slowReader struct {
	*bytes.Reader
	closed *int32
}

func (r slowReader) Read(into []byte) (int, error) {
	time.Sleep(2 * time.Millisecond)
	if len(into) > 4000 {
		into = into[:4000]
	}
	return r.Reader.Read(into)
}

func (r slowReader) Close() error {
	atomic.AddInt32(r.closed, 1)
	return nil
}

func TestAReaderIsReadInPiecesAndClosed(t *testing.T) {
	file, closed := picture(t, "aurora.jpg"), int32(0)
	manager := managerOf(t, func(context.Context, string) (io.Reader, error) {
		return slowReader{bytes.NewReader(file), &closed}, nil
	})
	task, err := manager.Start(background, "mine:a", &sdimage.Options{Progressive: true, PartialInterval: time.Millisecond})
	must(t, err)
	kinds := map[sdimage.EventKind]int{}
	for event := range task.Events() {
		kinds[event.Kind]++
		expect(t, event.Kind != sdimage.Progress || event.Expected == int64(len(file)) || event.Received == 0, true)
	}
	expect(t, kinds[sdimage.Partial] > 0, true)
	must(t, manager.Close())
	for atomic.LoadInt32(&closed) == 0 {
		time.Sleep(time.Millisecond) // the loader's own goroutine
	}
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

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("torn") }

func TestALoaderHearsThatNobodyWaits(t *testing.T) {
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
