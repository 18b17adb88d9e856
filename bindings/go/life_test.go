package sdimage_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"

	"sdimage"
)

func TestThousandsOfLoadsLeaveNothingBehind(t *testing.T) {
	handles, pixels := collected(), livePixels(t)
	cache, err := sdimage.OpenCache(&sdimage.CacheConfig{MemoryOnly: true, MaxMemoryCount: 50})
	must(t, err)
	manager, err := sdimage.NewManager(&sdimage.Config{Cache: cache})
	must(t, err)
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(flat())
	var all sync.WaitGroup
	for worker := 0; worker < 8; worker++ {
		all.Add(1)
		go func(worker int) {
			defer all.Done()
			for index := 0; index < 400; index++ {
				result, err := manager.Load(background, url, &sdimage.Options{CacheKey: fmt.Sprint(worker, index)})
				if err != nil || result.Image.Pixels()[7] != 77 {
					t.Error(err)
					return
				}
				runtime.KeepAlive(result)
				if index%2 == 0 {
					result.Image.Close() // the others are left to the collector
				}
			}
		}(worker)
	}
	all.Wait()
	expect(t, manager.RunningCount(), 0)
	must(t, manager.Close())
	must(t, cache.Close())
	expect(t, settled(handles) <= handles, true)
	// A thread of the library may hold the last image for a moment.
	for tries := 0; tries < 10000 && livePixels(t) > pixels; tries++ {
		time.Sleep(10 * time.Millisecond)
	}
	expect(t, livePixels(t) <= pixels, true)
}

func TestAStormOfCancellationsEndsEveryLoadOnce(t *testing.T) {
	handles := collected()
	manager, err := sdimage.NewManager(&sdimage.Config{NoCache: true})
	must(t, err)
	var all sync.WaitGroup
	for index := 0; index < 500; index++ {
		ctx, cancel := context.WithCancel(background)
		task, err := manager.Start(ctx, fresh("badge.png", []string{"", "delay_ms=20", "delay_ms=20"}[index%3]), nil)
		must(t, err)
		if index%4 != 0 {
			time.AfterFunc(time.Duration(index%17)*time.Millisecond, cancel)
		}
		all.Add(1)
		go func() {
			defer all.Done()
			defer cancel()
			finals := 0
			for event := range task.Events() {
				if event.Kind == sdimage.Final {
					finals++
				}
			}
			if _, err := task.Wait(); finals != 1 || err != nil && !errors.Is(err, sdimage.Cancelled) {
				t.Error(finals, err)
			}
		}()
	}
	all.Wait()
	must(t, manager.Close())
	expect(t, settled(handles) <= handles, true)
}

func TestClosingEndsWhatRuns(t *testing.T) {
	stop := make(chan bool)
	never := sdimage.LoaderFunc(func(context.Context, string) (io.Reader, error) { <-stop; return nil, sdimage.Cancelled })
	manager, err := sdimage.NewManager(&sdimage.Config{NoCache: true, Loaders: map[string]sdimage.Loader{"mine": never}})
	must(t, err)
	tasks := []*sdimage.Task{}
	for index := 0; index < 20; index++ {
		url := fresh("badge.png", "fault=hang")
		if index == 7 {
			url = "mine:never"
		}
		task, err := manager.Start(background, url, nil)
		must(t, err)
		tasks = append(tasks, task)
	}
	must(t, manager.Close())
	for _, task := range tasks {
		if _, err := task.Wait(); !errors.Is(err, sdimage.Shutdown) {
			t.Fatal(err)
		}
	}
	close(stop)
}

func TestALoadHoldsItsManager(t *testing.T) {
	started, open := make(chan bool), make(chan bool)
	task := startedAndReleased(t, func(context.Context, string) (io.Reader, error) {
		close(started)
		<-open
		return bytes.NewReader(flat()), nil
	})
	<-started
	for round := 0; round < 5; round++ {
		runtime.GC()
		time.Sleep(5 * time.Millisecond) // finalizers have a goroutine of their own
	}
	close(open)
	result, err := task.Wait()
	must(t, err)
	expect(t, result.Image.Width(), 512)
}

// startedAndReleased starts a load of a manager that is garbage when it returns.
func startedAndReleased(t *testing.T, load sdimage.LoaderFunc) *sdimage.Task {
	manager, err := sdimage.NewManager(&sdimage.Config{NoCache: true, Loaders: map[string]sdimage.Loader{"mine": load}})
	must(t, err)
	task, err := manager.Start(background, "mine:a", nil)
	must(t, err)
	return task
}

func TestPixelsLiveAsLongAsTheirImage(t *testing.T) {
	made, err := sdimage.NewImage(3, 2, 9, sdimage.RGB8, bytes.Repeat([]byte{5, 6, 7}, 6))
	must(t, err)
	collected()
	expect(t, made.Pixels()[made.Stride()+4], byte(6))
	made.Close()
	made.Close()
	expect(t, made.Pixels() == nil, true)
}

func TestAnImageMayBeClosedWhileItsPixelsAreRead(t *testing.T) {
	for round := 0; round < 2000; round++ {
		made, err := sdimage.NewImage(1, 1, 3, sdimage.RGB8, []byte{5, 6, 7})
		must(t, err)
		var all sync.WaitGroup
		all.Add(1)
		go func() {
			defer all.Done()
			made.Close()
		}()
		for tries := 0; tries < 10; tries++ {
			if got := made.At(0, 0); got != (color.NRGBA{R: 5, G: 6, B: 7, A: 255}) && got != (color.NRGBA{}) {
				t.Error(got)
			}
		}
		all.Wait()
		expect(t, made.At(0, 0), color.Color(color.NRGBA{}))
	}
}

// Runs a separate program: this one, with a variable in its environment.
func TestAProgramThatJustEnds(t *testing.T) {
	if os.Getenv("SDIMAGE_JUST_ENDS") != "" {
		manager, err := sdimage.NewManager(&sdimage.Config{NoCache: true, Loaders: map[string]sdimage.Loader{
			"mine": sdimage.LoaderFunc(func(context.Context, string) (io.Reader, error) { select {} }),
		}})
		must(t, err)
		for index := 0; index < 50; index++ {
			_, err = manager.Start(background, fresh("badge.png", "fault=hang"), nil)
			must(t, err)
		}
		_, err = manager.Start(background, "mine:a", nil)
		must(t, err)
		os.Exit(7)
	}
	command := exec.Command(os.Args[0], "-test.run=^TestAProgramThatJustEnds$")
	command.Env = append(os.Environ(), "SDIMAGE_JUST_ENDS=1")
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatalf("%v: %s", err, output)
	}
}
