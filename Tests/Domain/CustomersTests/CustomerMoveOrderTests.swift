import Customers
import Subscriptions
import Testing

/// Moves as nodes make them, step by step and in any order: each step is a request to one stream, which may come late, twice or never.
@Suite struct CustomerMoveOrderTests {
    private struct Stream {
        var state = CustomerState()
        var version: Int64 = 0
    }

    /// What somebody does next; a process may die before any step.
    private enum Step {
        case begin(CustomerID, to: CustomerID)
        case move(CustomerID, to: CustomerID, at: Int64, Belongings)
        case settle(CustomerID, at: CustomerID, Belongings, Int64)
        case undo(CustomerID)
        case giveBack(CustomerID, from: CustomerID, GiveBack)
        case comeBack(CustomerID, from: CustomerID, at: Int64)
        case finish(CustomerID, at: CustomerID)
        case drop(CustomerID, at: CustomerID, before: Int64)
    }

    private struct World {
        var streams: [CustomerID: Stream] = [:]
        var sent: [CustomerRequest] = []
        var records: [CustomerID: [(record: CustomerRecord, at: Moment)]] = [:]

        func version(_ customer: CustomerID) -> Int64 { self.streams[customer]?.version ?? 0 }

        func state(_ customer: CustomerID) -> CustomerState { self.streams[customer]?.state ?? CustomerState() }

        /// nil for a circle.
        func end(of customer: CustomerID) -> CustomerID? {
            var end = customer
            for _ in 0..<20 {
                guard let next = self.state(end).movedTo else { return end }
                end = next
            }
            return nil
        }

        static func origin(of customer: CustomerID) -> UInt64 { UInt64(customer.rawValue.utf8.last ?? 0) }

        func belongings(of customer: CustomerID) -> Belongings {
            self.state(customer).belongings(of: Self.origin(of: customer))
        }

        /// - Returns: false where it is refused.
        mutating func send(_ request: CustomerRequest) -> Bool {
            self.sent.append(request)
            let stream = self.streams[request.customer] ?? Stream()
            let decision = CustomerDecision(request, stream.state, at: stream.version, CustomerMoveOrderTests.now)
            if let record = decision.record {
                self.streams[request.customer, default: Stream()].state.apply(record, at: CustomerMoveOrderTests.now)
                self.streams[request.customer]?.version += 1
                self.records[request.customer, default: []].append((record, CustomerMoveOrderTests.now))
            }
            return decision.refusal == nil
        }

        mutating func take(_ step: Step) -> [Step] {
            switch step {
            case .begin(let source, let wanted):
                guard let target = self.end(of: wanted), target != source else { return [] }
                let (state, version) = (self.state(source), self.streams[source]?.version ?? 0)
                if let earlier = state.movedTo {
                    return [.settle(source, at: earlier, self.belongings(of: source), version)]
                }
                guard state.takes.isEmpty else { return state.takes.map { .finish($0.customer, at: source) } }
                let belongings = self.belongings(of: source)
                let room = state.room(at: CustomerMoveOrderTests.now)
                let request = CustomerRequest(target, .take(source, at: version, room, origin: Self.origin(of: source)))
                guard self.send(request) else { return [] }
                return [.move(source, to: target, at: version, belongings)]
            case .move(let source, let target, let version, let belongings):
                let isMoved = self.send(CustomerRequest(source, .move(to: target, at: version)))
                return isMoved ? [.settle(source, at: target, belongings, version + 1)] : [.finish(source, at: target)]
            case .settle(let source, let target, let belongings, let version):
                _ = self.send(CustomerRequest(target, .settle(source, belongings, at: version)))
                return []
            case .undo(let source):
                guard let target = self.state(source).movedTo, self.state(target).movedTo == nil else { return [] }
                let plan = MoveReturn(
                    of: .init(source, self.state(source), at: self.version(source)), Self.origin(of: source),
                    at: .init(target, self.state(target), at: self.version(target)),
                    .init(of: source, in: self.records[target] ?? []), CustomerMoveOrderTests.now)
                var giveBack = plan.request
                if !plan.keptGrants.isEmpty {
                    let leaving = CustomerRequest.Content.leave(grants: plan.keptGrants, at: giveBack.version)
                    guard self.send(CustomerRequest(source, leaving)) else { return [] }
                    giveBack.version += 1
                }
                return [.giveBack(source, from: target, giveBack)]
            case .giveBack(let source, let target, let request):
                guard self.send(CustomerRequest(target, .giveBack(request))) else { return [] }
                return [.comeBack(source, from: target, at: request.version)]
            case .comeBack(let source, let target, let version):
                return self.send(CustomerRequest(source, .comeBack(from: target, at: version)))
                    ? [.drop(source, at: target, before: version + 1)] : [.finish(source, at: target)]
            case .finish(let source, let target):
                guard let take = self.state(target).takes.first(where: { $0.customer == source }) else { return [] }
                let isMoved = self.state(source).movedTo == target
                if !isMoved || take.returns, self.version(source) <= take.version {
                    return self.send(CustomerRequest(source, .stay)) ? [.finish(source, at: target)] : []
                }
                return isMoved
                    ? [.settle(source, at: target, self.belongings(of: source), self.version(source))]
                    : [.drop(source, at: target, before: self.version(source))]
            case .drop(let source, let target, let version):
                _ = self.send(CustomerRequest(target, .drop(source, before: version)))
                return []
            }
        }

