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
        let content: Content
        do throws(Rejection) {
            content = try verified.content()
        } catch {
            throw error.attributed(to: verified.payload.bytes, among: apps)
        }
        let (app, environment) = try content.claimedIdentity.app(in: apps)
        do throws(VerificationFailure) { try verified.checkRoot(of: app) } catch { throw .refused(error) }
        return OpenedPayload(
            json: verified.payload.bytes, content: content, contentDigest: verified.payload.contentDigest, app: app,
            environment: environment)
    }
}

extension Rejection {
    /// What cannot be read may say all the same that it is about an app of somebody else: then that is why it is set aside,
    /// so that strangers have one share of the quarantine.
    fileprivate func attributed(to json: [UInt8], among apps: AppDirectory) -> Rejection {
        guard self.quarantine != nil, let bundleID = ClaimedIdentity.bundleID(in: json), apps[bundleID] == nil else {
            return self
        }
        return Rejection(quarantine: .unknownApp, failure: self.failure)
    }
}
