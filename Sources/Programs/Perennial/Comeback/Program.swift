import Foundation

/// The program that this process runs, to be begun anew in its place.
package struct Program {
    /// Where it lay when this was made: later the kernel may say that it was deleted.
    private let origin = try? FileManager.default.destinationOfSymbolicLink(atPath: Self.running)

    private static let running = "/proc/self/exe"

    package init() {}

    /// Where to find it by now: by the path that it was started with, as its supervisor would, so that what was replaced
    /// or linked anew by an upgrade comes as the newer version; else where it lay; and if nothing is left there, the file that
    /// still runs.
    /// - Parameters:
    ///   - name: by which it was started. What is no path was searched for.
    ///   - origin: where it lay.
    package static func path(
        startedAs name: String, from origin: String?, isExecutable: (String) -> Bool
    ) -> String {
        let path = name.contains("/") ? name : nil
        return [path, origin].compactMap(\.self).first(where: isExecutable) ?? Self.running
    }

    /// Begins it with the same process id and arguments; does not return. Of this run only standard input, output
    /// and error go on: threads and memory end with it, and whatever else is open is closed.
    /// - Parameter beginning: what the next run is told of this one.
    /// - Throws: `CommandFailure`.
    func beginAnew(as beginning: RunBeginning) throws -> Never {
        let path = Self.path(startedAs: CommandLine.arguments[0], from: self.origin) {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            // Not closed here: threads still use them.
            guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        EarlySignals.hold()
        let environment = beginning.environment.map { strdup($0) } + [nil]
        execve(path, CommandLine.unsafeArgv, environment)
        throw CommandFailure("cannot start \(path): \(String(cString: strerror(errno)))")
    }
}
