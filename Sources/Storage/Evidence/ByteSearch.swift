import EventLog
import Foundation

/// Whole kilobytes are compared and searched for each row.
extension ArraySlice<UInt8> {
    /// The place of the first such byte at or after `start`.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        unsafe self[start...].withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, let found = unsafe memchr(base, Int32(byte), bytes.count) else {
                return nil
            }
            return unsafe start + (UnsafeRawPointer(found) - base)
        }
    }

    func isSame(as other: ArraySlice<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        return unsafe self.withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, self.count) == 0
            }
        }
    }
}
