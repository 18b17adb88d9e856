// coders.hpp: coders of single plug-ins and modules, for programs that link them: -lsdimage-tiff and so on. To load all
// installed plug-ins call load_plugins() instead.
//
//   plugins::tiff_coder().add();
//
// Include it only if the plug-in packages are installed; a function that is not called needs no library.
#ifndef SDIMAGE_PLUGINS_CODERS_HPP
#define SDIMAGE_PLUGINS_CODERS_HPP

#include <sdimage/plugins/av.h>
#include <sdimage/plugins/avif.h>
#include <sdimage/plugins/heif.h>
#include <sdimage/plugins/jxl.h>
#include <sdimage/plugins/pdf.h>
#include <sdimage/plugins/svg.h>
#include <sdimage/plugins/tiff.h>

#include "../coder.hpp"

namespace sdimage {
namespace plugins {

// Register the coder, or name it in a request.
inline coder av_coder() {
    return detail::make<coder>(sdimage_av_coder_new);
}
inline coder avif_coder() {
    return detail::make<coder>(sdimage_avif_coder_new);
}
inline coder heif_coder() {
    return detail::make<coder>(sdimage_heif_coder_new);
}
inline coder jxl_coder() {
    return detail::make<coder>(sdimage_jxl_coder_new);
}
inline coder pdf_coder() {
    return detail::make<coder>(sdimage_pdf_coder_new);
}
inline coder svg_coder() {
    return detail::make<coder>(sdimage_svg_coder_new);
}
inline coder tiff_coder() {
    return detail::make<coder>(sdimage_tiff_coder_new);
}

// The versions of the libraries in use.
inline std::string_view av_library_version() noexcept {
    return sdimage_av_library_version();
}
inline std::string_view jxl_library_version() noexcept {
    return sdimage_jxl_library_version();
}
inline std::string_view pdf_library_version() noexcept {
    return sdimage_pdf_library_version();
}
inline std::string_view svg_library_version() noexcept {
    return sdimage_svg_library_version();
}
inline std::string_view tiff_library_version() noexcept {
    return sdimage_tiff_library_version();
}

// The number of pages; 0 for bytes of another format, or if the coder is not registered. The page to decode is an
// option: SDIMAGE_PDF_PAGE, SDIMAGE_TIFF_PAGE.
inline std::uint32_t pdf_page_count(bytes_view bytes) noexcept {
    return sdimage_pdf_page_count(bytes.data(), bytes.size());
}
inline std::uint32_t tiff_page_count(bytes_view bytes) noexcept {
    return sdimage_tiff_page_count(bytes.data(), bytes.size());
}

} // namespace plugins
} // namespace sdimage

#endif
