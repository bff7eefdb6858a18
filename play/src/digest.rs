//! A short digest of the whole of a match, for recovery.

use crate::{
    Access, Asked, Clocks, Control, ControlForm, Decides, Event, GameOutcome, Leaving, Match,
    MatchEnd, MatchSpec, OutsideReason, PauseWhy, Person, Request, Ruling, Speaks, Spent, StandIns,
    Team, TeamEvent, TeamsSpec, UserId, Way,
};
use mancala_engine::{Action, Direction, Extra, Outcome, Phase, Position, Side, Verdict};
use std::fmt;

/// A digest of a match with all its history: each event mixes itself, and what stands
/// after it, into the digest before. Whoever replays a log must come to the same digest;
/// where not, the log is damaged or the rules have changed under it.
///
/// It is FNV-1a of 64 bits over numbers of eight bytes, lowest byte first. It guards
/// against accidents, not against forgery. Digests are stored beside logs, so what is
/// mixed in which order never changes.
///
/// ```
/// use mancala_play::Digest;
/// assert_eq!(Digest::START.to_string(), "cbf29ce484222325");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Digest(pub u64);

impl Digest {
    /// The digest of nothing.
    pub const START: Digest = Digest(0xcbf2_9ce4_8422_2325);

    /// The digest after an event, which has just made `after` of the match.
    pub(crate) fn after_event(self, event: &Event, after: &Match) -> Digest {
        let mut digest = self
            .with_event(event)
            .with(after.seq)
            .with(u64::from(after.next_number));
        if let Some(teams) = after.teams() {
            digest = digest.with_team(&teams.south).with_team(&teams.north);
        }
        if let Some(play) = after.play() {
            let score = play.series.score();
            for number in [score.south, score.north, play.series.game()] {
                digest = digest.with(u64::from(number));
            }
            digest = digest
                .with_side(Some(play.series.begins()))
                .with_side(after.offer.map(|offer| offer.side))
                .with_position(play.game.position())
                .with_clocks(&play.clocks);
        }
        digest
    }

    pub(crate) const fn with(self, number: u64) -> Digest {
        let bytes = number.to_le_bytes();
        let mut digest = self.0;
        let mut index = 0;
        while index < bytes.len() {
            digest = (digest ^ bytes[index] as u64).wrapping_mul(0x0100_0000_01b3);
            index += 1;
        }
        Digest(digest)
    }

    fn with_all(self, numbers: impl ExactSizeIterator<Item = u32>) -> Digest {
        let longer = self.with(numbers.len() as u64);
        numbers.fold(longer, |digest, number| digest.with(u64::from(number)))
    }

    pub(crate) fn with_text(self, text: &str) -> Digest {
        self.with_all(text.bytes().map(u32::from))
    }

    pub(crate) fn with_user(self, user: UserId) -> Digest {
        let (high, low) = user.0.as_u64_pair();
        self.with(high).with(low)
    }

    /// What nobody of a team did is what it was before there were any.
    fn with_by(self, by: Option<UserId>) -> Digest {
        by.map_or(self, |user| self.with_user(user))
    }

    fn with_team_event(self, what: &TeamEvent) -> Digest {
        let of = |kind: u64, user: &UserId| self.with(kind).with_user(*user);
        match what {
            TeamEvent::Came { user } => of(1, user),
            TeamEvent::Waits { user } => of(2, user),
            TeamEvent::Sat { user } => of(3, user),
            TeamEvent::Left { user } => of(4, user),
            TeamEvent::StoodIn { user, member } => of(5, user).with_user(*member),
            TeamEvent::HandedBack { holder } => of(6, holder),
            TeamEvent::Led { user } => of(7, user),
            TeamEvent::Ordered { users } => users
                .iter()
                .fold(self.with(8), |digest, user| digest.with_user(*user)),
            TeamEvent::Absent { user } => of(9, user),
            TeamEvent::Present { user } => of(10, user),
            TeamEvent::Passed { user } => of(11, user),
            TeamEvent::Ready => self.with(12),
            TeamEvent::Proposed { user, actions } => {
                actions.iter().fold(of(13, user), Digest::with_action)
            }
            TeamEvent::Voted { user, proposal } => of(14, user).with(u64::from(*proposal)),
            TeamEvent::WindowClosed => self.with(15),
            TeamEvent::Backed { user, request } => of(16, user).with_request(*request),
            TeamEvent::Published => self.with(17),
        }
    }

