//! Equality constraints: connect, weld, joint and tendon couplings.
