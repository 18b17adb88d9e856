// coder.hpp: custom coders, and the registered ones.
#ifndef SDIMAGE_CODER_HPP
#define SDIMAGE_CODER_HPP

#include "codec.hpp"

namespace sdimage {

// Class: immutable.
class coder : public detail::shared<sdimage_coder, sdimage_coder_ref, sdimage_coder_unref> {
public:
    using shared::shared;
    // Names are "basic", "gif", "jpeg", …; throws NOT_FOUND.
    static coder builtin(std::string_view name) {
        return detail::make<coder>(sdimage_coder_get_builtin, detail::text(name));
    }
    // The registered coders in the order in which they are tried.
    static std::vector<coder> registered() {
        std::vector<coder> all;
        for (std::size_t i = 0; i < sdimage_coder_registered_count(); i++)
            all.push_back(detail::make<coder>(sdimage_coder_get_registered, i));
        return all;
    }
    // Unregisters all coders; registers the built-in ones again, below those of the program.
    static void unregister_all() noexcept { sdimage_coder_unregister_all(); }
    static void register_builtin() noexcept { sdimage_coder_register_builtin(); }

    std::string_view name() const &noexcept { return detail::view(sdimage_coder_name(get())); }
    std::string name() && { return std::string(detail::view(sdimage_coder_name(get()))); }
    // Registers the coder for this process. From the next decode on it is tried before all others.
    void add() const { detail::run(sdimage_coder_register, get()); }
    // Unregisters the coder. Throws NOT_FOUND when it is not registered.
    void remove() const { detail::run(sdimage_coder_unregister, get()); }
};

inline decoder decoder::create(const decode_options &how, const coder &by) {
    return detail::make<decoder>(sdimage_decoder_new, how.get(), by.get());
}
inline decoder decoder::of(const source &bytes, const decode_options &how, const coder &by) {
    return detail::make<decoder>(sdimage_decoder_new_source, bytes.get(), how.get(), by.get());
}

// --- Custom coders.

// A progressive or animated image, created by custom_coder::open. update, current and frame are called by one thread at
// a time. Other threads may call the counts and durations at the same time.
class custom_picture {
public:
    virtual ~custom_picture() = default;
    // Receives all bytes so far, valid only during the call. Not called for images of a source.
    virtual void update(bytes_view bytes, bool finished) = 0;
    // The best image so far; the first frame of an animation; empty when there is none.
    virtual image current() = 0;
    // A still has one frame. Frames of an animation are composed to the whole canvas.
    virtual std::uint32_t frame_count() { return 1; }
    virtual std::uint32_t loop_count() { return 0; }
    virtual std::uint32_t duration_ms(std::uint32_t) { return 0; }
    virtual image frame(std::uint32_t) { return current(); }
};

// Base class for make_coder. Called on worker threads, on several at once. The library does the scaling, rotation,
// color and pixel format conversion. Functions that a class does not override are NULL in the table; the library then
// knows that this coder does not support them. Overrides must be public.
class custom_coder {
public:
    virtual ~custom_coder() = default;
    virtual bool can_decode(bytes_view bytes) = 0;
    // Returns true for the formats of the coder: a decode may name one for bytes that no coder recognizes.
    virtual bool can_decode_format(format) { return false; }
    // Decodes the first image. how.options() are the values of the request.
    virtual image decode(bytes_view bytes, const decode_options &how) = 0;