    fn with_team(self, team: &Team) -> Digest {
        let captain = team.roster().captain();
        let captain = captain.and_then(|captain| team.roster().member(captain));
        let at_turn = team.roster().at_turn();
        let number = |person: Option<&Person>| person.map_or(0, |person| u64::from(person.number));
        let people = team.roster().people();
        let of_people = people.fold(self, |digest, person| {
            digest
                .with(u64::from(person.number))
                .with(u64::from(person.absent))
        });
        of_people
            .with(number(captain))
            .with(number(at_turn))
            .with(team.seq())
    }

    const fn with_side(self, side: Option<Side>) -> Digest {
        self.with(match side {
            None => 0,
            Some(Side::South) => 1,
            Some(Side::North) => 2,
        })
    }

    fn with_event(self, event: &Event) -> Digest {
        match event {
            Event::Created { spec } => self.with(1).with_spec(spec),
            Event::Seated { side, user } => self.with(2).with_side(Some(*side)).with_user(*user),
            Event::GameBegan { game, begins } => {
                self.with(3).with(u64::from(*game)).with_side(Some(*begins))
            }
            Event::Acted {
                side,
                action,
                key,
                part,
                by,
                spent,
            } => self
                .with_by(*by)
                .with(4)
                .with_side(*side)
                .with_action(action)
                .with_text(key.as_ref().map_or("", |key| key.as_str()))
                .with(u64::from(*part))
                .with_spent(*spent),
            Event::Offered { asked } => self.with(5).with_asked(Some(asked)),
            Event::Declined { asked } => self.with(6).with_asked(Some(asked)),
            Event::Signed { asked } => self.with(10).with_asked(Some(asked)),
            Event::TakenBack {
                to,
                earlier,
                asked,
                spent,
            } => earlier
                .history
                .iter()
                .fold(self.with(11).with(u64::from(*to)), |digest, key| {
                    digest.with(*key)
                })
                .with_all(
                    [
                        u32::from(earlier.moved.south),
                        u32::from(earlier.moved.north),
                        earlier.turn_began.south,
                        earlier.turn_began.north,
                    ]
                    .into_iter(),
                )
                .with_asked(Some(asked))
                .with_spent(*spent),
            Event::TimeGiven { ms, asked } => {
                self.with(12).with(u64::from(*ms)).with_asked(Some(asked))
            }
            Event::Paused { why, asked, spent } => self
                .with(13)
                .with(match why {
                    PauseWhy::Agreed => 1,
                    PauseWhy::Absent => 2,
                })
                .with_asked(asked.as_ref())
                .with_spent(*spent),
            Event::Resumed { side, asked } => {
                self.with(14).with_side(*side).with_asked(asked.as_ref())
            }
            Event::Counted { count } => self.with(15).with(u64::from(*count)),
            Event::Gone {
                side,
                how,
                grace_ms,
            } => self
                .with(16)
                .with_side(Some(*side))
                .with(match how {
                    Leaving::Dropped => 1,
                    Leaving::Closed => 2,
                })
                .with(grace_ms.cast_unsigned()),
            Event::Back { side } => self.with(17).with_side(Some(*side)),
            Event::Team { side, what, told } => {
                let happened = self.with(19).with_side(Some(*side)).with_team_event(what);
                told.as_ref().map_or(happened, |told| {
                    happened
                        .with_user(told.user)
                        .with_text(told.key.as_str())
                        .with(told.content.0)
                })
            }
            Event::Rematched { next, asked } => self.with(18).with(*next).with_asked(Some(asked)),
            Event::GameEnded {
                outcome,
                asked,
                spent,
            } => {
                let ended = match outcome {
                    GameOutcome::Board(outcome) => self.with(7).with_outcome(outcome),
                    GameOutcome::Outside { winner, reason } => {
                        self.with(8).with_side(*winner).with(match reason {
                            OutsideReason::Resigned => 1,
                            OutsideReason::Agreed => 2,
                            OutsideReason::Time => 3,
                            OutsideReason::Claimed => 4,
                        })
                    }
                };
                ended.with_asked(asked.as_ref()).with_spent(*spent)
            }
            Event::MatchEnded {
                end,
                asked,
                note,
                spent,
            } => {
                let ended = self
                    .with(9)
                    .with(match end {
                        MatchEnd::Played { .. } => 1,
                        MatchEnd::Resigned { .. } => 2,
                        MatchEnd::Aborted => 3,
                        MatchEnd::Abandoned => 4,
                        MatchEnd::Ruled(Ruling::Aborted) => 5,
                        MatchEnd::Ruled(Ruling::Drawn) => 6,
                        MatchEnd::Ruled(Ruling::Won(_)) => 7,
                    })
                    .with_side(end.winner())
                    .with_asked(asked.as_ref())
                    .with_spent(*spent);
                note.as_ref()
                    .map_or(ended, |note| ended.with_text(note.as_str()))
            }
        }
    }

