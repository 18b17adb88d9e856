// swift-tools-version: 6.2
import PackageDescription

/// Path of libFuzzer's library, set by Tests/fuzz/run and the suite `sanitized`; other builds are not affected.
let fuzzer = Context.environment["SDIMAGE_FUZZ"]

/// True in the build with ThreadSanitizer (Tests/races/run).
let isForRaces = Context.environment["SDIMAGE_RACES"] != nil

/// Settings of every Swift target: language mode 6 and warnings as errors. An expression that costs the type checker more than about
/// half a second is an error.
let plain: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .unsafeFlags(["-Xfrontend", "-solver-scope-threshold=50000"]),
]

/// The same, with every unsafe construct marked. Tests of the C API are C programs written in Swift, where that would be every line.
let strict: [SwiftSetting] =
    plain + [.strictMemorySafety(), .enableUpcomingFeature("ExistentialAny")]
    + (fuzzer == nil ? [] : [.define("SDIMAGE_SANITIZED")])

/// Without the names of fields and cases at run time, a fortieth of the library (Sources/SDImage/Base/Interpolation.swift).
let nameless: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"], .when(configuration: .release)),
    .define("SDIMAGE_NAMELESS", .when(configuration: .release)),
]

/// Settings of the library itself. In the build with sanitizers, they add the coverage for libFuzzer, which would double the time of
/// compiling the tests.
let covered: [SwiftSetting] =
    strict + (fuzzer == nil ? nameless : [.unsafeFlags(["-Xfrontend", "-sanitize=address,fuzzer"])])

/// Settings of code that computes little. In the builds with sanitizers, the compiler would spend half of its time on optimizing it.
/// A job of its own for the module would read every file twice.
let unoptimized: [SwiftSetting] =
    fuzzer == nil && !isForRaces
    ? [] : [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])]

/// Settings of every test target: no job of its own for the module, which nothing imports, in a build that compiles all files of a
/// target together. In a debug build, that job is the only one that makes the module, which the program of the tests contains.
let unimported: [SwiftSetting] = [.unsafeFlags(["-no-emit-module-separately-wmo"])]

/// Settings of code that runs once for a worker process or a plug-in, or only calls the host: small instead of fast.
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

