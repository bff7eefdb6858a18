//! What the event of an action costs on the wire.

use crate::random_match::RandomMatch;
use mancala_engine::{Mancala, Options};
use mancala_play::{Control, MatchSpec};
use mancala_protocol::{EventBody, ServerMessage};

/// The median that an event may have, in bytes.
const MEDIAN_BYTES_MAX: usize = 300;

/// The sizes of the events of actions in matches of a game, in order.
fn sizes(mancala: Mancala, clock: Control) -> Vec<usize> {
    let mut bytes = Vec::new();
    for seed in 0..40 {
        let format = MatchSpec::standard_format(mancala);
        let mut spec = MatchSpec::new(Options::standard(mancala), format);
        spec.clock = clock;
        let mut played = RandomMatch::of(spec, seed);
        while let Some(batch) = played.step() {
            for frame in batch.frames {
                let ServerMessage::Event { body, .. } = &frame else {
                    panic!("frames of events are events");
                };
                if let EventBody::Acted { .. } = body {
                    bytes.push(serde_json::to_string(&frame).unwrap().len());
                }
            }
        }
    }
    bytes.sort_unstable();
    bytes
}

#[test]
fn an_acted_event_is_small() {
    let fischer = Control::fischer(600, 5).unwrap();
    for mancala in Mancala::ALL {
        for clock in [Control::UNTIMED, fischer] {
            let bytes = sizes(mancala, clock);
            let at = |percent: usize| bytes[(bytes.len() - 1) * percent / 100];
            println!(
                "{mancala}, clock {clock}: {} events; of 100, 50 within {} bytes, 90 within {}, 99 within {}, all within {}",
                bytes.len(),
                at(50),
                at(90),
                at(99),
                at(100)
            );
            assert!(at(50) <= MEDIAN_BYTES_MAX, "{mancala}: {} bytes", at(50));
        }
    }
}
