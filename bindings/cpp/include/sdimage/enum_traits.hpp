// enum_traits.hpp: the mapping from enums of C++ to those of the C headers, and their output.
//
// Every enum has the names of its C constants in lower case without their prefix (enums.hpp). Enums may gain values:
// every switch needs a default.
#ifndef SDIMAGE_ENUM_TRAITS_HPP
#define SDIMAGE_ENUM_TRAITS_HPP

#include <iosfwd>
#include <string_view>
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

// The words of the values of an enum; false for other types.
template <class E> struct word_of {
    E value;
    std::string_view word;
};
template <class E> inline constexpr bool words = false;
template <class E> inline constexpr bool has_words = !std::is_same_v<std::remove_cv_t<decltype(words<E>)>, bool>;

// The word of a value; "" for a value of another version and for a combination of bits without a name.
template <class E> constexpr std::string_view word(E value) noexcept {
    for (const word_of<E> &each : words<E>)
        if (each.value == value) return each.word;
    return {};
}

constexpr bool is_one_bit(int value) noexcept {
    return value > 0 && (value & (value - 1)) == 0;
}

} // namespace detail

template <class E, class = std::enable_if_t<detail::is_set_of_bits<E>>> constexpr E operator|(E a, E b) noexcept {
    return static_cast<E>(static_cast<int>(a) | static_cast<int>(b));
}
template <class E, class = std::enable_if_t<detail::is_set_of_bits<E>>> constexpr E operator&(E a, E b) noexcept {
    return static_cast<E>(static_cast<int>(a) & static_cast<int>(b));
}

// Prints the word of a value: "not_found", "network". A combination of bits without a word is printed as "disk|memory",
// and a value of another version as its number.
template <class T, class E, class = std::enable_if_t<detail::has_words<E>>>
std::basic_ostream<char, T> &operator<<(std::basic_ostream<char, T> &out, E value) {
    const std::string_view word = detail::word(value);
    if (!word.empty()) return out << word;
    int rest = static_cast<int>(value);
    if constexpr (detail::is_set_of_bits<E>) {
        for (const detail::word_of<E> &each : detail::words<E>) {
            const int bit = static_cast<int>(each.value);
            if (!detail::is_one_bit(bit) || (rest & bit) == 0) continue;
            rest &= ~bit;
            out << each.word;
            if (rest == 0) return out;
            out << '|';
        }
    }
    return out << rest;
}

} // namespace sdimage

#endif
