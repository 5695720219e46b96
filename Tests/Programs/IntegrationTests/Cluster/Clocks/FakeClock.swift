import Foundation

/// The wall clock of one process, which can be set. Others have the machine's.
struct FakeClock {
    /// Of libfaketime; nil where it is not installed.
    static let library: String? = {
        let folder = "/usr/lib"
        let architectures = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return architectures.map { "\(folder)/\($0)/faketime/libfaketimeMT.so.1" }
            .first(where: FileManager.default.fileExists(atPath:))
    }()

    private let file: String

    /// - Parameter ahead: in seconds, of the machine's clock.
    init(in directory: TemporaryDirectory, ahead: Int) throws {
        self.file = directory.file("clock")
        try self.set(ahead: ahead)
    }

    /// In seconds, of the machine's clock.
    func set(ahead: Int) throws {
        try Data("\(ahead < 0 ? "" : "+")\(ahead)s\n".utf8).write(to: URL(filePath: self.file), options: .atomic)
    }

    /// To be put before a command.
    func wrapper() throws -> [String] {
        guard let library = Self.library else { throw ProcessFailure("there is no libfaketime here") }
        return [
            "/usr/bin/env", "LD_PRELOAD=\(library)", "FAKETIME_TIMESTAMP_FILE=\(self.file)", "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            // Otherwise it sets this itself. That moves the environment, beside which Swift looks for the arguments.
            "FAKETIME_SHARED=/none /none",
        ]
    }
}
