import Foundation

/// An HTTPS server on 127.0.0.1 that serves prepared responses, one connection at a time: `openssl s_server`.
public final class TLSServer: @unchecked Sendable {
    // Unchecked: `process` is only started in `init` and ended in `stop`.
    public static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") }

    public let port: Int
    /// PEM file of the server's self-signed certificate.
    public let certificate: String
    private let folder = TemporaryDirectory()
    private let process = Process()

    /// `answers` are complete HTTP responses by file name. `name` is the subject of the certificate, e.g. "IP:127.0.0.1".
    public init?(name: String, answers: [String: String], arguments: [String] = []) {
        certificate = folder.path + "/cert.pem"
        let key = folder.path + "/key.pem"
        for (file, answer) in answers {
            guard (try? Data(answer.utf8).write(to: URL(fileURLWithPath: folder.path + "/" + file))) != nil else { return nil }
        }
        let request = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
            "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=\(name)",
        ]
        guard TLSServer.run(request) else { return nil }
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments =
            ["s_server", "-HTTP", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil, let port = TLSServer.port(from: output.fileHandleForReading) else { return nil }
        self.port = port
    }

    /// Adds or replaces a response; returns false if it could not be written.
    public func answer(_ file: String, _ answer: Data) -> Bool {
        (try? answer.write(to: URL(fileURLWithPath: folder.path + "/" + file))) != nil
    }

    public func stop() {
        // Threads of the test runner block signals, and child processes inherit that.
        kill(process.processIdentifier, SIGKILL)
    }

    private static func run(_ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// The server prints "ACCEPT 127.0.0.1:<port>" when it listens.
    private static func port(from output: FileHandle) -> Int? {
        var text = ""
        while true {
            let data = output.availableData
            if data.isEmpty { return nil }
            text += String(decoding: data, as: UTF8.self)
            if let line = text.components(separatedBy: "\n").dropLast().first(where: { $0.hasPrefix("ACCEPT") }) {
                return line.components(separatedBy: ":").last.flatMap { Int($0) }
            }
        }
    }
}
