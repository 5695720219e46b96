import Hummingbird
import JSONScanning

/// One request on its way to a route.
struct Call {
    let headers: HTTPFields
    let body: RequestBody
    /// What the path's braces stand for, percent-decoded.
    let arguments: [String]
    let query: Query
    let admission: Admission

    /// Reads the body, which has to be JSON, and lets `use` have it; its bytes count as in hand until then.
    func withBody<Result>(_ use: ([UInt8]) async throws -> Result) async throws -> Result {
        try self.checkContentType()
        let limit = self.admission.limits.bodyBytesPerRequest
        let announced = self.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limit else { throw self.tooLarge(limit) }

        var bytes: [UInt8] = []
        bytes.reserveCapacity(announced)
        var taken = 0
        defer { self.admission.releaseBody(bytes: taken) }
        do {
            for try await chunk in self.body {
                let count = chunk.readableBytes
                guard bytes.count + count <= limit else { throw self.tooLarge(limit) }
                guard self.admission.takeBody(bytes: count) else {
                    throw Problem(.tooBusy, "too many request bodies in memory")
                }
                taken += count
                bytes.append(contentsOf: chunk.readableBytesView)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            var problem = Problem(.malformedRequest, "the body cannot be read")
            problem.closesConnection = true
            throw problem
        }
        return try await use(bytes)
    }

    /// `application/json`, in UTF-8 if it says anything about it, and not compressed.
    private func checkContentType() throws(Problem) {
        let encoding = self.headers[.contentEncoding]?.lowercased()
        guard encoding == nil || encoding == "identity" else {
            throw Problem(.unsupportedMediaType, "send the body without Content-Encoding")
        }
        let parts = (self.headers[.contentType] ?? "").lowercased().split(separator: ";").map { $0.trimming() }
        guard parts.first == "application/json",
            parts.dropFirst().allSatisfy({ $0 == "charset=utf-8" || $0 == #"charset="utf-8""# })
        else { throw Problem(.unsupportedMediaType, "send Content-Type: application/json") }
    }

    /// The rest of the body may be endless: it is not waited for.
    private func tooLarge(_ limit: Int) -> Problem {
        var problem = Problem(.bodyTooLarge, "the body is larger than \(limit) bytes")
        problem.closesConnection = true
        return problem
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
