package import Subscriptions

/// Why a link was refused.
package enum LinkRefusal: String, Hashable, Sendable {
    /// The stream is another customer's.
    case linkedElsewhere
    /// As many customers share the stream as may.
    case tooManySharers
    /// Somebody has changed since what the request restores.
    case nothingToUndo
}

/// What a request to link or unlink a stream comes to. Only the policy moves a stream from one customer to another, and only
/// for somebody who may ask for it.
package struct LinkDecision: Hashable, Sendable {
    /// In order; empty when nothing changes.
    package private(set) var records: [LinkRecord] = []
    /// nil when the request is fulfilled, also where nothing had to be done.
    package private(set) var refusal: LinkRefusal?

    /// - Parameter isActive: the stream is entitled, or in billing retry.
    package init(linking request: LinkRequest, _ stream: LinkedStream, isActive: Bool, policy: TransferPolicy) {
        let resolution = stream.resolution
        guard resolution.reason(of: stream.end(of: request.customer)) == nil else { return }
        if resolution.contradicts(request) {
            let mayMove =
                switch policy {
                case .transfer, .share: true
                case .transferIfInactive: !isActive
                case .keep: false
                }
            guard request.origin.asks, mayMove else {
                self.refusal = .linkedElsewhere
                guard request.origin != .launch else { return }
                let conflicts = stream.leads.conflicts
                let customer = stream.end(of: request.customer)
                if !conflicts.contains(where: { stream.end(of: $0) == customer }),
                    conflicts.count < StreamLeads.conflictLimit
                {
                    self.records = [LinkRecord(.conflicted, request.customer).by(request)]
                }
                return
            }
        }
        // That somebody has said so holds until somebody asks for the stream.
        guard !resolution.isLinkedToNobody || request.origin != .launch else {
            self.refusal = .linkedElsewhere
            return
        }
        // Where a link to nobody holds, its place is taken.
        guard policy == .share, !resolution.isLinkedToNobody || !resolution.sharers.isEmpty else {
            self.records = [stream.link(to: request.customer).by(request)]
            return
        }
        guard stream.leads.sharers.count < StreamLeads.sharerLimit else {
            self.refusal = .tooManySharers
            return
        }
        self.records = [LinkRecord(.shared, request.customer).by(request)]
    }

    /// Takes back what links the stream to the customer. Where it would lead there all the same, it is linked to nobody.
    package init(unlinking request: LinkRequest, _ stream: LinkedStream) {
        let customer = stream.end(of: request.customer)
        var rest = stream
        func take(_ record: LinkRecord) {
            rest.leads.apply(record)
            self.records.append(record.by(request))
        }
        for sharer in stream.leads.sharers where stream.end(of: sharer) == customer {
            take(LinkRecord(.unshared, sharer))
        }
        if let linked = stream.leads.link?.customer, stream.end(of: linked) == customer {
            take(LinkRecord(.unlinked, linked))
        }
        if rest.resolution.reason(of: customer) != nil { take(rest.link(to: nil)) }
    }

    /// Restores the stream's links, unless they lead to others by now. Conflicts that have come up since stay open.
    package init(undoing request: LinkRequest, _ undo: LinkUndo, _ stream: LinkedStream) {
        let links = StreamLinks(stream.leads)
        guard links.leadsLike(undo.from) else {
            self.refusal = .nothingToUndo
            return
        }
        var target = undo.to
        if links.conflicts != undo.from.conflicts {
            target.conflicts = links.conflicts.filter { $0 != target.link?.customer && !target.sharers.contains($0) }
        }
        self.records = stream.leads.records(restoring: target).map { $0.by(request) }
    }

    /// Closes the customer's conflicts, under whichever of its ids they were recorded.
    package init(dismissing request: LinkRequest, _ stream: LinkedStream) {
        let customer = stream.end(of: request.customer)
        self.records = stream.leads.conflicts.filter { stream.end(of: $0) == customer }
            .map { LinkRecord(.dismissed, $0).by(request) }
    }
}

/// A stream whose links are to be decided, and what they are decided by.
package struct LinkedStream {
    package var leads: StreamLeads
    /// Of the stream's newest payload.
    private let newest: FactPlace
    private let tokens: TokenPolicy
    private let rows: any IdentifierRows
    private let hashing: (IdentifierHash.Kind, String) -> IdentifierHash

    package init(
        _ leads: StreamLeads, newest: FactPlace, in rows: any IdentifierRows, tokens: TokenPolicy,
        hash: @escaping (IdentifierHash.Kind, String) -> IdentifierHash
    ) {
        self.leads = leads
        self.newest = newest
        self.tokens = tokens
        self.rows = rows
        self.hashing = hash
    }

    package var resolution: Resolution {
        Resolution(LeadImage(self.leads, hash: self.hashing), in: self.rows, tokens: self.tokens)
    }

    package func hash(_ customer: CustomerID) -> IdentifierHash { self.hashing(.customer, customer.rawValue) }

    /// The customer that has by now what was this one's.
    func end(of customer: CustomerID) -> IdentifierHash { Resolution.end(of: self.hash(customer), in: self.rows) }

    func link(to customer: CustomerID?) -> LinkRecord {
        LinkRecord(
            .linked, customer, token: self.leads.token?.value ?? nil, place: self.leads.token?.place ?? self.newest)
    }
}

extension LinkRequest.Origin {
    /// Somebody wants the stream, who may know that it is another customer's.
    fileprivate var asks: Bool {
        switch self {
        case .backend, .restore: true
        case .post, .launch: false
        }
    }
}

extension Resolution {
    /// What holds by a link or a token contradicts. What holds by an Apple Account or a predecessor alone does not, where a
    /// backend says so by itself.
    fileprivate func contradicts(_ request: LinkRequest) -> Bool {
        guard let holder = self.holder else { return !self.sharers.isEmpty }
        return request.origin != .backend || !holder.isInherited && holder.reason != .appTransactionID
    }
}

extension LinkRecord {
    fileprivate func by(_ request: LinkRequest) -> LinkRecord {
        var record = self
        (record.actor, record.reason) = (request.actor, request.reason)
        return record
    }
}
