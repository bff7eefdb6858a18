//! Names of people and teams, and which of them look alike.

use super::sound::{Length, Unsound, sound};
use mancala_protocol::limits::{NAME_BYTES_MAX, NAME_CHARACTERS_MAX};
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};
use unicode_script::{Script, UnicodeScript as _};
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::skeleton;

/// A name as it is kept and shown: [sound](sound), one plain space where it has blanks, with a
/// letter or digit, and in each word letters of one script.
///
/// # Errors
/// The first rule that it breaks.
pub(crate) fn sound_name(name: &str) -> Result<String, Unsound> {
    let length = Length {
        characters: NAME_CHARACTERS_MAX,
        bytes: NAME_BYTES_MAX,
    };
    let name = sound(name, length)?;
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_told = |letter: char| {
        use GeneralCategoryGroup::{Letter, Number};
        [Letter, Number].contains(&letter.general_category_group())
    };
    if !name.chars().any(is_told) {
        return Err(Unsound::NoLetter);
    }
    if !words.iter().all(|word| is_of_one_script(word)) {
        return Err(Unsound::Scripts);
    }
    Ok(words.join(" "))
}

/// Has a word letters of one script, or of those that are written together: "highly
/// restrictive" of UTS 39, which knows Chinese, Japanese and Korean beside Latin?
fn is_of_one_script(word: &str) -> bool {
    // Marks belong to the letter that they stand on.
    let letters = word
        .chars()
        .filter(|letter| letter.script() != Script::Inherited);
    let mut all = AugmentedScriptSet::default();
    let mut but_latin = AugmentedScriptSet::default();
    for letter in letters {
        let scripts = AugmentedScriptSet::for_char(letter);
        all.intersect_with(scripts);
        if !scripts.base.contains_script(Script::Latin) {
            but_latin.intersect_with(scripts);
        }
    }
    !all.is_empty() || but_latin.hanb || but_latin.jpan || but_latin.kore
}

/// What a name is told from others by: two of which these have one in common look alike, as they
/// are written, or in small letters, or in capitals. There are three at most, none of them empty
/// for a name that is [sound](sound_name).
pub(crate) fn keys(name: &str) -> BTreeSet<String> {
    let name: String = name.nfkc().filter(|it| !it.is_whitespace()).collect();
    let small = small(&name);
    let capital: String = small.chars().flat_map(char::to_uppercase).collect();
    let looks = [name, small, capital].map(|text| skeleton(&text).collect());
    looks.into_iter().collect()
}

