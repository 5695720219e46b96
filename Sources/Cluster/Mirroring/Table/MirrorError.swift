/// Why a mirror could not take what it was given.
package struct MirrorError: Error, Sendable {
    package enum Code: Sendable {
        /// The key or the row is not one that is written anywhere.
        case malformed
        /// More environments, bundles or products than there are numbers for.
        case tooManyNames
    }

    package let code: Code
    package let message: String
    package let location: String

    package init(_ code: Code, _ message: String, file: String = #fileID, line: Int = #line) {
        self.code = code
        self.message = message
        self.location = "\(file):\(line)"
    }
}
