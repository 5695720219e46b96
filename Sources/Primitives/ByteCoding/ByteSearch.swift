import Foundation

/// Whole kilobytes are compared and searched for each payload.
extension ArraySlice<UInt8> {
    /// The place of the first such byte at or after `start`.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        self[start...].withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, let found = memchr(base, Int32(byte), bytes.count) else { return nil }
            return start + (UnsafeRawPointer(found) - base)
        }
    }

    package func isSame(as other: ArraySlice<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        return self.withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, self.count) == 0
            }
        }
    }
}
