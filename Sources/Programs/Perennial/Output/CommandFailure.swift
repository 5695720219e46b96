/// What a command could not do: one line for standard error, and an exit code.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    let status: Int32
    /// The node says that it may be asked again.
    let isRetryable: Bool

    /// Nobody knows whether it was done, and doing it twice would be wrong.
    static let unknownOutcome: Int32 = 4

    /// - Parameter status: 1 for whatever was refused or has failed.
    init(_ description: String, status: Int32 = 1, isRetryable: Bool = false) {
        self.description = description
        self.status = status
        self.isRetryable = isRetryable
    }
}
