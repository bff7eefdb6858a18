//! What holds in every game: turns, history, quiet limit, lost turns, passes, ends by rule.

use serde_json::Value;

use super::anywoli::LastFour;
use super::state::{Action, Ending, Phase, Side, State, Step};
use super::{anywoli, bao_kigogo, json, nsolo, omweso, urim};

/// Which game is played, with its options.
#[derive(Clone, Debug)]
pub(crate) enum Rules {
    Omweso(omweso::Options),
    Anywoli(LastFour),
    Urim(urim::Options),
    BaoKigogo,
    Nsolo { columns: usize },
}

/// The rules and the option that every game has.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) rules: Rules,
    pub(crate) quiet_limit: u64,
}

impl Game {
    /// The pits a side has.
    pub(crate) fn pits(&self) -> usize {
        match &self.rules {
            Rules::Omweso(_) => 16,
            Rules::Anywoli(_) => 12,
            Rules::Urim(options) => options.columns,
            Rules::BaoKigogo => 2 * bao_kigogo::COLUMNS,
            Rules::Nsolo { columns } => 2 * columns,
        }
    }

    /// All seeds of the game.
    fn seeds(&self) -> u64 {
        match &self.rules {
            Rules::Omweso(_) => omweso::SEEDS,
            Rules::Anywoli(_) => anywoli::SEEDS,
            Rules::Urim(options) => options.seeds(),
            Rules::BaoKigogo => bao_kigogo::seeds(bao_kigogo::COLUMNS),
            Rules::Nsolo { columns } => bao_kigogo::seeds(*columns),
        }
    }

    /// Omweso, Bao Kigogo and Nsolo have four rows.
    fn has_four_rows(&self) -> bool {
        !self.captures_clear_history()
    }

    /// In Anywoli and Urim, the two-row games, a capture clears the list of earlier positions.
    fn captures_clear_history(&self) -> bool {
        matches!(self.rules, Rules::Anywoli(_) | Rules::Urim(_))
    }

    /// The third occurrence in Omweso, the second in the other games.
    fn occurrences_that_end(&self) -> usize {
        match self.rules {
            Rules::Omweso(_) => 3,
            _ => 2,
        }
    }

    /// The position from which the game starts.
    fn start(&self, first: Side) -> State {
        match &self.rules {
            Rules::Omweso(options) => omweso::start(options, first),
            Rules::Anywoli(_) => anywoli::start(first),
            Rules::Urim(options) => urim::start(options, first),
            Rules::BaoKigogo => bao_kigogo::start(first),
            Rules::Nsolo { columns } => nsolo::start(*columns, first),
        }
    }

