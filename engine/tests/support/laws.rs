//! What holds of every position and every action of every game. Each check fails by
//! panicking.

use super::draw::{self, Habit};
use super::lot::Lot;
use super::reader::{self, Walk};
use mancala_engine::{
    Action, AnyPosition, Direction, Game, Mancala, Options, Outcome, Phase, Pit, Position, Reason,
    Refusal, Setup, Side, checksum,
};
use serde_json::{Value, json};

pub type AnyGame = Game<AnyPosition>;

pub fn read_options(mancala: Mancala, options: &Value) -> Options {
    let read = Options::deserialize(mancala, options).unwrap();
    let written = serde_json::to_value(read).unwrap();
    assert_eq!(Options::deserialize(mancala, &written).unwrap(), read);
    read
}

pub fn side_named(name: &str) -> Side {
    name.parse().unwrap()
}

/// The position in JSON.
pub fn position_json(game: &AnyGame) -> Value {
    serde_json::to_value(game.position().setup()).unwrap()
}

/// The list of moves in JSON, as the game writes it.
pub fn moves_json(game: &AnyGame) -> Vec<Value> {
    let write = |action| serde_json::to_value(action).unwrap();
    game.moves().iter().map(write).collect()
}

/// Holds of every position that a game can have.
pub fn check_position(game: &AnyGame) {
    let position = game.position();
    let setup = position.setup();
    let json = position_json(game);
    assert_eq!(
        serde_json::from_value::<Setup>(json.clone()).unwrap(),
        setup
    );
    let again = AnyPosition::from_setup(position.options(), &setup);
    assert_eq!(again.as_ref(), Ok(position), "{json}");
    assert_eq!(checksum(position), reader::checksum(&json));
    if let Some(outcome) = game.outcome() {
        let json = serde_json::to_value(outcome).unwrap();
        assert_eq!(serde_json::from_value::<Outcome>(json).unwrap(), *outcome);
    }
    check_moves(game);
}

/// What is listed may be played, and no other sowing may.
fn check_moves(game: &AnyGame) {
    let moves = game.moves();
    let listed: Vec<Action> = moves.iter().collect();
    assert_eq!(listed.len(), moves.len());
    assert_eq!(listed.is_empty(), moves.is_empty());
    let pits = game.position().shape().pits_a_side() as u16;
    let mut accepted = Vec::new();
    let ways = [Direction::Forward, Direction::Reverse];
    for dir in ways {
        for pit in (0..pits + 2).chain([127, 128, u16::MAX]).map(Pit) {
            let action = Action::Sow { pit, dir };
            assert_eq!(moves.may_sow(pit, dir), game.check(&action).is_ok());
            accepted.push(action);
        }
    }
    accepted.extend((0..pits + 2).map(|pit| Action::Koneeza { pit: Pit(pit) }));
    accepted.extend(ways.map(|dir| Action::Direction { dir }));
    accepted.retain(|action| game.check(action).is_ok());
    assert_eq!(listed, accepted);
}

/// Puts an action before a game, and says why it was refused, if it was. Checks what
/// holds of every action.
pub fn act(game: &mut AnyGame, action: &Action) -> Result<(), Refusal> {
    let written = serde_json::to_value(action).unwrap();
    let read = serde_json::from_value::<Action>(written);
    assert_eq!(read.ok().as_ref(), Some(action));

    let before = game.clone();
    let checked = game.check(action);
    let trace = match game.play(action) {
        Ok(trace) => trace,
        Err(refusal) => {
            assert_eq!(checked, Err(refusal));
            assert_eq!(*game, before, "a refused action changes nothing");
            return Err(refusal);
        }
    };
    assert_eq!(checked, Ok(()));
    let after = game.position().setup();

    let mut board = before.position().setup().board;
    for step in &trace.steps {
        board.apply(game.position().shape(), step).unwrap();
    }
    assert_eq!(board, after.board);
    assert_eq!((trace.standing, trace.extra), (after.standing, after.extra));

    let before_json = position_json(&before);
    let after_json = position_json(game);
    let trace_json = serde_json::to_value(&trace).unwrap();
    let walk = match game.position().mancala() {
        Mancala::Anywoli | Mancala::Urim => Walk::BothSides,
        Mancala::Omweso | Mancala::BaoKigogo | Mancala::Nsolo => Walk::OneSide,
    };
    assert_eq!(reader::read(&before_json, &trace_json, walk), after_json);
    for (name, value) in reader::narrated(&before_json, &trace_json)
        .as_object()
        .unwrap()
    {
        assert_eq!(after_json[name], *value, "{name} after {trace_json}");
    }

    let mut silent = before.clone();
    silent.play_unchecked(action);
    assert_eq!(silent, *game, "with a trace or without");
    assert_eq!(silent.history_keys(), game.history_keys());

    check_seeds(&before, game);
    Ok(())
}

/// No seed is lost or made. Only a never-ending turn of Omweso leaves those in hand
/// where they are, in no pit.
fn check_seeds(before: &AnyGame, after: &AnyGame) {
    let all = seeds(before);
    let never_ending = |outcome: &Outcome| outcome.reason() == Reason::NeverEnding;
    let lost = match before.position().standing().phase {
        Phase::Direction(lap) if lap.held && after.outcome().is_some_and(never_ending) => lap.seeds,
        _ => 0,
    };
    assert_eq!(seeds(after), all - lost);
}

