package import SwiftProtobuf

/// An enumeration of `words.proto`: words of Apple's or of the domain, by number.
package protocol KnownWord: SwiftProtobuf.Enum where RawValue == Int {
    static var unspecified: Self { get }
    static var other: Self { get }
    static var words: WordTable<Self> { get }
}

/// Both directions between numbers and spellings.
package struct WordTable<Word: KnownWord>: Sendable {
    /// By number; nil where none has it.
    private let spellings: [String?]
    private let words: [String: Word]

    init(_ spellings: [Word: String]) {
        var byNumber = [String?](repeating: nil, count: (spellings.keys.map(\.rawValue).max() ?? 0) + 1)
        for (word, spelling) in spellings { byNumber[word.rawValue] = spelling }
        self.spellings = byNumber
        self.words = Dictionary(uniqueKeysWithValues: spellings.map { ($1, $0) })
    }

    func word(spelled text: String) -> Word? {
        guard let word = self.words[text], self.spelling(of: word.rawValue)?.hasSameBytes(as: text) == true else {
            return nil
        }
        return word
    }

    /// nil for a number that is not known, and for one that says nothing by itself.
    package func spelling(of number: Int) -> String? {
        self.spellings.indices.contains(number) ? self.spellings[number] : nil
    }
}

extension KnownWord {
    /// The two fields in which a word is written: its number, and the text of one that has none.
    static func fields(for text: String?) -> (Self, String) {
        guard let text else { return (.unspecified, "") }
        return self.words.word(spelled: text).map { ($0, "") } ?? (.other, text)
    }

    /// What the two fields say; nil when nothing was said. 0 and 1 mean the same in every enumeration.
    static func spelling(of number: Int, orOther other: String) throws(WireError) -> String? {
        switch number {
        case 0: return nil
        case 1: return other
        default:
            guard let spelling = Self.words.spelling(of: number) else {
                throw WireError(.unknownWord, "number \(number) of \(Self.self)")
            }
            return spelling
        }
    }
}
