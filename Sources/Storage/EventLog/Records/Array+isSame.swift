import Foundation

extension [UInt8] {
    /// As `==` has it, which goes byte by byte over what is no copy of the same array.
    package func isSame(as other: [UInt8]) -> Bool {
        guard self.count == other.count else { return false }
        return unsafe self.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else { return true }
                return unsafe memcmp(first, second, one.count) == 0
            }
        }
    }
}
