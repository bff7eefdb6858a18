//! Matches and their logs to store: real ones, played by the rules, without a server.

use mancala_engine::{Format, Mancala, Options, Side};
use mancala_play::{
    Access, Command, Context, Control, Decision, Event, Match, MatchId, MatchSpec, Stage, UserId,
};
use mancala_server::ids::PublicId;
use mancala_server::store::{Append, LogRow, NewMatch, StageRow, UserRow};
use uuid::Uuid;

/// The time at which all tests begin, in milliseconds since 1970.
pub const START_MS: i64 = 1_700_000_000_000;

/// The user with this number.
#[must_use]
pub fn user(number: u128) -> UserRow {
    UserRow {
        id: UserId(Uuid::from_u128(number)),
        name: format!("user {number}"),
        created_ms: START_MS,
    }
}

/// A match that is played here, and the rows that it writes.
#[derive(Debug)]
pub struct Played {
    /// Its id.
    pub id: MatchId,
    /// Its public name.
    pub public_id: PublicId,
    /// How it stands.
    pub play: Match,
    /// The service time at which things happen in it.
    pub service_ms: i64,
}

impl Played {
    /// The match with this number: a game of Urim that waits for its players.
    #[must_use]
    pub fn new(number: u64) -> Played {
        Played::timed(number, Control::UNTIMED)
    }

    /// The match with this number: a game of Urim with clocks that waits for its players.
    #[must_use]
    pub fn timed(number: u64, clock: Control) -> Played {
        let mut spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
        spec.clock = clock;
        Played::of(number, spec)
    }

    /// The match with this number, of which this was agreed, that waits for its players.
    #[must_use]
    pub fn of(number: u64, spec: MatchSpec) -> Played {
        Played {
            id: MatchId(Uuid::from_u128(number.into())),
            public_id: PublicId::from_number(number),
            play: Match::create(spec),
            service_ms: 0,
        }
    }

    /// What creates it, before anything has happened in it.
    #[must_use]
    pub fn creation(&self) -> NewMatch {
        let spec = self.play.spec().clone();
        NewMatch {
            id: self.id,
            public_id: self.public_id,
            creator: user(1).id,
            link_hash: None,
            access: Access::Public,
            created_ms: START_MS,
            stage: StageRow::Gathering,
            rows: vec![LogRow {
                seq: 1,
                at_ms: START_MS,
                digest: Match::create(spec.clone()).digest(),
                event: Event::Created { spec },
                deadline_ms: None,
            }],
            service_ms: self.service_ms,
            idempotency: None,
        }
    }

    /// The next thing that happens in it: both sit down, then somebody plays the first
    /// action there is, until it is over.
    ///
    /// # Panics
    /// If the match is over.
    #[must_use]
    pub fn step(&mut self) -> Append {
        let [south, north] = [1, 2].map(|number| user(number).id);
        let (who, command) = match self.play.to_move() {
            Some(side) => {
                let who = self.play.seats()[side].expect("who plays has a seat");
                let legal = self.play.legal_for(side).expect("it is its turn");
                let number = self.play.next_number();
                let key = format!("k{number}").parse().expect("a short word");
                (who, Command::act(number, vec![legal[0].clone()], key))
            }
            None if self.play.side_of(south).is_none() => (
                south,
                Command::Sit {
                    side: Side::South,
                    asked_for: false,
                },
            ),
            None => (
                north,
                Command::Sit {
                    side: Side::North,
                    asked_for: false,
                },
            ),
        };
        let context = Context::untimed(Side::South);
        let expected_seq = self.play.seq();
        let decided = self.play.decide(who, &command, &context);
        let Ok(Decision::Do(events)) = decided else {
            panic!("{command:?} cannot be done: {decided:?}");
        };
        let rows = events.into_iter().map(|event| {
            self.play.apply(&event);
            LogRow {
                seq: self.play.seq(),
                at_ms: START_MS + self.play.seq().cast_signed(),
                event,
                digest: self.play.digest(),
                // Each of these events settles the time of whoever was to move.
                deadline_ms: self.play.deadline_ms().map(|ms| self.service_ms + ms),
            }
        });
        let rows = rows.collect();
        Append {
            match_id: self.id,
            expected_seq,
            rows,
            stage: match self.play.stage() {
                Stage::Gathering => StageRow::Gathering,
                Stage::Playing(_) => StageRow::Playing,
                Stage::Over { .. } => StageRow::Over,
            },
            service_ms: self.service_ms,
        }
    }
}

/// So many rows that follow a place in the log. They mean nothing together; a store does
/// not look.
#[must_use]
pub fn rows(after: u64, how_many: u64) -> Vec<LogRow> {
    let row = |seq: u64| LogRow {
        seq,
        at_ms: START_MS + seq.cast_signed(),
        event: Event::GameBegan {
            game: u32::try_from(seq).unwrap_or(u32::MAX),
            begins: Side::North,
        },
        // Its highest bit is set: a digest is no number that counts something.
        digest: mancala_play::Digest(u64::MAX - seq),
        deadline_ms: None,
    };
    (after + 1..=after + how_many).map(row).collect()
}

/// These rows for a match, which goes on.
#[must_use]
pub fn append(match_id: MatchId, expected_seq: u64, how_many: u64) -> Append {
    Append {
        match_id,
        expected_seq,
        rows: rows(expected_seq, how_many),
        stage: StageRow::Playing,
        service_ms: 0,
    }
}
