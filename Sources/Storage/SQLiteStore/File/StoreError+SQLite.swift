import EventLog
import GRDB

extension StoreError {
    /// Translates what a read or a rolled-back write threw: nothing was stored.
    init(_ error: any Error, file: String = #fileID, line: Int = #line) {
        switch error {
        case let error as StoreError:
            self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT:
            self.init(.unavailable, "the caller gave up", cause: error, file: file, line: line)
        case let error as DatabaseError:
            let code: Code =
                switch error.resultCode {
                case .SQLITE_CONSTRAINT: .conflict
                case .SQLITE_FULL, .SQLITE_TOOBIG: .full
                case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_MISMATCH: .corrupt
                default: .unavailable
                }
            // Only SQLite's own sentence: a description of the error would hold the statement.
            self.init(code, error.message ?? "SQLite error \(error.resultCode)", cause: error, file: file, line: line)
        case is RowDecodingError:
            self.init(.corrupt, "a row is not what was written", cause: error, file: file, line: line)
        case is CancellationError:
            self.init(.unavailable, "the caller gave up", cause: error, file: file, line: line)
        default:
            self.init(.unavailable, "\(error)", cause: error, file: file, line: line)
        }
    }

    /// Of an error that COMMIT threw; nil when it is sure that nothing was stored. A full disk is sure: in the
    /// write-ahead log a transaction counts from its last frame on, which then was not written.
    init?(unknownOutcomeOf error: any Error, file: String = #fileID, line: Int = #line) {
        guard let error = error as? DatabaseError, error.resultCode == .SQLITE_IOERR else { return nil }
        self.init(
            .outcomeUnknown, "the disk failed during a commit: \(error.message ?? "")", cause: error, file: file,
            line: line)
    }

    init(opening path: String, _ error: any Error, file: String = #fileID, line: Int = #line) {
        let translated = StoreError(error)
        guard error is DatabaseError else {
            self = translated
            return
        }
        self.init(
            translated.code, "cannot open \(path): \(translated.message)", cause: error, file: file, line: line)
    }
}
