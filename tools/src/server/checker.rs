//! Is what is told of a match true?
//!
//! May know frames and the follower of the protocol, never sockets or the clock.
//!
//! All who follow a match are told the same, so each event is carried into the position
//! once, by whoever hears it first. To the others it has to come in the same words.

use mancala_protocol::{EventBody, FollowError, Follower, MatchView, ServerMessage, StageView};
use std::collections::VecDeque;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Events kept for those who hear them later. Who is further behind is not held against
/// them; spectators skip that far anyway.
const KEPT: usize = 256;

/// A match as all who follow it have heard it together.
#[derive(Debug)]
pub(crate) struct Checker {
    follower: Follower,
    /// The last events, as they were told first.
    told: VecDeque<(u64, Utf8Bytes)>,
}

/// What was told cannot be true.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Wrong {
    /// It does not follow from what came before.
    #[error("event {seq} does not follow: {frame}")]
    Event {
        seq: u64,
        frame: String,
        source: FollowError,
    },
    /// The view contradicts itself.
    #[error("the view at event {seq} is not true")]
    View { seq: u64, source: FollowError },
    /// A view and the events lead to different matches.
    #[error("the view at event {seq} is not what the events have led to")]
    OtherView { seq: u64 },
    /// Two heard different things.
    #[error("event {seq} was told in two ways: {first} and {second}")]
    TwoWays {
        seq: u64,
        first: String,
        second: String,
    },
    /// No such message of the protocol.
    #[error("not a frame of the protocol: {frame}")]
    Malformed {
        frame: String,
        source: serde_json::Error,
    },
    /// Another message than its type says.
    #[error("not an event: {frame}")]
    NoEvent { frame: String },
}

impl Checker {
    /// From the first view on.
    pub(crate) fn new(view: MatchView) -> Result<Checker, Wrong> {
        let seq = view.seq;
        let follower = Follower::new(view).map_err(|source| Wrong::View { seq, source })?;
        Ok(Checker {
            follower,
            told: VecDeque::new(),
        })
    }

    /// The match as it stands for whoever has heard most of it.
    pub(crate) const fn view(&self) -> &MatchView {
        self.follower.view()
    }

    /// Is the match over?
    pub(crate) fn is_over(&self) -> bool {
        self.view().stage == StageView::Over
    }

    /// Somebody else was sent a view.
    pub(crate) fn take_view(&mut self, view: MatchView) -> Result<(), Wrong> {
        let seq = view.seq;
        if seq == self.view().seq && view.timeless() != self.view().timeless() {
            return Err(Wrong::OtherView { seq });
        }
        let follower = Follower::new(view).map_err(|source| Wrong::View { seq, source })?;
        // A spectator who skips may be ahead of all others.
        if seq > self.view().seq {
            self.follower = follower;
        }
        Ok(())
    }

    /// Somebody was told an event. True where it was the first who heard of it.
    pub(crate) fn take_event(&mut self, seq: u64, frame: &Utf8Bytes) -> Result<bool, Wrong> {
        if seq > self.view().seq {
            let event = read_event(frame)?;
            self.follower
                .take_event(seq, &event)
                .map_err(|source| Wrong::Event {
                    seq,
                    frame: frame.to_string(),
                    source,
                })?;
            if self.told.len() == KEPT {
                self.told.pop_front();
            }
            self.told.push_back((seq, frame.clone()));
            return Ok(true);
        }
        let kept = self.told.iter().rev().find(|(kept, _)| *kept == seq);
        if let Some((_, first)) = kept
            && first != frame
            && read_event(first)? != read_event(frame)?
        {
            return Err(Wrong::TwoWays {
                seq,
                first: first.to_string(),
                second: frame.to_string(),
            });
        }
        Ok(false)
    }
}

