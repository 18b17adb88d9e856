// batch.hpp: many images of one size in one array.
//
//   batch_options options(224, 224);
//   std::vector<std::uint8_t> pixels(options.array_size(urls.size()));
//   batch begun = load_batch(loads, options, urls, pixels);
//   begun.wait();
//   begun.failures();        // the slots that were left unchanged, and the errors
#ifndef SDIMAGE_BATCH_HPP
#define SDIMAGE_BATCH_HPP

#include "getters.hpp"
#include "prefetcher.hpp"

namespace sdimage {

// The size and layout of all images of a batch. Class: single-owner.
class batch_options : public detail::owned<sdimage_batch_options, sdimage_batch_options_unref>,
                      public detail::batch_options_getters<batch_options> {
public:
    using owned::owned;
    batch_options(std::uint32_t width, std::uint32_t height)
        : owned(detail::made(sdimage_batch_options_new(width, height))) {}
    // The C functions of the same names: batch.h.
    batch_options &set_pixel_format(sdimage::pixel_format value) &noexcept {
        return sdimage_batch_options_set_pixel_format(get(), detail::c(value)), *this;
    }
    batch_options &&set_pixel_format(sdimage::pixel_format value) &&noexcept {
        return std::move(set_pixel_format(value));
    }
    batch_options &set_scale_mode(sdimage::scale_mode mode) &noexcept {
        return sdimage_batch_options_set_scale_mode(get(), detail::c(mode)), *this;
    }
    batch_options &&set_scale_mode(sdimage::scale_mode mode) &&noexcept { return std::move(set_scale_mode(mode)); }
    batch_options &set_background_color(color value) &noexcept {
        return sdimage_batch_options_set_background_color(get(), value), *this;
    }
    batch_options &&set_background_color(color value) &&noexcept { return std::move(set_background_color(value)); }
    batch_options &set_strides(std::size_t row, std::size_t picture) &noexcept {
        return sdimage_batch_options_set_strides(get(), row, picture), *this;
    }
    batch_options &&set_strides(std::size_t row, std::size_t picture) &&noexcept {
        return std::move(set_strides(row, picture));
    }
    batch_options &set_request(const sdimage::request &value) &noexcept {
        return sdimage_batch_options_set_request(get(), value.get()), *this;
    }
    batch_options &&set_request(const sdimage::request &value) &&noexcept { return std::move(set_request(value)); }
    batch_options &set_max_concurrent(std::uint32_t count) &noexcept {
        return sdimage_batch_options_set_max_concurrent(get(), count), *this;
    }
    batch_options &&set_max_concurrent(std::uint32_t count) &&noexcept { return std::move(set_max_concurrent(count)); }
    batch_options &set_dispatcher(const sdimage::dispatcher &value) &noexcept {
        return sdimage_batch_options_set_dispatcher(get(), value.get()), *this;
    }
    batch_options &&set_dispatcher(const sdimage::dispatcher &value) &&noexcept {
        return std::move(set_dispatcher(value));
    }
    std::size_t array_size(std::size_t count) const noexcept { return sdimage_batch_options_array_size(get(), count); }
};

// A batch in progress: a group that writes into a borrowed array. The destructor cancels what has not finished; nothing
// is written after that.
class batch : public prefetch_group {
public:
    batch() = default;
    explicit batch(prefetch_group group) noexcept : prefetch_group(std::move(group)) {}
    batch(batch &&) noexcept = default;
    batch &operator=(batch &&other) noexcept {
        if (this != &other) end();
        prefetch_group::operator=(std::move(other));
        return *this;
    }
    ~batch() { end(); }

private:
    void end() const noexcept {
        if (*this) cancel();
    }
};

// Starts a batch: the image of urls[i] is written to slot i of `pixels`, which must outlive the batch. The handler
// (prefetcher.hpp) is notified of each; it may be empty.
inline batch load_batch(const manager &with, const batch_options &options, span<const std::string> urls,
                        span<std::uint8_t> pixels, std::unique_ptr<prefetch_handler> handler = nullptr) {
    const detail::url_list list(urls);
    return batch(detail::begun(std::move(handler), sdimage_manager_load_batch, with.get(), options.get(),
                               list.texts.data(), list.lengths.data(), list.texts.size(),
                               static_cast<void *>(pixels.data()), pixels.size()));
}

} // namespace sdimage

#endif
