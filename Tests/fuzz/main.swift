import CFuzzer
import Glibc

/// The target of this process, named by an environment variable because libFuzzer starts copies of its command line.
let target = FuzzTarget.named(getenv("SDIMAGE_FUZZ_TARGET").map { String(cString: $0) } ?? "")

/// libFuzzer's custom mutator, found by its symbol name; a target may repair the mutated input.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ length: Int, _ capacity: Int, _ seed: UInt32) -> Int {
    let count = LLVMFuzzerMutate(bytes, length, capacity)
    target?.repair?(UnsafeMutableBufferPointer(start: bytes, count: count))
    return count
}

guard target != nil else {
    print("SDIMAGE_FUZZ_TARGET is none of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    exit(2)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let status = LLVMFuzzerRunDriver(&count, &arguments) { bytes, length in
    target?.run(UnsafeBufferPointer(start: bytes, count: length))
    return 0
}
exit(status)
