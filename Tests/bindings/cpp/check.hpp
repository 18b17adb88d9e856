// check.hpp: tests of the C++ headers. A TEST is a function that prints `ok NAME` or `not ok NAME: WHY`. All tests run
// in one process, which is built with the address and undefined-behavior sanitizers.
#ifndef SDIMAGE_TESTS_CHECK_HPP
#define SDIMAGE_TESTS_CHECK_HPP

#include <atomic>
#include <cstdlib>
#include <functional>
#include <future>
#include <sstream>
#include <string>

#include <sdimage.hpp>

struct failed_check {
    std::string why;
};

struct test {
    test(const char *name, void (*run)());
    const char *name;
    void (*run)();
    test *next;
};

#define TEST(function)                                                                                                 \
    static void function();                                                                                            \
    static const test test_##function(#function, function);                                                            \
    static void function()

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            throw failed_check{std::string(__FILE__ ":") + std::to_string(__LINE__) + ": " #condition};                \
    } while (0)

// Prints both values if they differ.
#define CHECK_EQUAL(left, right)                                                                                       \
    do {                                                                                                               \
        const auto check_left = (left);                                                                                \
        const auto check_right = (right);                                                                              \
        if (!(check_left == check_right)) {                                                                            \
            std::ostringstream check_text;                                                                             \
            check_text << __FILE__ ":" << __LINE__ << ": " #left " is " << check_left << ", not " << check_right;      \
            throw failed_check{check_text.str()};                                                                      \
        }                                                                                                              \
    } while (0)

// The code of the sdimage::error that `body` throws; ok if it throws none.
template <class F> sdimage::status thrown(F &&body) {
    try {
        body();
    } catch (const sdimage::error &error) {
        return error.code();
    }
    return sdimage::status::ok;
}

// A URL of the origin, and the bytes of a file that it serves.
std::string url(const std::string &name);
std::string picture(const std::string &name);
// A new folder below the tests' own folder.
std::string folder();
// A new manager with a cache in memory alone.
sdimage::manager in_memory();
// The longest wait for an event, which only ends a hang.
constexpr std::chrono::seconds longest(120);
template <class T> T wait_for(std::future<T> &event) {
    if (event.wait_for(longest) != std::future_status::ready)
        throw failed_check{"an event did not come"};
    return event.get();
}
// Polls, for conditions without an event.
bool becomes_true(const std::function<bool()> &condition);

// Counts the live objects of a test, to verify that captures of lambdas are destroyed exactly once.
class counted {
  public:
    explicit counted(std::atomic<int> &alive) : alive_(&alive) { ++*alive_; }
    counted(const counted &other) : alive_(other.alive_) { ++*alive_; }
    counted &operator=(const counted &) = delete;
    ~counted() { --*alive_; }

  private:
    std::atomic<int> *alive_;
};

#endif
