import EventLog

/// What an error of the server says about the statement that it answers. Statements are transactions of their own, so
/// an error means that nothing was stored, unless the session ended with it: then the commit may have been behind it.
///
/// | SQLSTATE | means |
/// | --- | --- |
/// | 23xxx, 22xxx, 54xxx | `.conflict`: there already, or it can never be stored as it is |
/// | 40001, 40P01 | collided with another transaction: tried again, then `.unavailable` |
/// | 40003, 08xxx, FATAL and PANIC | unknown |
/// | 53100 | `.full` |
/// | XX001, XX002 | `.corrupt` |
/// | 42xxx, 3Dxxx, 3Fxxx | `.incompatible`: tables or privileges are not what they have to be |
/// | 25006, 26000, 0A000 | `.unavailable`, and the session ends: no primary any more, or it forgot a statement |
/// | all others, 53200, 55P03 and 57014 among them | `.unavailable` |
///
/// A shard that is fenced is no error: it is missing from the statement's result.
struct SQLState {
    let code: String
    /// ERROR, FATAL or PANIC, in English whatever the server's language is.
    let severity: String

    var fate: StatementFailure.Fate {
        guard self.severity == "ERROR" else { return .unknown }
        switch self.code {
        case "40001", "40P01": return .collided
        case "40003": return .unknown
        case "53100": return .refused(.full)
        case "XX001", "XX002": return .refused(.corrupt)
        default: break
        }
        switch self.code.prefix(2) {
        case "08": return .unknown
        case "22", "23", "54": return .refused(.conflict)
        case "42", "3D", "3F": return .refused(.incompatible)
        default: return .refused(.unavailable)
        }
    }

    var endsSession: Bool {
        switch self.code {
        case "25006", "26000", "0A000": true
        default: self.fate == .unknown
        }
    }
}
