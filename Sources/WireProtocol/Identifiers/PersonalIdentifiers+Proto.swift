extension [ProtoOwner] {
    func owner(at place: Int) -> ProtoOwner { place < self.count ? self[place] : self.last ?? ProtoOwner() }
}
