# Suite of Tests/run.
ABOUT='the C kernels at every SIMD level of the CPU, and on aarch64 in an emulator; alone: Tests/kernels/run'
BUDGET=90
HAS_PARTS=1
PACKAGES="gcc libc6-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"

suite() {
    local part parts status=0
    IFS='|' read -ra parts <<<"${SDIMAGE_ONLY:-}"
    for part in "${parts[@]:-}"; do Tests/kernels/run "$part" || status=1; done
    return $status
}
