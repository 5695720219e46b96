package struct ServerAPISection: ConfigurationSection {
    /// `apps[].serverAPI.keyId`: the id of the In-App Purchase key, as App Store Connect shows it. No default.
    package var keyId = ""
    /// `apps[].serverAPI.issuerId`: the issuer id beside it. No default.
    package var issuerId = ""
    /// `apps[].serverAPI.privateKeyFile`: the key itself, as App Store Connect gives it once (`AuthKey_….p8`); others
    /// must not be able to read it. No default.
    package var privateKeyFile = ""
    /// `apps[].serverAPI.baseURL`: by environment, where to ask instead of Apple, such as a simulation.
    package var baseURL: [String: String] = [:]
    /// `apps[].serverAPI.share`: the part of Apple's request limits that may be used, 0.01 to 1; 0.5 unless set, which
    /// leaves the other half to other programs with the same app.
    package var share = ConfigurationFraction(0.5)

    package init() {}
}
