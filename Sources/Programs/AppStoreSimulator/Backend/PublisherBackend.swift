import Subscriptions

/// The server of the simulated app: what it learns from devices and from its own web shop, and which requests to a node
/// follow. It reads no clock and makes no request itself. What it has asked for is true from that moment on, and goes to
/// the board; whether it has been carried out is another matter.
struct PublisherBackend: Sendable {
    private enum Step {
        case register(token: String, customer: String)
        case post(originalTransactionID: String, customer: String, restores: Bool)
        case move(from: String, to: String)
        case payOnWeb(customer: String, entitlement: String, since: Moment)
    }

    private let ids: CustomerIDs
    private let board: CustomerBoard
    private var agenda = Agenda<Step>()
    /// Of everything sold so far, the token that it carries.
    private var tokens: [String: String?] = [:]
    /// By token: whose it is, if it is not their id.
    private var holders: [String: String] = [:]
    /// Ids of people who will have an account, or have one by now.
    private var registering: Set<String> = []
    private var registered: Set<String> = []
    /// By customer: what they pay for on the web.
    private var paying: [String: String] = [:]
    private var count = 0

    /// Longer than the month that was paid for, so that nothing is missing while the next one is being paid.
    private static let slack = Milliseconds.days(1)

    init(ids: CustomerIDs, board: CustomerBoard, start: Moment) {
        self.ids = ids
        self.board = board
        for (token, customer, pause) in ids.registrations {
            self.agenda.enter(.register(token: token, customer: customer), due: start + pause)
        }
    }

    /// Has to be told of every development, in order.
    mutating func notice(_ development: Development) {
        for book in development.books { self.notice(book, at: development.moment) }
        for tip in development.news { self.take(tip, at: development.moment) }
    }

    /// The next request that is due; nil when none is.
    mutating func next(dueBy moment: Moment) -> BackendRequest? {
        while let (due, step) = self.agenda.next(dueBy: moment) {
            if let request = self.take(step, at: due) { return request }
        }
        return nil
    }

    // MARK: What is sold

    private mutating func notice(_ book: Book, at moment: Moment) {
        let id = book.originalTransactionID
        let token = book.accountToken
        guard let known = self.tokens[id] else {
            self.tokens.updateValue(token, forKey: id)
            if let token {
                self.board.give(id, to: self.holder(of: token), from: book.truth.changes.first?.from ?? moment)
            } else {
                self.meet(book, at: moment)
            }
            return
        }
        guard let token, token != known else { return }
        self.tokens[id] = token
        self.board.give(id, to: self.holder(of: token), from: moment)
    }

    private func holder(of token: String) -> String { self.holders[token] ?? token }

    /// Nothing but a device says whose it is.
    private mutating func meet(_ book: Book, at moment: Moment) {
        let index = book.profile.index
        let account = book.familyAccount
        let due = moment + self.ids.delay(index, account: account)
        guard account == 0 else {
            return self.plan(
                .post(
                    originalTransactionID: book.originalTransactionID, customer: self.ids.relative(of: index, account),
                    restores: false), due: due)
        }
        guard !self.ids.writesPosts(index) else { return }
        let person = self.ids.person(index)
        let before = person.before.flatMap { self.registered.contains($0.id) ? nil : $0 }
        self.plan(
            .post(
                originalTransactionID: book.originalTransactionID, customer: before?.id ?? person.id, restores: false),
            due: due)
        if let before, self.registering.insert(before.id).inserted {
            self.plan(.move(from: before.id, to: person.id), due: due + before.for)
        }
    }

    private mutating func take(_ tip: BackendTip, at moment: Moment) {
        let person = self.ids.person(tip.customer)
        switch tip.news {
        case .post(let customer, let restores):
            guard let id = tip.bought else { return }
            let own = (self.tokens[id] ?? nil).map { self.holder(of: $0) } ?? person.id
            self.plan(.post(originalTransactionID: id, customer: customer ?? own, restores: restores), due: moment)
        case .register(let anonymous):
            self.plan(.move(from: anonymous, to: person.id), due: moment)
        case .payOnWeb(let entitlement):
            guard self.paying.updateValue(entitlement, forKey: person.id) != entitlement else { return }
            self.plan(.payOnWeb(customer: person.id, entitlement: entitlement, since: moment), due: moment)
        case .leaveWeb:
            self.paying[person.id] = nil
        }
    }

    private mutating func plan(_ step: Step, due: Moment) { self.agenda.enter(step, due: due) }

    // MARK: What follows

    private mutating func take(_ step: Step, at moment: Moment) -> BackendRequest? {
        switch step {
        case .register(let token, let customer):
            self.holders[token] = customer
            self.board.meet(customer, at: moment)
            return self.request(customer, .register(token: token), at: moment)
        case .post(let id, let customer, let restores):
            let isTheirs = self.board.claim(id, for: customer, at: moment)
            return self.request(
                customer, .post(originalTransactionID: id, restores: restores), at: moment, isToBeRefused: !isTheirs)
        case .move(let from, let to):
            self.registered.insert(from)
            self.board.move(from, to: to, at: moment)
            return self.request(from, .move(to: to), at: moment)
        case .payOnWeb(let customer, let entitlement, let since):
            guard self.paying[customer] == entitlement else { return nil }
            let next = moment.after(.months(1))
            let grant = SimulatedGrant(
                id: "web-\(entitlement)", entitlement: entitlement, from: since, until: next + Self.slack)
            self.board.set(grant, of: customer, at: moment)
            self.plan(step, due: next)
            return self.request(customer, .grant(grant), at: moment)
        }
    }

    private mutating func request(
        _ customer: String, _ action: BackendRequest.Action, at moment: Moment, isToBeRefused: Bool = false
    ) -> BackendRequest {
        defer { self.count += 1 }
        return BackendRequest(
            number: self.count, due: moment, customerID: customer, action: action, isToBeRefused: isToBeRefused)
    }
}
