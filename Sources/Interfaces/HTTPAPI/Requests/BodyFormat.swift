/// How the body of a request or an answer is written.
package enum BodyFormat: Sendable {
    case json
    case protobuf

    var mediaType: String {
        switch self {
        case .json: "application/json"
        case .protobuf: "application/x-protobuf"
        }
    }

    /// Of a media type without its parameters; nil for others.
    private init?(_ mediaType: String) {
        switch mediaType {
        case "application/json": self = .json
        case "application/x-protobuf", "application/protobuf": self = .protobuf
        default: return nil
        }
    }

    /// What a `Content-Type` names; JSON has to be in UTF-8 if it says anything about it.
    init?(contentType: String) {
        // Nearly every request says it just so.
        if contentType == "application/json" {
            self = .json
            return
        }
        let parts = contentType.lowercased().split(separator: ";").map { $0.trimming() }
        guard let type = parts.first, let format = Self(String(type)) else { return nil }
        switch format {
        case .json:
            guard parts.dropFirst().allSatisfy({ $0 == "charset=utf-8" || $0 == #"charset="utf-8""# }) else {
                return nil
            }
        case .protobuf: break
        }
        self = format
    }

    /// The first format that `accept` names; the format of the request where it names none.
    static func answer(accept: String?, request: BodyFormat) -> BodyFormat {
        guard let accept, accept != "*/*" else { return request }
        let types = accept.lowercased().split(separator: ",").compactMap { $0.split(separator: ";").first }
        return types.lazy.compactMap { Self(String($0.trimming())) }.first ?? request
    }
}

extension Substring {
    fileprivate func trimming() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