fn read_event(frame: &Utf8Bytes) -> Result<EventBody, Wrong> {
    match serde_json::from_str(frame) {
        Ok(ServerMessage::Event { body, .. }) => Ok(body),
        Ok(_) => Err(Wrong::NoEvent {
            frame: frame.to_string(),
        }),
        Err(source) => Err(Wrong::Malformed {
            frame: frame.to_string(),
            source,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: &str = r#"{"match":"k3J9sPq0Zx","seq":4,"game":"urim","options":{"columns":6},
        "format":"single","preview":true,"rules":1,
        "players":{"south":{"name":"Ann"},"north":{"name":"Ben"}},"stage":"playing",
        "score":{"south":0,"north":0},"game_number":1,"next_number":2,
        "position":{"pits":{"south":[3,3,3,3,3,3],"north":[3,3,3,3,3,3]},
            "stores":{"south":0,"north":0},"to_move":"south","turn":1,"quiet":0,
            "phase":{"kind":"play"}},
        "checksum":"1065722b"}"#;

    const EVENT: &str = r#"{"type":"event","match":"k3J9sPq0Zx","seq":5,"kind":"acted","number":2,"side":"south","action":{"type":"sow","pit":4},"trace":[{"lap":[4,3,1],"end_side":"north"}],"to_move":"north","turn":2,"quiet":1,"checksum":"edd71473","score":{"south":0,"north":0}}"#;

    fn checker() -> Checker {
        Checker::new(serde_json::from_str(VIEW).unwrap()).unwrap()
    }

    #[test]
    fn a_true_event_is_taken_once_and_compared_after_that() {
        let mut checker = checker();
        assert!(checker.take_event(5, &EVENT.into()).unwrap());
        assert!(!checker.take_event(5, &EVENT.into()).unwrap());
        // The same in other words.
        let spaced = EVENT.replace(',', ", ");
        assert!(!checker.take_event(5, &spaced.into()).unwrap());
        assert_eq!(checker.view().next_number, 3);
    }

    #[test]
    fn each_word_that_is_false_is_noticed() {
        for (word, falsified) in [
            ("edd71473", "edd71474"),
            ("[4,3,1]", "[3,3,1]"),
            ("[4,3,1]", "[4,3,2]"),
            ("[4,3,1]", "[4,4,2]"),
            (r#""number":2"#, r#""number":3"#),
            (r#""to_move":"north""#, r#""to_move":"south""#),
            (r#""kind":"acted""#, r#""kind":"seated""#),
        ] {
            let frame = EVENT.replace(word, falsified);
            assert_ne!(frame, EVENT, "{word}");
            assert!(
                checker().take_event(5, &frame.into()).is_err(),
                "{falsified}"
            );
        }
        assert!(matches!(
            checker().take_event(6, &EVENT.into()),
            Err(Wrong::Event {
                source: FollowError::Gap {
                    expected: 5,
                    told: 6
                },
                ..
            })
        ));
    }

    #[test]
    fn what_one_hears_the_others_have_to_hear() {
        let mut checker = checker();
        checker.take_event(5, &EVENT.into()).unwrap();
        let other = EVENT.replace(r#""quiet":1"#, r#""quiet":0"#);
        let heard = checker.take_event(5, &other.into());
        assert!(matches!(heard, Err(Wrong::TwoWays { seq: 5, .. })));
    }

    #[test]
    fn views_are_held_against_the_events_and_themselves() {
        let view = |old: &str, new: &str| serde_json::from_str(&VIEW.replace(old, new)).unwrap();
        let mut checker = checker();
        checker.take_view(view("", "")).unwrap();
        let other = checker.take_view(view(r#""game_number":1"#, r#""game_number":2"#));
        assert!(matches!(other, Err(Wrong::OtherView { seq: 4 })));
        let falsified = checker.take_view(view(r#""seq":4"#, r#""seq":9"#).falsify());
        assert!(matches!(falsified, Err(Wrong::View { seq: 9, .. })));
        checker.take_view(view(r#""seq":4"#, r#""seq":9"#)).unwrap();
        assert_eq!(checker.view().seq, 9);
    }

    trait Falsify {
        fn falsify(self) -> Self;
    }

    impl Falsify for MatchView {
        fn falsify(mut self) -> MatchView {
            self.checksum = Some("00000000".to_owned());
            self
        }
    }
}
