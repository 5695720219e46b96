import ArgumentParser
import Foundation
import StrictJSON
import ZeroMQ

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Keys by which nodes know each other.",
        discussion: """
            Example:
              perennial keys new --out /etc/perennial/curve.key
              perennial keys show /etc/perennial/curve.key
            """,
        subcommands: [New.self, Show.self])

    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a node's CURVE key: the secret goes to a file, the public key is printed.",
            discussion: """
                Each node has a key of its own, named in its cluster.curveKeyFile. Nodes find each other's public keys in \
                the store that they share: nothing has to be copied by hand.

                Example:
                  perennial keys new --out /etc/perennial/curve.key
                """)

        @Option(help: "The file for the secret key; it must not exist yet.")
        var out: String

        @OptionGroup var output: OutputOptions

        func run() throws {
            let keys = try CurveKeyPair()
            guard let secret = Z85.text(of: keys.secretKey) else { preconditionFailure("a key can be written") }
            try self.write("\(secret)\n")
            KeysCommand.print(keys, in: self.out, as: self.output.output)
        }

        /// Readable by its owner alone from the first byte on.
        private func write(_ text: String) throws {
            let descriptor = open(self.out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw CommandFailure("cannot make \(self.out): \(String(cString: strerror(errno)))")
            }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            do {
                try file.write(contentsOf: Data(text.utf8))
                try file.synchronize()
            } catch {
                throw CommandFailure("cannot write \(self.out): \(FileProblem(error).sentence)")
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the public key that belongs to a secret one.",
            discussion: """
                Subscribers of the stream need the public key of a node, and stream.subscribers those of subscribers.

                Example:
                  perennial keys show /etc/perennial/curve.key
                """)

        @Argument(help: "The file with the secret key, as `perennial keys new` writes it.")
        var file: String

        @OptionGroup var output: OutputOptions

        func run() throws {
            let text: String
            do {
                text = String(decoding: try Data(contentsOf: URL(filePath: self.file)), as: UTF8.self)
            } catch {
                throw CommandFailure("\(self.file): \(FileProblem(error).sentence)")
            }
            guard let keys = CurveKeyPair(file: text) else {
                throw CommandFailure("\(self.file): holds no CURVE key as `perennial keys new` writes it")
            }
            KeysCommand.print(keys, in: self.file, as: self.output.output)
        }
    }

    /// The file of the secret key, and the public key.
    private static func print(_ keys: CurveKeyPair, in file: String, as format: OutputFormat) {
        guard let known = Z85.text(of: keys.publicKey) else { preconditionFailure("a key can be written") }
        switch format {
        case .table:
            Console.print("secret key: \(file)")
            Console.print("public key: \(known)")
        case .json:
            Console.print(
                JSONWriter.text { json in
                    json.member("file", file)
                    json.member("publicKey", known)
                })
        }
    }
}

extension CurveKeyPair {
    /// From what a key file holds: the secret key on its first line; nil for anything else.
    init?(file text: String) {
        let key = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        guard let keys = try? CurveKeyPair(secretKey: Z85.bytes(of: key) ?? []) else { return nil }
        self = keys
    }
}
