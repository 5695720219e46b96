import SwiftProtobuf

/// An enumeration of `words.proto`: words of Apple's or of the domain, by number.
protocol KnownWord: SwiftProtobuf.Enum {
    static var unspecified: Self { get }
    static var other: Self { get }
    static var words: WordTable<Self> { get }
}

/// Both directions between numbers and spellings.
struct WordTable<Word: KnownWord>: Sendable {
    private let spellings: [Word: String]
    private let words: [String: Word]

    init(_ spellings: [Word: String]) {
        self.spellings = spellings
        self.words = Dictionary(uniqueKeysWithValues: spellings.map { ($1, $0) })
    }

    func word(spelled text: String) -> Word? {
        guard let word = self.words[text], self.spellings[word]?.hasSameBytes(as: text) == true else { return nil }
        return word
    }

    func spelling(of word: Word) -> String? { self.spellings[word] }
}

extension KnownWord {
    /// The two fields in which a word is written: its number, and the text of one that has none.
    static func fields(for text: String?) -> (Self, String) {
        guard let text else { return (.unspecified, "") }
        return self.words.word(spelled: text).map { ($0, "") } ?? (.other, text)
    }

    /// What the two fields say; nil when nothing was said.
    func text(orOther other: String) throws(WireError) -> String? {
        if self == .unspecified { return nil }
        if self == .other { return other }
        guard let spelling = Self.words.spelling(of: self) else {
            throw WireError(.unknownWord, "number \(self.rawValue) of \(Self.self)")
        }
        return spelling
    }
}
