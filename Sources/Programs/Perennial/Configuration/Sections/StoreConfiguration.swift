package struct StoreConfiguration: ConfigurationSection {
    /// `store.url`: where the log is kept: `sqlite://` and a path for one node, or `postgresql://` as libpq reads it for any
    /// number; `sqlite:///var/lib/perennial/perennial.db` unless set.
    package var url = "sqlite:///var/lib/perennial/perennial.db"

    package init() {}
}
