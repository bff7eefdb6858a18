//! A short checksum of what a viewer holds, for finding out that something was lost.

use crate::{Position, Side};

/// Room for the text of most positions, so that it need not grow.
const TEXT_LENGTH: usize = 128;

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
    let mut text = String::with_capacity(TEXT_LENGTH);
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
        if index > 0 {
            text.push(',');
        }
        push_number(text, *number);
    }
}

/// In decimal. By the way of formatting it takes ten times as long, and this is done with each
/// move that is told.
fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    let digit = (number % 10) as u8;
    text.push(char::from(b'0' + digit));
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
    fn numbers_are_decimal() {
        for number in [0, 7, 10, 64, 100, 909, 4_294_967_295] {
            let mut text = String::new();
            push_number(&mut text, number);
            assert_eq!(text, number.to_string());
        }
    }

    #[test]
    fn crc32_of_the_published_check_string() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
