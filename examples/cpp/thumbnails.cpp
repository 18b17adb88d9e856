// thumbnails.cpp: a contact sheet of many URLs. Every thumbnail is a future, and all of them load at once.
//
//   thumbnails OUT.png URL…
//
// c++ -std=c++17 thumbnails.cpp $(pkg-config --cflags --libs sdimage)
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <vector>

#include <sdimage.hpp>

constexpr std::uint32_t side = 96;

// Copies a thumbnail into the center of its cell.
static void place(sdimage::unwritten_image &sheet, const sdimage::image &picture, std::size_t column, std::size_t row) {
    const std::size_t left = column * side + (side - picture.width()) / 2,
                      top = row * side + (side - picture.height()) / 2;
    for (std::uint32_t y = 0; y < picture.height(); y++)
        std::memcpy(sheet.pixels + (top + y) * sheet.stride + left * 4, picture.row(y).data(), picture.row_bytes());
}

int main(int argc, char **argv) {
    if (argc < 3)
        return std::cerr << "usage: thumbnails OUT.png URL...\n", 2;
    try {
        sdimage::decode_options how;
        how.set_thumbnail_size(side, side).set_pixel_format(sdimage::pixel_format::rgba8).set_first_frame_only(true);
        const sdimage::manager loads = sdimage::manager::create();
        std::vector<sdimage::load_future> under_way;
        for (int i = 2; i < argc; i++)
            under_way.push_back(loads.load_async(sdimage::request(argv[i]).set_decode_options(how)));

        const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(argc - 2)));
        const std::size_t rows = (under_way.size() + columns - 1) / columns;
        auto sheet =
            sdimage::image::uninitialized(static_cast<std::uint32_t>(columns * side),
                                          static_cast<std::uint32_t>(rows * side), sdimage::pixel_format::rgba8);
        std::memset(sheet.pixels, 0, sheet.stride * rows * side);
        int failed = 0;
        for (std::size_t i = 0; i < under_way.size(); i++) {
            try {
                place(sheet, under_way[i].get().image(), i % columns, i / columns);
            } catch (const sdimage::error &error) {
                std::cerr << argv[i + 2] << ": " << error.what() << '\n';
                failed++;
            }
        }
        sdimage::encode_file(sheet.image, argv[1]);
        std::cout << under_way.size() - static_cast<std::size_t>(failed) << " shown, " << failed << " failed\n";
        return failed > 0;
    } catch (const std::exception &error) {
        return std::cerr << "thumbnails: " << error.what() << '\n', 1;
    }
}
