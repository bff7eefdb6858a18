//! A match: seats, and a series of games between them.

use crate::key::Keys;
use crate::{
    Absence, Clocks, Digest, Event, Key, MatchEnd, MatchSpec, Note, Offer, OfferKind, PauseWhy,
    Receipt, Team, UserId,
};
use mancala_engine::{Action, AnyPosition, BySide, Game, Series, Side};

/// A match as it stands. It changes by [`Match::apply`] alone.
///
/// Seats, not people, play: the match knows who holds a seat, and the rest of it speaks
/// of sides.
///
/// ```
/// use mancala_engine::{Format, Mancala, Options, Side};
/// use mancala_play::{Event, Match, MatchSpec, UserId};
/// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
/// let mut play = Match::create(spec);
/// for (side, number) in [(Side::South, 1), (Side::North, 2)] {
///     let user = UserId(uuid::Uuid::from_u128(number));
///     play.apply(&Event::Seated { side, user });
/// }
/// play.apply(&Event::GameBegan { game: 1, begins: Side::North });
/// assert_eq!(play.to_move(), Some(Side::North));
/// assert_eq!(play.legal_for(Side::North).unwrap().len(), 6);
/// assert_eq!(play.legal_for(Side::South), None);
/// assert_eq!((play.seq(), play.next_number()), (4, 2));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub(crate) spec: MatchSpec,
    pub(crate) seats: BySide<Option<UserId>>,
    pub(crate) stage: Stage,
    pub(crate) next_number: u32,
    pub(crate) seq: u64,
    pub(crate) digest: Digest,
    pub(crate) keys: BySide<Keys>,
    /// Who has signed the contract, where there is one.
    pub(crate) signed: BySide<bool>,
    pub(crate) offer: Option<Offer>,
    /// The number of the action that was due when a side last offered each kind; 0 is never.
    pub(crate) offered: BySide<[u32; OfferKind::ALL.len()]>,
    pub(crate) absences: BySide<Option<Absence>>,
    /// How often each side went away in this game.
    pub(crate) leaves: BySide<u8>,
    /// Where the sides are teams: then nobody has the seat of a side alone.
    pub(crate) teams: Option<Box<BySide<Team>>>,
}

/// How far a match has come.
///
/// ```
/// use mancala_engine::{Format, Mancala, Options};
/// use mancala_play::{Match, MatchSpec, Stage};
/// let spec = MatchSpec::new(Options::standard(Mancala::Urim), Format::Single);
/// assert_eq!(*Match::create(spec).stage(), Stage::Gathering);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "most live matches are being played"
)]
pub enum Stage {
    /// A seat is free, or a contract is not signed by both.
    Gathering,
    /// Both seats are taken, and a game is being played.
    Playing(Play),
    /// The match is over.
    Over {
        /// The last game, if there was one.
        last: Option<Play>,
        /// How it ended.
        end: MatchEnd,
        /// What the one said who ended it from above.
        note: Option<Note>,
        /// The number from which the name of the rematch is made, if there is one.
        rematch: Option<u64>,
    },
}

/// The games of a match that has begun.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    pub(crate) series: Series,
    pub(crate) game: Game<AnyPosition>,
    /// Has a side begun a turn in this game? Its clock stands before.
    pub(crate) moved: BySide<bool>,
    /// The number of the action with which a side's last turn began; 0 is none.
    pub(crate) turn_began: BySide<u32>,
    /// How many turns in a row each side has lost to the clock.
    pub(crate) lost: BySide<u8>,
    pub(crate) clocks: Clocks,
    /// How far the referee has counted in this turn.
    pub(crate) count: u8,
    /// The highest turn that brings no increment any more: it has brought one, and none for
    /// being played again after a takeback, or it is the first of a side.
    pub(crate) paid_turn: u32,
    pub(crate) pause: Option<PauseWhy>,
    /// Has the end of the current game been recorded? Only between the events of one
    /// decision is a match without a game that is being played.
    pub(crate) ended: bool,
}

impl Play {
    /// The points, and the number of the current game; of the next one, between the
    /// events that end a game and begin another.
    #[must_use]
    pub const fn series(&self) -> &Series {
        &self.series
    }

    /// The current game, or the last one.
    #[must_use]
    pub const fn game(&self) -> &Game<AnyPosition> {
        &self.game
    }

    /// The clocks of the current game, or as they stood at the end of the last one.
    #[must_use]
    pub const fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// Why the clocks stand, if they were stopped.
    #[must_use]
    pub const fn pause(&self) -> Option<PauseWhy> {
        self.pause
    }

    /// How far the referee has counted in the current turn.
    #[must_use]
    pub const fn count(&self) -> u8 {
        self.count
    }

    /// Is the side to move yet to make its first move of the game, within a time of its own?
    #[must_use]
    pub fn is_opening(&self) -> bool {
        !self.clocks.control().is_untimed() && !self.moved[self.game.to_move()]
    }
}

impl Match {
    /// A new match: the first event of its log, [`Event::Created`](crate::Event::Created),
    /// has been applied.
    #[must_use]
    pub fn create(spec: MatchSpec) -> Match {
        let event = Event::Created { spec: spec.clone() };
        let teams = spec.teams.as_ref().map(|_| Box::default());
        let mut created = Match {
            spec,
            seats: BySide::both(None),
            stage: Stage::Gathering,
            next_number: 1,
            seq: 1,
            digest: Digest::START,
            keys: BySide::default(),
            signed: BySide::both(false),
            offer: None,
            offered: BySide::both([0; OfferKind::ALL.len()]),
            absences: BySide::both(None),
            leaves: BySide::both(0),
            teams,
        };
        created.digest = Digest::START.after_event(&event, &created);
        created
    }