    /// May the side to move sow this pit in this direction?
    fn check_sow(&self, state: &State, pit: u64, reverse: bool) -> Result<(), &'static str> {
        match &self.rules {
            Rules::Omweso(options) => omweso::check_sow(options, state, pit, reverse),
            Rules::Anywoli(_) => anywoli::check_sow(state, pit, reverse),
            Rules::Urim(options) => urim::check_sow(options, state, pit, reverse),
            Rules::BaoKigogo => bao_kigogo::check_sow(bao_kigogo::COLUMNS, state, pit, reverse),
            Rules::Nsolo { columns } => bao_kigogo::check_sow(*columns, state, pit, reverse),
        }
    }

    /// Sows a pit that has been checked.
    fn sow(&self, state: &mut State, pit: usize, reverse: bool) -> Step {
        match &self.rules {
            Rules::Omweso(options) => omweso::sow(options, state, pit, reverse),
            Rules::Anywoli(last_four) => anywoli::sow(*last_four, state, pit),
            Rules::Urim(options) => urim::sow(options, state, pit),
            Rules::BaoKigogo => bao_kigogo::sow(state, pit),
            Rules::Nsolo { columns } => nsolo::sow(*columns, state, pit),
        }
    }

    /// Has the side to move a move it may play? (Okukoneeza needs a pit that may be sown as well.)
    fn has_move(&self, state: &State) -> bool {
        (0..self.pits()).any(|pit| self.check_sow(state, pit as u64, false).is_ok())
    }

    /// Carries out an action. An error leaves the state as it was, or at least unused.
    fn carry_out(&self, state: &mut State, action: &Action) -> Result<Step, &'static str> {
        let phase = state.phase.clone();
        if matches!(phase, Phase::Over(_)) {
            return Err("game_over");
        }
        match (&self.rules, phase, action) {
            (_, Phase::Play, Action::Sow { pit, reverse }) => {
                self.check_sow(state, *pit, *reverse)?;
                Ok(self.sow(state, *pit as usize, *reverse))
            }
            (Rules::Omweso(options), Phase::Play, Action::Koneeza { pit }) => {
                omweso::check_koneeza(state, *pit)?;
                Ok(omweso::koneeza(options, state, *pit as usize))
            }
            (Rules::Omweso(options), Phase::Direction(choice), Action::Direction { reverse }) => {
                Ok(omweso::direction(options, state, choice, *reverse))
            }
            (Rules::Omweso(options), Phase::Arrange, Action::Arrange { pits }) => {
                omweso::arrange(options, state, pits)
            }
            (Rules::Nsolo { columns }, Phase::Strip { seeds }, Action::Strip { take }) => {
                nsolo::strip(*columns, state, seeds, take)
            }
            (Rules::Anywoli(_), Phase::Lottery, Action::Lottery { to }) => {
                Ok(anywoli::give_last_four(state, *to))
            }
            _ => Err("wrong_phase"),
        }
    }

    /// What a never-ending turn, repetition and the quiet limit do.
    fn end_by_rule(&self, state: &mut State, reason: &'static str) -> Ending {
        match &self.rules {
            Rules::Omweso(_) => Ending::void(reason),
            Rules::BaoKigogo | Rules::Nsolo { .. } => Ending::draw(reason),
            Rules::Anywoli(_) => {
                state.rows_to_stores();
                anywoli::count(state.stores, reason)
            }
            Rules::Urim(options) => {
                state.rows_to_stores();
                urim::count(options, state.stores, reason)
            }
        }
    }
}

/// One game in progress, with the positions that have occurred in it.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    game: Game,
    state: State,
    /// What counts as the same position, for each start of a turn so far.
    history: Vec<Vec<u32>>,
}

impl Table {
    /// A new game in which the side named `first` begins.
    ///
    /// # Errors
    /// `bad_options`.
    pub(crate) fn start(game: &str, options: &Value, first: &str) -> Result<Table, String> {
        let game = json::read_game(game, options)?;
        let first = Side::named(first).ok_or("bad_options")?;
        let state = game.start(first);
        Ok(Table::with(game, state))
    }

    /// A game that goes on from a position, which is the start of its history.
    ///
    /// # Errors
    /// `bad_options` or `bad_position`.
    pub(crate) fn from_position(
        game: &str,
        options: &Value,
        position: &Value,
    ) -> Result<Table, String> {
        let game = json::read_game(game, options)?;
        let state = json::read_position(&game, position)?;
        if !can_stand(&game, &state) {
            return Err("bad_position".to_string());
        }
        Ok(Table::with(game, state))
    }

    /// A table whose history starts here, if this is the start of a turn.
    fn with(game: Game, state: State) -> Table {
        let mut table = Table {
            game,
            state,
            history: Vec::new(),
        };
        if table.state.phase == Phase::Play {
            table.history.push(table.occurrence());
        }
        table
    }

    /// The legal sow, koneeza and direction actions.
    pub(crate) fn legal(&self) -> Vec<Value> {
        self.legal_actions()
            .iter()
            .map(|action| json::write_action(&self.game, action))
            .collect()
    }

    /// Carries out an action.
    ///
    /// # Errors
    /// The refusal code; then nothing has changed.
    pub(crate) fn play(&mut self, action: &Value) -> Result<(), String> {
        let action = json::read_action(action)?;
        self.do_action(&action)?;
        Ok(())
    }