        /// The grants of a customer as readers see them: its own, and those of whoever has moved to it and is not settled.
        func grants(of customer: CustomerID) -> [Grant] {
            guard self.state(customer).movedTo == nil else { return [] }
            return self.state(customer).grants
                + self.state(customer).takes.map(\.customer).filter { self.state($0).movedTo == customer }
                .flatMap { self.state($0).grants }
        }
    }

    private static let now = Moment(milliseconds: 1_000_000)

    private static func grant(_ id: String, to name: CustomerID) -> CustomerRequest {
        let grant = Grant(id: id, entitlement: "pro", reason: "r", source: "web", from: .distantPast, until: nil)
        return CustomerRequest(name, .grant(grant, startsNow: false, replaces: false))
    }

    /// What somebody at the publisher's does to one customer meanwhile.
    private static func change(
        _ world: inout World, _ subject: CustomerID, _ live: inout Set<String>, _ revoked: inout Set<String>,
        using random: inout Random
    ) {
        if Bool.random(using: &random), live.count + revoked.count < 30 {
            let id = "g\(live.count + revoked.count)"
            if world.send(Self.grant(id, to: subject)) { live.insert(id) }
        } else {
            guard let grant = world.state(subject).grants.randomElement(using: &random) else { return }
            guard world.send(CustomerRequest(subject, .revoke(grant: grant.id))) else { return }
            live.remove(grant.id)
            revoked.insert(grant.id)
        }
        // What is sent again later is of moves alone.
        world.sent.removeLast()
    }

    @Test(arguments: 0..<400, [false, true])
    func `no circle, and each grant is somebody's, once, and stays revoked`(seed: UInt64, undoes: Bool) {
        var random = Random(seed: seed)
        var world = World()
        let names = (0..<(seed.isMultiple(of: 2) ? 2 : 5)).map { customer("c\($0)") }
        var (live, revoked): (Set<String>, Set<String>) = ([], [])
        var steps: [Step] = []
        for _ in 0..<400 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<3:
                let source = names.randomElement(using: &random)!
                // Half of them say what was said before.
                let wanted = Bool.random(using: &random) ? names[0] : names.randomElement(using: &random)!
                if source != wanted { steps.append(.begin(source, to: wanted)) }
            case 7:
                guard undoes, let source = names.randomElement(using: &random) else { continue }
                steps.append(.undo(source))
            case 3:
                // What was sent before comes once more, under no key that would tell.
                guard let request = world.sent.randomElement(using: &random) else { continue }
                _ = world.send(request)
            case 4..<7:
                guard let subject = names.filter({ world.state($0).movedTo == nil }).randomElement(using: &random)
                else { continue }
                Self.change(&world, subject, &live, &revoked, using: &random)
            default:
                guard !steps.isEmpty else { continue }
                let step = steps.remove(at: Int.random(in: 0..<steps.count, using: &random))
                if !random.chance(1, in: 12) { steps += world.take(step) }
            }
            for name in names where world.end(of: name) == nil { Issue.record("a circle") }
            let seen = names.flatMap { world.grants(of: $0) }
            #expect(seen.map(\.id).sorted() == live.union(revoked).sorted(), "\(seen)")
            #expect(Set(seen.filter { $0.revokedAt != nil }.map(\.id)) == revoked)
        }
        let moves = world.records.values.joined().filter { if case .moved = $0.record.content { true } else { false } }
        #expect(!moves.isEmpty)
    }

    @Test func `whoever has begun before a change settles what there is after it`() {
        for others in [true, false] {
            var world = World()
            let (source, target) = (customer("c1"), customer("c2"))
            _ = world.send(Self.grant("g", to: source))
            var steps = world.take(.begin(source, to: target))
            _ = world.send(CustomerRequest(source, .revoke(grant: "g")))
            _ = world.send(Self.grant("later", to: source))
            if others {
                // Somebody else moves the customer, and dies before it is settled.
                _ = world.take(.begin(source, to: target)).flatMap { world.take($0) }
            }
            while !steps.isEmpty { steps += world.take(steps.removeFirst()) }
            var again = [Step.begin(source, to: target)]
            while !again.isEmpty { again += world.take(again.removeFirst()) }
            #expect(world.grants(of: target).map(\.id) == ["g", "later"])
            #expect(world.grants(of: target).map { $0.revokedAt == nil } == [false, true])
            #expect(world.state(target).takes.isEmpty && world.state(source).movedTo == target)
        }
    }
}
