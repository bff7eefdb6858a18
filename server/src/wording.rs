//! What is wrong with JSON, in the words of those who write it.
//!
//! May know how serde and serde_json say things, never what was to be read.

use mancala_engine::Printable;

/// The most characters that are shown of what stands in the wrong place.
const SHOWN_MAX: usize = 40;

/// The most characters of a sentence that a reader of its own has made: more than any has
/// that quotes no more than it should.
const SENTENCE_MAX: usize = 300;

/// A name or a word of a question as it is shown in a message: safe to print, and cut.
#[must_use]
pub fn shown(text: &str) -> String {
    Printable(text).cut(SHOWN_MAX)
}

/// What an error says, in a sentence of bounded length that is safe to print. Left out are
/// its line, which for a line of input is always the first, and its column, which misleads
/// within a part of the line.
#[must_use]
pub fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(&*text, |end| &text[..end]);
    // Words of the reader's own stand behind the last of these, and only there.
    let (found, expected) = text.rsplit_once(", expected ").unwrap_or((text, ""));
    if let Some(found) = found
        .strip_prefix("invalid type: ")
        .or_else(|| found.strip_prefix("invalid value: "))
    {
        format!("{} stands where {} should", value(found), kind(expected))
    } else if let Some(word) = found.strip_prefix("unknown variant ") {
        format!("{} stands where {expected} should", in_ticks(word))
    } else if let Some(name) = text.strip_prefix("unknown field ") {
        match name.strip_suffix(", there are no fields") {
            // So says only a reader that has taken the field that tells the kind, whose name it
            // does not say.
            Some(name) => format!(
                "unknown field {}, expected none but the one that tells the kind",
                in_ticks(name)
            ),
            None => {
                let (name, _) = name.rsplit_once(", expected ").unwrap_or((name, ""));
                format!("unknown field {}, expected {expected}", in_ticks(name))
            }
        }
    } else if let Some(part) = text.strip_prefix("EOF while parsing ") {
        format!("the text ends within {part}")
    } else {
        match text {
            "trailing characters" => "something follows the object".to_owned(),
            "recursion limit exceeded" => "values are nested too deep".to_owned(),
            "expected ident" => "a word that is none of `true`, `false` and `null`".to_owned(),
            _ => Printable(text).cut(SENTENCE_MAX),
        }
    }
}

/// A word that stands in backticks, cut within them.
fn in_ticks(word: &str) -> String {
    let word = word.strip_prefix('`').unwrap_or(word);
    format!("`{}`", shown(word.strip_suffix('`').unwrap_or(word)))
}

/// A value that was found, as JSON writes it.
fn value(found: &str) -> String {
    match found {
        "null" => return "`null`".to_owned(),
        "map" => return "an object".to_owned(),
        "sequence" => return "a list".to_owned(),
        _ => {}
    }
    let (_, found) = found.split_once(' ').unwrap_or(("", found));
    // Of `floating point` there is a word left.
    in_ticks(found.strip_prefix("point ").unwrap_or(found))
}