let cStrict: [CSetting] = [
    .unsafeFlags(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden"])
]

/// Linker settings of the shipped library: SONAME, symbol versions, and never unloaded, because a Task leaves code behind that
/// the runtime may still call.
let sharedLibrary: [LinkerSetting] = [
    .unsafeFlags([
        "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/SDImageABI/exports.map",
        "-Xlinker", "-soname=libsdimage.so.1",
        "-Xlinker", "-z", "-Xlinker", "nodelete",
        "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now",
        "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "nostart-stop-gc",
        // Equal functions whose addresses nothing compares, and strings with equal ends, are stored once.
        "-Xlinker", "--icf=safe", "-Xlinker", "-O2",
        // The other linker exports local symbols too.
        "-use-ld=lld",
    ])
]

let package = Package(
    name: "sdimage",
    products: [
        .library(name: "sdimage", type: .dynamic, targets: ["SDImageABI"])
    ],
    targets: [
        // The public C API, the only copy.
        .systemLibrary(name: "CSDImage", path: "include"),

        // Functions of the C library that are missing from Swift's module of it.
        .target(name: "CSystem", path: "Sources/CLibs/CSystem", cSettings: cStrict),

        // Worker processes and their sandbox.
        .target(name: "CIsolation", cSettings: cStrict + [.unsafeFlags(["-Wno-gnu-variable-sized-type-not-at-end"])]),

        // Third-party libraries: each imported by exactly one target.
        .target(name: "CJPEG", path: "Sources/CLibs/CJPEG", cSettings: cStrict, linkerSettings: [.linkedLibrary("jpeg")]),
        .target(
            name: "CPNG", path: "Sources/CLibs/CPNG", cSettings: cStrict,
            linkerSettings: [.linkedLibrary("png16"), .linkedLibrary("z")]),
        .systemLibrary(name: "CWebP", path: "Sources/CLibs/CWebP"),
        .systemLibrary(name: "CLCMS", path: "Sources/CLibs/CLCMS"),
        .systemLibrary(name: "CDeflate", path: "Sources/CLibs/CDeflate"),
        .target(
            name: "CCurl", path: "Sources/CLibs/CCurl", cSettings: cStrict,
            linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("z"), .linkedLibrary("dl")]),
        .target(
            name: "CSQLite", dependencies: ["CSystem"], path: "Sources/CLibs/CSQLite", cSettings: cStrict,
            linkerSettings: [.linkedLibrary("sqlite3")]),

        // Kernels on plain memory, selected at run time by CPU.
        .target(name: "SDImagePixels", cSettings: cStrict + [.unsafeFlags([isForRaces ? "-O1" : "-O3"])]),

        // The engine.
        .target(name: "SDImage", dependencies: ["SDImagePixels", "CSystem"], swiftSettings: covered),
        .target(
            name: "SDImageCodecs", dependencies: ["SDImage", "SDImagePixels", "CJPEG", "CPNG", "CWebP", "CLCMS", "CDeflate"],
            swiftSettings: covered),
        .target(name: "SDImageCurl", dependencies: ["SDImage", "CCurl"], swiftSettings: covered + unoptimized),
        .target(name: "SDImageSQLite", dependencies: ["SDImage", "CSQLite"], swiftSettings: covered + unoptimized),

        // Objects and function tables of the host.
        .target(
            name: "SDImageHost", dependencies: ["CSDImage", "CSystem", "SDImage"], swiftSettings: covered + small + unoptimized),
        // Modules and plug-ins, opened with dlopen.
        .target(
            name: "SDImageModules", dependencies: ["CSDImage", "CSystem", "SDImage", "SDImageHost"],
            swiftSettings: covered + small + unoptimized),

        // Decoding in worker processes: messages, the processes, and the work of one.
        .target(
            name: "SDImageIsolation", dependencies: ["CIsolation", "CSystem", "SDImage"],
            swiftSettings: covered + small + unoptimized),

        // The C functions and the composition root.
        .target(
            name: "SDImageABI",
            dependencies: [
                "CSDImage", "CSystem", "SDImage", "SDImageCodecs", "SDImageCurl", "SDImageHost", "SDImageIsolation",
                "SDImageModules", "SDImageSQLite",
            ],
            exclude: ["exports.map"],
            // Hiding symbols would hide the sanitizer's allocator too.
            swiftSettings: covered + unoptimized, linkerSettings: fuzzer == nil ? sharedLibrary : []),

        .target(name: "TestSupport", dependencies: ["CSQLite"], path: "Tests/swift/Support", swiftSettings: strict),
        // The reference libraries that the project's own codecs must match.
        .target(
            name: "CReference", path: "Tests/swift/Reference", cSettings: cStrict,
            linkerSettings: [.linkedLibrary("png16"), .linkedLibrary("z")]),
        .testTarget(
            name: "CodecTests",
            dependencies: ["SDImage", "SDImageCodecs", "SDImagePixels", "CReference", "TestSupport"],
            path: "Tests/swift/CodecTests", swiftSettings: strict + unimported),
        .testTarget(
            name: "APITests", dependencies: ["CSDImage", "SDImage", "SDImageABI", "TestSupport"], path: "Tests/swift/APITests",
            swiftSettings: plain + unoptimized + unimported),
        .testTarget(
            name: "CoreTests",
            dependencies: ["CSQLite", "SDImage", "SDImageIsolation", "SDImageSQLite", "SDImageCurl", "TestSupport"],
            path: "Tests/swift/CoreTests", swiftSettings: strict + unoptimized + unimported),
    ],
    cLanguageStandard: .c11
)

func words(_ variable: String) -> [String] {
    Context.environment[variable]?.split(whereSeparator: \.isWhitespace).map(String.init) ?? []
}

// The test targets to build, set by the suite `swift`; all otherwise.
let tested = words("SDIMAGE_TEST_TARGETS")
if !tested.isEmpty { package.targets.removeAll { $0.type == .test && !tested.contains($0.name) } }

