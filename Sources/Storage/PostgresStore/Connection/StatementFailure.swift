import EventLog

/// Why a statement has no result, and what that says about its effects.
struct StatementFailure: Error {
    enum Fate: Equatable {
        /// Nothing was stored, for this reason.
        case refused(StoreError.Code)
        /// Nothing was stored because of another transaction: the same statement may go through now.
        case collided
        /// The statement may have reached the server, and nobody knows what became of it.
        case unknown
    }

    let fate: Fate
    /// Without values of rows, which are customers' data.
    let message: String
    /// Five characters; nil when it was not the server who said it.
    let sqlState: String?
    /// The session cannot be used any more, or leads to the wrong server.
    let endsSession: Bool

    init(_ fate: Fate, _ message: String, sqlState: String? = nil, endsSession: Bool = false) {
        self.fate = fate
        self.message = message
        self.sqlState = sqlState
        self.endsSession = endsSession
    }

    /// Of what was read, or would have been written.
    init(_ error: StoreError) { self.init(.refused(error.code), error.message) }
}

extension StoreError {
    /// - Parameter unknown: what it means that nobody knows whether the statement took effect: `.unavailable` where
    ///   repeating it is safe.
    init(_ failure: StatementFailure, unknown: Code, file: String = #fileID, line: Int = #line) {
        let code: Code =
            switch failure.fate {
            case .refused(let code): code
            case .collided: .unavailable
            case .unknown: unknown
            }
        let state = failure.sqlState.map { " (SQLSTATE \($0))" } ?? ""
        self.init(code, failure.message + state, cause: failure, file: file, line: line)
    }
}
