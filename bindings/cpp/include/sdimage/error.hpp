// error.hpp: failures as exceptions, and as values.
//
// Functions that can fail throw sdimage::error. For programs without exceptions, and for inner loops, some have a
// `try_…` form. It returns an outcome: the value, or the reason for its absence.
#ifndef SDIMAGE_ERROR_HPP
#define SDIMAGE_ERROR_HPP

#include <stdexcept>
#include <variant>

#include "enums.hpp"
#include "handle.hpp"
#include "span.hpp"

namespace sdimage {

// Returns "TOO_LARGE", for example; "UNKNOWN" for a number of another version.
inline std::string_view status_name(status code) noexcept {
    return sdimage_status_name(detail::c(code));
}

// The reason of a failure: immutable, shared, cheap to copy. Empty on success.
class failure : public detail::shared<sdimage_error, sdimage_error_ref, sdimage_error_unref> {
public:
    using shared::shared;
    // Creates a failure, for loaders, coders and caches. The message is one line.
    failure(status code, std::string_view message)
        : shared(detail::made(sdimage_error_new(detail::c(code), detail::text(message)))) {}

    status code() const noexcept { return static_cast<status>(sdimage_error_code(get())); }
    // One readable line without code and URL; valid as long as this object. A temporary object returns a std::string.
    std::string_view message() const &noexcept { return detail::view(sdimage_error_message(get())); }
    std::string message() && { return sdimage_error_message(get()); }
    // The HTTP status of the refused response, or 0.
    std::int32_t http_status() const noexcept { return sdimage_error_http_status(get()); }
    // The errno of the failed call, or 0.
    std::int32_t system_error() const noexcept { return sdimage_error_system_error(get()); }
    // The error number from the codec, database or transfer library, or 0.
    std::int32_t library_code() const noexcept { return sdimage_error_library_code(get()); }
    // The URL of the load, without user and password; valid as long as this object.
    std::string_view url() const &noexcept { return detail::view(sdimage_error_url(get())); }
    std::string url() && { return sdimage_error_url(get()); }
    // Reports whether the same load may succeed later without any change.
    bool is_transient() const noexcept { return sdimage_error_is_transient(get()); }
};

// The exception. what() is "TOO_LARGE: message".
class error : public std::runtime_error {
public:
    explicit error(failure why) : runtime_error(describe(why.code(), why.message())), why_(std::move(why)) {
        code_ = why_.code();
    }
    error(status code, std::string_view message) : error(failure(code, message)) {}

    sdimage::status code() const noexcept { return code_; }
    std::string_view message() const noexcept { return why_.message(); }
    std::int32_t http_status() const noexcept { return why_.http_status(); }
    std::int32_t system_error() const noexcept { return why_.system_error(); }
    std::int32_t library_code() const noexcept { return why_.library_code(); }
    std::string_view url() const noexcept { return why_.url(); }
    bool is_transient() const noexcept { return why_.is_transient(); }
    // The same error as a value.
    const failure &why() const noexcept { return why_; }

private:
    static std::string describe(status code, std::string_view message) {
        std::string text(status_name(code));
        return message.empty() ? text : text.append(": ").append(message);
    }

    failure why_;
    sdimage::status code_ = status::ok;
};

// A value, or the reason for its absence.
template <class T> class outcome {
public:
    outcome(T value) noexcept(std::is_nothrow_move_constructible_v<T>)
        : held_(std::in_place_index<0>, std::move(value)) {}
    outcome(failure why) noexcept : held_(std::in_place_index<1>, std::move(why)) {}

    explicit operator bool() const noexcept { return held_.index() == 0; }
    // Throws sdimage::error if there is no value.
    T &value() & { return check(), std::get<0>(held_); }
    const T &value() const & { return check(), std::get<0>(held_); }
    T &&value() && { return check(), std::get<0>(std::move(held_)); }
    // Requires a value.
    T &operator*() noexcept { return *std::get_if<0>(&held_); }
    const T &operator*() const noexcept { return *std::get_if<0>(&held_); }
    T *operator->() noexcept { return std::get_if<0>(&held_); }
    const T *operator->() const noexcept { return std::get_if<0>(&held_); }
    // Empty if there is a value.
    failure why() const noexcept { return held_.index() == 1 ? *std::get_if<1>(&held_) : failure(); }

private:
    void check() const {
        if (held_.index() == 1) throw error(*std::get_if<1>(&held_));
    }

    std::variant<T, failure> held_;
};

namespace detail {

// The error of a failed call; takes over its reference.
inline failure taken(sdimage_status status, sdimage_error *why) {
    return why ? failure(why) : failure(static_cast<sdimage::status>(status), "");
}

// Calls function(arguments…, &error) and throws its error. Returns OK or another status that is no error.
template <class F, class... A> status run(F *function, A... arguments) {
    sdimage_error *why = nullptr;
    const sdimage_status said = function(arguments..., &why);
    if (said < 0) throw error(taken(said, why));
    return static_cast<status>(said);
}

// Calls function(arguments…, &object, &error).
template <class H, class F, class... A> outcome<H> attempt(F *function, A... arguments) {
    typename H::c_type *object = nullptr;
    sdimage_error *why = nullptr;
    const sdimage_status said = function(arguments..., &object, &why);
    if (said < 0) return taken(said, why);
    return H(object);
}

// The same, and throws on failure.
template <class H, class F, class... A> H make(F *function, A... arguments) {
    typename H::c_type *object = nullptr;
    run(function, arguments..., &object);
    return H(object);
}

// Calls function(arguments…, &object), which returns a reference or NULL in `object`.
template <class H, class F, class... A> H copied(F *function, A... arguments) noexcept {
    typename H::c_type *object = nullptr;
    function(arguments..., &object);
    return H(object);
}

// The same for a function that returns true if the property is set; the handle is then that of the property.
template <class H, class F, class... A> std::optional<H> copied_if(F *function, A... arguments) noexcept {
    typename H::c_type *object = nullptr;
    if (!function(arguments..., &object)) return std::nullopt;
    return H(object);
}

// Calls function(arguments…, &length), which returns borrowed bytes, or NULL for none.
template <class F, class... A> bytes_view sized_by(F *function, A... arguments) noexcept {
    std::size_t length = 0;
    const void *bytes = function(arguments..., &length);
    return {bytes, bytes ? length : 0};
}

// The bytes of a borrowed object; empty for NULL.
inline bytes_view bytes_in(const sdimage_data *lent) noexcept {
    return {sdimage_data_bytes(lent), sdimage_data_length(lent)};
}

} // namespace detail

} // namespace sdimage

#endif