    /// The position in the data form.
    pub(crate) fn position(&self) -> Value {
        json::write_position(&self.game, &self.state)
    }

    /// The number of action sequences of this many actions; one that ends the game early counts once.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if depth == 0 || matches!(self.state.phase, Phase::Over(_)) {
            return 1;
        }
        let mut sum = 0;
        for action in self.counted_actions() {
            let mut next = self.clone();
            match next.do_action(&action) {
                Ok(()) => sum += next.perft(depth - 1),
                Err(code) => unreachable!("{action:?} was refused: {code}"),
            }
        }
        sum
    }

    /// What perft plays: every legal action, one arrangement, one strip, both draws.
    fn counted_actions(&self) -> Vec<Action> {
        match (&self.game.rules, &self.state.phase) {
            (_, Phase::Arrange) => vec![Action::Arrange { pits: vec![2; 16] }],
            (Rules::Nsolo { columns }, Phase::Strip { seeds }) => vec![Action::Strip {
                take: nsolo::lowest_strip(*columns, &self.state, *seeds),
            }],
            (_, Phase::Lottery) => Side::BOTH.map(|to| Action::Lottery { to }).to_vec(),
            _ => self.legal_actions(),
        }
    }

    /// The legal sow, koneeza and direction actions: each possible one is tried.
    fn legal_actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        match self.state.phase {
            Phase::Direction(_) => {
                actions.push(Action::Direction { reverse: false });
                actions.push(Action::Direction { reverse: true });
            }
            Phase::Play => {
                for pit in 0..self.game.pits() as u64 {
                    for reverse in [false, true] {
                        if self.game.check_sow(&self.state, pit, reverse).is_ok() {
                            actions.push(Action::Sow { pit, reverse });
                        }
                    }
                    if matches!(self.game.rules, Rules::Omweso(_))
                        && omweso::check_koneeza(&self.state, pit).is_ok()
                    {
                        actions.push(Action::Koneeza { pit });
                    }
                }
            }
            _ => {}
        }
        actions
    }

    /// Carries out an action that has been read.
    fn do_action(&mut self, action: &Action) -> Result<(), &'static str> {
        if *action == Action::LoseTurn {
            return self.lose_turn();
        }
        let mut after = self.state.clone();
        match self.game.carry_out(&mut after, action)? {
            Step::Open => self.state = after,
            Step::Begins => {
                self.state = after;
                self.history.push(self.occurrence());
            }
            Step::NeverEnding => {
                // The action is not carried out; pits and stores stay as they were before it.
                self.end_by_rule("never_ending");
            }
            Step::TurnOver {
                captured,
                next,
                end,
            } => {
                self.state = after;
                self.turn_over(captured, next, end);
            }
        }
        Ok(())
    }

    /// A lost turn ends nothing and is no repetition: the other side is to move, or, where it has no
    /// move, the turn comes back at once. It adds one to `turn`, its return another.
    fn lose_turn(&mut self) -> Result<(), &'static str> {
        match self.state.phase {
            Phase::Play => {}
            Phase::Over(_) => return Err("game_over"),
            _ => return Err("wrong_phase"),
        }
        self.give_turn_to(self.state.to_move.other());
        if !self.game.has_move(&self.state) {
            self.give_turn_to(self.state.to_move.other());
        }
        Ok(())
    }

    /// A turn has ended: the game's own end comes first, then the quiet limit, then repetition.
    fn turn_over(&mut self, captured: bool, next: Side, end: Option<Ending>) {
        self.count_quiet(captured);
        if captured && self.game.captures_clear_history() {
            self.history.clear();
        }
        if let Some(ending) = end {
            self.give_turn_to(next);
            self.state.phase = Phase::Over(ending);
            return;
        }
        if self.state.quiet >= self.game.quiet_limit {
            self.give_turn_to(next);
            self.end_by_rule("quiet");
            return;
        }
        self.begin_turn(next);
        while self.state.phase == Phase::Play && !self.game.has_move(&self.state) {
            // A pass: it happens by itself and is the start of a turn for the other side.
            self.begin_turn(self.state.to_move.other());
        }
    }

    /// A turn in which nothing was captured by anyone adds one to the quiet count, any other sets it
    /// to zero.
    fn count_quiet(&mut self, captured: bool) {
        if captured {
            self.state.quiet = 0;
        } else {
            self.state.quiet += 1;
        }
    }

    /// The next turn starts: it is an occurrence of its position, which may be one too many.
    fn begin_turn(&mut self, side: Side) {
        self.give_turn_to(side);
        let occurrence = self.occurrence();
        self.history.push(occurrence.clone());
        let times = self
            .history
            .iter()
            .filter(|&earlier| *earlier == occurrence)
            .count();
        if times >= self.game.occurrences_that_end() {
            self.end_by_rule("repetition");
        }
    }

    /// The next turn is this side's.
    fn give_turn_to(&mut self, side: Side) {
        self.state.turn += 1;
        self.state.to_move = side;
    }

    /// Ends the game by one of the rules that hold in every game.
    fn end_by_rule(&mut self, reason: &'static str) {
        let ending = self.game.end_by_rule(&mut self.state, reason);
        self.state.phase = Phase::Over(ending);
    }

    /// What has to be the same for a repetition: the pits, the side to move, and in Omweso whether
    /// anyone has captured (in the other games that field never changes).
    fn occurrence(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        numbers.extend(&self.state.pits[0]);
        numbers.extend(&self.state.pits[1]);
        numbers.push(self.state.to_move.index() as u32);
        numbers.push(u32::from(self.state.captured));
        numbers
    }
}

