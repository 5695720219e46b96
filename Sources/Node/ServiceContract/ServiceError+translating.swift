extension ServiceError {
    /// Whatever `body` throws, in the words of the service.
    package static func translating<Value>(_ body: () async throws -> Value) async throws(ServiceError) -> Value {
        do {
            return try await body()
        } catch {
            throw ServiceError(error)
        }
    }
}
