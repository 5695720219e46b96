import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// One connection, byte for byte: tests send what no well-behaved client would.
struct HTTPConnection {
    struct Answer {
        var status: Int
        var headers: [String: String]
        /// Where the body is no text.
        var bytes: [UInt8]

        var body: String { String(decoding: self.bytes, as: UTF8.self) }

        /// The body as JSON.
        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(self.body.utf8))) as? [String: Any] ?? [:]
        }

        var code: String? { self.json["code"] as? String }
    }

    struct Closed: Error {}

    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let reader: Reader

    /// - Parameter tls: what the client trusts.
    static func with<Result>(
        port: Int, tls: TLSConfiguration? = nil, _ body: (HTTPConnection) async throws -> Result
    ) async throws -> Result {
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(
                HTTPConnection(
                    channel: channel, outbound: outbound, reader: Reader(iterator: inbound.makeAsyncIterator())))
        }
    }

    func send(_ text: String) async throws {
        try await self.outbound.write(ByteBuffer(string: text))
    }

    func send(
        _ method: String, _ path: String, headers: [String: String] = [:], body: String? = nil
    ) async throws -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        var headers = headers
        if let body {
            headers["Content-Length"] = headers["Content-Length"] ?? String(body.utf8.count)
            headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
        } else {
            headers["Perennial-Client"] = "test"
        }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        try await self.send(head + "\r\n" + (body ?? ""))
        return try await self.answer(hasBody: method != "HEAD")
    }

    /// The next answer, informational ones too.
    /// - Throws: `Closed` when the connection ends first.
    func answer(hasBody: Bool = true) async throws -> Answer {
        try await self.reader.answer(hasBody: hasBody)
    }

    /// The next piece of a chunked body; nil at its end.
    func chunk() async throws -> String? { try await self.reader.chunk() }

    /// How a client stops.
    enum Ending: CaseIterable {
        /// Neither sends nor reads any more.
        case close
        /// Sends no more, but reads on.
        case halfClose
        /// Throws away what is under way.
        case reset
    }

    func end(_ ending: Ending) async throws {
        let channel = self.channel.channel
        switch ending {
        case .close: try await channel.close()
        case .halfClose: try await channel.close(mode: .output)
        case .reset:
            let options = channel as? any SocketOptionProvider
            try await options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            try await channel.close()
        }
    }

    /// Returns when the server has ended the connection.
    func waitForEnd() async throws {
        try await self.reader.waitForEnd()
    }

    private final class Reader {
        private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var bytes: [UInt8] = []

        init(iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) { self.iterator = iterator }

        func answer(hasBody: Bool) async throws -> Answer {
            var end = self.endOfHead
            while end == nil {
                try await self.more()
                end = self.endOfHead
            }
            let lines = String(decoding: self.bytes[..<end!], as: UTF8.self).components(separatedBy: "\r\n")
            self.bytes.removeSubrange(..<(end! + 4))
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
            let status = Int(lines[0].split(separator: " ")[1]) ?? 0
            let length = hasBody && status >= 200 ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
            while self.bytes.count < length { try await self.more() }
            let body = Array(self.bytes[..<length])
            self.bytes.removeSubrange(..<length)
            return Answer(status: status, headers: headers, bytes: body)
        }

        func chunk() async throws -> String? {
            while !self.bytes.contains(10) { try await self.more() }
            let line = self.bytes.firstIndex(of: 10)! + 1
            let size = Int(String(decoding: self.bytes[..<(line - 2)], as: UTF8.self), radix: 16)!
            while self.bytes.count < line + size + 2 { try await self.more() }
            let chunk = String(decoding: self.bytes[line..<(line + size)], as: UTF8.self)
            self.bytes.removeSubrange(..<(line + size + 2))
            return size == 0 ? nil : chunk
        }

        func waitForEnd() async throws {
            do {
                while let chunk = try await self.iterator.next() {
                    self.bytes.append(contentsOf: chunk.readableBytesView)
                }
            } catch is IOError {
                // A reset is an end as well.
            }
        }

        private func more() async throws {
            guard let chunk = try await self.iterator.next() else { throw Closed() }
            self.bytes.append(contentsOf: chunk.readableBytesView)
        }

        private var endOfHead: Int? {
            guard self.bytes.count >= 4 else { return nil }
            return (0...(self.bytes.count - 4)).first { self.bytes[$0..<$0 + 4].elementsEqual([13, 10, 13, 10]) }
        }
    }
}