/// A kind of value that was expected, as JSON calls it.
fn kind(expected: &str) -> String {
    let most = match expected {
        "u8" => u64::from(u8::MAX),
        "u16" => u64::from(u16::MAX),
        "u32" => u64::from(u32::MAX),
        "u64" => u64::MAX,
        "a sequence" => return "a list".to_owned(),
        "a boolean" => return "`true` or `false`".to_owned(),
        "a borrowed string" => return "a string".to_owned(),
        "variant identifier" => return "a string".to_owned(),
        _ if expected.starts_with("struct ") => return "an object".to_owned(),
        _ if expected.starts_with("internally tagged enum ") => {
            return "an object with a `type`".to_owned();
        }
        _ => return expected.to_owned(),
    };
    format!("a natural number up to {most}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mancala_engine::{Action, Options, Setup, Side};
    use serde::de::DeserializeOwned;

    fn check<T: DeserializeOwned>(text: &str, expected: &str) {
        let error = serde_json::from_str::<T>(text).err();
        let error = error.unwrap_or_else(|| panic!("this was read: {text}"));
        assert_eq!(sentence(&error), expected, "{error}");
    }

    #[test]
    fn values_of_another_kind() {
        for (text, found) in [
            ("null", "`null`"),
            ("true", "`true`"),
            ("-1", "`-1`"),
            ("1.5", "`1.5`"),
            ("5000000000", "`5000000000`"),
            ("[1]", "a list"),
            ("{\"a\": 1}", "an object"),
            ("\"x y\"", "`\"x y\"`"),
            ("\"\\u202e\"", "`\"\\u{202e}\"`"),
            ("\", expected u8\"", "`\", expected u8\"`"),
        ] {
            let should = format!("{found} stands where a natural number up to 4294967295 should");
            check::<u32>(text, &should);
        }
        check::<u8>(
            "300",
            "`300` stands where a natural number up to 255 should",
        );
        check::<Vec<u32>>("{}", "an object stands where a list should");
        check::<bool>("0", "`0` stands where `true` or `false` should");
        check::<Side>("[]", "a list stands where a string should");
        check::<Setup>("[]", "a list stands where an object should");
    }

    #[test]
    fn words_and_fields_that_are_not_known() {
        check::<Side>("\"east\"", "`east` stands where `south` or `north` should");
        check::<Side>(
            "\"\\u001b[2J\\u202e`\"",
            "`\\u{1b}[2J\\u{202e}`` stands where `south` or `north` should",
        );
        let long = format!("\"{}\"", "x".repeat(1000));
        let cut = format!(
            "`{}..` stands where `south` or `north` should",
            "x".repeat(40)
        );
        check::<Side>(&long, &cut);
        let phase = |phase: &str| {
            format!(
                "{{\"pits\": {{\"south\": [], \"north\": []}}, \"turn\": 1, \"quiet\": 0, \
                 \"stores\": {{\"south\": 0, \"north\": 0}}, \"to_move\": \"south\", \
                 \"phase\": {phase}}}"
            )
        };
        check::<Setup>(
            &phase("{\"kind\": \"play\", \"wi\\u0007nd\": 3}"),
            "unknown field `wi\\u{7}nd`, expected none but the one that tells the kind",
        );
        check::<Setup>(
            &phase("{\"kind\": {\"play\": null}}"),
            "an object stands where a string should",
        );
        check::<Setup>(&phase("{}"), "missing field `kind`");
    }

    #[test]
    fn options_that_are_not_known() {
        let text = "{\"\\u2066, expected u32\": 3}";
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = Options::deserialize(mancala_engine::Mancala::BaoKigogo, &mut reader);
        assert_eq!(
            sentence(&read.unwrap_err()),
            "unknown field `\\u{2066}, expected u32`, expected `quiet_limit`"
        );
    }

    #[test]
    fn what_a_reader_of_its_own_says_is_bounded_too() {
        let action = |kind: &str| serde_json::json!({ "type": kind }).to_string();
        check::<Action>(
            &action("fly\u{7}"),
            "an action of type `fly\\u{7}` with these fields does not exist",
        );
        let shown = "\\u{7f}".repeat(6);
        check::<Action>(
            &action(&"\u{7f}".repeat(15_000)),
            &format!("an action of type `{shown}..` with these fields does not exist"),
        );
    }

    #[test]
    fn lines_that_are_no_json() {
        for (text, expected) in [
            ("", "the text ends within a value"),
            ("[1", "the text ends within a list"),
            ("[1] 2", "something follows the object"),
            ("[tru]", "a word that is none of `true`, `false` and `null`"),
            ("[1,]", "trailing comma"),
            (&"[".repeat(200), "values are nested too deep"),
        ] {
            check::<Vec<serde_json::Value>>(text, expected);
        }
    }
}
