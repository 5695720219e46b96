import Entitlements
import EventSourcing
import Subscriptions

/// Makes the results of one batch from packed rows, all of one moment.
struct VerdictMaker {
    let now: Moment
    private let catalog: Catalog
    private var apps: Register<RowNames.App>.Reader
    private var products: Register<String>.Reader

    init(names: RowNames, catalog: Catalog, now: Moment) {
        self.now = now
        self.catalog = catalog
        self.apps = Register.Reader(names.apps)
        self.products = Register.Reader(names.products)
    }

    /// - Parameter rows: all of the id that is asked about.
    mutating func result(_ request: CheckRequest, _ rows: UnsafeRawBufferPointer) -> CheckResult {
        var reader = PackedRowReader(rows)
        var found: (answer: PackedAnswer, app: RowNames.App)?
        while let answer = reader.next(at: self.now) {
            let app = self.apps[answer.app]
            guard app.environment == request.environment, request.bundleID.map({ $0 == app.bundleID }) ?? true else {
                continue
            }
            guard found == nil else { return .refused(.ambiguous) }
            found = (answer, app)
        }
        guard let found else { return .verdict(.unknown) }
        return .verdict(self.verdict(found.answer, of: found.app, for: request.entitlement))
    }

    private mutating func verdict(
        _ answer: PackedAnswer, of app: RowNames.App, for entitlement: String?
    ) -> CheckVerdict {
        let verdict = CheckVerdict(
            entitled: answer.entitled, state: answer.state, code: answer.code, validUntil: answer.validUntil,
            productID: answer.product.map { self.products[$0] }, version: answer.version, reason: nil,
            bundleID: app.bundleID)
        return verdict.held(against: self.catalog, for: entitlement)
    }
}

extension CheckVerdict {
    static let unknown = CheckVerdict(
        entitled: false, state: nil, code: .nothing, validUntil: nil, productID: nil, version: .zero,
        reason: .unknownSubscription)

    /// Whether access is access to an entitlement as well; nil asks for the subscription itself.
    func held(against catalog: Catalog, for entitlement: String?) -> CheckVerdict {
        guard let entitlement else { return self }
        let isGranted = catalog.grants(entitlement, productID: self.productID)
        if isGranted == true { return self }
        var verdict = self
        verdict.entitled = false
        verdict.validUntil = nil
        verdict.reason = isGranted == nil ? .unknownEntitlement : .otherProduct
        return verdict
    }
}
