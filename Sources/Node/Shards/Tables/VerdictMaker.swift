package import Entitlements
import EventLog
package import ServiceContract
package import Subscriptions

/// Makes the results of one batch from packed rows, all of one moment.
package struct VerdictMaker {
    package let now: Moment
    private var catalog: CatalogCheck
    private var apps: Interner<RowNames.App>.Reader
    private var products: Interner<String>.Reader

    package init(names: RowNames, catalog: Catalog, now: Moment) {
        self.now = now
        self.catalog = CatalogCheck(catalog)
        self.apps = Interner.Reader(names.apps)
        self.products = Interner.Reader(names.products)
    }

    /// - Parameter rows: all of the id that is asked about.
    package mutating func result(_ request: CheckRequest, _ rows: UnsafeRawBufferPointer) -> CheckResult {
        self.catalog.result(self.find(request, rows), for: request.entitlement)
    }

    /// Answers what a table has. The rows of one shard are read in one hold of its lock.
    /// - Returns: the numbers of what has to be loaded.
    package mutating func answer(
        _ numbers: ArraySlice<Int>, of questions: CheckQuestions, from table: EntitlementTable,
        into results: inout [CheckResult]
    ) -> [Int] {
        self.read(numbers, of: questions, from: table) { results[$0] = $1 }
    }

    /// The same, for answers that come from several sources.
    package mutating func answer(
        _ numbers: ArraySlice<Int>, of questions: CheckQuestions, from table: EntitlementTable,
        into answers: inout PartialAnswers
    ) -> [Int] {
        self.read(numbers, of: questions, from: table) { answers.answer($0, $1) }
    }

    @inline(__always)
    private mutating func read(
        _ numbers: ArraySlice<Int>, of questions: CheckQuestions, from table: EntitlementTable,
        _ take: (Int, CheckResult) -> Void
    ) -> [Int] {
        var missing: [Int] = []
        table.read(numbers, questions.name) { number, rows in
            if let rows {
                take(number, self.result(questions.requests[number], rows))
            } else {
                missing.append(number)
            }
        }
        return missing
    }

    private mutating func find(_ request: CheckRequest, _ rows: UnsafeRawBufferPointer) -> CheckResult {
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
        guard let found else { return .verdict(.unknown(request.kind)) }
        return .verdict(self.verdict(found.answer, of: found.app))
    }

    private mutating func verdict(_ answer: PackedAnswer, of app: RowNames.App) -> CheckVerdict {
        CheckVerdict(
            entitled: answer.entitled, state: answer.state, code: answer.code, validUntil: answer.validUntil,
            productID: answer.product.map { self.products[$0] }, version: answer.version,
            reason: CheckVerdict.Reason(answer.state, answer.code),
            bundleID: app.bundleID)
    }
}

extension CheckVerdict {
    /// Of a stream that nobody has heard of.
    /// - Parameter kind: `.subscription` or `.purchase`.
    package static func unknown(_ kind: StreamKind) -> CheckVerdict {
        CheckVerdict(
            entitled: false, state: nil, code: .nothing, validUntil: nil, productID: nil, version: .zero,
            reason: kind == .purchase ? .unknownPurchase : .unknownSubscription)
    }
}