    /// What was agreed about it.
    #[must_use]
    pub const fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// Who holds the seat of each side.
    #[must_use]
    pub const fn seats(&self) -> &BySide<Option<UserId>> {
        &self.seats
    }

    /// The side whose seat somebody holds, or in whose team he is a member.
    #[must_use]
    pub fn side_of(&self, user: UserId) -> Option<Side> {
        let plays = |side: &Side| match self.teams() {
            None => self.seats[*side] == Some(user),
            Some(teams) => teams[*side].roster.member(user).is_some(),
        };
        Side::ALL.into_iter().find(plays)
    }

    /// Everybody who has, or ever had, to do with a seat of the match.
    pub fn everybody(&self) -> impl Iterator<Item = UserId> {
        let seated = Side::ALL.into_iter().filter_map(|side| self.seats[side]);
        let teams = self.teams().into_iter();
        let came = teams.flat_map(|teams| {
            let [south, north] = [&teams.south, &teams.north].map(|team| team.roster.came());
            south.iter().chain(north).copied()
        });
        seated.chain(came)
    }

    /// Does somebody hold each seat? Is somebody in each team?
    #[must_use]
    pub fn both_seated(&self) -> bool {
        match self.teams() {
            None => self.seats.south.is_some() && self.seats.north.is_some(),
            Some(teams) => Side::ALL
                .into_iter()
                .all(|side| !teams[side].roster.seats().is_empty()),
        }
    }

    /// Which sides have signed the contract, where there is one.
    #[must_use]
    pub const fn signed(&self) -> &BySide<bool> {
        &self.signed
    }

    /// How far it has come.
    #[must_use]
    pub const fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Its games, once it has begun.
    #[must_use]
    pub const fn play(&self) -> Option<&Play> {
        match &self.stage {
            Stage::Gathering => None,
            Stage::Playing(play) => Some(play),
            Stage::Over { last, .. } => last.as_ref(),
        }
    }

    /// How it ended, if it has.
    #[must_use]
    pub const fn end(&self) -> Option<MatchEnd> {
        match self.stage {
            Stage::Over { end, .. } => Some(end),
            _ => None,
        }
    }

    /// What the one said who ended it from above.
    #[must_use]
    pub const fn note(&self) -> Option<&Note> {
        match &self.stage {
            Stage::Over { note, .. } => note.as_ref(),
            _ => None,
        }
    }

    /// The number from which the name of the rematch is made, if there is one.
    #[must_use]
    pub const fn rematch_number(&self) -> Option<u64> {
        match self.stage {
            Stage::Over { rematch, .. } => rematch,
            _ => None,
        }
    }

    /// The side to move, while the match is being played.
    #[must_use]
    pub fn to_move(&self) -> Option<Side> {
        match &self.stage {
            Stage::Playing(play) => Some(play.game.to_move()),
            _ => None,
        }
    }

    /// What the side may play now: the listed actions, where it is its turn. `None` where
    /// it is not. In phases `arrange` and `strip` it is its turn and nothing is listed.
    #[must_use]
    pub fn legal_for(&self, side: Side) -> Option<Vec<Action>> {
        match &self.stage {
            Stage::Playing(play) if play.game.to_move() == side => {
                Some(play.game.moves().iter().collect())
            }
            _ => None,
        }
    }

    /// What the command of this key came to, while it is remembered: what its sender is
    /// answered once its events are applied, and again whenever it is sent again.
    #[must_use]
    pub fn receipt(&self, side: Side, user: UserId, key: &Key) -> Option<Receipt> {
        let bound = self.keys[side].get(self.member(user), key);
        bound.map(|bound| bound.receipt(side))
    }

    /// A user as the owner of keys: those of a team are told apart.
    pub(crate) fn member(&self, user: UserId) -> Option<UserId> {
        self.teams.as_ref().map(|_| user)
    }

    /// Is what happened at this number older than the commands to act that are remembered of
    /// this side? What became of one that is refused then stands in the log alone: it is
    /// to be decided on the match as it was [`ACTIONS_MAX`](crate::ACTIONS_MAX) actions later.
    #[must_use]
    pub fn has_forgotten(&self, side: Side, number: u32) -> bool {
        self.keys[side].forgot(number)
    }

    /// The number that the next action will have, from 1.
    #[must_use]
    pub const fn next_number(&self) -> u32 {
        self.next_number
    }

    /// How many events it has had: the place of the last one in its log.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// How many of its events are for everybody: the place of the last one in the stream that
    /// all may see.
    #[must_use]
    pub fn public_seq(&self) -> u64 {
        self.seq
            - self
                .teams()
                .map_or(0, |teams| teams.south.seq + teams.north.seq)
    }

    /// The digest of the whole state, which a replay must come to again.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A live match is to fit in 16 KiB beside its sockets, and its keys may take half of
    /// that. This is what it takes before its first action; each action adds a key, up to a
    /// bound, and, until a capture, a position's key.
    #[test]
    fn a_match_is_small() {
        assert!(size_of::<Match>() <= 1_088, "{} bytes", size_of::<Match>());
    }
}
