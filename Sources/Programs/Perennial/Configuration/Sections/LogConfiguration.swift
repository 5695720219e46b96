package struct LogConfiguration: ConfigurationSection {
    /// `log.level`: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`; `info` unless set.
    package var level = "info"

    package init() {}
}
