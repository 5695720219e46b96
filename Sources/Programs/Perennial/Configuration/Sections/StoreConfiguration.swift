package struct StoreConfiguration: ConfigurationSection {
    /// `store.url`: where the log is kept: `sqlite://` and a path for one node, or `postgresql://` as libpq reads it for any
    /// number; `sqlite:///var/lib/perennial/perennial.db` unless set.
    package var url = "sqlite:///var/lib/perennial/perennial.db"
    /// `store.backupsKeptFor`: for how long backups of the store are kept, such as `30d`. Perennial makes and removes none: it tells
    /// whoever deletes a customer until when they have it. Not known unless set.
    package var backupsKeptFor: ConfigurationDuration?

    package init() {}
}