/// The seeds of a game: in pits, in stores, in hand, put aside, still to be arranged.
fn seeds(game: &AnyGame) -> u32 {
    let setup = game.position().setup();
    let [south, north] = Side::ALL.map(|side| setup.board.pits[side].iter().sum::<u32>());
    let elsewhere = match setup.standing.phase {
        Phase::Direction(lap) if lap.held => lap.seeds,
        Phase::Lottery => 4,
        Phase::Arrange => 64 - south - north,
        _ => 0,
    };
    south + north + setup.board.stores.sum() + elsewhere
}

/// A game that begins as the lot decides: at its start, or from a position.
pub fn begin(lot: &mut Lot<'_>, mancala: Mancala, options: &Value) -> AnyGame {
    let read = read_options(mancala, options);
    let first = *lot.one_of(&Side::ALL);
    if lot.once_in(2) {
        let position = draw::position(lot, mancala, options);
        let setup = serde_json::from_value::<Setup>(position).unwrap();
        if let Ok(game) = AnyGame::from_setup(read, &setup) {
            return game;
        }
    }
    AnyGame::start(read, first)
}

/// An action for this game, one in eight perhaps to be refused; `None` is not even the
/// form of one.
pub fn draw_action(lot: &mut Lot<'_>, options: &Value, game: &AnyGame) -> Option<Action> {
    let position = position_json(game);
    let action = if game.outcome().is_some() || lot.once_in(8) {
        lot.one_of(&draw::strays(&position)).clone()
    } else {
        draw::action(lot, Habit::Random, options, &position, &moves_json(game))
    };
    serde_json::from_value(action).ok()
}

/// A game is followed so far. One in which turns can only be lost (a side of Urim that
/// cannot feed) never ends.
const ACTIONS_MAX: u32 = 2_000;

/// Plays a game that the lot decides, until its bytes are used up or it is over, by the
/// laws.
pub fn check_play(mancala: Mancala, lot: &mut Lot<'_>) {
    let options = draw::options(lot, mancala);
    let begun = begin(lot, mancala, &options);
    let mut game = begun.clone();
    let mut actions = Vec::new();
    check_position(&game);
    for _ in 0..ACTIONS_MAX {
        if lot.is_used_up() {
            break;
        }
        let over = game.outcome().is_some();
        if let Some(action) = draw_action(lot, &options, &game)
            && act(&mut game, &action).is_ok()
        {
            check_position(&game);
            actions.push(action);
        }
        if over {
            break;
        }
    }
    let mut again = begun;
    for action in &actions {
        again.play(action).unwrap();
    }
    assert_eq!(again, game, "the same actions make the same game");
    assert_eq!(checksum(again.position()), checksum(game.position()));
}

/// A game that the first byte chooses and the others decide.
pub fn check_game(bytes: &[u8]) {
    let mut lot = Lot::Bytes(bytes);
    let mancala = *lot.one_of(&Mancala::ALL);
    check_play(mancala, &mut lot);
}

/// A document that names a game, its options and a position; or, in other bytes, a
/// draw. An accepted position must keep the laws, and so must what is played from it.
pub fn check_setup(bytes: &[u8]) {
    let Some((mancala, options, position, _)) = document(bytes) else {
        return;
    };
    let (Ok(options), Ok(setup)) = (
        Options::deserialize(mancala, &options),
        serde_json::from_value::<Setup>(position),
    ) else {
        return;
    };
    match AnyGame::from_setup(options, &setup) {
        Err(bad) => assert!(!bad.flaws.is_empty() && !bad.to_string().is_empty()),
        Ok(game) => {
            assert_eq!(game.position().setup(), setup);
            check_position(&game);
            for action in game.moves().iter().chain([Action::LoseTurn]) {
                let mut game = game.clone();
                if act(&mut game, &action).is_ok() {
                    check_position(&game);
                }
            }
        }
    }
}

/// A document as for [`check_setup`] that names an action too.
pub fn check_action(bytes: &[u8]) {
    let Some((mancala, options, position, action)) = document(bytes) else {
        return;
    };
    let Ok(action) = serde_json::from_value::<Action>(action) else {
        return;
    };
    let Ok(options) = Options::deserialize(mancala, &options) else {
        return;
    };
    let game = serde_json::from_value::<Setup>(position)
        .ok()
        .and_then(|setup| AnyGame::from_setup(options, &setup).ok());
    let mut game = game.unwrap_or_else(|| AnyGame::start(options, Side::South));
    if act(&mut game, &action).is_ok() {
        check_position(&game);
    }
}

/// Reads a game, options, a position and an action from JSON, or draws them.
fn document(bytes: &[u8]) -> Option<(Mancala, Value, Value, Value)> {
    if bytes.first() == Some(&b'{') {
        let mut document: Value = serde_json::from_slice(bytes).ok()?;
        let mancala = document["game"].as_str()?.parse().ok()?;
        let mut field = |name| document.get_mut(name).map_or(json!({}), Value::take);
        return Some((
            mancala,
            field("options"),
            field("position"),
            field("action"),
        ));
    }
    let mut lot = Lot::Bytes(bytes);
    let lot = &mut lot;
    let mancala = *lot.one_of(&Mancala::ALL);
    let options = draw::options(lot, mancala);
    let mut position = draw::position(lot, mancala, &options);
    let action = lot.one_of(&draw::strays(&position)).clone();
    for _ in 0..lot.below(3) {
        draw::spoil(lot, &mut position);
    }
    Some((mancala, options, position, action))
}
