// load_one.cpp: loads one image from a URL or a file and writes it as a PPM.
//
//   load_one URL-or-FILE [OUT.ppm]
//
// c++ -std=c++17 load_one.cpp $(pkg-config --cflags --libs sdimage)
#include <fstream>
#include <iostream>

#include <sdimage.hpp>

// Writes each row without its padding.
static void write_ppm(const sdimage::image &picture, const std::string &path) {
    std::ofstream file(path, std::ios::binary);
    file << "P6\n" << picture.width() << ' ' << picture.height() << "\n255\n";
    for (std::uint32_t y = 0; y < picture.height(); y++)
        file << picture.row(y).text();
    if (!file.flush())
        throw std::runtime_error(path + " cannot be written");
}

// Decodes a file on the calling thread. Loads a URL through a manager, which looks into its caches first.
static sdimage::image load(const std::string &from) {
    sdimage::decode_options how;
    how.set_pixel_format(sdimage::pixel_format::rgb8).set_first_frame_only(true);
    if (from.find("://") == std::string::npos)
        return sdimage::decode_file(from, how);
    return sdimage::manager::create().load(sdimage::request(from).set_decode_options(how)).image();
}

int main(int argc, char **argv) {
    if (argc < 2)
        return std::cerr << "usage: load_one URL-or-FILE [OUT.ppm]\n", 2;
    try {
        const sdimage::image picture = load(argv[1]);
        std::cout << name(picture.format()) << ' ' << picture.width() << 'x' << picture.height() << '\n';
        if (argc > 2)
            write_ppm(picture, argv[2]);
    } catch (const std::exception &error) {
        return std::cerr << "load_one: " << error.what() << '\n', 1;
    }
}
