//! Text from outside on its way to a terminal.
//!
//! May know what a character does to a line, never where a text comes from.

use std::fmt;

/// A text that may come from anyone, to be printed within a line: what a terminal would
/// obey, what cannot be seen and what turns the direction of writing is written as an
/// escape, and so is the end of a line. The rest stands as it is.
///
/// ```
/// use mancala_engine::Printable;
/// assert_eq!(Printable("Ọ̀ṣun \"1\"").to_string(), "Ọ̀ṣun \"1\"");
/// assert_eq!(Printable("a\u{1b}[2J\nb\u{202e}c").to_string(), r"a\u{1b}[2J\nb\u{202e}c");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printable<'a>(pub &'a str);

impl Printable<'_> {
    /// The same, cut before it takes more than so many characters; `..` is what was cut.
    ///
    /// ```
    /// use mancala_engine::Printable;
    /// assert_eq!(Printable("Nakato").cut(6), "Nakato");
    /// assert_eq!(Printable("Nakato").cut(3), "Nak..");
    /// assert_eq!(Printable("N\u{202e}").cut(3), "N..");
    /// ```
    #[must_use]
    pub fn cut(self, characters_max: usize) -> String {
        let mut shown = String::new();
        let mut room = characters_max;
        for letter in self.0.chars() {
            let next = Printable(letter.encode_utf8(&mut [0; 4])).to_string();
            match room.checked_sub(next.chars().count()) {
                Some(left) => room = left,
                None => return shown + "..",
            }
            shown.push_str(&next);
        }
        shown
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            if is_visible(letter) {
                write!(f, "{letter}")?;
            } else {
                write!(f, "{}", letter.escape_debug())?;
            }
        }
        Ok(())
    }
}

/// Does this character show itself, be it as a mark on the one before it or as a plain
/// space, and do nothing else?
pub(crate) fn is_visible(letter: char) -> bool {
    if letter.is_ascii() {
        return !letter.is_ascii_control();
    }
    // The standard library knows Unicode's classes; but it escapes a mark that has no
    // letter to stand on.
    let mut word = String::from("x");
    word.push(letter);
    word.escape_debug().nth(1) == Some(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_seen_and_what_cannot() {
        for letter in "aZ0 ~\"'\\é\u{301}ŋ\u{fffd}字".chars() {
            assert!(is_visible(letter), "{letter:?}");
        }
        let hidden = ["\0\u{7}\t\n\r\u{1b}\u{7f}\u{80}\u{9b}\u{ad}\u{61c}\u{feff}\u{e0041}"];
        let ranges = [
            "\u{200b}".."\u{200f}",
            "\u{2028}".."\u{202e}",
            "\u{2060}".."\u{2069}",
        ];
        let letters = hidden.iter().flat_map(|text| text.chars());
        let of = |text: &str| text.chars().next().unwrap();
        let ranged = ranges
            .into_iter()
            .flat_map(|range| of(range.start)..=of(range.end));
        for letter in letters.chain(ranged) {
            assert!(!is_visible(letter), "{letter:?}");
            let shown = Printable(&String::from(letter)).to_string();
            assert!(shown.starts_with('\\') && shown.is_ascii(), "{shown:?}");
        }
    }
}
