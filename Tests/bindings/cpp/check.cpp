#include "check.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

static test *&first() {
    static test *tests = nullptr;
    return tests;
}

test::test(const char *name_, void (*run_)()) : name(name_), run(run_), next(first()) {
    first() = this;
}

static std::string environment(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

std::string url(const std::string &name) {
    return environment("ORIGIN") + name;
}

std::string picture(const std::string &name) {
    std::ifstream file(environment("PICTURES") + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string folder() {
    std::string name = environment("FOLDER") + "/XXXXXX";
    if (!mkdtemp(name.data()))
        throw failed_check{"no folder: " + name};
    return name;
}

sdimage::manager in_memory() {
    const auto config = sdimage::cache_config().set_memory_only();
    return sdimage::manager::create(sdimage::manager_config().set_cache(sdimage::cache::open(config)));
}

bool becomes_true(const std::function<bool()> &condition) {
    const auto end = std::chrono::steady_clock::now() + longest;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

static std::string run(const test &one) {
    try {
        one.run();
    } catch (const failed_check &failure) {
        return failure.why;
    } catch (const std::exception &other) {
        return other.what();
    }
    return "";
}

int main() {
    int failures = 0;
    for (const test *one = first(); one; one = one->next) {
        const std::string why = run(*one);
        if (why.empty())
            std::printf("ok %s\n", one->name);
        else
            std::printf("not ok %s: %s\n", one->name, why.c_str());
        std::fflush(stdout);
        failures += !why.empty();
    }
    return failures > 0;
}
