//! What holds of every text that a client may send, shared by tests and the fuzz target.

#![allow(
    unreachable_pub,
    reason = "it is reached from the crate of the fuzz targets"
)]

use mancala_protocol::ClientMessage;

/// Reading never panics. What was read is written to a text that reads the same and is
/// written the same again; what cannot be read has a reason to be told.
pub fn check_message(bytes: &[u8]) {
    // A frame that is no text ends its socket before anybody reads it.
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match serde_json::from_str::<ClientMessage>(text) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(message) => {
            let written = serde_json::to_string(&message).unwrap();
            let again: ClientMessage = serde_json::from_str(&written).unwrap();
            assert_eq!(again, message, "{written}");
            assert_eq!(serde_json::to_string(&again).unwrap(), written);
            assert_eq!((again.id(), again.about()), (message.id(), message.about()));
        }
    }
}
