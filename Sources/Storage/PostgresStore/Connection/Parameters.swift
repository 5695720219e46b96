import CPostgres
import EventLog

/// The values of one run of a statement, in the order of their places, in PostgreSQL's binary format, all in one
/// buffer.
@safe struct Parameters {
    private enum ElementType: UInt32 {
        case bytea = 17
        case bigint = 20
        case integer = 23
        case text = 25
    }

    private var buffer: [UInt8] = []
    /// Where each value is; nil for NULL.
    private var places: [Range<Int>?] = []

    // MARK: Single values

    mutating func add(_ number: Int64?) {
        guard let number else { return self.places.append(nil) }
        self.value { $0.append(bigEndian: number) }
    }

    mutating func add(_ shard: ShardID) { self.value { $0.append(bigEndian: Int32(shard.rawValue)) } }

    mutating func add(_ bytes: [UInt8]) { self.value { $0 += bytes } }

    mutating func add(_ text: String?) {
        guard let text else { return self.places.append(nil) }
        self.value { $0 += text.utf8 }
    }

    private mutating func value(_ write: (inout [UInt8]) -> Void) {
        let start = self.buffer.count
        write(&self.buffer)
        self.places.append(start..<self.buffer.count)
    }

    // MARK: Arrays

    mutating func add(numbers: [Int64]) {
        self.array(of: .bigint, numbers) { buffer, number in
            buffer.append(bigEndian: Int32(8))
            buffer.append(bigEndian: number)
        }
    }

    mutating func add(numbersOrNull numbers: [Int64?]) {
        self.array(of: .bigint, numbers, mayHoldNull: true) { buffer, number in
            guard let number else { return buffer.append(bigEndian: Int32(-1)) }
            buffer.append(bigEndian: Int32(8))
            buffer.append(bigEndian: number)
        }
    }

    mutating func add(shards: [ShardID]) {
        self.array(of: .integer, shards) { buffer, shard in
            buffer.append(bigEndian: Int32(4))
            buffer.append(bigEndian: Int32(shard.rawValue))
        }
    }

    mutating func add(blobs: [[UInt8]]) {
        self.buffer.reserveCapacity(self.buffer.count + blobs.reduce(32) { $0 + $1.count + 4 })
        self.array(of: .bytea, blobs) { buffer, bytes in
            buffer.append(bigEndian: Int32(bytes.count))
            buffer += bytes
        }
    }

    mutating func add(blobsOrNull blobs: [[UInt8]?]) {
        self.array(of: .bytea, blobs, mayHoldNull: true) { buffer, bytes in
            guard let bytes else { return buffer.append(bigEndian: Int32(-1)) }
            buffer.append(bigEndian: Int32(bytes.count))
            buffer += bytes
        }
    }

    mutating func add(texts: [String]) {
        self.array(of: .text, texts) { buffer, text in
            buffer.append(bigEndian: Int32(text.utf8.count))
            buffer += text.utf8
        }
    }

    mutating func add(textsOrNull texts: [String?]) {
        self.array(of: .text, texts, mayHoldNull: true) { buffer, text in
            guard let text else { return buffer.append(bigEndian: Int32(-1)) }
            buffer.append(bigEndian: Int32(text.utf8.count))
            buffer += text.utf8
        }
    }

    /// One dimension, counted from 1.
    private mutating func array<Element>(
        of type: ElementType, _ elements: [Element], mayHoldNull: Bool = false,
        _ write: (inout [UInt8], Element) -> Void
    ) {
        self.value { buffer in
            buffer.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
            buffer.append(bigEndian: Int32(mayHoldNull ? 1 : 0))
            buffer.append(bigEndian: type.rawValue)
            guard !elements.isEmpty else { return }
            buffer.append(bigEndian: Int32(elements.count))
            buffer.append(bigEndian: Int32(1))
            for element in elements { write(&buffer, element) }
        }
    }

    // MARK: Sending

    /// Hands libpq the count, the values, their lengths and their formats, for the time of the call.
    func withLibpqArguments<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let lengths = self.places.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: self.places.count)
        // No value starts at nil, which would be NULL, not even an empty one.
        return unsafe (self.buffer + [0]).withUnsafeBytes { buffer in
            let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values: [UnsafePointer<CChar>?] = unsafe self.places.map { place in
                unsafe place.flatMap { place in unsafe start.map { unsafe $0 + place.lowerBound } }
            }
            return unsafe body(Int32(self.places.count), values, lengths, formats)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            self.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
