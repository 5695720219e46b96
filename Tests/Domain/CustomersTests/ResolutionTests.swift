import Customers
import Subscriptions
import Testing

/// To whom a stream leads, rule by rule.
@Suite struct ResolutionTests {
    private let rows = Rows(
        tokens: [hash(.appAccountToken, token(5).rawValue): hashed("registrant")],
        appTransactions: [hash(.appTransaction, "app-1"): hashed("account")])

    private func expect(
        _ leads: StreamLeads, _ tokens: TokenPolicy = .id, leadTo name: String?, by reason: Resolution.Reason? = nil,
        _ rows: Rows? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let holder = leads.resolution(rows ?? self.rows, tokens: tokens).holder
        #expect(holder?.customer == name.map(hashed), sourceLocation: sourceLocation)
        if let reason { #expect(holder?.reason == reason, sourceLocation: sourceLocation) }
    }

    @Test func `nothing leads nowhere`() {
        self.expect(StreamLeads(), leadTo: nil)
        #expect(!StreamLeads().resolution().isLinkedToNobody)
    }

    @Test func `a token leads to the customer that registered it, else to the one whose id it is`() {
        self.expect(StreamLeads(token: 5), leadTo: "registrant", by: .token)
        self.expect(StreamLeads(token: 1), leadTo: token(1).rawValue, by: .token)
        self.expect(StreamLeads(token: 5), .registered, leadTo: "registrant", by: .token)
        self.expect(StreamLeads(token: 1), .registered, leadTo: nil)
    }

    @Test func `a link goes before a token that the stream had when it was made`() {
        let linked = StreamLeads(token: 1).linked(to: "u", token: token(1), at: place(1))
        self.expect(linked, leadTo: "u", by: .link)
    }

    @Test func `another token at a greater place overrules a link, and lets it hold again where it returns`() {
        var leads = StreamLeads(token: 1).linked(to: "u", token: token(1), at: place(1))
        leads.token = Placed(token(2), at: place(2))
        self.expect(leads, leadTo: token(2).rawValue, by: .token)
        leads.token = Placed(token(1), at: place(3))
        self.expect(leads, leadTo: "u", by: .link)
        leads.token = Placed(token(2), at: place(1))
        self.expect(leads, leadTo: "u", by: .link)
    }

    @Test func `a token that leads nowhere overrules no link`() {
        var leads = StreamLeads(token: 1).linked(to: "u", token: token(1), at: place(1))
        leads.token = Placed(token(2), at: place(2))
        self.expect(leads, .registered, leadTo: "u", by: .link)
        leads.token = Placed(nil, at: place(2))
        self.expect(leads, leadTo: "u", by: .link)
    }

    @Test func `a link to nobody holds like any other`() {
        let leads = StreamLeads(token: 1).linked(to: nil, token: token(1))
        self.expect(leads, leadTo: nil)
        #expect(leads.resolution().isLinkedToNobody)
    }

    @Test func `an app transaction leads somewhere only where the stream carries no token`() {
        self.expect(StreamLeads(token: nil, appTransaction: "app-1"), leadTo: "account", by: .appTransactionID)
        self.expect(StreamLeads(token: 1, appTransaction: "app-1"), .registered, leadTo: nil)
        var erased = StreamLeads(token: nil, appTransaction: "app-1")
        erased.token = Placed(nil, at: place(1))
        self.expect(erased, leadTo: nil)
        self.expect(StreamLeads(token: nil, appTransaction: "app-2"), leadTo: nil)
    }

    @Test(arguments: 1...10)
    func `a stream without a token leads where its predecessor does, through eight of them`(_ generations: Int) {
        var rows = self.rows
        for number in 1...generations {
            let id = OriginalTransactionID(rawValue: "\(number)")
            rows.streams[id] =
                number == generations
                ? LeadImage(StreamLeads().linked(to: "u"), hash: hash)
                : LeadImage(predecessor: OriginalTransactionID(rawValue: "\(number + 1)"))
        }
        var leads = StreamLeads()
        leads.predecessor = Placed(OriginalTransactionID(rawValue: "1"), at: place(1))
        let holder = leads.resolution(rows).holder
        #expect(holder?.customer == (generations <= 8 ? hashed("u") : nil))
        if generations <= 8 { #expect(holder?.isInherited == true) }
    }

    @Test func `a circle of predecessors or moves ends`() {
        var rows = self.rows
        let id = OriginalTransactionID(rawValue: "1")
        rows.streams[id] = LeadImage(predecessor: id)
        var leads = StreamLeads()
        leads.predecessor = Placed(id, at: place(1))
        self.expect(leads, leadTo: nil, rows)
        rows.moves = [hashed("a"): hashed("b"), hashed("b"): hashed("a")]
        #expect(StreamLeads().linked(to: "a").resolution(rows).holder != nil)
    }

    @Test func `what was a customer's goes where the customer was moved`() {
        var rows = self.rows
        rows.moves = [hashed("a"): hashed("b"), hashed("b"): hashed("c")]
        self.expect(StreamLeads().linked(to: "a"), leadTo: "c", by: .link, rows)
        let shared = StreamLeads(token: 1).shared(with: "a", "c", "d").resolution(rows)
        #expect(shared.sharers == [hashed("c"), hashed("d")])
    }

    @Test func `who shares a stream has it by a link, beside its holder`() {
        let resolution = StreamLeads(token: 1).shared(with: "u", "v").resolution()
        #expect(resolution.customers == [hash(.customer, token(1).rawValue), hashed("u"), hashed("v")])
        #expect(resolution.reason(of: hashed("v")) == .link)
        #expect(resolution.reason(of: hash(.customer, token(1).rawValue)) == .token)
        #expect(resolution.reason(of: hashed("w")) == nil)
    }

    @Test func `a later payload without a token changes nothing, and one at a greater place does`() {
        func leads(_ payloads: [(token: String?, place: Int64)]) -> StreamLeads {
            StreamLeads(
                payloads.map { payload in
                    var info = TransactionInfo(
                        originalTransactionID: OriginalTransactionID(rawValue: "1"),
                        transactionID: TransactionID(rawValue: "\(payload.place)"), bundleID: BundleID(rawValue: "a"),
                        environment: .production, signedDate: Moment(milliseconds: payload.place), digest: .zero)
                    info.purchaseDate = Moment(milliseconds: payload.place)
                    info.appAccountToken = payload.token
                    return info
                })
        }
        let payloads: [(String?, Int64)] = [
            (token(1).rawValue, 1), (token(2).rawValue.uppercased(), 2), (nil, 3), ("no UUID", 0),
        ]
        #expect(leads(payloads).token?.value == token(2))
        #expect(leads(payloads.reversed()).token?.value == token(2))
        #expect(leads([(token(1).rawValue, 1), ("no UUID", 2)]).token?.value == .some(nil))
    }
}
