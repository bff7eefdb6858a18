//! A short checksum of what a viewer holds, for finding out that something was lost.

use crate::{Position, Side};
use std::fmt::Write as _;

/// The text that [`checksum`] is taken over: south's pits, north's pits, both stores and
/// the side to move, as decimal numbers with commas between and bars between the parts.
///
/// ```
/// use mancala_engine::{Position, Side, Urim, UrimOptions, checksum_text};
/// let position = Urim::start(UrimOptions::default(), Side::South);
/// assert_eq!(checksum_text(&position), "3,3,3,3,3,3|3,3,3,3,3,3|0,0|south");
/// ```
#[must_use]
pub fn checksum_text<P: Position>(position: &P) -> String {
    let setup = position.setup();
    let mut text = String::new();
    for side in Side::ALL {
        push_list(&mut text, &setup.board.pits[side]);
        text.push('|');
    }
    push_list(&mut text, &Side::ALL.map(|side| setup.board.stores[side]));
    text.push('|');
    text.push_str(setup.standing.to_move.name());
    text
}

fn push_list(text: &mut String, numbers: &[u32]) {
    for (index, number) in numbers.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(text, "{comma}{number}").expect("a String takes all text");
    }
}

/// The checksum of a position: CRC-32 as zlib, PNG and Ethernet use it (ISO-HDLC,
/// polynomial 0x04C11DB7 reflected), over the ASCII bytes of [`checksum_text`]. In
/// Python it is `zlib.crc32(text.encode())`.
///
/// ```
/// use mancala_engine::{Position, Side, Urim, UrimOptions, checksum};
/// let position = Urim::start(UrimOptions::default(), Side::South);
/// assert_eq!(checksum(&position), 0x1065_722b);
/// ```
#[must_use]
pub fn checksum<P: Position>(position: &P) -> u32 {
    crc32(checksum_text(position).as_bytes())
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, &byte: &u8| TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8;
    !bytes.iter().fold(!0, step)
}

static TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            let carry = crc & 1;
            crc = (crc >> 1) ^ (carry * 0xedb8_8320);
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc32_of_the_published_check_string() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
