// handle.hpp: objects of the library as C++ values.
//
// Every class of these headers holds one reference to one C object and releases it in its destructor. Objects that
// threads may share can be copied; a copy takes one more reference. Single-owner objects (requests, options,
// configurations) can only be moved. An empty handle is a NULL pointer: where the C functions take NULL for "none" or
// "the default", pass an empty one, `cache{}` or `{}`.
//
// Setters of single-owner objects return their object, so that calls can be chained. Those of a temporary return it as
// an rvalue: `auto wanted = request(url).set_thumbnail_size(128, 128);` moves it into the variable.
//
// Text that a getter returns is valid as long as its object. The getter of a temporary object returns a std::string.
//
// The C header of the same noun documents behavior, errors and threads of each function. These headers document only
// what C++ adds.
#ifndef SDIMAGE_HANDLE_HPP
#define SDIMAGE_HANDLE_HPP

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <sdimage.h>
#include <sdimage/sys.h>

namespace sdimage {

using size = sdimage_size;   // pixels
using rect = sdimage_rect;   // points
using color = sdimage_color; // sRGB, straight alpha, 0 to 1

// The version of the library in use; and as one number: major * 1000000 + minor * 1000 + patch.
inline std::string_view version() noexcept {
    return sdimage_version();
}
inline std::uint32_t version_number() noexcept {
    return sdimage_version_number();
}

namespace detail {

// One movable reference.
template <class T, auto Unref> class owned {
public:
    using c_type = T;

    constexpr owned() noexcept = default;
    constexpr owned(std::nullptr_t) noexcept {}
    // Takes over a reference.
    explicit owned(T *object) noexcept : object_(object) {}
    owned(owned &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    owned &operator=(owned &&other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    ~owned() { reset(); }

    // The borrowed C object, for functions of the C API.
    T *get() const noexcept { return object_; }
    // Transfers the reference to the caller.
    T *release() noexcept { return std::exchange(object_, nullptr); }
    void reset(T *object = nullptr) noexcept {
        if (T *old = std::exchange(object_, object)) Unref(old);
    }
    explicit operator bool() const noexcept { return object_ != nullptr; }
    // Reports whether both hold the same C object.
    friend bool operator==(const owned &a, const owned &b) noexcept { return a.object_ == b.object_; }
    friend bool operator!=(const owned &a, const owned &b) noexcept { return a.object_ != b.object_; }

private:
    T *object_ = nullptr;
};

// One reference to an object that may be shared; a copy takes another.
template <class T, auto Ref, auto Unref> class shared : public owned<T, Unref> {
public:
    using owned<T, Unref>::owned;
    shared(const shared &other) noexcept : owned<T, Unref>(other.get() ? Ref(other.get()) : nullptr) {}
    shared(shared &&) noexcept = default;
    shared &operator=(const shared &other) noexcept {
        if (this != &other) this->reset(other.get() ? Ref(other.get()) : nullptr);
        return *this;
    }
    shared &operator=(shared &&) noexcept = default;
    ~shared() = default;

    // A handle of a borrowed object; takes a reference of its own.
    template <class H> static H retained(const T *object) noexcept {
        return H(object ? Ref(const_cast<T *>(object)) : nullptr);
    }
};

// A handle of an object that a callback borrows; releases no reference. As an argument, `*lent<image>(picture)`, it
// lives as long as the call.
template <class H> class lent {
public:
    explicit lent(const typename H::c_type *object) noexcept : handle_(const_cast<typename H::c_type *>(object)) {}
    ~lent() { handle_.release(); }
    lent(const lent &) = delete;
    lent &operator=(const lent &) = delete;
    const H &operator*() const noexcept { return handle_; }
    H &operator*() noexcept { return handle_; }

private:
    H handle_;
};

// NUL-terminated text for C functions that take no length. Throws std::invalid_argument for text that contains a NUL.
class text {
public:
    text(std::string_view view) : text_(view) {
        if (view.find('\0') != std::string_view::npos) throw std::invalid_argument("argument: text contains a NUL");
    }
    operator const char *() const noexcept { return text_.c_str(); }
    const char *get() const noexcept { return text_.c_str(); }

private:
    std::string text_;
};

// The same, or NULL.
class optional_text {
public:
    optional_text(std::optional<std::string_view> view) : text_(view ? std::optional<text>(*view) : std::nullopt) {}
    operator const char *() const noexcept { return text_ ? text_->get() : nullptr; }

private:
    std::optional<text> text_;
};

// Text borrowed from a getter; "" for NULL.
inline std::string_view view(const char *lent) noexcept {
    return lent ? std::string_view(lent) : std::string_view();
}

// Checks the result of a `_new` that reports no error: NULL means that memory was refused.
template <class T> T *made(T *object) {
    if (!object) throw std::bad_alloc();
    return object;
}

} // namespace detail

// A handle of a C object that has another owner; takes one more reference.
// `retain<image>(sdimage_result_image(result))`.
template <class H> H retain(const typename H::c_type *object) noexcept {
    return H::template retained<H>(object);
}

} // namespace sdimage

#endif
