package import NIOCore

extension ByteBuffer {
    /// A request that is ready to be written.
    package static func post(
        _ path: String, contentType: String = "application/json", body: some Collection<UInt8>
    ) -> ByteBuffer {
        let head = """
            POST \(path) HTTP/1.1\r
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
