// enum_traits.hpp: the mapping from enums of C++ to those of the C headers.
//
// Every enum has the names of its C constants in lower case without their prefix (enums.hpp). Enums may gain values:
// every switch needs a default.
#ifndef SDIMAGE_ENUM_TRAITS_HPP
#define SDIMAGE_ENUM_TRAITS_HPP

#include <type_traits>

namespace sdimage {

namespace detail {

// The C enum for a C++ enum.
template <class E> struct c_enum;

template <class E> constexpr typename c_enum<E>::type c(E value) noexcept {
    return static_cast<typename c_enum<E>::type>(value);
}

// Enums whose values are bits, combined with | and tested with &.
template <class E> inline constexpr bool is_set_of_bits = false;

} // namespace detail

template <class E, class = std::enable_if_t<detail::is_set_of_bits<E>>> constexpr E operator|(E a, E b) noexcept {
    return static_cast<E>(static_cast<int>(a) | static_cast<int>(b));
}
template <class E, class = std::enable_if_t<detail::is_set_of_bits<E>>> constexpr E operator&(E a, E b) noexcept {
    return static_cast<E>(static_cast<int>(a) & static_cast<int>(b));
}

} // namespace sdimage

#endif
