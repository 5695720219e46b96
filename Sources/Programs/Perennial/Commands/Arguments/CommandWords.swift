import ArgumentParser
import ByteCoding

/// The words that follow `perennial`, as far as they can be judged without parsing them.
package struct CommandWords {
    private let words: [String]

    /// - Parameter words: without the program's own name.
    package init(_ words: [String]) { self.words = words }

    /// With `--speed -1` as `--speed=-1`: a negative number is a value, and no option is named like one.
    package var joiningNegativeNumbers: [String] {
        var joined: [String] = []
        for (index, word) in self.words.enumerated() {
            guard word != "--" else { return joined + self.words[index...] }
            if let option = joined.last, option.hasPrefix("--"), !option.contains("="), word.isNegativeNumber {
                joined[joined.count - 1] = "\(option)=\(word)"
            } else {
                joined.append(word)
            }
        }
        return joined
    }

    /// What is wrong where a word stands in the place of a command and is none; nil otherwise.
    func unknownCommand(of root: any ParsableCommand.Type) -> String? {
        var (command, path) = (root, root._commandName)
        for word in self.words {
            let known = command.configuration.subcommands
            guard !known.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let next = known.first(where: { $0._commandName == word }) else {
                let names = known.map { $0._commandName }
                let nearest = names.nearest(to: word).flatMap { word.isMisspelling(of: $0) ? $0 : nil }
                return "Unknown command '\(word)'. "
                    + (nearest.map { "Did you mean '\(path) \($0)'?" }
                        ?? "'\(path)' has \(names.joined(separator: ", ")).")
            }
            command = next
            path += " \(word)"
        }
        return nil
    }
}

extension String {
    fileprivate var isNegativeNumber: Bool {
        guard self.hasPrefix("-"), let second = self.dropFirst().first else { return false }
        return second.isNumber || second == "."
    }
}
