import Subscriptions

/// An external purchase token of a custom link: made, remembered every month while it is active, and missed when the
/// publisher does not report it.
struct ExternalTokenLife: Sendable {
    private enum Step { case remind, miss }

    private let token: StoreNotification.ExternalPurchaseToken
    private var random: SeededGenerator
    private var agenda = Agenda<Step>()
    private var signing = SigningTimes()

    /// How long such a token is active, and when a missing report is noticed. Apple publishes neither.
    private static let activeMonths: Int64 = 3
    private static let reportDue = Milliseconds.days(15)

    init(isReported: Bool, at moment: Moment, random: SeededGenerator) {
        var random = random
        self.token = StoreNotification.ExternalPurchaseToken(
            id: random.uuid(), created: moment, expires: moment.after(.months(Self.activeMonths)),
            kind: random.chance(500) ? .services : .acquisition)
        self.random = random
        for month in 1..<Self.activeMonths { self.agenda.enter(.remind, due: moment.after(.months(month))) }
        if !isReported { self.agenda.enter(.miss, due: self.token.expires + Self.reportDue) }
    }

    var nextDue: Moment? { self.agenda.nextDue }

    mutating func create() -> StoreNotification { self.tell("CREATED", at: self.token.created) }

    mutating func next() -> [StoreNotification] {
        guard let (moment, step) = self.agenda.next() else { return [] }
        switch step {
        case .remind: return [self.tell("ACTIVE_TOKEN_REMINDER", at: moment)]
        case .miss: return [self.tell("UNREPORTED", at: moment)]
        }
    }

    private mutating func tell(_ subtype: String, at moment: Moment) -> StoreNotification {
        StoreNotification(
            type: "EXTERNAL_PURCHASE_TOKEN", subtype: subtype, uuid: self.random.uuid(),
            signedDate: self.signing.next(after: moment, random: &self.random),
            content: .externalPurchaseToken(self.token))
    }
}
