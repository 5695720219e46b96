extension String {
    /// A URL with its passwords made unreadable: what stands between a colon and the last @ of its authority, and what
    /// follows `password=`. Any other text as it is.
    var maskingPasswords: String {
        guard self.contains("://") else { return self }
        return
            self
            .replacing(#/(?<start>:\/\/[^:@\/?]*:)[^\/?]*@/#) { "\($0.output.start)********@" }
            .replacing(#/(?<start>[?&](?:ssl)?password=)[^&]*/#) { "\($0.output.start)********" }
    }
}
