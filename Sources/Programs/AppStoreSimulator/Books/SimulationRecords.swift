/// What a simulation writes and its server reads, and the desk where the server's orders come in.
struct SimulationRecords: Sendable {
    let truths: TruthBoard
    let deliveries: DeliveryLog
    let ledger: Ledger
    let history: NotificationHistory
    let desk: OrderQueue
}
