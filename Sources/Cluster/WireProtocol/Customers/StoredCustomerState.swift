package import Customers
import Subscriptions

/// The state in the row of a customer's stream, and the rules that folded it.
package struct StoredCustomerState: Hashable, Sendable {
    package let state: CustomerState
    /// Where it is not `CustomerState.logicVersion`, the owner has to derive the state anew.
    package let logicVersion: Int

    /// A state folded by this binary.
    package init(_ state: CustomerState) {
        self.state = state
        self.logicVersion = CustomerState.logicVersion
    }

    /// - Throws: `WireError` when these are not the bytes of a state.
    package init(protoBytes: [UInt8]) throws(WireError) {
        let proto = try ProtoCustomerState(decoding: protoBytes)
        self.logicVersion = Int(proto.logicVersion)
        self.state = CustomerState(
            proto.hasCustomer ? CustomerID(stored: try proto.customer.spelling()) : nil,
            grants: proto.grants.map(Grant.init), attributes: proto.attributes.values.compactMapValues(\.self),
            takes: try proto.takes.map { take throws(WireError) in
                CustomerState.Take(
                    CustomerID(stored: try take.customer.spelling()), at: take.version, Room(take.room),
                    returns: take.returns, attributes: take.hadCome ? take.attributes : nil)
            },
            arrived: proto.arrived,
            departed: proto.departed.map { CustomerState.Departure($0.origin, at: $0.version) },
            movedTo: proto.hasMovedTo ? CustomerID(stored: try proto.movedTo.spelling()) : nil,
            changedAt: Moment(rawValue: proto.changedAt),
            told: Dictionary(
                try proto.told.map { told throws(WireError) in
                    (
                        EntitlementName(told.entitlement, in: AppStoreEnvironment(rawValue: told.environment)),
                        try ToldAnswer(told.answer)
                    )
                },
                uniquingKeysWith: { first, _ in first }),
            duplicatePayments: try proto.duplicatePayments.map { duplicate throws(WireError) in
                try DuplicatePayment(duplicate)
            })
    }

    /// Reading these bytes gives the same state.
    package func protoBytes() throws(WireError) -> [UInt8] {
        var proto = ProtoCustomerState()
        proto.logicVersion = Int64(self.logicVersion)
        proto.grants = self.state.grants.map { $0.proto() }
        proto.changedAt = self.state.changedAt.rawValue
        proto.takes = self.state.takes.map { take in
            var proto = ProtoCustomerState.Take()
            proto.customer = ProtoIdentifier(take.customer.rawValue)
            proto.version = take.version
            proto.room = take.room.proto()
            proto.returns = take.returns
            proto.attributes = take.attributes ?? []
            proto.hadCome = take.attributes != nil
            return proto
        }
        proto.arrived = self.state.arrived
        proto.departed = self.state.departed.map { departure in
            var proto = ProtoCustomerState.Departure()
            proto.origin = departure.origin
            proto.version = departure.version
            return proto
        }
        proto.told = self.state.told.map { name, answer in
            var proto = ProtoCustomerState.Told()
            proto.entitlement = name.entitlement
            proto.environment = name.environment.rawValue
            proto.answer = answer.proto()
            return proto
        }
        .sorted { ($0.entitlement, $0.environment) < ($1.entitlement, $1.environment) }
        proto.duplicatePayments = self.state.duplicatePayments.map { $0.proto() }
        if let customer = self.state.customer { proto.customer = ProtoIdentifier(customer.rawValue) }
        if let movedTo = self.state.movedTo { proto.movedTo = ProtoIdentifier(movedTo.rawValue) }
        if !self.state.attributes.isEmpty { proto.attributes = ProtoAttributes(self.state.attributes) }
        return try proto.encoded()
    }
}
