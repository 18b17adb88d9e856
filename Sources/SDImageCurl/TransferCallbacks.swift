import CCurl
import Glibc
import SDImage

/// Callbacks of libcurl, always on the transfer thread. The context is the `Transfer`, which the loop keeps alive while it
/// runs.
enum TransferCallbacks {
    static let receiveBody: curl_write_callback = { pointer, size, count, context in
        // Any result other than the length aborts the transfer.
        guard let pointer = unsafe pointer, let transfer = unsafe transfer(context) else { return 0 }
        let (length, overflow) = size.multipliedReportingOverflow(by: count)
        guard !overflow, let curl = unsafe transfer.hop.handle?.curl else { return 0 }
        // The length is reliable only after the complete head.
        let announced = unsafe transfer.course.received == 0 ? ccurl_info_offset(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) : -1
        let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: length)
        return unsafe transfer.receive(bytes, contentLength: announced) ? length : 0
    }

    /// Called for each line of each head.
    static let receiveHead: curl_write_callback = { pointer, size, count, context in
        guard let pointer = unsafe pointer, let transfer = unsafe transfer(context) else { return 0 }
        let (length, overflow) = size.multipliedReportingOverflow(by: count)
        guard !overflow else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: pointer, count: length)
        return unsafe ResponseRules.takeHead(line, of: transfer) ? length : 0
    }

    /// Called for each address that libcurl tries.
    static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let address = unsafe address, let transfer = unsafe transfer(context), let sockets = transfer.hop.sockets else {
            return CURL_SOCKET_BAD
        }
        // libcurl knows the address now, so others need not look it up.
        transfer.hop.handle?.lookUpEnded(true)
        // The policy holds for the address itself: a name may resolve to anything.
        let rules = transfer.settings.addressRules
        guard unsafe withUnsafePointer(to: &address.pointee.addr, { unsafe rules.permits($0) }) else {
            transfer.hop.isAddressForbidden = true
            return CURL_SOCKET_BAD
        }
        let descriptor = unsafe ccurl_make_socket(address)
        guard descriptor != CURL_SOCKET_BAD else { return descriptor }
        sockets.opened(descriptor)
        // Not the time of the iteration: libcurl's own limit must end before.
        transfer.hop.socketOpenedAt = MonotonicClock.now
        return descriptor
    }

    /// libcurl calls it for connections, also after the transfer has ended.
    static let closeSocket: curl_closesocket_callback = { context, descriptor in
        if let context = unsafe context {
            unsafe Unmanaged<SocketTable>.fromOpaque(context).takeUnretainedValue().closed(descriptor)
        }
        return close(descriptor)
    }

    /// Called before each request, on a new or reused connection.
    static let beforeRequest: curl_prereq_callback = { context, remote, _, remotePort, localPort in
        guard let transfer = unsafe transfer(context), let sockets = transfer.hop.sockets else { return CURL_PREREQFUNC_ABORT }
        let hop = transfer.hop
        hop.isConnected = true
        hop.handle?.lookUpEnded(false)
        transfer.noteActivity()
        // The decision is repeated for the peer of the connection in use.
        guard unsafe transfer.settings.addressRules.permits(text: remote, port: remotePort) else {
            hop.isAddressForbidden = true
            return CURL_PREREQFUNC_ABORT
        }
        if let remote = unsafe remote {
            hop.descriptor = unsafe sockets.descriptor(
                localPort: UInt16(truncatingIfNeeded: localPort), address: remote, port: remotePort)
        }
        // An attacker may have sent a response in advance.
        if let descriptor = hop.descriptor, sockets.hasUnaskedInput(descriptor) {
            hop.isPoisoned = true
            return CURL_PREREQFUNC_ABORT
        }
        return CURL_PREREQFUNC_OK
    }

    /// The transfer of a callback; not retained.
    private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }
}
