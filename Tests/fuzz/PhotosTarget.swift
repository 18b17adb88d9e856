import CPhotosFuzz

/// The photo library's parsers for files and databases written by other programs.
enum PhotosTarget {
    static let target = FuzzTarget(name: "photos") { photos_fuzz($0.baseAddress, $0.count) }
}
