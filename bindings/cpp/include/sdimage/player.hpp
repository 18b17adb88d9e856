// player.hpp: animation playback, and still or animated images in a widget.
#ifndef SDIMAGE_PLAYER_HPP
#define SDIMAGE_PLAYER_HPP

#include "animation.hpp"
#include "getters.hpp"
#include "task.hpp"

namespace sdimage {

// A playing animation. Callbacks run on the thread that calls tick, advance or seek, or on the clock's dispatcher.
// Class: synchronized.
class player : public detail::shared<sdimage_player, sdimage_player_ref, sdimage_player_unref>,
               public detail::player_getters<player> {
public:
    using shared::shared;
    static player of(const image &picture) {
        return detail::make<player>(sdimage_player_new, picture.get(), nullptr, nullptr, nullptr);
    }
    static player of(const frame_provider &frames) {
        return detail::make<player>(sdimage_player_new_provider, frames.get(), nullptr, nullptr, nullptr);
    }
    // Calls on_frame(const player &, index, const image &) to draw a frame, and on_loop(const player &, count) at the
    // end of a loop.
    template <class F, class L = detail::nothing> static player of(const image &picture, F on_frame, L on_loop = {}) {
        const sdimage_player_handler table = handler<F, L>();
        return detail::make<player>(
            sdimage_player_new, picture.get(), &table,
            static_cast<void *>(detail::paired(std::move(on_frame), std::move(on_loop)).release()),
            &detail::destroyed<detail::pair_of<F, L>>);
    }
    template <class F, class L = detail::nothing>
    static player of(const frame_provider &frames, F on_frame, L on_loop = {}) {
        const sdimage_player_handler table = handler<F, L>();
        return detail::make<player>(
            sdimage_player_new_provider, frames.get(), &table,
            static_cast<void *>(detail::paired(std::move(on_frame), std::move(on_loop)).release()),
            &detail::destroyed<detail::pair_of<F, L>>);
    }
    // Sets the clock. The library's clock calls on the dispatcher; empty means the callback thread of the library.
    void set_clock(player_clock clock, const dispatcher &where = {}) const {
        detail::run(sdimage_player_set_clock, get(), detail::c(clock), where.get());
    }
    void seek(std::uint32_t index, std::uint32_t loop_count = 0) const {
        detail::run(sdimage_player_seek, get(), index, loop_count);
    }
    // The C functions of the same names: player.h.
    void start() const noexcept { sdimage_player_start(get()); }
    void pause() const noexcept { sdimage_player_pause(get()); }
    void stop() const noexcept { sdimage_player_stop(get()); }
    void clear_frame_buffer() const noexcept { sdimage_player_clear_frame_buffer(get()); }
    void update() const noexcept { sdimage_player_update(get()); }
    bool tick(std::uint64_t nanoseconds) const noexcept { return sdimage_player_tick(get(), nanoseconds); }
    int descriptor() const noexcept { return sdimage_player_descriptor(get()); }
    bool advance() const noexcept { return sdimage_player_advance(get()); }
    void set_rate(double rate) const noexcept { sdimage_player_set_rate(get(), rate); }
    double rate() const noexcept { return sdimage_player_rate(get()); }
    void set_mode(playback_mode mode) const noexcept { sdimage_player_set_mode(get(), detail::c(mode)); }
    playback_mode mode() const noexcept { return static_cast<playback_mode>(sdimage_player_mode(get())); }
    void set_loop_limit(std::uint32_t loops) const noexcept { sdimage_player_set_loop_limit(get(), loops); }
    void reset_loop_limit() const noexcept { sdimage_player_reset_loop_limit(get()); }
    std::uint32_t loop_limit() const noexcept { return sdimage_player_loop_limit(get()); }
    void set_frame_count(std::uint32_t frames) const noexcept { sdimage_player_set_frame_count(get(), frames); }
    void reset_frame_count() const noexcept { sdimage_player_reset_frame_count(get()); }
    std::uint32_t frame_count() const noexcept { return sdimage_player_frame_count(get()); }
    void set_max_buffer_size(std::size_t bytes) const noexcept { sdimage_player_set_max_buffer_size(get(), bytes); }
    std::size_t max_buffer_size() const noexcept { return sdimage_player_max_buffer_size(get()); }
    void set_drop_late_frames(bool drops) const noexcept { sdimage_player_set_drop_late_frames(get(), drops); }
    bool should_drop_late_frames() const noexcept { return sdimage_player_should_drop_late_frames(get()); }
    void set_decode_when_due(bool decodes) const noexcept { sdimage_player_set_decode_when_due(get(), decodes); }
    bool should_decode_when_due() const noexcept { return sdimage_player_should_decode_when_due(get()); }
    bool is_playing() const noexcept { return sdimage_player_is_playing(get()); }
    image frame() const noexcept { return detail::copied<image>(sdimage_player_get_frame, get()); }
    std::uint32_t frame_index() const noexcept { return sdimage_player_frame_index(get()); }
    std::uint32_t loop_count() const noexcept { return sdimage_player_loop_count(get()); }
    std::uint32_t buffered_frames() const noexcept { return sdimage_player_buffered_frames(get()); }
    std::uint64_t shown_frames() const noexcept { return sdimage_player_shown_frames(get()); }
    std::uint64_t late_frames() const noexcept { return sdimage_player_late_frames(get()); }
    std::uint64_t dropped_frames() const noexcept { return sdimage_player_dropped_frames(get()); }
    std::uint64_t failed_frames() const noexcept { return sdimage_player_failed_frames(get()); }

private:
    template <class F, class L> static sdimage_player_handler handler() noexcept {
        using state = detail::pair_of<F, L>;
        auto table = detail::empty_table<sdimage_player_handler>();
        table.frame = [](void *self, sdimage_player *from, std::uint32_t index, const sdimage_image *picture) {
            const detail::lent<player> player_lent(from);
            const detail::lent<image> image_lent(picture);
            detail::guarded([&] { detail::state<state>(self).first(*player_lent, index, *image_lent); });
        };
        if constexpr (detail::given<L>) {
            table.loop = [](void *self, sdimage_player *from, std::uint32_t count) {
                const detail::lent<player> player_lent(from);
                detail::guarded([&] { detail::state<state>(self).second(*player_lent, count); });
            };
        }
        return table;
    }
};

// The contents of a widget: a still, an animation, or an image that is still loading. Class: synchronized.
class animated_view
    : public detail::shared<sdimage_animated_view, sdimage_animated_view_ref, sdimage_animated_view_unref>,
      public detail::animated_view_getters<animated_view> {
public:
    using shared::shared;
    // Calls on_show(const animated_view &, const image &) to draw an image, which is empty for nothing, and
    // on_loop(const animated_view &, count) at the end of a loop.
    template <class S, class L = detail::nothing> static animated_view create(S on_show, L on_loop = {}) {
        using state = detail::pair_of<S, L>;
        auto table = detail::empty_table<sdimage_animated_view_handler>();
        table.show = [](void *self, sdimage_animated_view *from, const sdimage_image *picture) {
            const detail::lent<animated_view> view_lent(from);
            const detail::lent<sdimage::image> image_lent(picture);
            detail::guarded([&] { detail::state<state>(self).first(*view_lent, *image_lent); });
        };
        if constexpr (detail::given<L>) {
            table.loop = [](void *self, sdimage_animated_view *from, std::uint32_t count) {
                const detail::lent<animated_view> view_lent(from);
                detail::guarded([&] { detail::state<state>(self).second(*view_lent, count); });
            };
        }
        return detail::make<animated_view>(
            sdimage_animated_view_new, &table,
            static_cast<void *>(detail::paired(std::move(on_show), std::move(on_loop)).release()),
            &detail::destroyed<state>);
    }
    // Creates a view without callbacks: draw image().
    static animated_view create() {
        return detail::make<animated_view>(sdimage_animated_view_new, nullptr, nullptr, nullptr);
    }
    void set_clock(player_clock clock, const dispatcher &where = {}) const {
        detail::run(sdimage_animated_view_set_clock, get(), detail::c(clock), where.get());
    }
    // The C functions of the same names: animated_view.h.
    void set_image(const sdimage::image &value) const {
        detail::run(sdimage_animated_view_set_image, get(), value.get());
    }
    sdimage::image image() const noexcept {
        return detail::copied<sdimage::image>(sdimage_animated_view_get_image, get());
    }
    sdimage::player player() const noexcept {
        return detail::copied<sdimage::player>(sdimage_animated_view_get_player, get());
    }
    void set_visible(bool visible) const noexcept { sdimage_animated_view_set_visible(get(), visible); }
    bool is_visible() const noexcept { return sdimage_animated_view_is_visible(get()); }
    void start() const noexcept { sdimage_animated_view_start(get()); }
    void stop() const noexcept { sdimage_animated_view_stop(get()); }
    bool is_animating() const noexcept { return sdimage_animated_view_is_animating(get()); }
    bool tick(std::uint64_t nanoseconds) const noexcept { return sdimage_animated_view_tick(get(), nanoseconds); }
    int descriptor() const noexcept { return sdimage_animated_view_descriptor(get()); }
    bool advance() const noexcept { return sdimage_animated_view_advance(get()); }
    void set_autoplay(bool autoplay) const noexcept { sdimage_animated_view_set_autoplay(get(), autoplay); }
    bool should_autoplay() const noexcept { return sdimage_animated_view_should_autoplay(get()); }
    void set_loop_limit(std::uint32_t loops) const noexcept { sdimage_animated_view_set_loop_limit(get(), loops); }
    void reset_loop_limit() const noexcept { sdimage_animated_view_reset_loop_limit(get()); }
    void set_incremental(bool incremental) const noexcept { sdimage_animated_view_set_incremental(get(), incremental); }
    bool is_incremental() const noexcept { return sdimage_animated_view_is_incremental(get()); }
    void set_clear_buffer_when_stopped(bool clears) const noexcept {
        sdimage_animated_view_set_clear_buffer_when_stopped(get(), clears);
    }
    bool should_clear_buffer_when_stopped() const noexcept {
        return sdimage_animated_view_should_clear_buffer_when_stopped(get());
    }
    void set_rewind_when_stopped(bool rewinds) const noexcept {
        sdimage_animated_view_set_rewind_when_stopped(get(), rewinds);
    }
    bool should_rewind_when_stopped() const noexcept { return sdimage_animated_view_should_rewind_when_stopped(get()); }
    void set_transformer(const sdimage::transformer &value) const noexcept {
        sdimage_animated_view_set_transformer(get(), value.get());
    }
    void set_rate(double rate) const noexcept { sdimage_animated_view_set_rate(get(), rate); }
    double rate() const noexcept { return sdimage_animated_view_rate(get()); }
    void set_mode(playback_mode mode) const noexcept { sdimage_animated_view_set_mode(get(), detail::c(mode)); }
    playback_mode mode() const noexcept { return static_cast<playback_mode>(sdimage_animated_view_mode(get())); }
    void set_max_buffer_size(std::size_t bytes) const noexcept {
        sdimage_animated_view_set_max_buffer_size(get(), bytes);
    }
    std::size_t max_buffer_size() const noexcept { return sdimage_animated_view_max_buffer_size(get()); }
    void set_drop_late_frames(bool drops) const noexcept { sdimage_animated_view_set_drop_late_frames(get(), drops); }
    bool should_drop_late_frames() const noexcept { return sdimage_animated_view_should_drop_late_frames(get()); }
    void set_decode_when_due(bool decodes) const noexcept { sdimage_animated_view_set_decode_when_due(get(), decodes); }
    bool should_decode_when_due() const noexcept { return sdimage_animated_view_should_decode_when_due(get()); }
};

} // namespace sdimage

#endif
