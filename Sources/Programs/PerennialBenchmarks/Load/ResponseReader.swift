import NIOCore

/// Finds where an answer ends and what its first line says, and skips the rest: the machine is shared with the server,
/// so the client does as little as it can. Answers need a `Content-Length`, and come one at a time.
struct ResponseReader {
    struct Answer: Equatable {
        var status: Int
        /// What was kept of the body: all of it where that was asked for or the status is not 200, else nothing.
        var body: [UInt8]
    }

    /// Whether the next answer's body is kept.
    var keepsBody = false
    private var head = ByteBuffer()
    private var status = 0
    private var body: [UInt8] = []
    /// Bytes of the body that have not come yet; nil before the body.
    private var missing: Int?

    /// Takes what has come; the answer when that was the end of it.
    mutating func read(_ bytes: ByteBuffer) throws(BenchmarkError) -> Answer? {
        var bytes = bytes
        if self.missing == nil {
            if self.head.readableBytes == 0 { self.head = bytes } else { self.head.writeBuffer(&bytes) }
            guard let length = try self.readHead() else { return nil }
            self.head.moveReaderIndex(forwardBy: length)
            bytes = self.head
            self.head = ByteBuffer()
        }
        guard let missing = self.missing, bytes.readableBytes <= missing else {
            throw BenchmarkError("the server sent more than one answer to a request")
        }
        if self.keepsBody || self.status != 200 { self.body.append(contentsOf: bytes.readableBytesView) }
        self.missing = missing - bytes.readableBytes
        guard self.missing == 0 else { return nil }
        defer { self.reset() }
        return Answer(status: self.status, body: self.body)
    }

    private mutating func reset() {
        self.missing = nil
        self.keepsBody = false
        if !self.body.isEmpty { self.body = [] }
    }

    /// Reads the status and the length of the body.
    /// - Returns: how long the head is; nil while its end is missing.
    private mutating func readHead() throws(BenchmarkError) -> Int? {
        let (length, status, missing) = self.head.withUnsafeReadableBytes { Self.parse($0) }
        guard let length else { return nil }
        guard let status, let missing else {
            throw BenchmarkError("the server sent an answer without a status or a Content-Length")
        }
        self.status = status
        self.missing = missing
        return length
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer) -> (length: Int?, status: Int?, missing: Int?) {
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        var lineStart = 0
        var missing: Int?
        var index = 1
        while index < bytes.count {
            guard bytes[index] == lf, bytes[index - 1] == cr else {
                index += 1
                continue
            }
            let line = bytes[lineStart..<index - 1]
            if line.isEmpty { return (index + 1, Self.number(bytes.prefix(12).dropFirst(9)), missing) }
            if let length = Self.contentLength(line) { missing = length }
            lineStart = index + 1
            index += 2
        }
        return (nil, nil, nil)
    }

    private static let name = Array("content-length:".utf8)

    private static func contentLength(_ line: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard line.count > Self.name.count, zip(line, Self.name).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else {
            return nil
        }
        return Self.number(line.dropFirst(Self.name.count).drop { $0 == UInt8(ascii: " ") })
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), number < 1 << 40 else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return digits.isEmpty ? nil : number
    }
}
