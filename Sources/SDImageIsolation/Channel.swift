import CIsolation
import Glibc
import SDImage

/// The kind of a message between a host and its worker. A worker is started once, then serves one call at a time: `call`, perhaps
/// several pairs of `read` and `bytes`, then `reply`.
enum MessageKind: UInt32 {
    /// Host: the coders to open, before the sandbox.
    case start = 1
    /// Worker: the sandbox is entered, or the error that prevented it.
    case ready = 2
    /// Host: work for the worker, one call at a time.
    case call = 3
    /// Worker: the outcome of the call.
    case reply = 4
    /// Host: the call of this number is to end within 50 ms.
    case cancel = 5
    /// Worker: asks for bytes of a source during a call.
    case read = 6
    /// Host: the bytes, or an error.
    case bytes = 7
    /// Host: the worker is idle, and returns unused memory to the system. Everything that it sent was read.
    case trim = 8
}

/// A message that arrived.
struct Message {
    let kind: MessageKind
    /// Number of the call that it belongs to.
    let number: UInt64
    var body: MessageReader
}

/// The reason why no message was received. All but `timedOut` mean that the worker cannot be used any longer.
enum ChannelFailure: Error {
    case timedOut
    /// The other process ended.
    case ended
    /// It sent something that is no message.
    case invalid
    /// This process cannot open or map what the message contains.
    case refused(ImageError)
}

/// Sends and receives messages over the socket of a worker. Any thread sends; one at a time receives.
@safe final class Channel: Sendable {
    /// A message: this header, then the body, which lies in shared memory (the last descriptor) if it is too long. Host and worker
    /// are the same library, so that the layout is that of the machine.
    private struct Header {
        var magic = Header.expected
        var kind: UInt32 = 0
        /// Number of the call; 0 outside of calls.
        var number: UInt64 = 0
        /// Bytes of the body.
        var length: UInt64 = 0

        /// Differs between versions of the messages.
        static let expected: UInt32 = 0x5344_4901
        static let size = 24
        /// Bytes of a body that fit the datagram.
        static let longest = Int(CISO_MAX_MESSAGE) - Header.size
    }

    /// A SOCK_SEQPACKET: messages arrive whole and in order.
    let socket: Int32
    // Written by the one thread that receives.
    private nonisolated(unsafe) let buffer: UnsafeMutableRawBufferPointer

    /// The caller keeps the socket open as long as this object.
    init(_ socket: Int32) {
        self.socket = socket
        unsafe buffer = .allocate(byteCount: Int(CISO_MAX_MESSAGE), alignment: 16)
    }

    deinit { unsafe buffer.deallocate() }

    /// Sends a message. A full socket means that the other process does not read: after the deadline it counts as ended.
    func send(
        _ kind: MessageKind, _ number: UInt64, _ writer: consuming MessageWriter, deadline: UInt64
    ) throws(ImageError) {
        var descriptors = writer.descriptors
        let body = writer.finish()
        let header = Header(kind: kind.rawValue, number: number, length: UInt64(body.count))
        var datagram = unsafe withUnsafeBytes(of: header) { unsafe Array($0) }
        if body.count > Header.longest {
            descriptors.append(try SharedMemory.sealed(body))
        } else {
            unsafe body.withUnsafeBytes { unsafe datagram.append(contentsOf: $0) }
        }
        let numbers = descriptors.map(\.number)
        let code = unsafe ciso_send(socket, datagram, datagram.count, numbers, numbers.count, deadline)
        withExtendedLifetime(descriptors) {}
        guard code == 0 else { throw ImageError(.decoderCrashed, "decoder process: ended", systemError: code) }
    }

    /// Sends a message without a body.
    func send(_ kind: MessageKind, _ number: UInt64, deadline: UInt64) throws(ImageError) {
        try send(kind, number, MessageWriter(), deadline: deadline)
    }

    /// Waits for a message until the deadline, in monotonic nanoseconds. The content is checked by the reader of its body.
    func receive(deadline: UInt64) throws(ChannelFailure) -> Message {
        var message = ciso_message()
        switch unsafe ciso_receive(socket, buffer.baseAddress, buffer.count, &message, deadline) {
        case 0: break
        case ETIMEDOUT: throw .timedOut
        case EBADMSG, EINVAL: throw .invalid
        case EMFILE: throw .refused(ImageError(.noMemory, "decoder process: no descriptor is left", systemError: EMFILE))
        default: throw .ended
        }
        // Owned from here on, so that an invalid message closes them, too.
        let descriptors = Channel.descriptors(of: message)
        let length = message.length
        guard length >= Header.size, let base = unsafe buffer.baseAddress else { throw .invalid }
        let header = unsafe base.loadUnaligned(as: Header.self)
        guard header.magic == Header.expected, let kind = MessageKind(rawValue: header.kind) else { throw .invalid }
        let inline = unsafe UnsafeRawBufferPointer(start: base + Header.size, count: length - Header.size)
        let body = unsafe try Channel.body(header, inline, descriptors)
        return Message(kind: kind, number: header.number, body: MessageReader(body, descriptors))
    }

    /// The body of a message: the rest of the datagram, or the memory of the last descriptor.
    private static func body(
        _ header: Header, _ inline: UnsafeRawBufferPointer, _ descriptors: [Descriptor]
    ) throws(ChannelFailure) -> Bytes {
        guard let length = Int(exactly: header.length), length <= MessageWriter.limit else { throw .invalid }
        do throws(ImageError) {
            guard length > Header.longest else {
                guard length == inline.count else { throw .invalidMessage }
                return unsafe try .copying(inline)
            }
            guard inline.count == 0, let memory = descriptors.last else { throw .invalidMessage }
            return try SharedMemory.bytes(of: memory, count: length)
        } catch { throw error.status == .decoderCrashed ? .invalid : .refused(error) }
    }

    private static func descriptors(of message: ciso_message) -> [Descriptor] {
        let numbers = message.descriptors
        let count = message.count
        return unsafe withUnsafeBytes(of: numbers) { bytes in
            unsafe bytes.bindMemory(to: Int32.self).prefix(count).map { Descriptor($0) }
        }
    }

    /// True if nothing waits to be received: an idle worker has nothing to say.
    var isQuiet: Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 0
    }
}
