import AppStore
import AsyncHTTPClient
import Shards

extension ServerAPIAccess {
    /// Asks over HTTP. Tokens and limits go by the machine's clock, because Apple's servers do, whatever clock the node
    /// lives by.
    func client(observer: any ServerAPIObserver) throws(AppStoreConfigurationError) -> ServerAPIClient {
        let clock = SystemClock()
        return try ServerAPIClient(
            account: self.account, credentials: self.credentials, baseURL: self.baseURL,
            transport: HTTPServerAPITransport(client: .shared),
            budget: RequestBudget(
                limits: RequestBudget.appleLimits(in: self.account.environment), share: self.share),
            observer: observer, now: { clock.now })
    }
}