    // Override both or neither. encode must not return an empty handle.
    virtual bool can_encode(format) { return false; }
    virtual data encode(const image &, format, const encode_options &) { return {}; }
    // Open progressive or animated images: from bytes as they arrive, or from a source that is read as needed.
    virtual std::unique_ptr<custom_picture> open(const decode_options &) { return {}; }
    virtual std::unique_ptr<custom_picture> open_source(const source &, const decode_options &) { return {}; }
    // Draws a vector image at a size in pixels.
    virtual image render(bytes_view, const decode_options &, size) { return {}; }
    // Reports header properties through the setters of metadata; describe is for properties that depend on the options.
    virtual void info(bytes_view, metadata &) {}
    virtual void describe(bytes_view, const decode_options &, metadata &) {}
    // For libraries that cannot be interrupted: the stack size in bytes of the separate threads that calls run on and
    // may be abandoned on (sys/coder.h).
    virtual std::size_t detached_stack() const noexcept { return 0; }
};

namespace detail {

inline custom_picture &picture(void *instance) noexcept {
    return *static_cast<custom_picture *>(instance);
}

// Returns the image of a coder, or the status need_more_data when it is empty.
inline status put(sdimage_image **into, image made) {
    if (!made) return status::need_more_data;
    *into = made.release();
    return status::ok;
}
inline void put_always(sdimage_image **into, image made) {
    if (!made) throw error(status::bad_data, "coder: no image returned");
    *into = made.release();
}
inline void put_always(sdimage_data **into, data made) {
    if (!made) throw error(status::encode_failed, "coder: no data returned");
    *into = made.release();
}
inline void put_instance(void **into, std::unique_ptr<custom_picture> made) {
    if (!made) throw error(status::unsupported, "coder: no stream returned");
    *into = made.release();
}

// The functions of progressive and animated images.
inline void set_instances(sdimage_coder_vtable &table) {
    table.instance_update = [](void *, void *instance, const void *bytes, std::size_t length, bool finished,
                               sdimage_error **why) {
        return answered(why, [&] { picture(instance).update({bytes, length}, finished); });
    };
    table.instance_image = [](void *, void *instance, sdimage_image **into, sdimage_error **why) {
        return answered(why, [&] { return put(into, picture(instance).current()); });
    };
    table.instance_frame_count = [](void *, void *instance) {
        return guarded(std::uint32_t(0), [&] { return picture(instance).frame_count(); });
    };
    table.instance_loop_count = [](void *, void *instance) {
        return guarded(std::uint32_t(0), [&] { return picture(instance).loop_count(); });
    };
    table.instance_duration_ms = [](void *, void *instance, std::uint32_t index) {
        return guarded(std::uint32_t(0), [&] { return picture(instance).duration_ms(index); });
    };
    table.instance_frame = [](void *, void *instance, std::uint32_t index, sdimage_image **into, sdimage_error **why) {
        return answered(why, [&] { put_always(into, picture(instance).frame(index)); });
    };
    table.instance_destroy = [](void *, void *instance) { destroyed<custom_picture>(instance); };
}

template <class T> void set_decoding(sdimage_coder_vtable &table) {
    table.can_decode = [](void *self, const void *bytes, std::size_t length) {
        return guarded(false, [&] { return state<T>(self).can_decode({bytes, length}); });
    };
    table.decode = [](void *self, const void *bytes, std::size_t length, const sdimage_decode_options *how,
                      sdimage_image **into, sdimage_error **why) {
        return answered(why, [&] {
            put_always(into, state<T>(self).decode({bytes, length}, *lent<decode_options>(how)));
        });
    };
    if constexpr (overrides(&T::can_decode_format, &custom_coder::can_decode_format)) {
        table.can_decode_format = [](void *self, sdimage_format wanted) {
            return guarded(false, [&] { return state<T>(self).can_decode_format(static_cast<format>(wanted)); });
        };
    }
    if constexpr (overrides(&T::render, &custom_coder::render)) {
        table.render = [](void *self, const void *bytes, std::size_t length, const sdimage_decode_options *how,
                          sdimage_size wanted, sdimage_image **into, sdimage_error **why) {
            return answered(why, [&] {
                put_always(into, state<T>(self).render({bytes, length}, *lent<decode_options>(how), wanted));
            });
        };
    }
}

template <class T> void set_opening(sdimage_coder_vtable &table) {
    if constexpr (overrides(&T::open, &custom_coder::open)) {
        set_instances(table);
        table.open = [](void *self, const sdimage_decode_options *how, void **instance, sdimage_error **why) {
            return answered(why, [&] { put_instance(instance, state<T>(self).open(*lent<decode_options>(how))); });
        };
    }
    if constexpr (overrides(&T::open_source, &custom_coder::open_source)) {
        set_instances(table);
        table.open_source = [](void *self, const sdimage_source *bytes, const sdimage_decode_options *how,
                               void **instance, sdimage_error **why) {
            return answered(why, [&] {
                put_instance(instance, state<T>(self).open_source(*lent<source>(bytes), *lent<decode_options>(how)));
            });
        };
    }
}

template <class T> void set_encoding(sdimage_coder_vtable &table) {
    if constexpr (overrides(&T::encode, &custom_coder::encode)) {
        table.can_encode = [](void *self, sdimage_format wanted) {
            return guarded(false, [&] { return state<T>(self).can_encode(static_cast<format>(wanted)); });
        };
        table.encode = [](void *self, const sdimage_image *picture, sdimage_format wanted,
                          const sdimage_encode_options *how, sdimage_data **into, sdimage_error **why) {
            return answered(why, [&] {
                put_always(into, state<T>(self).encode(*lent<image>(picture), static_cast<format>(wanted),
                                                       *lent<encode_options>(how)));
            });
        };
    }
}

template <class T> void set_headers(sdimage_coder_vtable &table) {
    if constexpr (overrides(&T::info, &custom_coder::info)) {
        table.info = [](void *self, const void *bytes, std::size_t length, sdimage_metadata *into,
                        sdimage_error **why) {
            return answered(why, [&] { state<T>(self).info({bytes, length}, *lent<metadata>(into)); });
        };
    }
    if constexpr (overrides(&T::describe, &custom_coder::describe)) {
        table.describe = [](void *self, const void *bytes, std::size_t length, const sdimage_decode_options *how,
                            sdimage_metadata *into, sdimage_error **why) {
            return answered(why, [&] {
                state<T>(self).describe({bytes, length}, *lent<decode_options>(how), *lent<metadata>(into));
            });
        };
    }
}

} // namespace detail

// A coder backed by an object of T, which is constructed here from `arguments`. Register it, or name it in a request.
template <class T, class... A> coder make_coder(std::string_view name, A &&...arguments) {
    static_assert(std::is_base_of_v<custom_coder, T>);
    auto table = detail::empty_table<sdimage_coder_vtable>();
    detail::set_decoding<T>(table);
    detail::set_opening<T>(table);
    detail::set_encoding<T>(table);
    detail::set_headers<T>(table);
    const detail::text called(name);
    auto made = std::make_unique<T>(std::forward<A>(arguments)...);
    table.detached_stack = made->detached_stack();
    return detail::handed_over<coder>(std::move(made), sdimage_coder_new_custom, called.get(), &table);
}

namespace detail {
template <class C, class D> class lambda_coder final : public custom_coder {
public:
    lambda_coder(C can, D decode) : can_(std::move(can)), decode_(std::move(decode)) {}
    bool can_decode(bytes_view bytes) override { return can_(bytes); }
    image decode(bytes_view bytes, const decode_options &how) override { return decode_(bytes, how); }

private:
    C can_;
    D decode_;
};
} // namespace detail

// The same from two lambdas: bool(bytes_view) and image(bytes_view, const decode_options &).
template <class C, class D> coder coder_of(std::string_view name, C can_decode, D decode) {
    return make_coder<detail::lambda_coder<C, D>>(name, std::move(can_decode), std::move(decode));
}

} // namespace sdimage

#endif
