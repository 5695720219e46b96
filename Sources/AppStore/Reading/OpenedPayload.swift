import Subscriptions

/// A payload that is authentic, and about an app that is ours.
struct OpenedPayload<Content: IdentifyingPayload>: Sendable {
    let json: [UInt8]
    let content: Content
    let contentDigest: PayloadDigest
    let app: AppIdentity
    let environment: AppStoreEnvironment
}

extension PayloadVerifier {
    func open<Content: IdentifyingPayload>(
        _ jws: [UInt8], as kind: Content.Type, for apps: AppDirectory, now: Moment
    ) async throws(Rejection) -> OpenedPayload<Content> {
        let verified: VerifiedPayload<Content>
        do throws(VerificationFailure) {
            verified = try await self.verify(jws[...], as: kind, now: now)
        } catch {
            throw .refused(error)
        }
        let content = try verified.content()
        let (app, environment) = try content.claimedIdentity.app(in: apps)
        do throws(VerificationFailure) { try verified.checkRoot(of: app) } catch { throw .refused(error) }
        return OpenedPayload(
            json: verified.payload.bytes, content: content, contentDigest: verified.payload.contentDigest, app: app,
            environment: environment)
    }
}
