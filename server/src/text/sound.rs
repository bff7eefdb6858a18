//! Text that is what it looks like.

use mancala_play::Line;
use mancala_protocol::limits::{LINE_BYTES_MAX, LINE_CHARACTERS_MAX};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;
use unicode_properties::{
    GeneralCategory, GeneralCategoryGroup, UnicodeEmoji as _, UnicodeGeneralCategory as _,
};
use unicode_script::{Script, UnicodeScript as _};
use unicode_security::skeleton;
use unicode_segmentation::UnicodeSegmentation as _;

/// So many marks may stand on one character: more are piled up in no writing, and reach into
/// the lines around (UTS 39, 5.4).
const MARKS_MAX: usize = 4;

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';

/// They have a class of what can be seen, and show nothing: the blank of braille, a head of a
/// note, a filler, and the place of an object that is elsewhere.
const BLANKS: [char; 4] = ['\u{2800}', '\u{1d159}', '\u{16fe4}', '\u{fffc}'];

/// Why a text is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Unsound {
    /// It is too long.
    #[error("at most {characters} characters and {bytes} bytes are wanted")]
    Long { characters: usize, bytes: usize },
    /// There is nothing to be seen in it.
    #[error("something that can be seen is wanted")]
    Blank,
    /// A name has neither letters nor digits.
    #[error("a name has a letter or a digit")]
    NoLetter,
    /// A character shows nothing, or does something to those around it.
    #[error(
        "the character U+{:04X} cannot be seen here, or does something to those around it",
        u32::from(*.0)
    )]
    Hidden(char),
    /// Marks are piled up, or stand on nothing.
    #[error("a mark stands on a character, at most {MARKS_MAX} on one, none twice in a row")]
    Marks,
    /// Letters of several scripts in one word, of which one passes for another.
    #[error("a word of a name has letters of one script alone")]
    Scripts,
}

/// How long a text may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// As people count them: graphemes.
    pub(super) characters: usize,
    pub(super) bytes: usize,
}

impl Length {
    pub(super) fn check(self, text: &str, has: impl FnOnce(&str) -> usize) -> Result<(), Unsound> {
        let Length { characters, bytes } = self;
        if text.len() <= bytes && has(text) <= characters {
            Ok(())
        } else {
            Err(Unsound::Long { characters, bytes })
        }
    }
}

/// A line as it is kept and shown: composed (NFC), without blanks around it, and of nothing
/// that hides or that turns what stands beside it.
///
/// # Errors
/// The first rule that it breaks.
pub(crate) fn sound_line<const MAX: usize>(line: &Line<MAX>) -> Result<Line<MAX>, Unsound> {
    let length = Length {
        characters: LINE_CHARACTERS_MAX.min(MAX),
        bytes: LINE_BYTES_MAX.min(Line::<MAX>::BYTES_MAX),
    };
    let text = sound(line.as_str(), length)?;
    text.parse().map_err(|_| Unsound::Blank)
}

/// The same of any text of this length, which is none in the beginning where it has too many
/// bytes: what is done here is bounded by what came in.
pub(super) fn sound(text: &str, length: Length) -> Result<String, Unsound> {
    length.check(text, |_| 0)?;
    let text: String = text.trim().nfc().collect();
    if text.is_empty() {
        return Err(Unsound::Blank);
    }
    length.check(&text, |text| text.graphemes(true).count())?;
    let letters: Vec<char> = text.chars().collect();
    for (place, letter) in letters.iter().enumerate() {
        let (before, after) = (&letters[..place], &letters[place + 1..]);
        if !shows(before, *letter, after) {
            return Err(Unsound::Hidden(*letter));
        }
    }
    if !marks_have_a_place(&letters) {
        return Err(Unsound::Marks);
    }
    Ok(text)
}

/// Does a character show itself there, or shape those that it joins?
fn shows(before: &[char], letter: char, after: &[char]) -> bool {
    match letter {
        ZWNJ | ZWJ => joins(before, letter, after),
        // How an emoji is shown, or a digit on a key.
        '\u{fe0e}' | '\u{fe0f}' => before
            .last()
            .is_some_and(|&emoji| is_emoji(emoji) || after.first() == Some(&KEYCAP)),
        _ => !is_hidden(letter),
    }
}

