package import AppStore
package import Clustering
package import EventLog

/// What the parts below could not do, in the words of the service.
extension ServiceError {
    package init(_ error: any Error, file: String = #fileID, line: Int = #line) {
        switch error {
        case let error as ServiceError: self = error
        case let error as StoreError: self.init(error, file: file, line: line)
        case let error as ReadingFailure: self.init(error, file: file, line: line)
        case is CancellationError:
            self.init(.stopping, "the question was withdrawn", cause: error, file: file, line: line)
        case let error as ClusterError: self.init(error, file: file, line: line)
        case let error as ServerAPIError: self.init(error, file: file, line: line)
        case let error as AppStoreConfigurationError:
            self.init(.invalidRequest, error.message, cause: error, file: file, line: line)
        default:
            self.init(
                .corrupt, "what was stored cannot be read: \(type(of: error))", cause: error, file: file, line: line)
        }
    }

    /// Whatever kept a question from the owner of its shard: the same may be asked again.
    package init(_ error: ClusterError, file: String = #fileID, line: Int = #line) {
        let code: Code =
            switch error.code {
            case .overloaded: .overloaded
            case .unavailable, .cancelled: .stopping
            case .tooLarge: .invalidRequest
            case .notOwner, .ownedHere, .unreachable, .otherType, .malformed, .unknownTarget, .connectionLost,
                .deadlineExceeded,
                .failed:
                .notOwner
            }
        self.init(code, error.message, cause: error, file: file, line: line)
    }

    package init(_ error: StoreError, file: String = #fileID, line: Int = #line) {
        let code: Code =
            switch error.code {
            case .full: .storeFull
            case .corrupt: .corrupt
            case .fenced, .deposed: .notOwner
            case .conflict: .parked
            case .rewound: .storeRewound
            case .outcomeUnknown: .frozen
            case .unavailable, .incompatible: .storeUnavailable
            }
        self.init(code, error.message, cause: error, file: file, line: line)
    }

    /// Why a node has ended: others have taken it for dead. Another run may begin in its place.
    package var saysRunIsDeposed: Bool { (self.cause as? StoreError)?.code == .deposed }

    /// Why a node could not begin: its store, which was open already, cannot be reached now. A later run may.
    package var saysStoreIsAway: Bool { (self.cause as? StoreError)?.code == .unavailable }

    /// What Apple said, or that nothing was heard.
    package init(_ error: ServerAPIError, file: String = #fileID, line: Int = #line) {
        let isPassing = error.retryable || error.code == .unauthorized
        self.init(
            isPassing ? .appStoreUnavailable : .appStoreRefused, error.message, cause: error, file: file, line: line)
    }

    package init(_ failure: ReadingFailure, file: String = #fileID, line: Int = #line) {
        switch failure {
        case .refused(let refusal):
            self.init(Code(refusal.class), refusal.detail, cause: failure, file: file, line: line)
        case .clockSkew:
            self.init(
                .clockSkew, "signed more than five minutes ahead of this node's clock; set the clock right", file: file,
                line: line)
        case .overloaded:
            self.init(.overloaded, "too many payloads wait for verification", file: file, line: line)
        }
    }
}

extension ServiceError.Code {
    package init(_ class: VerificationFailure.Class) {
        self =
            switch `class` {
            case .invalidJWTFormat: .invalidJWTFormat
            case .invalidCertificate: .invalidCertificate
            case .invalidChainLength: .invalidChainLength
            case .verificationFailure: .verificationFailure
            case .retryableVerificationFailure: .retryableVerificationFailure
            case .invalidAppIdentifier: .invalidAppIdentifier
            case .invalidEnvironment: .invalidEnvironment
            }
    }
}

extension SubmissionOutcome {
    package init(_ error: ServiceError) { self = .refused(error.code, message: error.message) }
}
