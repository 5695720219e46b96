import ArgumentParser
import Foundation
import JSONScanning
import ZeroMQ

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Keys by which nodes know each other.",
        discussion: """
            Example:
              perennial keys new --out /etc/perennial/curve.key
            """,
        subcommands: [New.self])

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
            guard let secret = Z85.text(of: keys.secretKey), let known = Z85.text(of: keys.publicKey) else {
                preconditionFailure("a key can be written")
            }
            try self.write("\(secret)\n")
            switch self.output.output {
            case .table:
                Console.print("secret key: \(self.out)")
                Console.print("public key: \(known)")
            case .json:
                Console.print(
                    JSONWriter.text { json in
                        json.member("file", self.out)
                        json.member("publicKey", known)
                    })
            }
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
}
