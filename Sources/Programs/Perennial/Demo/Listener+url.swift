package import HTTPAPI

extension HTTPAPI.Configuration.Listener {
    /// How this machine reaches it over plain HTTP; an address that stands for all addresses, over loopback.
    package var urlOnThisMachine: String {
        let host =
            switch self.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            default: self.host
            }
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(self.port)"
    }
}