/// The text with all that is one in small or large letters written as one. The way by the
/// capitals folds what has no capital of its own (`ß`), the first step what has no small letter
/// of its own (`ẞ`). An `i` has its dot already.
fn small(text: &str) -> String {
    let text = text.chars().flat_map(char::to_lowercase);
    let text = text.flat_map(char::to_uppercase);
    let text: String = text.flat_map(char::to_lowercase).nfkc().collect();
    text.replace("i\u{307}", "i")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn look_alike(one: &str, other: &str) -> bool {
        !keys(one).is_disjoint(&keys(other))
    }

    #[test]
    fn names_in_many_scripts() {
        for name in [
            "Nakato",
            "Guest 0042",
            "Zoë Müller-Groß",
            "O'Brien & Sons",
            "Ŋŋaali",
            "Ọ̀ṣun",
            "Nguyễn Thị Ánh",
            "ǃXóõ",
            "Ɛʋɛ Ɔkɔ",
            "Mzee wa Bao",
            "ስም ለኢትዮጵያ",
            "فريق كمبالا",
            "می‌خواهم",
            "ශ්‍රී ලංකා",
            "สมชาย ใจดี",
            "हिन्दी क्षत्रिय",
            "தமிழ்",
            "你好",
            "東京カップ",
            "AKB東京ーズ",
            "서울FC",
            "Команда",
            "Ομάδα",
            "ߒߞߏ",
            "Team Москва",
            "Ⅳ",
            "4",
            "Lions 🦁",
            "Farmers 👩🏽‍🌾 ❤️",
        ] {
            assert_eq!(sound_name(name).as_deref(), Ok(name));
        }
        for (written, kept) in [
            ("  Nakato ", "Nakato"),
            (" x ", "x"),
            ("A  B", "A B"),
            ("A\u{a0}\u{3000}B", "A B"),
            ("Cafe\u{301}", "Café"),
        ] {
            assert_eq!(sound_name(written).as_deref(), Ok(kept));
        }
    }

    #[test]
    fn names_that_nobody_may_have() {
        for (name, why) in [
            ("", Unsound::Blank),
            ("  ", Unsound::Blank),
            ("...", Unsound::NoLetter),
            ("🦁", Unsound::NoLetter),
            ("🇺🇬", Unsound::NoLetter),
            ("a\nb", Unsound::Hidden('\n')),
            ("a\tb", Unsound::Hidden('\t')),
            ("a\0", Unsound::Hidden('\0')),
            ("\u{200b}", Unsound::Hidden('\u{200b}')),
            ("\u{feff}", Unsound::Hidden('\u{feff}')),
            ("\u{200f}", Unsound::Hidden('\u{200f}')),
            ("\u{202e}abc", Unsound::Hidden('\u{202e}')),
            ("a\u{2066}b", Unsound::Hidden('\u{2066}')),
            ("D\u{2028}E", Unsound::Hidden('\u{2028}')),
            ("a\u{200d}b", Unsound::Hidden('\u{200d}')),
            ("\u{3164}", Unsound::Hidden('\u{3164}')),
            ("\u{301}", Unsound::Marks),
            ("a\u{316}\u{317}\u{318}\u{319}\u{31c}", Unsound::Marks),
            ("\u{412}uganda", Unsound::Scripts),
            ("\u{391}lpha", Unsound::Scripts),
            ("A-\u{411}", Unsound::Scripts),
        ] {
            assert_eq!(sound_name(name), Err(why), "{name:?}");
        }
    }

    #[test]
    fn names_are_as_long_as_people_count() {
        let long = Err(Unsound::Long {
            characters: 40,
            bytes: 200,
        });
        for letter in ["a", "ä", "m̀", "字", "𞤀", "हि"] {
            let most = 40.min(200 / letter.len());
            assert!(sound_name(&letter.repeat(most)).is_ok(), "{letter}");
            assert_eq!(sound_name(&letter.repeat(most + 1)), long, "{letter}");
        }
    }

    #[test]
    fn names_that_nobody_can_tell_apart() {
        for (one, other) in [
            ("Buganda", "BUGANDA"),
            ("Café", "Cafe\u{301}"),
            ("Café", "CAFÉ"),
            ("Cafe", "CafＥ"),
            ("A B", "A  B"),
            ("A B", "AB"),
            ("Straße", "STRASSE"),
            ("Straße", "STRAẞE"),
            ("İs", "is"),
            ("İs", "IS"),
            ("ıs", "IS"),
            ("Ⅳ", "IV"),
            ("Ⅳ", "iv"),
            ("\u{412}uganda", "Buganda"),
            ("\u{412} uganda", "Buganda"),
            ("САО", "CAO"),
            ("сао", "CAO"),
            ("Вата", "BATA"),
            ("һаһа", "haha"),
            ("Ian", "lan"),
            ("Te4m 1", "Te4m l"),
            ("T0wn", "Town"),
            ("Tomorn", "Tomom"),
            ("ΟΔΟΣ", "οδος"),
            ("ශ්‍රී", "ශ්රී"),
            ("Lions ❤️", "Lions ❤"),
        ] {
            assert!(look_alike(one, other), "{one:?} and {other:?}");
        }
        for (one, other) in [
            ("Buganda", "Bugandas"),
            ("Cafe", "Café"),
            ("Ali", "All"),
            ("Mali", "Mall"),
            ("A B", "A-B"),
            ("Team 1", "Team 2"),
            ("Nina", "Vina"),
            ("Moto", "Mo to 2"),
            ("Ọ̀ṣun", "Oṣun"),
            ("你好", "您好"),
            ("ሀ", "ሁ"),
        ] {
            assert!(!look_alike(one, other), "{one:?} and {other:?}");
        }
    }

    /// In each letter that there is: whatever its case, it is one name.
    #[test]
    fn no_letter_tells_names_apart_by_its_size() {
        for letter in (0..=0x10_ffff).filter_map(char::from_u32) {
            let name = format!("a{letter}b");
            for other in [name.to_uppercase(), name.to_lowercase()] {
                assert!(look_alike(&name, &other), "{name:?} and {other:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn names_stay_as_they_are(name in "[\\PC\\p{M}\\p{Z}]{0,20}|[\\p{Latin}\\p{M} ]{0,12}|[\\p{Lu}\\p{Ll}]{0,9}|[\\p{Arabic}\\p{Ethiopic}\\p{Thai} ]{0,9}") {
            if let Ok(taken) = sound_name(&name) {
                prop_assert_eq!(sound_name(&taken), Ok(taken.clone()));
                prop_assert!(taken.nfc().eq(taken.chars()));
                prop_assert!(!taken.contains("  ") && taken.trim() == taken);
                let keys = keys(&taken);
                prop_assert!(keys.iter().all(|key| !key.is_empty()) && keys.len() <= 3);
                for other in [taken.to_uppercase(), taken.to_lowercase(), name.clone()] {
                    prop_assert!(look_alike(&taken, &other), "{:?} and {:?}", taken, other);
                }
            }
        }
    }
}