/// Could this position stand in a game?
fn can_stand(game: &Game, state: &State) -> bool {
    if let Phase::Over(ending) = &state.phase {
        return over_can_stand(game, state, ending);
    }
    state.turn >= 1
        && state.quiet < game.quiet_limit
        && seeds_add_up(game, state)
        && numbers_are_in_range(game, state)
        && captures_agree(game, state)
        && phase_can_stand(game, state)
}

/// All seeds of the game are on the board, in the stores, in hand, or waiting for a draw.
fn seeds_add_up(game: &Game, state: &State) -> bool {
    let mut sum = state.seeds_on_board() + state.seeds_in_stores();
    match &state.phase {
        Phase::Arrange => return true,
        Phase::Direction(choice) if choice.held => sum += u64::from(choice.seeds),
        Phase::Lottery => sum += 4,
        _ => {}
    }
    sum == game.seeds()
}

/// Omweso has no stores; a pit of Urim holds at most 17.
fn numbers_are_in_range(game: &Game, state: &State) -> bool {
    match game.rules {
        Rules::Omweso(_) => state.stores == [0, 0],
        Rules::Urim(_) => state
            .pits
            .iter()
            .flatten()
            .all(|&seeds| seeds <= urim::FULL),
        _ => true,
    }
}

/// Omweso: someone has captured if and only if a turn with a capture is counted or under way; and
/// with `akakyala` two such turns of one side alone would have ended the game.
fn captures_agree(game: &Game, state: &State) -> bool {
    let Rules::Omweso(options) = &game.rules else {
        return true;
    };
    let in_this_turn = match &state.phase {
        Phase::Direction(choice) => !choice.columns.is_empty(),
        _ => false,
    };
    let has_captured = state.captures != [0, 0] || in_this_turn;
    if state.captured != has_captured {
        return false;
    }
    let akakyala = Side::BOTH
        .into_iter()
        .any(|side| omweso::is_akakyala(state.captures, side));
    !(options.akakyala && akakyala)
}

