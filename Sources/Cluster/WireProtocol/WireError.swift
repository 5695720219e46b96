/// Why bytes could not be read or written.
package struct WireError: Error {
    package enum Code: Sendable {
        /// Not a message of the expected type, or one that lacks what it must have.
        case malformed
        /// A word whose number this binary does not know: a newer one wrote it.
        case unknownWord
        /// More than a message can hold (2 GiB).
        case tooLarge
    }

    package let code: Code
    /// For people; never holds what was read.
    package let message: String
    package let cause: (any Error)?
    package let location: String

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil, file: String = #fileID, line: Int = #line)
    {
        self.code = code
        self.message = message
        self.cause = cause
        self.location = "\(file):\(line)"
    }
}
