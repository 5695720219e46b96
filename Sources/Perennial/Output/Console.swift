import Foundation

/// Standard output and standard error, written through at once, without control characters but line breaks and tabs.
enum Console {
    /// A line on standard output. Ends the program quietly when the reader has gone, as in `… | head`.
    static func print(_ line: String) {
        if !Self.write(line.escapingControlsInLines + "\n", to: STDOUT_FILENO) { exit(0) }
    }

    /// A line on standard error.
    static func complain(_ line: String) {
        _ = Self.write(line.escapingControlsInLines + "\n", to: STDERR_FILENO)
    }

    /// Replaces the last line of a terminal; what does not fit its width is cut off.
    static func replaceLine(_ line: String) {
        var size = winsize()
        let line = line.escapingControls
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1
        _ = Self.write("\r\u{1B}[K" + line.prefix(isKnown ? Int(size.ws_col) - 1 : 79), to: STDOUT_FILENO)
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR && errno != EAGAIN {
                return false
            }
        }
        return true
    }
}
