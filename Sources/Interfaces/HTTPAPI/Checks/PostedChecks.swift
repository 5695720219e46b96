package import ServiceContract
import SubscriptionService
import Subscriptions

/// The body of `POST /v1/check`, whichever way it was written.
package struct PostedChecks {
    static let maximum = 1_000

    /// Those that the service can answer, in their order.
    package private(set) var questions: [CheckRequest] = []
    /// Those about customers, by their place among all.
    package private(set) var customers: [(place: Int, question: CustomerQuestion)] = []
    /// Those that cannot be asked, by their place among all: the others have to get their answers.
    private(set) var refusals: [(place: Int, code: ProblemCode)] = []
    package var consistency = Consistency.local

    /// Where those stand that cannot be asked.
    package var refusedPlaces: [Int] { self.refusals.map(\.place) }

    var count: Int { self.questions.count + self.customers.count + self.refusals.count }

    /// - Throws: 400 for what is no such body, 413 for more checks than are taken at a time.
    package init(_ format: BodyFormat, _ body: [UInt8]) throws {
        switch format {
        case .json: try self.init(json: body)
        case .protobuf: try self.init(protobuf: body)
        }
    }

    /// Without checks, to be added.
    init(expecting count: Int) { self.questions.reserveCapacity(count) }

    // MARK: For those who read a body

    enum Item {
        case question(CheckRequest)
        case customer(CustomerQuestion)
        case refused(ProblemCode)
    }

    /// - Throws: 413 when there is one check too many.
    mutating func add(_ item: Item) throws(Problem) {
        guard self.count < Self.maximum else {
            throw Problem(.tooManyChecks, "more than \(Self.maximum) checks")
        }
        switch item {
        case .question(let question): self.questions.append(question)
        case .customer(let question): self.customers.append((self.count, question))
        case .refused(let code): self.refusals.append((self.count, code))
        }
    }
}

extension PostedChecks.Item {
    /// A check about a customer.
    /// - Parameter hasBundle: the check names an app. A customer is one for all apps, and no condition is passed over.
    init(customer: ArraySlice<UInt8>, environment: AppStoreEnvironment, entitlement: String?, hasBundle: Bool) {
        guard !hasBundle, let text = String(validating: customer, as: UTF8.self), let id = CustomerID(text) else {
            self = .refused(.invalidCheck)
            return
        }
        self = .customer(CustomerQuestion(id, environment: environment, entitlement: entitlement))
    }
}

extension ArraySlice<UInt8> {
    /// 1…128 visible ASCII characters, as `String.isIdentifier` has it.
    var isIdentifier: Bool {
        (1...128).contains(self.count) && self.withUnsafeBufferPointer { $0.allSatisfy { (0x21...0x7E).contains($0) } }
    }
}
