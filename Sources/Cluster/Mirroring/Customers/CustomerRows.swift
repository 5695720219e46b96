import Customers
import EventLog
import Ownership
import Subscriptions
import WireProtocol

/// What answers by customer need of all streams: the newest image of each, by its id, and by what it names.
struct CustomerRows {
    /// Names a row: an identifier by its hash, a subscription or a purchase by the digest of its key.
    typealias RowID = IdentifierHash

    private struct Row {
        var id: RowID
        var version: Int64
        /// An encoded `CustomerImage`; before it, of a subscription or a purchase, the length and the bytes of its id.
        var content: [UInt8]
        /// The number of its environment and bundle.
        var app: UInt32
        var shard: UInt16
        var kind: StreamKind
        /// It may never have been: its shard is copied anew.
        var isDoubted = false
        /// It has been removed, and its number waits for another.
        var isFree = false
    }

    /// A row as it is read.
    struct Found {
        var id: RowID
        var image: CustomerImage
        var key: StreamKey
        var shard: ShardID
        /// What leads here, or what it goes on from.
        var names: [RowID]

        init(id: RowID, image: CustomerImage, key: StreamKey, shard: ShardID) {
            self.id = id
            self.image = image
            self.key = key
            self.shard = shard
            self.names = image.names(besides: key)
        }
    }

    private var rows: [Row] = []
    private var free: [Int] = []
    private var numbers = NumberLists()
    /// Of rows that name an id.
    private var mentions = NumberLists()
    private var apps: [AppName] = []
    private var appNumbers: [AppName: Int] = [:]

    private struct AppName: Hashable {
        var environment: AppStoreEnvironment
        var bundleID: BundleID
    }

    // MARK: Reading

    /// Of rows that may name an id: those of streams that may lead to it, of identifiers that it has registered, of customers who
    /// have moved to it.
    func numbers(naming id: RowID) -> [Int] {
        var numbers: [Int] = []
        self.mentions.forEach(id.low) { number in
            numbers.append(number)
            return true
        }
        return numbers
    }

    static func id(of key: StreamKey) -> RowID? {
        guard key.kind.isOfPublisher else { return Self.digest(key.bytes) }
        return key.id.firstIndex(of: ":").flatMap { RowID(hexadecimal: key.id[key.id.index(after: $0)...]) }
    }

    static func digest(_ key: [UInt8]) -> RowID {
        let digest = IDDigest(utf8: key[...])
        return RowID(high: digest.high, low: digest.low)
    }

    func number(of id: RowID) -> Int? {
        var place: Int?
        self.numbers.forEach(id.low) { number in
            if self.rows[number].id == id { place = number }
            return place == nil
        }
        return place
    }

    func found(_ number: Int) -> Found? {
        let row = self.rows[number]
        guard !row.isFree else { return nil }
        let idSize = row.kind.isOfPublisher ? 0 : Int(row.content[0]) + 1
        guard let image = try? CustomerImage(decoding: Array(row.content[idSize...])) else { return nil }
        let app = self.apps[Int(row.app)]
        let key =
            row.kind.isOfPublisher
            ? StreamKey(IdentifierHash.Kind(row.kind), row.id)
            : StreamKey(
                kind: row.kind, id: String(decoding: row.content[1..<idSize], as: UTF8.self),
                environment: app.environment, bundleID: app.bundleID)
        return Found(id: row.id, image: image, key: key, shard: ShardID(rawValue: row.shard))
    }

    // MARK: Writing

    /// What a row was, and what it is by now.
    struct Replacement {
        var before: Found?
        var after: Found
    }

