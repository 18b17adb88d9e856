/// Bytes stored by a cache, with their metadata.
/// Passed between `DataCaching` and the stages of a load. A value: the bytes are shared, not copied.
package struct CachedData: Sendable {
    /// The encoded image, or an encoded variant.
    package var bytes: Bytes
    /// Validators of the response as received (`ETag` and `Last-Modified`, RFC 9110, section 8.8); empty without
    /// them.
    package var entityTag: [UInt8] = []
    package var lastModified: [UInt8] = []
    /// Remaining response metadata, as `ResponseRecord.encoded`, and the `VariantSource` of a variant.
    package var encodedRecord: [UInt8] = []
    /// Bytes that the host attached to the image; nil for none.
    package var extendedData: Bytes?
    /// Time of the store, nanoseconds since 1970; set by the cache.
    package var created: UInt64 = 0
    /// Time from which the entry is a miss, nanoseconds since 1970; 0 = determined by the age rule of the cache.
    package var expires: UInt64 = 0
    /// The write that these bytes came from. A reader uses it to remove exactly the damaged write.
    package var write: CacheWrite?
    /// Values of the host from the request, for caches of the host; never stored.
    package var options: FrozenOptions?
    /// The lease, which ends with the last store of these bytes; never stored.
    package var lease: CacheLease?
    /// True for an entry from a cache shared by several machines; set by that cache, never stored.
    package var isShared = false
    /// True when the stored image came with a private response, which these bytes alone do not show. Never stored.
    package var isOfPrivateImage = false
    /// The disk part of the member of a chain that has the entry.
    /// A chain drops a damaged entry in this part, and promotes an intact one to the members above it. nil outside chains.
    package var holder: (any DataCaching)?

    package init(bytes: Bytes) { self.bytes = bytes }

    /// Source reported for images decoded from these bytes.
    package var source: ImageSource { isShared ? .remote : .disk }

    /// Metadata of the response that delivered the bytes.
    /// Setting it leaves an attached `VariantSource` unchanged.
    package var record: ResponseRecord {
        get { ResponseRecord(entityTag: entityTag, lastModified: lastModified, encoded: encodedRecord, created: created) }
        set {
            entityTag = newValue.storedEntityTag
            lastModified = newValue.storedLastModified
            encodedRecord = newValue.encoded(before: ResponseRecord.attachment(of: encodedRecord))
        }
    }

    /// The original of a variant; nil for other entries.
    /// Setting it leaves the record unchanged.
    package var variantSource: VariantSource? {
        get { VariantSource(encoded: ResponseRecord.attachment(of: encodedRecord)) }
        set { encodedRecord = record.encoded(before: newValue?.encoded ?? []) }
    }

    /// True when a shared cache must not store the entry.
    /// Shared caches check it before each store.
    package var isPrivate: Bool { isOfPrivateImage || record.isPrivate }

    /// Time of the response; without one, time of the store.
    /// `LeaseRequest` passes it on as the date that a better entry exceeds.
    package var date: UInt64 {
        let answered = record.responseTime
        return answered == 0 ? created : answered
    }

    /// A copy for storing in another cache.
    /// The copy keeps the metadata, but nothing that refers to the cache it came from.
    package var withoutWrite: CachedData {
        var data = self
        data.write = nil
        data.lease = nil
        data.isShared = false
        data.holder = nil
        return data
    }
}
