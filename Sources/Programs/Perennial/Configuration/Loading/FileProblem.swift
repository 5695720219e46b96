import Foundation

/// Why a file could not be read or written, in words.
struct FileProblem {
    let sentence: String

    init(_ error: any Error) {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
        switch (error as? CocoaError)?.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: self.sentence = "there is no such file"
        case .fileReadNoPermission, .fileWriteNoPermission: self.sentence = "no permission"
        case .fileReadInapplicableStringEncoding, .fileReadUnknownStringEncoding: self.sentence = "not text in UTF-8"
        case .fileWriteOutOfSpace: self.sentence = "no space left on the disk"
        default:
            self.sentence =
                underlying.domain == NSPOSIXErrorDomain
                ? String(cString: strerror(Int32(underlying.code))) : "cannot be read"
        }
    }
}
