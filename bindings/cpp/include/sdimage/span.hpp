// span.hpp: views of memory with another owner.
//
// C++17 has no std::span; this type converts to std::span where available, because it has data() and size().
#ifndef SDIMAGE_SPAN_HPP
#define SDIMAGE_SPAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sdimage {

// A view of contiguous objects. Valid as long as the memory it was created from; owns nothing.
template <class T> class span {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;

    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}

    // A view of any contiguous range: a vector, an array, a string, a std::span. A view of a temporary is read-only and
    // valid for one call.
    template <class C, class = std::enable_if_t<!std::is_base_of_v<span, std::decay_t<C>>>,
              class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *>>,
              class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().size()), std::size_t>>,
              class = std::enable_if_t<std::is_const_v<T> || std::is_lvalue_reference_v<C>>>
    constexpr span(C &&container) noexcept : data_(container.data()), size_(container.size()) {}

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    // Unchecked, as in std::span.
    constexpr T &operator[](std::size_t index) const noexcept { return data_[index]; }
    // Clamped to the end of this span.
    constexpr span subspan(std::size_t offset, std::size_t count = static_cast<std::size_t>(-1)) const noexcept {
        const std::size_t from = offset < size_ ? offset : size_;
        return span(data_ + from, count < size_ - from ? count : size_ - from);
    }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

// A read-only byte view of any contiguous range with one-byte elements (std::string, std::vector<std::byte>, …).
class bytes_view : public span<const std::uint8_t> {
public:
    constexpr bytes_view() noexcept = default;
    bytes_view(const void *data, std::size_t size) noexcept : span(static_cast<const std::uint8_t *>(data), size) {}
    bytes_view(span<const std::uint8_t> bytes) noexcept : span(bytes.data(), bytes.size()) {}

    template <class C, class E = std::remove_pointer_t<decltype(std::declval<const C &>().data())>,
              class = std::enable_if_t<sizeof(E) == 1 && std::is_trivially_copyable_v<E>>>
    bytes_view(const C &container) noexcept
        : span(reinterpret_cast<const std::uint8_t *>(container.data()), container.size()) {}

    // The same bytes as text.
    std::string_view text() const noexcept { return {reinterpret_cast<const char *>(data()), size()}; }
};

} // namespace sdimage

#endif