    fn with_spec(self, spec: &MatchSpec) -> Digest {
        self.with_text(spec.options.mancala().key())
            .with_text(&spec.options.to_string())
            .with_text(&spec.format.to_string())
            .with(match spec.access {
                Access::Public => 1,
                Access::Link => 2,
            })
            .with(u64::from(spec.preview))
            .with(u64::from(spec.rules))
            .with_control(spec.clock)
            .with_agreed(spec)
    }

    /// What a match was agreed to be beyond what matches were at first.
    fn with_agreed(self, spec: &MatchSpec) -> Digest {
        let mut digest = self;
        if let Some(way) = spec.way {
            digest = digest.with(match way {
                Way::Counting => 1,
                Way::Contract => 2,
                Way::Blitz => 3,
            });
        }
        if spec.rated {
            digest = digest.with(4);
        }
        if let Some(teams) = &spec.teams {
            digest = digest.with(6).with_teams_agreed(teams);
        }
        if spec.start.is_some() {
            digest = digest
                .with(5)
                .with_position(&spec.start_for(spec.begins().unwrap_or(Side::South)));
        }
        digest
    }

    fn with_teams_agreed(self, teams: &TeamsSpec) -> Digest {
        let decides = match teams.decides {
            Decides::Rotation => 1,
            Decides::Captain => 2,
            Decides::First => 3,
            Decides::Vote { window } => 4 + u64::from(window),
        };
        let named = Side::ALL.into_iter().fold(self, |digest, side| {
            let name = teams.names[side].as_ref();
            name.map_or(digest, |name| {
                digest.with_side(Some(side)).with_text(name.as_str())
            })
        });
        let standing = teams.standing.map_or(named, |standing| {
            named.with(7).with(standing.south).with(standing.north)
        });
        let hosted = match teams.host {
            Some(host) => standing.with_user(host),
            None => standing.with(8),
        };
        hosted
            .with(u64::from(teams.seats.south))
            .with(u64::from(teams.seats.north))
            .with(decides)
            .with(u64::from(teams.speaks == Speaks::Majority))
            .with(u64::from(teams.stand_ins == StandIns::Automatic))
            .with(u64::from(teams.grace))
    }

    /// A match without clocks is what it was before there were any.
    fn with_control(self, control: Control) -> Digest {
        let numbers = match control.form() {
            ControlForm::Untimed {} => return self,
            ControlForm::PerMove { seconds, out } => [1, seconds, out as u32, 0],
            ControlForm::Fischer { initial, increment } => [2, initial, increment, 0],
            ControlForm::ByoYomi {
                main,
                period,
                periods,
            } => [3, main, period, periods],
            ControlForm::Correspondence { days } => [4, days, 0, 0],
        };
        self.with_all(numbers.into_iter())
    }

    fn with_spent(self, spent: Spent) -> Digest {
        if spent.is_nothing() {
            return self;
        }
        self.with(spent.elapsed_ms.cast_unsigned())
            .with(spent.lag_ms.cast_unsigned())
    }

    fn with_clocks(self, clocks: &Clocks) -> Digest {
        if clocks.control().is_untimed() {
            return self;
        }
        let running = self.with_side(clocks.running());
        Side::ALL.into_iter().fold(running, |digest, side| {
            clocks
                .numbers(side)
                .into_iter()
                .fold(digest, |digest, number| digest.with(number.cast_unsigned()))
        })
    }

    fn with_asked(self, asked: Option<&Asked>) -> Digest {
        match asked {
            None => self.with(0),
            Some(Asked {
                side,
                request,
                number,
                key,
                by,
            }) => {
                let asked = self
                    .with_by(*by)
                    .with_request(*request)
                    .with_side(Some(*side))
                    .with_text(key.as_str());
                number.map_or(asked, |number| asked.with(u64::from(number)))
            }
        }
    }

    const fn place_of(kind: u64, verb: u64) -> u64 {
        3 + verb + if kind == 0 { 0 } else { 5 + 3 * kind }
    }

