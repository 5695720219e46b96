package struct StoreConfiguration: ConfigurationSection {
    /// `store.url`: where the log is kept, `sqlite://` and a path; `sqlite:///var/lib/perennial/perennial.db` unless
    /// set.
    package var url = "sqlite:///var/lib/perennial/perennial.db"

    package init() {}
}
