// outside.cpp: the same for C++, with the C++ headers.
#include <cstdio>
#include <sdimage.hpp>

int main() try {
    const auto loads = sdimage::manager::create(sdimage::manager_config().set_cache({}));
    const auto got = loads.load("data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==");
    std::printf("%s %u\n", sdimage_version(), got.image().width());
} catch (const std::exception &) {
    return 1;
}