    pub(crate) const fn with_request(self, request: Request) -> Digest {
        self.with(match request {
            Request::ResignGame => 1,
            Request::ResignMatch => 2,
            // An offer of a draw has been 3 to 5 from the first; the others go on after 10.
            Request::Offer(kind) => Digest::place_of(kind as u64, 0),
            Request::Accept(kind) => Digest::place_of(kind as u64, 1),
            Request::Decline(kind) => Digest::place_of(kind as u64, 2),
            Request::Abort => 6,
            Request::Sign => 7,
            Request::Resume => 8,
            Request::ClaimWin => 9,
            Request::ClaimDraw => 10,
            Request::Publish => 0,
        })
    }

    pub(crate) fn with_action(self, action: &Action) -> Digest {
        let backwards = |dir: &Direction| u64::from(*dir == Direction::Reverse);
        match action {
            Action::Sow { pit, dir } => self.with(1).with(u64::from(pit.0)).with(backwards(dir)),
            Action::Koneeza { pit } => self.with(2).with(u64::from(pit.0)),
            Action::Direction { dir } => self.with(3).with(backwards(dir)),
            Action::Arrange { pits } => self.with(4).with_all(pits.iter().copied()),
            Action::Strip { take } => {
                let pits = take.iter().map(|(pit, _)| u32::from(pit.0));
                let seeds = take.iter().map(|(_, seeds)| *seeds);
                self.with(5).with_all(pits).with_all(seeds)
            }
            Action::Lottery { to } => self.with(6).with_side(Some(*to)),
            Action::LoseTurn => self.with(7),
        }
    }

    fn with_outcome(self, outcome: &Outcome) -> Digest {
        let verdict = match outcome.verdict() {
            Verdict::Win(_) => 1,
            Verdict::Draw => 2,
            Verdict::Void => 3,
        };
        self.with(verdict)
            .with_side(outcome.winner())
            .with(u64::from(outcome.points().sum()))
            .with_text(outcome.reason().code())
    }

    fn with_position(self, position: &impl Position) -> Digest {
        let setup = position.setup();
        let mut digest = self;
        for side in Side::ALL {
            digest = digest
                .with_all(setup.board.pits[side].iter().copied())
                .with(u64::from(setup.board.stores[side]));
        }
        let standing = setup.standing;
        digest = digest
            .with_side(Some(standing.to_move))
            .with(u64::from(standing.turn))
            .with(u64::from(standing.quiet));
        digest = match standing.phase {
            Phase::Arrange => digest.with(1),
            Phase::Play => digest.with(2),
            Phase::Direction(lap) => lap
                .columns
                .iter()
                .fold(digest.with(3), |digest, column| {
                    digest.with(u64::from(column))
                })
                .with(u64::from(lap.pit.0))
                .with(u64::from(lap.seeds))
                .with(u64::from(lap.held))
                .with(u64::from(lap.laps)),
            Phase::Strip { seeds } => digest.with(4).with(u64::from(seeds)),
            Phase::Lottery => digest.with(5),
            Phase::Over(outcome) => digest.with(6).with_outcome(&outcome),
        };
        match setup.extra {
            Extra::None {} => digest,
            Extra::Omweso { captured, captures } => digest
                .with(u64::from(captured))
                .with(u64::from(captures.south))
                .with(u64::from(captures.north)),
            Extra::Anywoli { last_seed } => digest.with_side(last_seed),
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv_1a_of_known_bytes() {
        // The published value of eight zero bytes follows from eight multiplications.
        let zero = (0..8).fold(Digest::START.0, |digest, _| {
            digest.wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(Digest::START.with(0), Digest(zero));
        assert_ne!(Digest::START.with(1), Digest::START.with(256));
    }

    /// Without their length, lists would run into what follows them.
    #[test]
    fn lists_of_different_actions_differ() {
        use mancala_engine::Pit;
        let strip = |take: &[(Pit, u32)]| Action::Strip { take: take.into() };
        let digest = |actions: &[Action]| actions.iter().fold(Digest::START, Digest::with_action);
        assert_ne!(
            digest(&[strip(&[(Pit(1), 1), (Pit(2), 3)])]),
            digest(&[strip(&[(Pit(1), 1)]), Action::Koneeza { pit: Pit(3) }])
        );
        assert_ne!(
            digest(&[Action::sow(Pit(3))]),
            digest(&[Action::sow_reverse(Pit(3))])
        );
    }
}
