import EventLog
import Foundation

/// A single file that is mounted: it has another name elsewhere, and SQLite keeps a log beside each.
package enum MountedFile {
    static func refuse(_ path: String) throws(StoreError) {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8),
            Self.isMount(URL(fileURLWithPath: path).resolvingSymlinksInPath().path, in: mounts)
        else { return }
        throw StoreError(
            .incompatible,
            "\(path) is a mount of a single file, which has another name elsewhere: SQLite keeps a log beside each, and what "
                + "is in the one is missing for the other; mount its folder")
    }

    /// - Parameter mounts: as in `/proc/self/mountinfo`: the fifth word of a line is the place, with what would end the
    ///   word in octal.
    package static func isMount(_ path: String, in mounts: String) -> Bool {
        var place = ""
        for character in path.unicodeScalars {
            switch character {
            case " ": place += "\\040"
            case "\t": place += "\\011"
            case "\n": place += "\\012"
            case "\\": place += "\\134"
            default: place.unicodeScalars.append(character)
            }
        }
        return mounts.split(separator: "\n").contains { line in
            line.split(separator: " ").dropFirst(4).first == place[...]
        }
    }
}
