import EventLog

extension SimulatedCluster {
    func saveNow() {
        if self.isStoreUp { self.saved = self.store }
        self.after(self.random.duration(50...1_000)) { self.saveNow() }
    }

    func disturb() {
        guard self.now < self.configuration.length else { return }
        let node = self.nodes.randomElement(using: &self.random)!
        let long = self.random.duration(200...5_000)
        switch Int.random(in: 0..<13, using: &self.random) {
        case 0..<2:
            node.kill()
            self.after(self.random.duration(50...4_000)) { node.start() }
        case 2..<4: node.pause(for: long)
        case 4:
            node.stop()
            self.after(self.random.duration(500...4_000)) { node.start() }
        case 5..<7:
            let other = self.nodes.filter { $0 !== node }.randomElement(using: &self.random)!
            var ways: Set<Way> = [Way(from: node.id, to: other.id)]
            if self.random.chance(0.7) { ways.insert(Way(from: other.id, to: node.id)) }
            self.cutWays.formUnion(ways)
            self.after(long) { self.cutWays.subtract(ways) }
        case 7..<9:
            self.cutFromStore.insert(node.id)
            if self.random.chance(0.3) { self.refuseConnections(to: node, for: long) }
            self.after(long) { self.cutFromStore.remove(node.id) }
        case 9:
            self.takeStoreDown()
            self.after(long) { self.bringStoreUp() }
        case 10: self.refuseConnections(to: node, for: long)
        case 11..<13 where self.storeMayLose:
            self.takeStoreDown()
            self.after(self.random.duration(100...3_000)) {
                guard !self.isStoreUp else { return }
                let rewind = self.history.rewind()
                self.store.rewind(to: self.saved)
                if self.store.lost.values.contains(self.store.rewinds) { self.note(.lostCommits) }
                self.bringStoreUp()
                self.after(self.lease) { self.history.believeAnswers(since: rewind) }
            }
        default: break
        }
        self.after(self.random.duration(150...2_000)) { self.disturb() }
    }

    func takeStoreDown() {
        if self.isStoreUp { self.storeDownSince = self.now }
        self.isStoreUp = false
    }

    func bringStoreUp() {
        if !self.isStoreUp, self.now - self.storeDownSince > .milliseconds(1_500) { self.storeUpSince = self.now }
        self.isStoreUp = true
    }

    func heal() {
        self.isCalm = true
        self.bringStoreUp()
        self.cutWays = []
        self.cutFromStore = []
        self.refusing = []
        for node in self.nodes {
            if node.isPaused { node.pause(for: .zero) }
            node.start()
        }
    }
}
