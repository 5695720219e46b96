extension StreamState {
    /// The state as the events give it once they name these no more.
    /// - Parameter links: that these events come to.
    package func erasing(_ erased: ErasedIdentifiers, links: StreamLinks) -> StreamState {
        var state = self
        for place in state.facts.periods.indices { state.facts.periods[place].info.erase(erased) }
        state.facts.renewal?.info.erase(erased)
        if let token = state.leads.token, erased.contains(token.value) {
            state.leads.token = Placed(nil, at: token.place)
        }
        if let account = state.leads.appTransactionID, erased.contains(account: account.value) {
            state.leads.appTransactionID = Placed(ErasedIdentifiers.mark, at: account.place)
        }
        (state.leads.link, state.leads.sharers, state.leads.conflicts) = (links.link, links.sharers, links.conflicts)
        return state
    }
}
