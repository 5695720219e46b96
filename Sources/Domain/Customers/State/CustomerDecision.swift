package import Subscriptions

/// Why a change of what is kept of a customer was refused.
package enum CustomerRefusal: Hashable, Sendable {
    /// Another grant has the id.
    case grantExists
    case grantIsOver
    case grantEndsBeforeItBegins
    /// As many grants live as may, or as there is room for.
    case tooManyGrants
    case unknownGrant
    case tooManyAttributes
}

/// What a request to change what is kept of a customer comes to. Depends on nothing but the state, the request and the moment.
package struct CustomerDecision: Hashable, Sendable {
    /// nil where the request is refused, and where it is fulfilled already.
    package private(set) var record: CustomerRecord?
    package private(set) var refusal: CustomerRefusal?

    /// - Parameter moment: now.
    package init(_ request: CustomerRequest, _ state: CustomerState, at moment: Moment) {
        // An owner before may have had a clock that was ahead.
        let seen = state.grants(seenAt: moment)
        switch request.content {
        case .grant(var grant, let startsNow, let replaces):
            let before = state.grant(grant.id)
            grant.actor = request.actor
            if startsNow { grant.from = moment }
            if let before, let seen = seen.first(where: { $0.id == before.id }), startsNow, seen.from <= moment {
                var repeated = grant
                repeated.from = before.from
                if before.saysTheSame(as: repeated, replaces: replaces) { return }
                // What is extended while it entitles goes on.
                if seen.entitles(at: moment) { grant = repeated }
            }
            if let before, before.saysTheSame(as: grant, replaces: replaces) { return }
            self.refusal = before != nil && !replaces ? .grantExists : Self.refusal(of: grant, at: moment)
            let live = seen.filter { $0.isLive(at: moment) }
            if self.refusal == nil, !CustomerState.fits(grant, beside: live) { self.refusal = .tooManyGrants }
            self.record(.granted(grant), request)
        case .revoke(let id):
            guard let grant = seen.first(where: { $0.id == id }) else {
                self.refusal = .unknownGrant
                return
            }
            if grant.isLive(at: moment) { self.record(.revoked(grant: id, at: moment), request) }
        case .set(let wanted):
            let changes = wanted.filter { $1 != state.attributes[$0] }
            guard !changes.isEmpty else { return }
            var after = state
            after.apply(CustomerRecord(request.customer, .attributes(changes)), at: moment)
            let bytes = after.attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.size }
            if after.attributes.count > CustomerState.attributeLimit || bytes > CustomerState.attributeBytes {
                self.refusal = .tooManyAttributes
            }
            self.record(.attributes(changes), request)
        }
    }

    private static func refusal(of grant: Grant, at moment: Moment) -> CustomerRefusal? {
        guard let until = grant.until else { return nil }
        if until <= grant.from { return .grantEndsBeforeItBegins }
        return until <= moment ? .grantIsOver : nil
    }

    private mutating func record(_ content: CustomerRecord.Content, _ request: CustomerRequest) {
        guard self.refusal == nil else { return }
        self.record = CustomerRecord(request.customer, content, actor: request.actor)
    }
}

extension Grant {
    /// Whoever has asked: a repetition may come with another token. What takes the place of a grant that was taken back says
    /// something new.
    fileprivate func saysTheSame(as other: Grant, replaces: Bool) -> Bool {
        var other = other
        other.actor = self.actor
        if !replaces { other.revokedAt = self.revokedAt }
        return self == other
    }
}
