//! What holds of every text that may be a record.

use mancala_engine::record::Record;

/// Reading never panics. What was read prints to a text that reads the same, prints the
/// same again, and is judged the same; a fault is found on a line of the text.
pub fn check_record(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let lines = text.lines().count().max(1) as u32;
    for parsed in Record::parse_many(text) {
        let parsed = match parsed {
            Err(error) => {
                assert!((1..=lines + 1).contains(&error.at.line), "{error}");
                assert!(!error.message.is_empty());
                continue;
            }
            Ok(parsed) => parsed,
        };
        let report = parsed.check();
        if let Some(fault) = report.first_fault() {
            let at = parsed.locate(fault.spot);
            assert!((1..=lines).contains(&at.line), "{fault} at {at}");
        }
        let printed = parsed.record.to_string();
        let again: Record = printed.parse().unwrap();
        assert_eq!(again, parsed.record);
        assert_eq!(again.to_string(), printed);
        assert_eq!(again.check(), report);
    }
}
