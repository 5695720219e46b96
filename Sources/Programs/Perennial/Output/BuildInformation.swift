/// Which program this is.
enum BuildInformation {
    static let version = "0.1.0"

    static var compiler: String {
        #if compiler(>=6.3)
        "Swift 6.3 or newer"
        #else
        "Swift 6.2"
        #endif
    }

    static var platform: String {
        #if arch(x86_64)
        let processor = "x86_64"
        #elseif arch(arm64)
        let processor = "arm64"
        #else
        let processor = "unknown processor"
        #endif
        #if os(Linux)
        return "Linux \(processor)"
        #else
        return "macOS \(processor)"
        #endif
    }

    static var mode: String {
        #if DEBUG
        "debug"
        #else
        "release"
        #endif
    }

    static var line: String { "perennial \(Self.version) (\(Self.mode), \(Self.platform), \(Self.compiler))" }
}
