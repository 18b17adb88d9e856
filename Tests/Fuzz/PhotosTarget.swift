import CPhotosFuzz

/// What the photo library reads of files and of databases that other programs wrote.
enum PhotosTarget {
    static let target = FuzzTarget(name: "photos") { photos_fuzz($0.baseAddress, $0.count) }
}