/// Does a joiner do what it is there for? Under a virama it chooses the form of what follows, as
/// in the names of Sri Lanka; between letters of Arabic it parts them, as Persian does; and it
/// makes one emoji of several.
fn joins(before: &[char], joiner: char, after: &[char]) -> bool {
    const VIRAMA: u8 = 9;
    let Some(&last) = before.last() else {
        return false;
    };
    if canonical_combining_class(last) == VIRAMA {
        return true;
    }
    let Some(&next) = after.first() else {
        return false;
    };
    if joiner == ZWNJ {
        let is_arabic = |letter: char| letter.script_extension().contains_script(Script::Arabic);
        let is_letter = |letter: char| {
            letter.general_category_group() == GeneralCategoryGroup::Letter && is_arabic(letter)
        };
        let base = before.iter().rev().find(|letter| !is_mark(**letter));
        base.is_some_and(|base| is_letter(*base)) && is_letter(next)
    } else {
        let emoji = before.iter().rev().find(|letter| **letter != '\u{fe0f}');
        emoji.is_some_and(|emoji| is_emoji(*emoji)) && is_emoji(next)
    }
}

/// Of ASCII, digits have to do with emoji too, but are none.
fn is_emoji(letter: char) -> bool {
    !letter.is_ascii() && letter.is_emoji_char()
}

fn is_hidden(letter: char) -> bool {
    use GeneralCategory::{LineSeparator, ParagraphSeparator};
    letter.general_category_group() == GeneralCategoryGroup::Other
        || [LineSeparator, ParagraphSeparator].contains(&letter.general_category())
        || BLANKS.contains(&letter)
        || is_ignorable(letter)
}

/// May whoever shows a text leave this character out (`Default_Ignorable_Code_Point`)? Then the
/// skeleton of a text does.
fn is_ignorable(letter: char) -> bool {
    skeleton(letter.encode_utf8(&mut [0; 4])).next().is_none()
}

pub(super) fn is_mark(letter: char) -> bool {
    letter.general_category_group() == GeneralCategoryGroup::Mark
}

