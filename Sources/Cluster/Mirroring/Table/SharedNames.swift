import Synchronization

/// Numbers, from 0 on, for names that very many rows share. They stay for as long as the mirror does. Whoever knows them
/// by a `Reader` takes no lock; one writer at a time.
struct SharedNames<Name: Hashable & Sendable> {
    /// In place for as long as there are words that point to it.
    fileprivate final class Entry {
        let name: Name

        init(_ name: Name) { self.name = name }
    }

    fileprivate final class Table {
        let numbers: [Name: Int]

        init(_ numbers: [Name: Int]) { self.numbers = numbers }
    }

    /// To this many, each new name makes a new table; then only as many as there are already do.
    private static var alwaysPublished: Int { 64 }

    private let reader: Reader
    private var numbers: [Name: Int] = [:]
    private var words: GrowingWords
    private var entries: [Entry] = []
    private var tables: [Table] = []

    fileprivate init(reader: Reader) {
        self.reader = reader
        self.words = GrowingWords(root: reader.words)
    }

    func number(of name: Name) -> Int? { self.numbers[name] }

    mutating func register(_ name: Name, in memory: MirrorMemory) -> Int {
        if let number = self.numbers[name] { return number }
        let number = self.entries.count
        let entry = Entry(name)
        self.entries.append(entry)
        self.numbers[name] = number
        self.words.append(Self.bits(entry), in: memory)
        let count = number + 1
        if count <= Self.alwaysPublished || count >= 2 * (self.tables.last?.numbers.count ?? 0) {
            let table = Table(self.numbers)
            self.tables.append(table)
            self.reader.words[1].store(Self.bits(table), ordering: .releasing)
        }
        self.reader.words[2].store(UInt64(count), ordering: .releasing)
        return number
    }

    private static func bits(_ object: AnyObject) -> UInt64 {
        UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    }
}

extension SharedNames {
    /// Atomic words, and what they point to lives as long as the writer.
    struct Reader: @unchecked Sendable {
        /// The address of the entries' words, that of the newest table, and how many names there are.
        fileprivate let words: Words

        init(memory: MirrorMemory) { self.words = memory.words(3) }

        /// For whoever holds this reader as well. Once.
        func writer() -> SharedNames { SharedNames(reader: self) }

        /// - Precondition: `number` was given to a name before the reader heard of it.
        subscript(number: Int) -> Name {
            Self.object(Entry.self, GrowingWords.value(at: number, root: self.words))._withUnsafeGuaranteedRef(\.name)
        }

        /// - Parameter look: asks the writer, of a name that is in no table yet.
        func number(of name: Name, orElse look: () -> Int?) -> Int? {
            let count = self.words[2].load(ordering: .acquiring)
            guard count > 0 else { return nil }
            let table = Self.object(Table.self, self.words[1].load(ordering: .acquiring))
            return table._withUnsafeGuaranteedRef { table in
                table.numbers[name] ?? (table.numbers.count < count ? look() : nil)
            }
        }

        private static func object<Object: AnyObject>(_ type: Object.Type, _ bits: UInt64) -> Unmanaged<Object> {
            guard let address = UnsafeRawPointer(bitPattern: UInt(bits)) else {
                preconditionFailure("a name is written before its number is given")
            }
            return Unmanaged.fromOpaque(address)
        }
    }
}
