import Subscriptions

extension PayloadVerifier {
    /// Verifies a payload that is about an app that is ours.
    func verify<Content: IdentifyingPayload>(
        _ jws: [UInt8], as kind: Content.Type, for apps: AppDirectory, now: Moment
    ) async throws(Rejection) -> (
        payload: VerifiedPayload<Content>, content: Content, app: AppIdentity, environment: AppStoreEnvironment
    ) {
        let payload: VerifiedPayload<Content>
        do throws(VerificationFailure) {
            payload = try await self.verify(jws[...], as: kind, now: now)
        } catch {
            throw .refused(error)
        }
        let content: Content
        do throws(Rejection) {
            content = try payload.content()
        } catch {
            throw error.attributed(to: payload.json, among: apps)
        }
        let (app, environment) = try content.claimedIdentity.app(in: apps)
        do throws(VerificationFailure) { try payload.checkRoot(of: app) } catch { throw .refused(error) }
        return (payload, content, app, environment)
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