if let fuzzer {
    // The modules are fuzzed if their libraries are installed, in one program with the library, whose functions they call.
    let withModules = Context.environment["SDIMAGE_FUZZ_MODULES"] == "1"
    // The same for the coder plug-ins listed in the variable, with the flags of their libraries from pkg-config.
    let plugins = words("SDIMAGE_FUZZ_PLUGINS")
    let modules: [Target.Dependency] =
        (withModules ? ["CModules", "CModuleHeaders"] : []) + (plugins.isEmpty ? [] : ["CPlugins"])
    let headers = "-I\(Context.packageDirectory)/include"
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/fuzz/libfuzzer"),
        // The C that modules and plug-ins share. Drawing needs cairo, whose flags come with those of the plug-ins.
        .target(
            name: "CCoderSupport", dependencies: ["SDImagePixels"], path: "Sources/CoderSupport",
            exclude: plugins.contains("PDF") || plugins.contains("SVG") ? [] : ["drawing.c", "drawing.h"], publicHeadersPath: ".",
            cSettings: [
                .unsafeFlags(
                    ["-std=gnu11", "-D_GNU_SOURCE", headers, "-I\(Context.packageDirectory)/Sources/SDImagePixels"]
                        + words("SDIMAGE_FUZZ_PLUGIN_CFLAGS"))
            ]),
        // The photo library, in one program with the library, whose functions it calls.
        .target(
            name: "CPhotos", dependencies: ["CCoderSupport"], path: "Sources/Plugins/photos", publicHeadersPath: ".",
            cSettings: [.unsafeFlags(["-std=c11", "-D_GNU_SOURCE", headers])],
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("m")]),
        .target(
            name: "CPhotosFuzz", dependencies: ["CCoderSupport", "CPhotos"], path: "Tests/fuzz/photos",
            cSettings: [.unsafeFlags(["-std=c11", "-D_GNU_SOURCE", headers])]),
        // The parsers of cached entries from servers, without the client libraries.
        .target(
            name: "CRemote", dependencies: ["CCoderSupport"], path: "Sources/Plugins",
            sources: ["remote/envelope.c", "memcached/peer.c"],
            publicHeadersPath: "remote",
            cSettings: [.unsafeFlags(["-std=c11", "-D_GNU_SOURCE", headers])]),
        .target(
            name: "CRemoteFuzz", dependencies: ["CCoderSupport", "CRemote"], path: "Tests/fuzz/remote",
            cSettings: [
                .unsafeFlags(["-std=c11", "-D_GNU_SOURCE", headers, "-I\(Context.packageDirectory)/Sources/Plugins/memcached"])
            ]),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CFuzzer", "CSDImage", "CSQLite", "SDImage", "SDImageABI", "SDImageCodecs", "SDImageCurl", "SDImageSQLite",
                "CPhotosFuzz", "CRemoteFuzz",
            ] + modules,
            path: "Tests/fuzz",
            exclude: ["libfuzzer", "modules", "photos", "remote", "dictionaries", "run", "seeds.py", "suite.sh"],
            swiftSettings: plain
                + (withModules ? [.define("SDIMAGE_FUZZ_MODULES"), .unsafeFlags(["-Xcc", headers])] : [])
                + plugins.map { .define("SDIMAGE_FUZZ_\($0)") },
            linkerSettings: [.unsafeFlags([fuzzer]), .linkedLibrary("stdc++")]),
    ]
    if withModules {
        package.targets += [
            .systemLibrary(name: "CModuleHeaders", path: "Tests/fuzz/modules"),
            .target(
                name: "CModules", dependencies: ["CCoderSupport"], path: "Sources/Modules", publicHeadersPath: "heif",
                cSettings: [.unsafeFlags([headers])],
                linkerSettings: ["heif", "de265", "avif"].map { .linkedLibrary($0) }),
        ]
    }
    if !plugins.isEmpty {
        package.targets.append(
            .target(
                name: "CPlugins", dependencies: ["CCoderSupport"], path: "Sources/Plugins", sources: plugins,
                publicHeadersPath: plugins[0],
                cSettings: [
                    .unsafeFlags(
                        ["-D_GNU_SOURCE", headers] + words("SDIMAGE_FUZZ_PLUGIN_CFLAGS"))
                ],
                linkerSettings: [.unsafeFlags(words("SDIMAGE_FUZZ_PLUGIN_LIBS"))]))
    }
}
