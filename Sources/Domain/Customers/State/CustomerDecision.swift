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
    /// Somebody has changed since what the request restores.
    case nothingToUndo
    /// Others have brought grants of this id along, and more than one has not ended.
    case severalGrants
    case tooManyAttributes
    /// Everything of the customer is another one's.
    case customerMoved
    /// Others are about to move here, or the stream has changed since the move began.
    case customerMoving
    /// More have moved to the two than may to one.
    case tooManyNames
}

/// What a request to change what is kept of a customer comes to. Depends on nothing but the state, the request and the moment.
///
/// A move is made in three streams' order: its target takes its source (`take`), its source moves (`move`), its target has it
/// (`settle`). Whoever takes somebody does not move, and a move is for one version of its source's stream. So none is made after
/// its target has dropped it, since that comes after the source's stream has had another version (`stay`); and moves that are
/// under way at once never close a circle, without any clock.
///
/// The undo of a move has four steps. The source forgets the grants that stay (`leave`). The target removes the rest and keeps its room
/// (`giveBack`); readers then look at both streams. The source clears its move (`comeBack`): this step is the commit point. The target drops
/// the source. A node that finds an undo half done raises the source's version (`stay`), which makes a late `comeBack` fail, and settles the
/// move again.
package struct CustomerDecision: Hashable, Sendable {
    /// nil where the request is refused, and where it is fulfilled already.
    package private(set) var record: CustomerRecord?
    package private(set) var refusal: CustomerRefusal?

    /// - Parameters:
    ///   - version: of the stream.
    ///   - moment: now.
    package init(_ request: CustomerRequest, _ state: CustomerState, at version: Int64, _ moment: Moment) {
        if let target = state.movedTo {
            switch request.content {
            // Whoever has moved had nobody to wait for.
            case .settle, .drop: break
            case .stay: self.record(.stays, request)
            case .leave(let grants, at: let begun):
                if version != begun { self.refusal = .customerMoving }
                self.record(.left(grants: grants), request)
            case .comeBack(from: target, at: let begun):
                if version != begun { self.refusal = .customerMoving }
                self.record(.returned(from: target), request)
            case .move(to: target, at: let begun):
                // What somebody brings along who has begun before a change is not what there is.
                if version != begun + 1 { self.refusal = .customerMoving }
            default: self.refusal = .customerMoved
            }
            return
        }
        switch request.content {
        case .grant, .revoke:
            // The move of the id under which it was asked has been taken back since it was read.
            if let origin = request.origins.first, !state.arrived.contains(origin) {
                self.refusal = .customerMoving
                return
            }
        default: break
        }
        // An owner before may have had a clock that was ahead.
        let seen = state.grants(seenAt: moment)
        switch request.content {
        case .grant(var grant, let startsNow, let replaces):
            let meant = Self.meant(grant.id, request, state, seen, at: moment)
            let before = meant.first
            grant.origin = before.map(\.origin) ?? request.origins.first
            grant.actor = request.actor
            if startsNow { grant.from = moment }
            if let before, let seen = seen.first(where: { $0.key == before.key }), startsNow, seen.from <= moment {
                var repeated = grant
                repeated.from = before.from
                if before.saysTheSame(as: repeated, replaces: replaces) { return }
                // What is extended while it entitles goes on.
                if seen.entitles(at: moment) { grant = repeated }
            }
            if let before, before.saysTheSame(as: grant, replaces: replaces) { return }
            self.refusal = before != nil && !replaces ? .grantExists : Self.refusal(of: grant, at: moment)
            let live = seen.filter { $0.isLive(at: moment) }
            // What is extended has its room, also where there was more of it once.
            let place = live.first { $0.key == grant.key }?.size ?? 0
            if self.refusal == nil, place < grant.size, !CustomerState.fits(grant, beside: live, state.reserved()) {
                self.refusal = .tooManyGrants
            }
            if meant.count > 1 { self.refusal = .severalGrants }
            self.record(.granted(grant), request)
        case .revoke(let id):
            let meant = Self.meant(id, request, state, seen, at: moment)
            guard let key = meant.first?.key, let grant = seen.first(where: { $0.key == key }) else {
                self.refusal = .unknownGrant
                return
            }
            if meant.count > 1 { self.refusal = .severalGrants }
            if grant.isLive(at: moment) { self.record(.revoked(grant: key, at: moment), request) }
        case .restore(let from, let to):
            guard state.grants.contains(from), to != nil || from.isLive(at: moment) else {
                self.refusal = .nothingToUndo
                return
            }
            guard let to else {
                self.record(.revoked(grant: from.key, at: moment), request)
                return
            }
            let others = seen.filter { $0.isLive(at: moment) && $0.key != to.key }
            if !CustomerState.fits(to, beside: others, state.reserved()) {
                self.refusal = .tooManyGrants
            }
            self.record(.granted(to), request)
        case .set(let wanted):
            let changes = wanted.filter { $1 != state.attributes[$0] }
            guard !changes.isEmpty else { return }
            var after = state
            after.apply(CustomerRecord(request.customer, .attributes(changes)), at: moment)
            if !CustomerState.fits(after.attributes) { self.refusal = .tooManyAttributes }
            self.record(.attributes(changes), request)
        case .take(let other, at: let begun, let room, let origin):
            // Whoever comes late with a move that has been made asks for nothing more.
            if state.arrived.contains(origin) { return }
            if state.departed.contains(where: { $0.origin == origin && begun <= $0.version }) {
                self.refusal = .customerMoving
            }
            if state.takes.contains(where: { $0.customer == other && $0.version >= begun }) { return }
            let others = state.takes.filter { $0.customer != other }
            if others.count >= CustomerState.takeLimit { self.refusal = .customerMoving }
            let names = state.names + state.reserved(besides: other).names + room.names
            if names > CustomerState.nameLimit { self.refusal = .tooManyNames }
            if !state.hasRoom(room, for: other, at: moment) { self.refusal = .tooManyGrants }
            self.record(.takes(other, at: begun, room), request)
        case .drop(let other, before: let begun):
            if state.takes.contains(where: { $0.customer == other && $0.version < begun }) {
                self.record(.drops(other), request)
            }
        case .settle(let other, let belongings, let seen):
            guard let take = state.takes.first(where: { $0.customer == other }) else { return }
            // At the version for which it was taken it may still do either. Senders before feature level 10 do not say.
            guard seen > take.version || seen == 0 && !take.returns else { return }
            self.record(.taken(other, belongings), request)
        case .move(to: let target, at: let begun):
            if !state.takes.isEmpty || version != begun { self.refusal = .customerMoving }
            self.record(.moved(to: target), request)
        case .stay: self.record(.stays, request)
        case .giveBack(let leaving): self.giveBack(leaving, request, state, at: version)
        case .leave, .comeBack: self.refusal = .nothingToUndo
        // That is decided with as many events as there are changes.
        case .tell: break
        }
    }

    private mutating func giveBack(
        _ leaving: GiveBack, _ request: CustomerRequest, _ state: CustomerState, at version: Int64
    ) {
        var belongings = leaving.belongings
        if let take = state.takes.first(where: { $0.customer == leaving.customer }) {
            if take.returns, take.version == leaving.version { return }
            if take.version >= leaving.version { self.refusal = .customerMoving }
            // What it brought along has not come, or has gone already.
            belongings = ReturnedBelongings(origins: belongings.origins)
        } else if version != leaving.seen || state.takes.count >= CustomerState.takeLimit {
            self.refusal = .customerMoving
        } else if !belongings.origins.allSatisfy(state.arrived.contains) {
            self.refusal = .nothingToUndo
        }
        self.record(.givesBack(leaving.customer, at: leaving.version, leaving.room, belongings), request)
    }

    /// The grant that an id means: the customer's own, or that of the id under which it is asked for; else one that has not ended before
    /// one that has. Several where only the id under which it was made can tell.
    private static func meant(
        _ id: String, _ request: CustomerRequest, _ state: CustomerState, _ seen: [Grant], at moment: Moment
    ) -> [Grant] {
        let named = state.grants(id, under: request.origins)
        let live = named.filter { grant in seen.contains { $0.key == grant.key && $0.isLive(at: moment) } }
        if let exact = live.first, exact.origin == request.origins.first { return [exact] }
        return live.isEmpty ? Array(named.prefix(1)) : live
    }

    private static func refusal(of grant: Grant, at moment: Moment) -> CustomerRefusal? {
        guard let until = grant.until else { return nil }
        if until <= grant.from { return .grantEndsBeforeItBegins }
        return until <= moment ? .grantIsOver : nil
    }

    private mutating func record(_ content: CustomerRecord.Content, _ request: CustomerRequest) {
        guard self.refusal == nil else { return }
        self.record = CustomerRecord(request.customer, content, actor: request.actor, reason: request.reason)
    }
}

extension Grant {
    /// Whoever has asked: a repetition may come with another token. What takes the place of a grant that was taken back says
    /// something new.
    fileprivate func saysTheSame(as other: Grant, replaces: Bool) -> Bool {
        var other = other
        (other.actor, other.origin) = (self.actor, self.origin)
        if !replaces { other.revokedAt = self.revokedAt }
        return self == other
    }
}
