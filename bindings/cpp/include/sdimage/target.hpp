// target.hpp: images for the widgets of a program, with any toolkit.
#ifndef SDIMAGE_TARGET_HPP
#define SDIMAGE_TARGET_HPP

#include "getters.hpp"
#include "manager.hpp"
#include "player.hpp"

namespace sdimage {

// Display options of one load of a target. Class: single-owner.
class target_options : public detail::owned<sdimage_target_options, sdimage_target_options_unref>,
                       public detail::target_options_getters<target_options> {
public:
    using owned::owned;
    target_options() : owned(detail::made(sdimage_target_options_new())) {}
    // The C functions of the same names: target.h.
    target_options &set_key(std::optional<std::string_view> key) & {
        return sdimage_target_options_set_key(get(), detail::optional_text(key)), *this;
    }
    target_options &&set_key(std::optional<std::string_view> key) && { return std::move(set_key(key)); }
    target_options &set_manager(const sdimage::manager &value) &noexcept {
        return sdimage_target_options_set_manager(get(), value.get()), *this;
    }
    target_options &&set_manager(const sdimage::manager &value) &&noexcept { return std::move(set_manager(value)); }
    target_options &set_placeholder(const image &value) &noexcept {
        return sdimage_target_options_set_placeholder(get(), value.get()), *this;
    }
    target_options &&set_placeholder(const image &value) &&noexcept { return std::move(set_placeholder(value)); }
    target_options &set_blurhash(std::string_view text, std::uint32_t width, std::uint32_t height) &noexcept {
        return sdimage_target_options_set_blurhash(get(), text.data(), text.size(), width, height), *this;
    }
    target_options &&set_blurhash(std::string_view text, std::uint32_t width, std::uint32_t height) &&noexcept {
        return std::move(set_blurhash(text, width, height));
    }
    target_options &set_thumbhash(bytes_view hash) &noexcept {
        return sdimage_target_options_set_thumbhash(get(), hash.data(), hash.size()), *this;
    }
    target_options &&set_thumbhash(bytes_view hash) &&noexcept { return std::move(set_thumbhash(hash)); }
    target_options &set_placeholder_time(sdimage::placeholder_time time) &noexcept {
        return sdimage_target_options_set_placeholder_time(get(), detail::c(time)), *this;
    }
    target_options &&set_placeholder_time(sdimage::placeholder_time time) &&noexcept {
        return std::move(set_placeholder_time(time));
    }
    target_options &set_cached_placeholder(sdimage::cached_placeholder cached) &noexcept {
        return sdimage_target_options_set_cached_placeholder(get(), detail::c(cached)), *this;
    }
    target_options &&set_cached_placeholder(sdimage::cached_placeholder cached) &&noexcept {
        return std::move(set_cached_placeholder(cached));
    }
    target_options &set_previous_load(sdimage::previous_load previous) &noexcept {
        return sdimage_target_options_set_previous_load(get(), detail::c(previous)), *this;
    }
    target_options &&set_previous_load(sdimage::previous_load previous) &&noexcept {
        return std::move(set_previous_load(previous));
    }
    target_options &set_image_setting(sdimage::image_setting setting) &noexcept {
        return sdimage_target_options_set_image_setting(get(), detail::c(setting)), *this;
    }
    target_options &&set_image_setting(sdimage::image_setting setting) &&noexcept {
        return std::move(set_image_setting(setting));
    }
    target_options &set_transition_rule(sdimage::transition_rule rule) &noexcept {
        return sdimage_target_options_set_transition_rule(get(), detail::c(rule)), *this;
    }
    target_options &&set_transition_rule(sdimage::transition_rule rule) &&noexcept {
        return std::move(set_transition_rule(rule));
    }
    target_options &set_show_image_in_transition(bool show) &noexcept {
        return sdimage_target_options_set_show_image_in_transition(get(), show), *this;
    }
    target_options &&set_show_image_in_transition(bool show) &&noexcept {
        return std::move(set_show_image_in_transition(show));
    }
    target_options &set_wait_for_transition(bool wait) &noexcept {
        return sdimage_target_options_set_wait_for_transition(get(), wait), *this;
    }
    target_options &&set_wait_for_transition(bool wait) &&noexcept { return std::move(set_wait_for_transition(wait)); }
    // A `duration_ms` of 0 means 500 milliseconds.
    target_options &set_transition(sdimage::transition value, std::uint32_t duration_ms = 0) &noexcept {
        return sdimage_target_options_set_transition(get(), detail::c(value), duration_ms), *this;
    }
    target_options &&set_transition(sdimage::transition value, std::uint32_t duration_ms = 0) &&noexcept {
        return std::move(set_transition(value, duration_ms));
    }
};

// Base class for widgets. All calls come on the target's dispatcher, in order. Images and results are borrowed: copy
// them to hold them.
class widget {
public:
    virtual ~widget() = default;
    // Shows an image; an empty one clears the widget. The result is empty for a placeholder.
    virtual void set_image(std::string_view key, const image &picture, const result &from) = 0;
    virtual void indicator_start(std::string_view) {}
    virtual void indicator_stop(std::string_view) {}
    virtual void indicator_update(std::string_view, double) {}

private:
    friend class animated_widget;
    friend class target;
    bool has_transitions_ = false;
};

// A widget with transitions: called around set_image, before it, right after it, and at the end of the duration.
class animated_widget : public widget {
public:
    animated_widget() noexcept { has_transitions_ = true; }
    virtual void transition_prepare(std::string_view, transition, std::uint32_t, const image &, const result &) {}
    virtual void transition_animate(std::string_view, transition, std::uint32_t, const image &) {}
    virtual void transition_end(std::string_view, bool) {}
};

namespace detail {

inline void set_showing(sdimage_target_vtable &table) {
    table.set_image = [](void *self, const char *key, sdimage_image *picture, sdimage_result *from) {
        const lent<image> image_lent(picture);
        const lent<result> result_lent(from);
        guarded([&] { state<widget>(self).set_image(view(key), *image_lent, *result_lent); });
    };
    table.indicator_start = [](void *self, const char *key) {
        guarded([&] { state<widget>(self).indicator_start(view(key)); });
    };
    table.indicator_stop = [](void *self, const char *key) {
        guarded([&] { state<widget>(self).indicator_stop(view(key)); });
    };
    table.indicator_update = [](void *self, const char *key, double fraction) {
        guarded([&] { state<widget>(self).indicator_update(view(key), fraction); });
    };
}

// The state is stored as a widget pointer; casts it back to the derived class. widget is no virtual base.
inline animated_widget &animated(void *self) noexcept {
    return static_cast<animated_widget &>(state<widget>(self));
}

inline void set_transitions(sdimage_target_vtable &table) {
    table.transition_prepare = [](void *self, const char *key, sdimage_transition kind, std::uint32_t duration_ms,
                                  sdimage_image *picture, sdimage_result *from) {
        const lent<image> image_lent(picture);
        const lent<result> result_lent(from);
        guarded([&] {
            animated(self).transition_prepare(view(key), static_cast<transition>(kind), duration_ms, *image_lent,
                                              *result_lent);
        });
    };
    table.transition_animate = [](void *self, const char *key, sdimage_transition kind, std::uint32_t duration_ms,
                                  sdimage_image *picture) {
        const lent<image> image_lent(picture);
        guarded([&] {
            animated(self).transition_animate(view(key), static_cast<transition>(kind), duration_ms, *image_lent);
        });
    };
    table.transition_end = [](void *self, const char *key, bool finished) {
        guarded([&] { animated(self).transition_end(view(key), finished); });
    };
}

// A widget with only set_image, from a lambda: (key, const image &, const result &).
template <class F> class lambda_widget final : public widget {
public:
    explicit lambda_widget(F show) : show_(std::move(show)) {}
    void set_image(std::string_view key, const image &picture, const result &from) override {
        show_(key, picture, from);
    }

private:
    F show_;
};

} // namespace detail

// The loads of a widget: a new load cancels the previous one, and no late result is shown. Keys name slots; no key
// means the default slot. Class: synchronized.
class target : public detail::shared<sdimage_target, sdimage_target_ref, sdimage_target_unref>,
               public detail::target_getters<target> {
public:
    using shared::shared;
    // An empty dispatcher means the callback thread of the library. The widget is destroyed after its last call.
    static target create(const manager &with, std::unique_ptr<widget> shown, const dispatcher &where = {}) {
        const sdimage_target_vtable table = functions(shown && shown->has_transitions_);
        return detail::handed_over<target>(std::move(shown), sdimage_target_new, with.get(), where.get(), &table);
    }
    // Calls show(std::string_view key, const image &, const result &).
    template <class F,
              class = std::enable_if_t<std::is_invocable_v<F &, std::string_view, const image &, const result &>>>
    static target create(const manager &with, F show, const dispatcher &where = {}) {
        return create(with, std::unique_ptr<widget>(new detail::lambda_widget<F>(std::move(show))), where);
    }

    // Loads into a slot. An empty request shows the placeholder and ends with INVALID_URL. The callbacks are those of
    // manager::start; the task is empty without a URL.
    template <class R = detail::nothing, class P = detail::nothing>
    task load(const request &wanted, const target_options &how = nullptr, R on_result = {}, P on_progress = {}) const {
        return detail::started(std::move(on_result), std::move(on_progress),
                               [&](auto *table, void *state, auto destroy, auto **begun, auto **why) {
                                   return sdimage_target_load(get(), wanted.get(), how.get(), table, state, destroy,
                                                              begun, why);
                               });
    }
    // The C functions of the same names: target.h.
    void close() const noexcept { sdimage_target_close(get()); }
    void cancel(std::optional<std::string_view> key = {}) const {
        sdimage_target_cancel(get(), detail::optional_text(key));
    }
    void cancel_latest() const noexcept { sdimage_target_cancel_latest(get()); }
    void set_priority(sdimage::priority value, std::optional<std::string_view> key = {}) const {
        sdimage_target_set_priority(get(), detail::optional_text(key), detail::c(value));
    }
    sdimage::task task(std::optional<std::string_view> key = {}) const {
        return detail::copied<sdimage::task>(sdimage_target_get_task, get(), detail::optional_text(key));
    }
    void remove_task(std::optional<std::string_view> key = {}) const {
        sdimage_target_remove_task(get(), detail::optional_text(key));
    }
    // An empty view removes the current one.
    void set_view(const animated_view &view, std::optional<std::string_view> key = {}) const {
        sdimage_target_set_view(get(), detail::optional_text(key), view.get());
    }
    void set_task(const sdimage::task &own, std::optional<std::string_view> key = {}) const {
        sdimage_target_set_task(get(), detail::optional_text(key), own.get());
    }
    // Returns "" when there was none.
    std::string latest_key() const {
        return std::string(detail::copied<data>(sdimage_target_get_latest_key, get()).text());
    }
    std::string url(std::optional<std::string_view> key = {}) const {
        return std::string(detail::copied<data>(sdimage_target_get_url, get(), detail::optional_text(key)).text());
    }

protected:
    // A target of a widget with another owner, which closes the target before it is destroyed.
    static target borrowing(const manager &with, widget &shown, const dispatcher &where) {
        const sdimage_target_vtable table = functions(shown.has_transitions_);
        return detail::make<target>(sdimage_target_new, with.get(), where.get(), &table, static_cast<void *>(&shown),
                                    nullptr);
    }

private:
    static sdimage_target_vtable functions(bool has_transitions) noexcept {
        auto table = detail::empty_table<sdimage_target_vtable>();
        detail::set_showing(table);
        if (has_transitions) detail::set_transitions(table);
        return table;
    }
};

// A widget that is its own target, as a base class of a widget of the program:
//
//   class cell final : public toolkit::label, public widget_target<> {
//   public:
//       explicit cell(const manager &with) : widget_target(with, main_loop()) {}
//       void set_image(std::string_view, const image &picture, const result &) override { draw(picture); }
//   };
//   cell.load(request(url));
//
// The program owns it and destroys it on the dispatcher's thread, where no call can interrupt the destructor; loads
// under way end with CANCELLED. This destructor reports them after that of the derived class: a class whose handlers
// use its members calls close() in its own. `W` is widget or animated_widget.
template <class W = widget> class widget_target : public W, public target {
    static_assert(std::is_base_of_v<widget, W>);

public:
    widget_target(const widget_target &) = delete;
    widget_target &operator=(const widget_target &) = delete;
    ~widget_target() override { this->close(); }

protected:
    widget_target(const manager &with, const dispatcher &where)
        : target(target::borrowing(with, *static_cast<widget *>(this), where)) {}
};

} // namespace sdimage

#endif
