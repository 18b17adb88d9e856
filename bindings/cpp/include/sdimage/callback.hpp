// callback.hpp: lambdas and objects of the program behind tables of C functions.
//
// A lambda with its captures, or an object of the program, lives on the heap from the moment it is passed. The
// library's destroy callback destroys it exactly once, after its last call, on a thread of the library. This also
// happens when the call that took it fails.
//
// No exception leaves a callback. If the C function can report an error, the exception becomes that error. Otherwise it
// goes to the handler of on_unhandled_exception and the callback ends.
#ifndef SDIMAGE_CALLBACK_HPP
#define SDIMAGE_CALLBACK_HPP

#include <atomic>
#include <exception>
#include <memory>

#include "error.hpp"

namespace sdimage {

// Receives exceptions from callbacks of the program that cannot be reported otherwise. Any thread; must not throw.
using unhandled_exception_fn = void (*)(std::exception_ptr);

namespace detail {

inline std::atomic<unhandled_exception_fn> &unhandled_handler() noexcept {
    static std::atomic<unhandled_exception_fn> handler{nullptr};
    return handler;
}

inline void unhandled() noexcept {
    if (const unhandled_exception_fn handler = unhandled_handler().load()) handler(std::current_exception());
}

// The current exception as an error of the library.
inline failure caught() noexcept {
    try {
        throw;
    } catch (const error &known) {
        return known.why();
    } catch (const std::bad_alloc &) {
        return failure(sdimage_error_new(SDIMAGE_STATUS_NO_MEMORY, "callback: no memory"));
    } catch (const std::exception &other) {
        return failure(sdimage_error_new(SDIMAGE_STATUS_INTERNAL_ERROR, other.what()));
    } catch (...) {
        return failure(sdimage_error_new(SDIMAGE_STATUS_INTERNAL_ERROR, "callback: unknown exception"));
    }
}

// Runs a function that cannot report an error.
template <class F> void guarded(F &&body) noexcept {
    try {
        body();
    } catch (...) {
        unhandled();
    }
}

// The same with a result: returns `otherwise` if the function throws.
template <class R, class F> R guarded(R otherwise, F &&body) noexcept {
    try {
        return body();
    } catch (...) {
        unhandled();
        return otherwise;
    }
}

// Runs a function that returns a status; converts an exception to an error.
template <class F> sdimage_status answered(sdimage_error **why, F &&body) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            return SDIMAGE_STATUS_OK;
        } else {
            return c(body());
        }
    } catch (...) {
        failure said = caught();
        const sdimage_status code = said ? sdimage_error_code(said.get()) : SDIMAGE_STATUS_INTERNAL_ERROR;
        if (why) *why = said.release();
        return code < 0 ? code : SDIMAGE_STATUS_INTERNAL_ERROR;
    }
}

// Runs a function that writes into a sink or an exchange; an exception fails that sink or exchange with its message.
template <class H, class F> sdimage_status into(typename H::c_type *object, F &&body) noexcept {
    const lent<H> sink(object);
    try {
        body(*sink);
    } catch (...) {
        const failure why = caught();
        if (!why) return SDIMAGE_STATUS_NO_MEMORY;
        (*sink).fail(why);
    }
    return SDIMAGE_STATUS_OK;
}

// Converts a user_data pointer of the library to its T on the heap; and the matching sdimage_destroy_fn.
template <class T> T &state(void *user_data) noexcept {
    return *static_cast<T *>(user_data);
}
template <class T> void destroyed(void *user_data) {
    guarded([&] { delete static_cast<T *>(user_data); });
}

// Passes an object of the program to a function that ends with user_data and destroy, and returns its result as a
// handle. The other arguments are pointers and numbers: after the object is released, only the error of the function
// may throw.
template <class H, class T, class F, class... A> H handed_over(std::unique_ptr<T> object, F *function, A... arguments) {
    static_assert((std::is_trivially_copyable_v<A> && ...));
    return make<H>(function, arguments..., static_cast<void *>(object.release()), &destroyed<T>);
}

// A table of functions with all entries NULL.
template <class T> T empty_table() noexcept {
    T table{};
    table.size = sizeof table;
    return table;
}

// Reports whether T overrides a member function of the base class. Functions that are not overridden are NULL in a
// table.
template <class Mine, class Base> constexpr bool overrides(Mine, Base) noexcept {
    return !std::is_same_v<Mine, Base>;
}

// Placeholder type for an omitted callback.
struct nothing {};
template <class F> constexpr bool given = !std::is_same_v<std::decay_t<F>, nothing>;

// The two callbacks of a load, prefetch or player in one object.
template <class A, class B> struct pair_of {
    A first;
    B second;
};
template <class A, class B> std::unique_ptr<pair_of<std::decay_t<A>, std::decay_t<B>>> paired(A &&first, B &&second) {
    return std::unique_ptr<pair_of<std::decay_t<A>, std::decay_t<B>>>(
        new pair_of<std::decay_t<A>, std::decay_t<B>>{std::forward<A>(first), std::forward<B>(second)});
}

// A lambda on the heap.
template <class F> std::unique_ptr<std::decay_t<F>> boxed(F &&function) {
    return std::make_unique<std::decay_t<F>>(std::forward<F>(function));
}

} // namespace detail

// Replaces the handler of the process and returns the previous one. nullptr, the default, drops exceptions.
inline unhandled_exception_fn on_unhandled_exception(unhandled_exception_fn handler) noexcept {
    return detail::unhandled_handler().exchange(handler);
}

} // namespace sdimage

#endif
