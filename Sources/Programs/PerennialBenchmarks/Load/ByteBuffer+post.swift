package import NIOCore

extension ByteBuffer {
    /// A request that is ready to be written.
    package static func post(
        _ path: String, contentType: String = "application/json", body: some Collection<UInt8>
    ) -> ByteBuffer {
        self.request("POST", path, contentType: contentType, body: body)
    }

    static func put(_ path: String, body: some Collection<UInt8>) -> ByteBuffer {
        self.request("PUT", path, contentType: "application/json", body: body)
    }

    private static func request(
        _ method: String, _ path: String, contentType: String, body: some Collection<UInt8>
    ) -> ByteBuffer {
        let head = """
            \(method) \(path) HTTP/1.1\r
            Host: 127.0.0.1\r
            Content-Type: \(contentType)\r
            Content-Length: \(body.count)\r
            \r

            """
        var buffer = ByteBufferAllocator().buffer(capacity: head.utf8.count + body.count)
        buffer.writeString(head)
        buffer.writeBytes(body)
        return buffer
    }
}
