//! What is true after all is quiet.

use super::{Model, command_of};
use mancala_play::Decision;
use mancala_protocol::{PublicId, StageView};
use std::collections::BTreeSet;

/// What has been written since then, on a disk without faults, may be on its way.
const JUST_NOW_MS: i64 = 250;

impl Model {
    /// After all is quiet: everybody has heard everything, and every message has its answer.
    /// Who is there but cannot be reached counts as gone.
    pub(crate) fn check_quiet(&mut self) {
        let games = self.games.clone();
        for game in games {
            self.read(game);
            self.check_quiet_in(game);
        }
        self.check_here();
        for (number, socket) in self.sockets.iter().enumerate() {
            if socket.is_there() {
                let (pending, nonsense) = (&socket.pending, &socket.nonsense);
                assert!(
                    pending.is_empty() && nonsense.is_empty(),
                    "{number} waits for answers to {pending:?}, {nonsense:?}"
                );
            }
        }
    }

    /// Nobody is away who follows a match and hears what it says.
    pub(crate) fn check_here(&mut self) {
        for game in self.games.clone() {
            self.read(game);
            let truth = &self.truths[&game];
            if self.now_ms() - truth.written_ms < JUST_NOW_MS {
                continue;
            }
            for (number, socket) in self.sockets.iter().enumerate() {
                let follows = socket.following.get(&game).is_some_and(|it| !it.left);
                if !follows || !socket.is_there() || socket.slow || socket.closing {
                    continue;
                }
                let side = self
                    .user(number)
                    .and_then(|user| truth.last().side_of(user));
                if let Some(side) = side {
                    let away = truth.last().absences()[side];
                    assert_eq!(away, None, "{side} is away in {game}, and is here");
                }
            }
        }
    }

    /// Whoever wanted something has had an answer to it.
    pub(crate) fn check_settled(&self) {
        for issued in self.people.iter().flat_map(|person| &person.issued) {
            assert!(issued.settled, "never settled: {issued:?}");
        }
    }

    pub(super) fn check_quiet_in(&self, game: PublicId) {
        let truth = &self.truths[&game];
        if self.now_ms() - truth.written_ms < JUST_NOW_MS {
            // Time goes on by itself, and not everybody has heard of it.
            return;
        }
        let here = self
            .sockets
            .iter()
            .enumerate()
            .filter_map(|(number, socket)| {
                let following = socket.following.get(&game)?;
                (socket.is_there() && !following.left).then_some((number, following))
            });
        let here: Vec<_> = here.collect();
        let side_of = |number| {
            let user = self.user(number)?;
            truth.last().side_of(user)
        };
        let players = mancala_engine::BySide::from_fn(|side| {
            here.iter()
                .any(|(number, _)| side_of(*number) == Some(side))
        });
        let watching = here.iter().filter(|(number, _)| side_of(*number).is_none());
        let presence = (players, u32::try_from(watching.count()).unwrap());
        for &(number, following) in &here {
            assert_eq!(following.seq, truth.seq(), "{number} is behind in {game}");
            assert_eq!(following.presence, Some(presence), "{number} in {game}");
            let side = side_of(number);
            if side.is_some() && side == truth.last().to_move() {
                let legal = following.legal.as_ref().map(|legal| legal.number);
                let next = truth.last().next_number();
                assert_eq!(legal, Some(next), "{number} is not told what it may play");
            }
        }
    }

    /// Nothing stands in a log that was only ever refused.
    pub(crate) fn check_refused(&self) {
        for person in &self.people {
            for issued in &person.issued {
                let truth = &self.truths[&issued.game];
                let Some(command) = command_of(&issued.message) else {
                    continue;
                };
                let decided = truth.decisions(truth.seq(), person.user, &command);
                if matches!(decided[0], Ok(Decision::Done(_))) {
                    // Another command of the same key may have asked for the same.
                    let same = person.issued.iter().filter(|other| {
                        other.game == issued.game
                            && command_of(&other.message) == Some(command.clone())
                    });
                    let mut tried = same.map(|same| same.tries > same.refused);
                    assert!(tried.any(|open| open), "refused and done: {issued:?}");
                }
            }
        }
    }

    /// The names of the public matches that are not over.
    pub(crate) fn open_matches(&self) -> BTreeSet<PublicId> {
        let open = self.truths.iter().filter(|(_, truth)| {
            let spec = truth.last().spec();
            let view = truth.view_at(truth.seq());
            spec.access == mancala_play::Access::Public && view.stage != StageView::Over
        });
        open.map(|(&name, _)| name).collect()
    }
}