fn marks_have_a_place(letters: &[char]) -> bool {
    let takes_no_width = |letter: char| {
        use GeneralCategory::{EnclosingMark, NonspacingMark};
        [EnclosingMark, NonspacingMark].contains(&letter.general_category())
    };
    let mut marks = 0;
    let mut before = ' ';
    for &letter in letters {
        if is_mark(letter) && before.is_whitespace() {
            return false;
        }
        if takes_no_width(letter) {
            marks += 1;
            if marks > MARKS_MAX || letter == before {
                return false;
            }
        } else {
            marks = 0;
        }
        before = letter;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use mancala_play::Saying;
    use proptest::prelude::*;

    const LENGTH: Length = Length {
        characters: LINE_CHARACTERS_MAX,
        bytes: LINE_BYTES_MAX,
    };

    fn line(text: &str) -> Result<String, Unsound> {
        let taken = sound(text, LENGTH);
        if let Ok(line) = text.parse::<Saying>() {
            let same = sound_line(&line).map(|line| line.as_str().to_owned());
            assert_eq!(same, taken, "{text:?}");
        }
        taken
    }

    #[test]
    fn what_people_say_to_each_other() {
        for text in [
            "The pit at the end, and then we strip them.",
            "…",
            "?!",
            "👍",
            "❤️ 1️⃣ 🇺🇬",
            "well done 👩🏽‍🌾👨‍👩‍👧",
            "می‌خواهم بازی کنم",
            "ශ්‍රී ලංකා",
            "क्‍ष",
            "Ọ̀ṣun á ń jó",
            "ไม่ได้ น้ำ",
            "שָׁלוֹם",
            "ኧረ ደህና ነው።",
            "吃了吗？　好的",
            "mixed: Вuganda",
            "two  spaces\u{a0}and one",
        ] {
            assert_eq!(line(text).as_deref(), Ok(text));
        }
        assert_eq!(line(" x ").as_deref(), Ok("x"));
        assert_eq!(line("Cafe\u{301}").as_deref(), Ok("Caf\u{e9}"));
    }

    #[test]
    fn what_cannot_be_seen_is_not_said() {
        for (text, why) in [
            ("   ", Unsound::Blank),
            ("\u{3000}\u{a0}", Unsound::Blank),
            ("\u{2028}", Unsound::Blank),
            ("a\u{2028}b", Unsound::Hidden('\u{2028}')),
            ("a\u{2029}b", Unsound::Hidden('\u{2029}')),
            ("\u{200b}", Unsound::Hidden('\u{200b}')),
            ("\u{feff}", Unsound::Hidden('\u{feff}')),
            ("\u{200f}", Unsound::Hidden('\u{200f}')),
            ("\u{202e}abc", Unsound::Hidden('\u{202e}')),
            ("a\u{2066}b", Unsound::Hidden('\u{2066}')),
            ("a\u{ad}b", Unsound::Hidden('\u{ad}')),
            ("\u{3164}", Unsound::Hidden('\u{3164}')),
            ("\u{115f}", Unsound::Hidden('\u{115f}')),
            ("\u{2800}", Unsound::Hidden('\u{2800}')),
            ("a\u{34f}b", Unsound::Hidden('\u{34f}')),
            ("a\u{e0041}", Unsound::Hidden('\u{e0041}')),
            ("a\u{e000}", Unsound::Hidden('\u{e000}')),
            ("a\u{378}", Unsound::Hidden('\u{378}')),
            ("a\u{fdd0}", Unsound::Hidden('\u{fdd0}')),
            ("a\u{200d}b", Unsound::Hidden('\u{200d}')),
            ("a\u{200c}b", Unsound::Hidden('\u{200c}')),
            ("\u{200d}", Unsound::Hidden('\u{200d}')),
            ("👍\u{200d}", Unsound::Hidden('\u{200d}')),
            ("1\u{fe0f}", Unsound::Hidden('\u{fe0f}')),
            ("a\u{fe0f}", Unsound::Hidden('\u{fe0f}')),
            ("\u{301}", Unsound::Marks),
            ("a \u{301}", Unsound::Marks),
            (&"\u{301}".repeat(200), Unsound::Marks),
            ("x\u{316}\u{317}\u{318}\u{319}\u{31c}", Unsound::Marks),
            ("x\u{301}\u{301}", Unsound::Marks),
        ] {
            assert_eq!(line(text), Err(why), "{text:?}");
        }
    }

    #[test]
    fn characters_are_counted_as_people_do() {
        let Length { characters, bytes } = LENGTH;
        let long = Err(Unsound::Long { characters, bytes });
        // Two code points and six bytes each, which nothing composes.
        assert!(line(&"ก่".repeat(166)).is_ok());
        assert_eq!(line(&"ก่".repeat(167)), long);
        for (text, count) in [("x", 200), ("é", 200), ("字", 200), ("👍", 200), ("m̀", 200)] {
            assert!(line(&text.repeat(count)).is_ok(), "{text}");
            assert_eq!(line(&text.repeat(count + 1)), long, "{text}");
        }
        // A text that is longer when it is composed.
        assert_eq!(line(&"\u{958}".repeat(200)), long);
    }

    proptest! {
        #[test]
        fn what_is_taken_stays_as_it_is(text in "\\PC{0,30}|[\\p{M}\\p{Z}\\p{C}a🌾\u{94d}\u{200d}]{0,12}") {
            if let Ok(taken) = sound(&text, LENGTH) {
                prop_assert_eq!(sound(&taken, LENGTH), Ok(taken.clone()));
                prop_assert!(taken.nfc().eq(taken.chars()));
                let shapes = [ZWJ, ZWNJ, '\u{fe0e}', '\u{fe0f}'];
                let all = taken.chars().all(|it| !is_hidden(it) || shapes.contains(&it));
                let any = taken.chars().any(|it| !it.is_whitespace() && !is_hidden(it));
                prop_assert!(all && any);
            }
        }
    }
}
