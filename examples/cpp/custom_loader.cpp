// custom_loader.cpp: a loader for "demo:WIDTHxHEIGHT" URLs that generates the image on a thread of its own.
//
//   custom_loader demo:64x48
//
// c++ -std=c++17 custom_loader.cpp $(pkg-config --cflags --libs sdimage)
#include <cstdio>
#include <iostream>
#include <mutex>
#include <thread>

#include <sdimage.hpp>

static sdimage::image paint(std::uint32_t width, std::uint32_t height) {
    auto fresh = sdimage::image::uninitialized(width, height, sdimage::pixel_format::rgb8);
    for (std::uint32_t y = 0; y < height; y++) {
        std::uint8_t *pixel = fresh.pixels + y * fresh.stride;
        for (std::uint32_t x = 0; x < width; x++, pixel += 3) {
            pixel[0] = static_cast<std::uint8_t>(x * 255 / width);
            pixel[1] = static_cast<std::uint8_t>(y * 255 / height);
            pixel[2] = 128;
        }
    }
    return fresh.image;
}

class painter final : public sdimage::custom_loader {
  public:
    ~painter() override {
        if (work_.joinable())
            work_.join();
    }
    bool can_load(const sdimage::request &wanted) override { return wanted.url().substr(0, 5) == "demo:"; }

    // An exception thrown here becomes the error of the load.
    void load(const sdimage::request &wanted, const sdimage::load_sink &sink) override {
        unsigned width = 0, height = 0;
        const std::string url(wanted.url());
        if (std::sscanf(url.c_str(), "demo:%4ux%4u", &width, &height) != 2 || !width || !height)
            throw sdimage::error(sdimage::status::invalid_url, "not demo:WIDTHxHEIGHT");
        // Several loads may start at the same time.
        const std::lock_guard<std::mutex> starts(starting_);
        if (work_.joinable())
            work_.join();
        // The copy of the handle keeps the load open until this thread finishes it.
        work_ = std::thread([sink, width, height] {
            try {
                sink.finish_with_image(paint(width, height));
            } catch (const sdimage::error &error) {
                sink.fail(error.why());
            }
        });
    }

  private:
    std::mutex starting_;
    std::thread work_;
};

int main(int argc, char **argv) {
    if (argc != 2)
        return std::cerr << "usage: custom_loader demo:WIDTHxHEIGHT\n", 2;
    try {
        sdimage::manager_config config;
        config.set_cache(sdimage::cache::open(sdimage::cache_config().set_memory_only()));
        config.set_loader(sdimage::make_loader<painter>("painter"));
        const sdimage::manager loads = sdimage::manager::create(config);
        for (int i = 0; i < 2; i++) {
            const sdimage::result got = loads.load(argv[1]);
            std::cout << name(got.source()) << ' ' << got.image().width() << 'x' << got.image().height() << '\n';
        }
    } catch (const std::exception &error) {
        return std::cerr << "custom_loader: " << error.what() << '\n', 1;
    }
}
