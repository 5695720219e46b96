import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import StrictJSON
import Subscriptions

/// The App Store Server API: every endpoint that concerns purchases, with Apple's authorization, limits and errors.
struct StoreAPI: Sendable {
    typealias Handler = @Sendable (StoreAPI, StoreCall) async throws -> StoreReply

    let store: StoreIdentity
    let records: SimulationRecords
    let time: SimulatedTime
    let products: [Product]
    /// Whether there is an address of delivery.
    let delivers: Bool
    let troublemaker: Troublemaker
    private let tokens: ClientTokens
    private let limits: RequestLimits
    private let requests: RequestLog
    private let signer: PayloadSigner
    private let forger: PayloadSigner

    private static let largestBody = 1 << 20

    init(
        configuration: SimulatorConfiguration, keys: SimulatorKeys, records: SimulationRecords, time: SimulatedTime,
        signer: PayloadSigner, requests: RequestLog
    ) throws(SimulatorError) {
        self.store = configuration.store
        self.records = records
        self.time = time
        self.products = configuration.scenario.products
        self.delivers = !configuration.deliverTo.isEmpty
        self.troublemaker = Troublemaker(seed: configuration.seed)
        self.tokens = try ClientTokens(keys: keys, bundleID: configuration.store.bundleID)
        self.limits = RequestLimits(factor: configuration.limits, environment: configuration.store.environment)
        self.requests = requests
        self.signer = signer
        self.forger = PayloadSigner(chain: keys.chain.map { Array($0) }, key: P256.Signing.PrivateKey())
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        for route in StoreRoute.all where route.endpoint != .orderLookUp || self.store.environment == .production {
            router.on(RouterPath("inApps/\(route.path)"), method: route.method) { request, context in
                try await self.answer(request, context, route)
            }
        }
    }

    func signer(for call: StoreCall) -> PayloadSigner { call.trouble.forges ? self.forger : self.signer }

    /// Signs by what is settled: nothing that the store signs later is about an earlier state.
    func sign(_ transaction: StoreTransaction, of page: Ledger.Page, settled: Moment, for call: StoreCall) throws
        -> [UInt8]
    {
        let payload = TransactionPayload(
            transaction: transaction, profile: page.book.profile, store: self.store,
            signedDate: page.signedDate(settled: settled))
        return try self.signer(for: call).sign(payload.json)
    }

    // MARK: What this environment knows of

    /// All that the Apple account has bought to which an id belongs. What was bought in another environment is unknown here.
    func pages(ofCustomerWith id: String) -> [Ledger.Page] {
        self.records.ledger.pages(ofCustomerWith: id).filter { $0.book.profile.environment == nil }
    }

    /// The book that a transaction is in. One of another environment is unknown here.
    func page(ofTransaction id: String) -> Ledger.Page? {
        self.records.ledger.page(ofTransaction: id).flatMap { $0.book.profile.environment == nil ? $0 : nil }
    }

    // MARK: One request

    private func answer(_ request: Request, _ context: BasicRequestContext, _ route: StoreRoute) async throws
        -> Response
    {
        let body = try await request.body.collect(upTo: Self.largestBody)
        var response = try await self.answer(request, context, route, Array(buffer: body))
        self.requests.note(
            RequestLog.Entry(
                method: request.method.rawValue, path: request.uri.path, query: request.uri.query ?? "",
                body: Array(buffer: body), status: response.status.code, answered: .now))
        response.headers[.contentType] = response.body.contentLength == 0 ? nil : "application/json"
        return response
    }

    private func answer(
        _ request: Request, _ context: BasicRequestContext, _ route: StoreRoute, _ body: [UInt8]
    ) async throws -> Response {
        let now = SimulatedTime.realNow()
        guard self.tokens.accepts(authorization: request.headers[.authorization], at: now) else {
            return Response(status: .unauthorized)
        }
        if let next = self.limits.take(route.endpoint, at: now) {
            var response = Self.response(.rateLimitExceeded)
            response.headers[.retryAfter] = "\(next.milliseconds)"
            return response
        }
        let trouble = self.troublemaker.next()
        if let delay = trouble.delay { try await Task.sleep(for: delay) }
        if let error = trouble.error { return Self.response(error) }
        let call = StoreCall(
            parameters: context.parameters.getAll(route.parameters),
            query: request.uri.queryParameters.map { (String($0.key), String($0.value)) }, body: body, trouble: trouble)
        do {
            switch try await route.handler(self, call) {
            case .json(let bytes) where trouble.cutsBody: return Self.cut(bytes)
            case .json(let bytes): return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
            case .done: return Response(status: .ok)
            case .accepted: return Response(status: .accepted)
            }
        } catch let error as StoreAPIError {
            return Self.response(error)
        }
    }

    private static func response(_ error: StoreAPIError) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.member("errorCode", Int64(error.code))
            json.member("errorMessage", error.message)
        }
        return Response(
            status: HTTPResponse.Status(code: error.status), body: .init(byteBuffer: ByteBuffer(bytes: json.bytes)))
    }

    private struct Cut: Error {}

    /// Promises all of it, and closes the connection after the first half.
    private static func cut(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok,
            body: ResponseBody(contentLength: bytes.count) { writer in
                try await writer.write(ByteBuffer(bytes: bytes.prefix(bytes.count / 2)))
                throw Cut()
            })
    }
}

extension Parameters {
    fileprivate func getAll(_ names: [String]) -> [String] { names.map { self.get($0) ?? "" } }
}
