/// What a row takes the place of.
package enum ReplacedRow {
    /// An older version, or none: the stream has gone on.
    case olderVersion
    /// The same version: other rules make something else of it.
    case sameVersion
}