    /// Takes over an image, unless there is one of the same version or a newer one.
    /// - Parameter bytes: that `image` was read from.
    /// - Returns: nil where nothing has changed.
    mutating func put(
        _ image: CustomerImage, _ bytes: [UInt8], of key: StreamKey, in shard: ShardID, _ replacing: ReplacedRow
    ) throws(MirrorError) -> Replacement? {
        guard let id = Self.id(of: key), key.id.utf8.count <= UInt8.max, image.isOf(key.kind) else {
            throw MirrorError(.malformed, "the key of a stream is not one that customers have")
        }
        let place = self.number(of: id)
        if let place {
            let row = self.rows[place]
            let isNews =
                row.isDoubted || row.version < image.version.rawValue
                || replacing == .sameVersion && row.version == image.version.rawValue
            guard isNews else { return nil }
        }
        let prefix = key.kind.isOfPublisher ? [] : [UInt8(key.id.utf8.count)] + Array(key.id.utf8)
        let row = Row(
            id: id, version: image.version.rawValue, content: prefix + bytes, app: UInt32(self.number(ofAppOf: key)),
            shard: shard.rawValue, kind: key.kind)
        let before = place.flatMap(self.found)
        let number = place ?? self.free.popLast() ?? self.rows.count
        let after = Found(id: id, image: image, key: key, shard: shard)
        let (old, new) = (before?.names ?? [], after.names)
        if number == self.rows.count { self.rows.append(row) } else { self.rows[number] = row }
        if place == nil { self.numbers.insert(number, id.low) }
        for name in old where !new.contains(name) { self.mentions.remove(number, name.low) }
        for name in new where !old.contains(name) { self.mentions.insert(number, name.low) }
        return Replacement(before: before, after: after)
    }

    private mutating func number(ofAppOf key: StreamKey) -> Int {
        let app = AppName(environment: key.environment, bundleID: key.bundleID)
        if let number = self.appNumbers[app] { return number }
        self.apps.append(app)
        self.appNumbers[app] = self.apps.count - 1
        return self.apps.count - 1
    }

    mutating func doubt(_ shard: ShardID) {
        for place in self.rows.indices where self.rows[place].shard == shard.rawValue {
            self.rows[place].isDoubted = !self.rows[place].isFree
        }
    }

    /// Those of a shard that have not come again are not there.
    mutating func removeDoubted(of shard: ShardID) {
        for number in self.rows.indices where self.rows[number].isDoubted && self.rows[number].shard == shard.rawValue {
            for name in self.found(number)?.names ?? [] {
                self.mentions.remove(number, name.low)
            }
            self.numbers.remove(number, self.rows[number].id.low)
            self.rows[number].content = []
            self.rows[number].isDoubted = false
            self.rows[number].isFree = true
            self.free.append(number)
        }
    }

    var count: Int { self.rows.count - self.free.count }

    /// All memory that it takes, about: an array of bytes has 32 more than it holds.
    var bytes: Int {
        self.rows.capacity * MemoryLayout<Row>.stride + self.rows.reduce(0) { $0 + ($1.content.count + 47) / 16 * 16 }
            + self.numbers.bytes + self.mentions.bytes
    }
}

extension CustomerImage {
    fileprivate func isOf(_ kind: StreamKind) -> Bool {
        switch self.content {
        case .held: kind.givesAccess
        case .granted: kind == .customer
        case .holder: kind == .token || kind == .account
        }
    }

    /// What leads here, or what it goes on from, each once.
    /// - Parameter key: of the stream.
    fileprivate func names(besides key: StreamKey) -> [IdentifierHash] {
        var names: [IdentifierHash] = []
        func add(_ name: IdentifierHash?) {
            if let name, !names.contains(name) { names.append(name) }
        }
        switch self.content {
        case .held(let leads, _):
            for customer in leads.customers { add(customer) }
            if case .carried(let token, _) = leads.token { add(token) }
            add(leads.appTransaction)
            if let predecessor = leads.predecessor { add(CustomerRows.digest(key.predecessor(predecessor).bytes)) }
        case .granted(let granted): add(granted.movedTo)
        case .holder(let customer): add(customer)
        }
        return names
    }
}

extension StreamKey {
    /// Of a stream that this one goes on from.
    func predecessor(_ id: OriginalTransactionID) -> StreamKey {
        StreamKey(kind: self.kind, id: id.rawValue, environment: self.environment, bundleID: self.bundleID)
    }
}

extension IdentifierHash.Kind {
    /// - Precondition: the kind is of an identifier's own stream.
    fileprivate init(_ kind: StreamKind) {
        self =
            switch kind {
            case .token: .appAccountToken
            case .account: .appTransaction
            default: .customer
            }
    }
}
