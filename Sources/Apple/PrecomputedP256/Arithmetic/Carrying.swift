/// One step of arithmetic over 64-bit limbs. Everything here is public when a signature is checked, so nothing has to
/// take the same time for all values.

@inline(__always)
private func wide(_ limb: UInt64) -> UInt128 { UInt128(truncatingIfNeeded: limb) }

@inline(__always)
func low(_ pair: UInt128) -> UInt64 { UInt64(truncatingIfNeeded: pair) }

@inline(__always)
func high(_ pair: UInt128) -> UInt64 { UInt64(truncatingIfNeeded: pair &>> 64) }

@inline(__always)
func product(_ left: UInt64, _ right: UInt64) -> UInt128 { wide(left) &* wide(right) }

/// `left + right + carry`, whose new carry is 0 or 1.
@inline(__always)
func add(_ left: UInt64, _ right: UInt64, _ carry: inout UInt64) -> UInt64 {
    let sum = wide(left) &+ wide(right) &+ wide(carry)
    carry = high(sum)
    return low(sum)
}

/// `left - right - borrow`, whose new borrow is 0 or 1.
@inline(__always)
func subtract(_ left: UInt64, _ right: UInt64, _ borrow: inout UInt64) -> UInt64 {
    let difference = wide(left) &- wide(right) &- wide(borrow)
    borrow = high(difference) & 1
    return low(difference)
}

/// `sum + left * right + carry`, which two limbs always hold.
@inline(__always)
func add(_ sum: UInt64, product left: UInt64, _ right: UInt64, _ carry: inout UInt64) -> UInt64 {
    let total = product(left, right) &+ wide(sum) &+ wide(carry)
    carry = high(total)
    return low(total)
}
