// animation.hpp: frame providers for players, from images, decoders or the program; and the shared frame budget.
#ifndef SDIMAGE_ANIMATION_HPP
#define SDIMAGE_ANIMATION_HPP

#include "codec.hpp"
#include "transformer.hpp"

namespace sdimage {

// Base class for make_frames. Called on any thread, on several at once. A function that a class does not override has
// the library's default. Overrides must be public.
class custom_frames {
public:
    virtual ~custom_frames() = default;
    virtual std::uint32_t frame_count() = 0;
    // Returns a frame; all frames have the same size. May block.
    virtual image frame(std::uint32_t index) = 0;
    // Defaults to 100.
    virtual std::uint32_t duration_ms(std::uint32_t) { return 100; }
    // 0, the default, repeats forever.
    virtual std::uint32_t loop_count() { return 0; }
    // Reports whether more frames may be added.
    virtual bool is_growing() { return false; }
    // Returns the encoded bytes of all frames. Empty, the default, when there are none.
    virtual data bytes() { return {}; }
};

// Class: synchronized.
class frame_provider
    : public detail::shared<sdimage_frame_provider, sdimage_frame_provider_ref, sdimage_frame_provider_unref> {
public:
    using shared::shared;
    static frame_provider of(const image &picture) {
        return detail::make<frame_provider>(sdimage_frame_provider_new_image, picture.get());
    }
    // Also accepts a decoder that is still being fed.
    static frame_provider of(const decoder &fed) {
        return detail::make<frame_provider>(sdimage_frame_provider_new_decoder, fed.get());
    }
    frame_provider transformed(const transformer &change) const {
        return detail::make<frame_provider>(sdimage_frame_provider_new_transformed, get(), change.get());
    }
    // The C functions of the same names: player.h and sys/frames.h.
    std::uint32_t frame_count() const noexcept { return sdimage_frame_provider_frame_count(get()); }
    std::uint32_t loop_count() const noexcept { return sdimage_frame_provider_loop_count(get()); }
    bool is_growing() const noexcept { return sdimage_frame_provider_is_growing(get()); }
    std::uint32_t duration_ms(std::uint32_t index) const noexcept {
        return sdimage_frame_provider_duration_ms(get(), index);
    }
    sdimage::image frame(std::uint32_t index) const {
        return detail::make<sdimage::image>(sdimage_frame_provider_get_frame, get(), index);
    }
    sdimage::data data() const { return detail::make<sdimage::data>(sdimage_frame_provider_get_data, get()); }
    sdimage::image image() const { return detail::make<sdimage::image>(sdimage_image_new_provider, get()); }
};

// A frame provider backed by an object of T, which is constructed here from `arguments`.
template <class T, class... A> frame_provider make_frames(A &&...arguments) {
    static_assert(std::is_base_of_v<custom_frames, T>);
    auto table = detail::empty_table<sdimage_frame_provider_vtable>();
    table.frame_count = [](void *self) {
        return detail::guarded(std::uint32_t(0), [&] { return detail::state<T>(self).frame_count(); });
    };
    table.frame = [](void *self, std::uint32_t index, sdimage_image **into, sdimage_error **why) {
        return detail::answered(why, [&] { *into = detail::state<T>(self).frame(index).release(); });
    };
    table.duration_ms = [](void *self, std::uint32_t index) {
        return detail::guarded(std::uint32_t(100), [&] { return detail::state<T>(self).duration_ms(index); });
    };
    table.loop_count = [](void *self) {
        return detail::guarded(std::uint32_t(0), [&] { return detail::state<T>(self).loop_count(); });
    };
    table.is_growing = [](void *self) {
        return detail::guarded(false, [&] { return detail::state<T>(self).is_growing(); });
    };
    table.bytes = [](void *self) {
        return detail::guarded(static_cast<sdimage_data *>(nullptr),
                               [&] { return detail::state<T>(self).bytes().release(); });
    };
    return detail::handed_over<frame_provider>(std::make_unique<T>(std::forward<A>(arguments)...),
                                               sdimage_frame_provider_new_custom, &table);
}

// The limit in bytes for the frames that all players of the process hold together; and statistics about it, as JSON.
inline void set_frame_budget(std::size_t bytes) noexcept {
    sdimage_frame_budget_set_limit(bytes);
}
inline std::size_t frame_budget() noexcept {
    return sdimage_frame_budget_limit();
}
inline sdimage_frame_budget_statistics frame_budget_statistics() {
    sdimage_frame_budget_statistics found{};
    found.size = sizeof found;
    detail::run(sdimage_frame_budget_get_statistics, &found);
    return found;
}
inline std::string frame_budget_statistics_to_json() {
    return std::string(detail::make<data>(sdimage_frame_budget_statistics_to_json).text());
}

} // namespace sdimage

#endif
