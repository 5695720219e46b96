import Customers
import Subscriptions

/// Of one store: texts that differ have hashes that differ.
func hash(_ kind: IdentifierHash.Kind, _ text: String) -> IdentifierHash {
    let low = text.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return IdentifierHash(high: UInt64(kind.rawValue), low: low)
}

func customer(_ name: String) -> CustomerID { CustomerID(name)! }

func hashed(_ name: String) -> IdentifierHash { hash(.customer, customer(name).rawValue) }

/// The token that is customer `number`'s by `customers.tokens: id`.
func token(_ number: Int) -> AccountToken {
    AccountToken("0000000\(number)-0000-4000-8000-000000000000")!
}

/// The customer whose id token `number` is.
func tokenCustomer(_ number: Int) -> CustomerID { customer(token(number).rawValue) }

func place(_ number: Int) -> FactPlace {
    FactPlace(
        purchaseDate: Moment(milliseconds: Int64(number)), signedDate: Moment(milliseconds: Int64(number)),
        digestStart: 1)
}

/// What a store holds beside the streams.
struct Rows: IdentifierRows {
    var tokens: [IdentifierHash: IdentifierHash] = [:]
    var appTransactions: [IdentifierHash: IdentifierHash] = [:]
    var moves: [IdentifierHash: IdentifierHash] = [:]
    var streams: [OriginalTransactionID: LeadImage] = [:]

    func holder(ofToken token: IdentifierHash) -> IdentifierHash? { self.tokens[token] }
    func holder(ofAppTransaction id: IdentifierHash) -> IdentifierHash? { self.appTransactions[id] }
    func successor(of customer: IdentifierHash) -> IdentifierHash? { self.moves[customer] }
    func leads(of predecessor: OriginalTransactionID) -> LeadImage? { self.streams[predecessor] }
}

extension StreamLeads {
    init(token number: Int?, at place: FactPlace = place(1), appTransaction: String? = nil) {
        self.init()
        if let number { self.token = Placed(Optional(CustomersTests.token(number)), at: place) }
        if let appTransaction { self.appTransactionID = Placed(appTransaction, at: place) }
    }

    func linked(to name: String?, token: AccountToken? = nil, at place: FactPlace = CustomersTests.place(1)) -> Self {
        var leads = self
        leads.apply(LinkRecord(.linked, name.map(customer), token: token, place: place))
        return leads
    }

    func shared(with names: String...) -> Self {
        var leads = self
        for name in names { leads.apply(LinkRecord(.shared, customer(name))) }
        return leads
    }

    func stream(_ rows: Rows = Rows(), tokens: TokenPolicy = .id) -> LinkedStream {
        LinkedStream(self, newest: place(9), in: rows, tokens: tokens, hash: CustomersTests.hash)
    }

    func resolution(_ rows: Rows = Rows(), tokens: TokenPolicy = .id) -> Resolution {
        self.stream(rows, tokens: tokens).resolution
    }
}

extension CustomerState {
    /// The grant that the customer's own id means.
    func grant(_ id: String) -> Grant? { self.grants(id, under: []).first }

    /// Of so many customers.
    static func many(_ names: Int, takes: [Take] = []) -> CustomerState {
        CustomerState(takes: takes, arrived: (1..<names).map { UInt64($0) << 32 })
    }
}
