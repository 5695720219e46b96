import Hummingbird
import NIOCore
import StrictJSON

/// One request on its way to a route.
struct Call {
    let fields: RequestFields
    let stream: RequestBody
    /// What the path's braces stand for, percent-decoded.
    let arguments: [String]
    let query: Query
    let admission: Admission
    /// What it came on.
    let connection: any Channel

    /// Reads the body, which has to be JSON, and lets `use` have it. From then on the request counts as one that is worked
    /// on: a client that is slow takes no place from others. For routes that say
    /// `takesBody`.
    func withBody<Result>(_ use: ([UInt8]) async throws -> Result) async throws -> Result {
        guard try self.format() == .json else { throw self.unsupported("send Content-Type: application/json") }
        let bytes = try await self.bytes()
        return try await self.admission.asRequest { try await use(bytes) }
    }

    /// The same where a body may be left out: `use` has no bytes then.
    func withOptionalBody<Result>(_ use: ([UInt8]) async throws -> Result) async throws -> Result {
        guard self.fields.contentType == nil, ContentLength.bytes(self.fields.contentLength) == 0 else {
            return try await self.withBody(use)
        }
        return try await self.admission.asRequest { try await use([]) }
    }

    /// Reads the body, which may be of any format. The request does not count as one that is worked on, so what follows must
    /// not wait: `Admission.asRequest` is for that.
    func body() async throws -> (format: BodyFormat, bytes: [UInt8]) {
        guard let format = try self.format() else {
            throw self.unsupported("send Content-Type: application/json or application/x-protobuf")
        }
        return (format, try await self.bytes())
    }

    private func bytes() async throws -> [UInt8] {
        let limit = self.admission.limits.bodyBytesPerRequest
        let announced = ContentLength.bytes(self.fields.contentLength)
        guard announced <= limit else { throw self.tooLarge(limit) }

        var bytes: [UInt8] = []
        // Of more than that, nobody knows whether it comes.
        bytes.reserveCapacity(min(announced, self.admission.limits.smallBodyBytes))
        do {
            for try await chunk in self.stream {
                guard bytes.count + chunk.readableBytes <= limit else { throw self.tooLarge(limit) }
                bytes.append(contentsOf: chunk.readableBytesView)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            var problem = Problem(.malformedRequest, "the body cannot be read")
            problem.closesConnection = true
            throw problem
        }
        return bytes
    }

    /// nil for a format that is not known here.
    private func format() throws(Problem) -> BodyFormat? {
        if let encoding = self.fields.contentEncoding, encoding.lowercased() != "identity" {
            throw self.unsupported("send the body without Content-Encoding")
        }
        return BodyFormat(contentType: self.fields.contentType ?? "")
    }

    private func unsupported(_ detail: String) -> Problem { Problem(.unsupportedMediaType, detail) }

    /// The rest of the body may be endless: it is not waited for.
    private func tooLarge(_ limit: Int) -> Problem {
        var problem = Problem(.bodyTooLarge, "the body is larger than \(limit) bytes")
        problem.closesConnection = true
        return problem
    }
}
