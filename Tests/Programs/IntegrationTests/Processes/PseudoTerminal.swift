import Foundation
import PostgresHarness
import Synchronization

/// A terminal of a given width, in which a program runs: what it writes, and how that looks.
final class PseudoTerminal: Sendable {
    private let process: PostgresHarness.ChildProcess
    private let written = Mutex<[UInt8]>([])
    private let status = Mutex<Int32?>(nil)

    /// Linux's `TIOCSPTLCK` and `TIOCGPTN`, which Swift does not see: they unlock the other end, and tell its number.
    private static let (lock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))

    init(columns: Int, _ command: [String]) throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number) = (Int32(0), Int32(0))
        guard master >= 0, ioctl(master, Self.lock, &isLocked) == 0, ioctl(master, Self.number, &number) == 0 else {
            throw ProcessFailure("there is no pseudo-terminal")
        }
        var size = winsize(ws_row: 50, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw ProcessFailure("the terminal has no width") }
        // While nobody has its other end, reading there fails.
        let path = "/dev/pts/\(number)"
        let held = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        self.process = try PostgresHarness.ChildProcess(command, output: path)
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = read(master, &buffer, buffer.count), count > 0 {
                self.written.withLock { $0 += buffer[..<count] }
            }
            close(master)
        }
        Thread.detachNewThread {
            let status = self.process.wait()
            // What was written stays to be read.
            close(held)
            self.status.withLock { $0 = status ?? -1 }
        }
    }

    deinit { if self.status.withLock({ $0 }) == nil { kill(self.process.id, SIGKILL) } }

    var text: String { String(decoding: self.written.withLock { $0 }, as: UTF8.self) }

    func send(_ signal: Int32) { kill(self.process.id, signal) }

    /// Waits until something was written that is no longer than a line, or the program has ended.
    func untilWritten(_ words: some RegexComponent) async throws {
        var read = 0
        while self.status.withLock({ $0 }) == nil {
            // What was looked at is not looked at again: it gets long.
            let news = self.written.withLock { Array($0.dropFirst(max(0, read - 256))) }
            if String(decoding: news, as: UTF8.self).firstMatch(of: words) != nil { return }
            read += news.count - min(read, 256)
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Waits for the program's end.
    func exitCode() async throws -> Int32 {
        while true {
            if let status = self.status.withLock({ $0 }) { return status }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
