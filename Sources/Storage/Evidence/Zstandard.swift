import CZstd
import EventLog

/// Compresses and decompresses single zstd frames with one dictionary. Its contexts are made once and used again and
/// again: they are larger than what goes through them.
@safe struct Zstandard: ~Copyable {
    private let compression: OpaquePointer
    private let compressionDictionary: OpaquePointer
    private let decompression: OpaquePointer
    private let decompressionDictionary: OpaquePointer

    /// - Parameter level: 1…22; 5 is where rows of a few kilobytes stop getting smaller.
    init(dictionary: [UInt8], level: Int32 = 5) {
        guard let compression = unsafe ZSTD_createCCtx(),
            let compressionDictionary = unsafe ZSTD_createCDict(dictionary, dictionary.count, level),
            let decompression = unsafe ZSTD_createDCtx(),
            let decompressionDictionary = unsafe ZSTD_createDDict(dictionary, dictionary.count)
        else { preconditionFailure("no memory for a zstd context") }
        unsafe self.compression = compression
        unsafe self.compressionDictionary = compressionDictionary
        unsafe self.decompression = decompression
        unsafe self.decompressionDictionary = decompressionDictionary
    }

    deinit {
        unsafe ZSTD_freeCCtx(self.compression)
        unsafe ZSTD_freeCDict(self.compressionDictionary)
        unsafe ZSTD_freeDCtx(self.decompression)
        unsafe ZSTD_freeDDict(self.decompressionDictionary)
    }

    mutating func compress(_ bytes: [UInt8]) -> [UInt8] {
        let capacity = ZSTD_compressBound(bytes.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { frame, count in
            count = unsafe ZSTD_compress_usingCDict(
                self.compression, frame.baseAddress, capacity, bytes, bytes.count, self.compressionDictionary)
            guard ZSTD_isError(count) == 0 else { preconditionFailure("zstd refused the buffer it asked for") }
        }
    }

    /// - Throws: `.corrupt` when `frame` is no whole frame, or says that it holds more than `limit` bytes.
    mutating func decompress(_ frame: ArraySlice<UInt8>, limit: Int) throws(StoreError) -> [UInt8] {
        let size = unsafe frame.withUnsafeBytes { unsafe ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        // Both error values of that function are larger than any limit.
        guard size <= UInt64(limit) else { throw .damagedEvidence }
        var written = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(size)) { bytes, count in
            written = unsafe frame.withUnsafeBytes {
                unsafe ZSTD_decompress_usingDDict(
                    self.decompression, bytes.baseAddress, Int(size), $0.baseAddress, $0.count,
                    self.decompressionDictionary)
            }
            count = written == Int(size) ? written : 0
        }
        guard written == Int(size) else { throw .damagedEvidence }
        return bytes
    }
}
