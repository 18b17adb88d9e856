// status.hpp: status codes, and the mapping from enums of the C headers to enums of C++.
//
// Every enum uses the names of its C constants in lower case without their prefix; a test compares them. Enums may gain
// values: every switch needs a default.
#ifndef SDIMAGE_STATUS_HPP
#define SDIMAGE_STATUS_HPP

#include <type_traits>

#include <sdimage.h>

namespace sdimage {

enum class status : int { // error.h
    need_more_data = SDIMAGE_STATUS_NEED_MORE_DATA,
    end = SDIMAGE_STATUS_END,
    ok = SDIMAGE_STATUS_OK,
    invalid_argument = SDIMAGE_STATUS_INVALID_ARGUMENT,
    bad_handle = SDIMAGE_STATUS_BAD_HANDLE,
    unsupported = SDIMAGE_STATUS_UNSUPPORTED,
    no_memory = SDIMAGE_STATUS_NO_MEMORY,
    cancelled = SDIMAGE_STATUS_CANCELLED,
    shutdown = SDIMAGE_STATUS_SHUTDOWN,
    forked = SDIMAGE_STATUS_FORKED,
    would_deadlock = SDIMAGE_STATUS_WOULD_DEADLOCK,
    timeout = SDIMAGE_STATUS_TIMEOUT,
    not_found = SDIMAGE_STATUS_NOT_FOUND,
    busy = SDIMAGE_STATUS_BUSY,
    internal_error = SDIMAGE_STATUS_INTERNAL_ERROR,
    invalid_url = SDIMAGE_STATUS_INVALID_URL,
    scheme_forbidden = SDIMAGE_STATUS_SCHEME_FORBIDDEN,
    address_forbidden = SDIMAGE_STATUS_ADDRESS_FORBIDDEN,
    resolve_failed = SDIMAGE_STATUS_RESOLVE_FAILED,
    connect_failed = SDIMAGE_STATUS_CONNECT_FAILED,
    tls_failed = SDIMAGE_STATUS_TLS_FAILED,
    connection_lost = SDIMAGE_STATUS_CONNECTION_LOST,
    http_status = SDIMAGE_STATUS_HTTP_STATUS,
    too_many_redirects = SDIMAGE_STATUS_TOO_MANY_REDIRECTS,
    redirect_forbidden = SDIMAGE_STATUS_REDIRECT_FORBIDDEN,
    content_type = SDIMAGE_STATUS_CONTENT_TYPE,
    not_modified = SDIMAGE_STATUS_NOT_MODIFIED,
    offline = SDIMAGE_STATUS_OFFLINE,
    failed_url = SDIMAGE_STATUS_FAILED_URL,
    invalid_request = SDIMAGE_STATUS_INVALID_REQUEST,
    invalid_response = SDIMAGE_STATUS_INVALID_RESPONSE,
    protocol_error = SDIMAGE_STATUS_PROTOCOL_ERROR,
    authentication_failed = SDIMAGE_STATUS_AUTHENTICATION_FAILED,
    bad_data = SDIMAGE_STATUS_BAD_DATA,
    truncated = SDIMAGE_STATUS_TRUNCATED,
    not_an_image = SDIMAGE_STATUS_NOT_AN_IMAGE,
    too_large = SDIMAGE_STATUS_TOO_LARGE,
    empty_data = SDIMAGE_STATUS_EMPTY_DATA,
    transform_failed = SDIMAGE_STATUS_TRANSFORM_FAILED,
    encode_failed = SDIMAGE_STATUS_ENCODE_FAILED,
    decoder_crashed = SDIMAGE_STATUS_DECODER_CRASHED,
    module_missing = SDIMAGE_STATUS_MODULE_MISSING,
    io_error = SDIMAGE_STATUS_IO_ERROR,
    permission_denied = SDIMAGE_STATUS_PERMISSION_DENIED,
    not_a_file = SDIMAGE_STATUS_NOT_A_FILE,
    disk_full = SDIMAGE_STATUS_DISK_FULL,
    cache_unusable = SDIMAGE_STATUS_CACHE_UNUSABLE,
    cache_damaged = SDIMAGE_STATUS_CACHE_DAMAGED,
    photos_not_authorized = SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED,
    photos_not_an_image = SDIMAGE_STATUS_PHOTOS_NOT_AN_IMAGE,
    photos_not_found = SDIMAGE_STATUS_PHOTOS_NOT_FOUND,
};

namespace detail {

// The C enum for a C++ enum.
template <class E> struct c_enum;
template <> struct c_enum<status> { using type = sdimage_status; };

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