/// What each phase asks for.
fn phase_can_stand(game: &Game, state: &State) -> bool {
    match (&game.rules, &state.phase) {
        (Rules::Omweso(options), Phase::Arrange) => omweso::arrangement_can_stand(options, state),
        (Rules::Anywoli(last_four), Phase::Lottery) => {
            anywoli::lottery_can_stand(*last_four, state)
        }
        (Rules::Omweso(options), Phase::Direction(choice)) => {
            both_have_seeds(state) && omweso::choice_can_stand(options, state, choice)
        }
        (Rules::Nsolo { .. }, Phase::Strip { seeds }) => {
            both_have_seeds(state) && nsolo::strip_can_stand(state, *seeds)
        }
        (_, Phase::Play) => play_can_stand(game, state),
        _ => false,
    }
}

/// The side to move has a move; in a four-row game both sides have seeds; Anywoli is not yet over.
fn play_can_stand(game: &Game, state: &State) -> bool {
    if game.has_four_rows() && !both_have_seeds(state) {
        return false;
    }
    if matches!(game.rules, Rules::Anywoli(_)) && !anywoli::play_can_stand(state) {
        return false;
    }
    game.has_move(state) || feeding_impossible(game, state)
}

/// Urim: seeds, but none that can come to the opponent's empty row. The worked examples have
/// such a position; the side to move can only lose its turn.
fn feeding_impossible(game: &Game, state: &State) -> bool {
    matches!(game.rules, Rules::Urim(_))
        && state.row_is_empty(state.to_move.other())
        && !state.row_is_empty(state.to_move)
}

fn both_have_seeds(state: &State) -> bool {
    Side::BOTH.into_iter().all(|side| !state.row_is_empty(side))
}

/// In phase `over` the pits, the stores, the phase (and in Omweso `captured` and `captures`) have to
/// belong together.
fn over_can_stand(game: &Game, state: &State, ending: &Ending) -> bool {
    let on_board = state.seeds_on_board();
    let sum = on_board + state.seeds_in_stores();
    if !numbers_are_in_range(game, state) {
        return false;
    }
    let expected: Vec<Ending> = match &game.rules {
        Rules::Omweso(options) => {
            // A never-ending turn after a capture leaves the captured seeds in hand.
            if sum > game.seeds() || (sum < game.seeds() && ending.reason != "never_ending") {
                return false;
            }
            let mut endings = vec![
                Ending::void("never_ending"),
                Ending::void("repetition"),
                Ending::void("quiet"),
            ];
            for side in Side::BOTH {
                endings.push(Ending::win(side, 12, "akawumbi"));
                endings.push(Ending::win(side, 2, "okutema"));
                if options.akakyala {
                    endings.push(Ending::win(side, 2, "akakyala"));
                }
                endings.push(Ending::win(side, 1, "bulijo"));
            }
            endings
        }
        Rules::Anywoli(_) => {
            if on_board != 0 {
                return false;
            }
            ["last_four", "never_ending", "repetition", "quiet"]
                .map(|reason| anywoli::count(state.stores, reason))
                .to_vec()
        }
        Rules::Urim(options) => {
            if on_board != 0 {
                return false;
            }
            ["no_move", "all_captured", "repetition", "quiet"]
                .map(|reason| urim::count(options, state.stores, reason))
                .to_vec()
        }
        Rules::BaoKigogo => {
            let mut endings = draws(&["never_ending", "repetition", "quiet"]);
            for side in Side::BOTH {
                endings.push(Ending::win(side, 1, "all_captured"));
                endings.push(Ending::win(side, 1, "immobilised"));
            }
            endings
        }
        Rules::Nsolo { .. } => {
            let mut endings = draws(&["both_stuck", "never_ending", "repetition", "quiet"]);
            for side in Side::BOTH {
                endings.push(Ending::win(side, 1, "all_captured"));
            }
            endings
        }
    };
    let seeds_are_all_there = matches!(game.rules, Rules::Omweso(_)) || sum == game.seeds();
    seeds_are_all_there && expected.contains(ending)
}

fn draws(reasons: &[&'static str]) -> Vec<Ending> {
    reasons.iter().map(|&reason| Ending::draw(reason)).collect()
}
