/// A word of a command line that a shell takes as it is.
package struct ShellWord: CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { Self.plain.contains($0) }
        self.description = isPlain ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,".utf8)
}
