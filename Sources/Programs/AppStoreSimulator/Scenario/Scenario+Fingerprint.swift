import Crypto

extension Scenario {
    /// The same for scenarios that are equal, whatever their text looks like; by it a simulation that goes on knows
    /// whether it does so by its own scenario.
    var fingerprint: String {
        SHA256.hash(data: Array(String(reflecting: self).utf8)).prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
