import Foundation
import Synchronization

/// Standard output and standard error, written through at once, without control characters but line breaks and tabs. On a terminal
/// some lines may stay below all others.
enum Console {
    /// What stays below.
    private static let status = Mutex<[String]>([])

    /// A line on standard output. Ends the program quietly when the reader has gone, as in `… | head`.
    static func print(_ line: String) {
        let isWritten = Self.status.withLock { status in
            Self.write(
                Self.erasure(of: status) + line.escapingControlsInLines + "\n" + status.joined(separator: "\n"),
                to: STDOUT_FILENO)
        }
        if !isWritten { exit(0) }
    }

    /// A line on standard error.
    static func complain(_ line: String) {
        Self.status.withLock { status in
            // It may be the same terminal.
            let below = isatty(STDERR_FILENO) == 1 ? status : []
            if !below.isEmpty { _ = Self.write(Self.erasure(of: below), to: STDOUT_FILENO) }
            _ = Self.write(line.escapingControlsInLines + "\n", to: STDERR_FILENO)
            if !below.isEmpty { _ = Self.write(below.joined(separator: "\n"), to: STDOUT_FILENO) }
        }
    }

    /// Replaces what stays below by whole fields of a line, which are separated by commas and bars.
    static func keepBelow(_ line: String) {
        let lines = line.isEmpty ? [] : line.escapingControls.fields(width: (Self.width ?? 80) - 1)
        Self.status.withLock { status in
            _ = Self.write(Self.erasure(of: status) + lines.joined(separator: "\n"), to: STDOUT_FILENO)
            status = lines
        }
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Columns of the terminal; nil when standard output is none.
    static var width: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return nil }
        return Int(size.ws_col)
    }

    /// To the beginning of the first of some lines, the last of which the cursor is in, and all from there on away.
    private static func erasure(of lines: [String]) -> String {
        guard !lines.isEmpty else { return "" }
        return "\r" + (lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : "") + "\u{1B}[J"
    }

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
