//! The one place where the server draws lots: ids, secrets and the lot of a match all come
//! from the operating system's randomness.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mancala_engine::Side;
use uuid::Uuid;

/// Random bytes of the operating system.
///
/// # Panics
/// Where the system has none to give: nothing that the server promises holds then.
#[must_use]
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// A secret of 256 random bits, in the letters of addresses.
#[must_use]
pub(crate) fn secret() -> String {
    text_of(bytes())
}

/// 256 bits as text that needs no escaping in an address.
#[must_use]
pub(crate) fn text_of(bits: [u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(bits)
}

/// 64 random bits.
#[must_use]
pub(crate) fn number() -> u64 {
    u64::from_le_bytes(bytes())
}

/// A new id. Ids rise with time, so that the database keeps what is new together.
#[must_use]
pub(crate) fn id() -> Uuid {
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    Uuid::now_v7()
}

/// A side drawn by lot.
#[must_use]
pub(crate) fn side() -> Side {
    let [byte] = bytes();
    Side::ALL[usize::from(byte & 1)]
}
