#!/usr/bin/env bash
# The package for Go: formatted, vetted, built and tested without downloads.
set -uo pipefail
source "$(dirname "$0")/common.sh"
need go gcc pkg-config
# Prevents downloads of modules and of another toolchain.
export GOFLAGS=-mod=mod GOPROXY=off GOSUMDB=off GOTOOLCHAIN=local GOCACHE=${GOCACHE:-$ROOT/build/go-cache} CGO_ENABLED=1
# CGO_LDFLAGS, which could name this folder for the linker, would make the compiler build half of the standard library again.
export LD_LIBRARY_PATH=$SDIMAGE_PREFIX/lib
cd "$ROOT/bindings/go" || exit 1
if [ -z "$(gofmt -l .)" ]; then echo "ok go: formatted"; else echo "not ok go: formatted: $(gofmt -l . | tr '\n' ' ')"; fi
if go vet ./... >&2; then echo "ok go: vetted"; else echo "not ok go: vetted: see the log"; fi
go test -c -o "$FOLDER/tests" . >&2 || { echo "not ok go: the tests build: see the log"; exit 1; }
serve

run_tests() {
    "$FOLDER/tests" -test.v -test.timeout 1200s >"$FOLDER/go.txt" 2>&1
    local status=$?
    # The reason of a failure is above its line; test names become sentences.
    sed -E '/^--- /{s/: Test/: /; s/ \([0-9.]+s\)//; s/([a-z])([A-Z])/\1 \2/g; s/([A-Z])([A-Z][a-z])/\1 \2/g}' "$FOLDER/go.txt" | awk '
        /^=== RUN/ { why = "see the log" }
        /^    [a-z_]+\.go:[0-9]+: / { why = substr($0, 5) }
        /^--- PASS: / { print "ok " tolower(substr($0, 11)) }
        /^--- SKIP: / { print "skip " tolower(substr($0, 11)) ": " why }
        /^--- FAIL: / { print "not ok " tolower(substr($0, 11)) ": " why }'
    cat "$FOLDER/go.txt" >&2
    return $status
}
export -f run_tests
export FOLDER
report tests bash -c run_tests

# The example of the README, in a module of its own that requires this one as the README describes.
mkdir -p "$FOLDER/example"
{
    echo 'package main
import ("context"; "fmt"; "image/png"; "os"; "sdimage")
func main() {
ctx, url := context.Background(), os.Getenv("ORIGIN") + "badge.png"
file, err := os.Create("out.png")'
    "$ROOT/Tests/bindings/snippet.py" "$ROOT/bindings/go/README.md" go
    echo 'fmt.Println(result.Image.Bounds(), result.Source, err)
}'
} >"$FOLDER/example/main.go"
cd "$FOLDER/example" || exit 1
go mod init example 2>&2 && eval "$(sed -n 's/^    go mod edit/go mod edit/p' "$ROOT/bindings/go/README.md" | sed "s#/path/to/libsdimage#$ROOT#")" >&2
shown=$(go run . 2>&1)
if [ "$shown" = "(0,0)-(256,256) network <nil>" ] && [ -s out.png ]; then
    echo "ok go: the example of the README"
else
    echo "not ok go: the example of the README: $(tr '\n' ' ' <<<"$shown")"
fi
