import Crypto
import Foundation

/// 256 random bits as a backend presents them, in letters and digits that need no escaping anywhere.
struct APIToken {
    let text: String

    init() {
        let bits = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        let encoded = bits.base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        self.text = "pnl_\(encoded)"
    }

    /// What the configuration holds instead of the token.
    var sha256: String {
        SHA256.hash(data: Data(self.text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
