import CSDImage
import SDImage

/// Caches as arguments. Each function gives the part that a C function needs, or the reason why the cache cannot do it.
extension Input {
    /// The chain behind a pointer.
    package static func chain(_ pointer: Object) throws(ImageError) -> CacheChain {
        guard let chain = unsafe try Handle.borrow(pointer, as: CacheObject.self).cache as? CacheChain else {
            throw ImageError(.invalidArgument, "cache: not a chain")
        }
        return chain
    }

    /// The cache behind a pointer; throws if it is closed.
    package static func openCache(_ pointer: Object) throws(ImageError) -> CacheObject {
        let cache = unsafe try Handle.borrow(pointer, as: CacheObject.self)
        try cache.builtIn?.check()
        return cache
    }

    /// The cache behind a pointer, for a call that may wait.
    package static func blockingCache(_ pointer: Object) throws(ImageError) -> BlockingCache {
        let cache = unsafe try Handle.borrow(pointer, as: CacheObject.self)
        try requireNoLogging()
        try cache.builtIn?.check()
        return BlockingCache(cache.cache)
    }

    /// The built-in cache behind a pointer, for a call that may wait.
    package static func builtInCache(_ pointer: Object) throws(ImageError) -> ImageCache {
        try requireNoLogging()
        guard let cache = unsafe try Handle.borrow(pointer, as: CacheObject.self).builtIn else {
            throw ImageError(.unsupported, "cache: not a built-in cache")
        }
        return cache
    }

    /// The built-in cache behind a pointer; throws if it is closed or has no disk part.
    package static func cacheWithDisk(_ pointer: Object) throws(ImageError) -> ImageCache {
        guard let cache = unsafe try openCache(pointer).builtIn, cache.disk != nil else {
            throw ImageError(.unsupported, "cache: not a built-in cache with a disk part")
        }
        return cache
    }

    /// The disk part of the built-in cache behind a pointer, for a call that may wait.
    package static func disk(_ pointer: Object) throws(ImageError) -> DiskCache {
        let cache = unsafe try builtInCache(pointer)
        try cache.check()
        guard let disk = cache.disk else { throw ImageError(.unsupported, "cache: no disk part") }
        return disk
    }

    /// An image, bytes, or both.
    package static func storable(_ image: Object, _ data: Object) throws(ImageError) -> (Image?, Bytes?) {
        guard unsafe image != nil || data != nil else {
            throw ImageError(.invalidArgument, "cache: neither an image nor bytes to store")
        }
        return unsafe (try optional(image, as: Image.self), try optional(data, as: Bytes.self))
    }

    /// Throws in a log function: the message may come from the middle of the operation that the call would wait for.
    private static func requireNoLogging() throws(ImageError) {
        if Log.isInSink { throw ImageError(.wouldDeadlock, "cache: blocking call in a log handler") }
    }
}
