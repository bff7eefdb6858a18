//! Records of random matches: what is written is read again, what is read is canonical,
//! what was played is found legal, and nothing that is thrown at the reader hurts it.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and says where it was"
)]

use mancala_engine::record::{
    AtError, ClockTime, Fault, GameEnd, MatchResult, Note, Problem, Record, RecordError, Spot,
    StatedReason, Tag, Turn, limits,
};
use mancala_engine::{
    Action, AnyPosition, Board, BySide, Columns, Extra, Format, Game, GameResult, Mancala, Options,
    Outcome, PendingLap, Phase, Pit, Position, RULES_VERSION, Reason, Series, Setup, Side,
    Standing, sample_choices,
};
use proptest::prelude::*;

/// Every game, with options that change its phases or its board.
const OPTIONS: [(Mancala, &str); 13] = [
    (Mancala::Omweso, ""),
    (
        Mancala::Omweso,
        "setup free, cap none, opening off, akakyala on",
    ),
    (
        Mancala::Omweso,
        "setup free, opening each_players_first_turn, quiet_limit 10",
    ),
    (Mancala::Anywoli, ""),
    (Mancala::Anywoli, "last_four lottery"),
    (Mancala::Anywoli, "last_four last_seed, quiet_limit 10"),
    (Mancala::Urim, ""),
    (Mancala::Urim, "columns 7, full_pit forbid"),
    (Mancala::BaoKigogo, ""),
    (Mancala::BaoKigogo, "quiet_limit 10"),
    (Mancala::Nsolo, ""),
    (Mancala::Nsolo, "columns 13"),
    (Mancala::Nsolo, "columns 36, quiet_limit 20"),
];

/// A stream of numbers from a seed (splitmix64), so that a failing case can be replayed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn side(&mut self) -> Side {
        Side::ALL[self.below(2)]
    }

    /// A legal action, in any phase.
    fn action(&mut self, game: &Game<AnyPosition>) -> Action {
        let moves = game.moves();
        let standing = game.position().standing();
        match standing.phase {
            Phase::Play if moves.is_empty() || self.one_in(40) => Action::LoseTurn,
            Phase::Play | Phase::Direction(_) => moves.nth(self.below(moves.len())),
            Phase::Arrange => self.arrangement(),
            Phase::Strip { seeds } => {
                let opponent = standing.to_move.other();
                let mut left = game.position().setup().board.pits[opponent].clone();
                self.strip(&mut left, seeds)
            }
            Phase::Lottery => Action::Lottery { to: self.side() },
            Phase::Over(_) => panic!("the game is over"),
        }
    }

    /// 32 seeds in 16 pits, at most ten in one.
    fn arrangement(&mut self) -> Action {
        let mut pits = vec![0; 16];
        for _ in 0..32 {
            let mut pit = self.below(16);
            while pits[pit] == 10 {
                pit = (pit + 1) % 16;
            }
            pits[pit] += 1;
        }
        Action::Arrange { pits }
    }

    fn strip(&mut self, left: &mut [u32], seeds: u32) -> Action {
        let mut take: Vec<(Pit, u32)> = Vec::new();
        for _ in 0..seeds {
            let mut pit = self.below(left.len());
            while left[pit] == 0 {
                pit = (pit + 1) % left.len();
            }
            left[pit] -= 1;
            match take.iter_mut().find(|(taken, _)| taken.index() == pit) {
                Some((_, seeds)) => *seeds += 1,
                None => take.push((Pit(pit as u16), 1)),
            }
        }
        Action::Strip { take }
    }

    /// A text of what is hard to keep.
    fn text(&mut self) -> String {
        const PIECES: [&str; 25] = [
            "",
            "a",
            "Nakato",
            " ",
            "  ",
            "\n",
            "\r",
            "\r\n",
            "\t",
            "\"",
            "\\",
            "{",
            "}",
            "[",
            "]",
            "\\n",
            "\\u{41}",
            "@clock \"",
            "\0",
            "\u{7f}",
            "\u{feff}",
            "\u{202e}",
            "\u{fffd}",
            "[record \"1\"]",
            "ŋŋ 𐍈 é",
        ];
        let pieces = self.below(12);
        (0..pieces)
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect()
    }

    fn name(&mut self) -> &'static str {
        [
            "event",
            "a",
            "org.example-2_x",
            "decided_by",
            "signed",
            "ledger",
        ][self.below(6)]
    }

    fn note(&mut self) -> Note {
        let time = ClockTime::from_ms(self.below(20_000_000) as u64);
        match self.below(4) {
            0 => Note::comment(&self.text()).unwrap(),
            1 => Note::annotation(self.name(), &self.text()).unwrap(),
            2 => Note::clock(time),
            _ => Note::spent(time),
        }
    }

    fn notes(&mut self, record: &mut Record) {
        while self.one_in(6) {
            record.push_note(self.note()).unwrap();
        }
    }

    fn reason(&mut self) -> StatedReason {
        let words = ["resigned", "time", "agreed", "claimed", "x_9"];
        words[self.below(words.len())].parse().unwrap()
    }
}

/// A record, and each position of its match in order, without those between games.
struct Recorded {
    record: Record,
    positions: Vec<(usize, AnyPosition)>,
}

/// Plays a match at random and records it as a server would.
fn recorded_match(options: Options, seed: u64) -> Recorded {
    let draws = &mut Draws(seed);
    let format = match draws.below(3) {
        0 => Format::Single,
        _ => Format::first_to(1 + draws.below(12) as u8).unwrap(),
    };
    let first = draws.side();
    let mut series = Series::new(format, first);
    let mut record = Record::new(options, format, first);
    for side in Side::ALL {
        let name = draws.text();
        record
            .set_name(side, (!draws.one_in(3)).then_some(&*name))
            .unwrap();
    }
    while draws.one_in(2) {
        record
            .push_tag(Tag::new(draws.name(), &draws.text()).unwrap())
            .unwrap();
    }
    draws.notes(&mut record);
    let mut positions = Vec::new();
    for number in 1..=1 + draws.below(4) {
        if series.end().is_some() {
            break;
        }
        let begins = series.begins();
        let mut game = Game::<AnyPosition>::start(options, begins);
        let mut start = None;
        if draws.one_in(3) {
            for _ in 0..draws.below(60) {
                let choosing = matches!(game.position().standing().phase, Phase::Direction(_));
                if choosing && draws.one_in(2) {
                    break;
                }
                if game.outcome().is_none() {
                    let action = draws.action(&game);
                    game.play(&action).unwrap();
                }
            }
            let setup = game.position().setup();
            game = Game::from_setup(options, &setup).unwrap();
            start = Some(setup);
        }
        record.begin_game(begins, start).unwrap();
        draws.notes(&mut record);
        if number == 1 {
            positions.push((number, game.position().clone()));
        }
        let patience = if draws.one_in(2) {
            usize::MAX
        } else {
            draws.below(40)
        };
        let mut played = 0;
        while game.outcome().is_none() && played < patience {
            let action = draws.action(&game);
            let turn = Turn::from(game.position().standing());
            game.play(&action).unwrap();
            record.push_action(turn, action).unwrap();
            draws.notes(&mut record);
            positions.push((number, game.position().clone()));
            played += 1;
        }
        let end = match game.outcome() {
            Some(outcome) => GameEnd::from(outcome),
            None if draws.one_in(3) => break,
            None => GameEnd::Stated {
                result: match draws.below(3) {
                    0 => GameResult::won_from_outside(draws.side()),
                    1 => GameResult::Draw,
                    _ => GameResult::Void,
                },
                reason: draws.reason(),
            },
        };
        series.record(end.result()).unwrap();
        record.end_game(end).unwrap();
        draws.notes(&mut record);
    }
    let result = match series.end() {
        Some(end) => MatchResult::Played(end),
        None if draws.one_in(2) => MatchResult::Unfinished,
        None => {
            let reason = draws.reason();
            let result = GameResult::won_from_outside(draws.side());
            MatchResult::Stated {
                verdict: result.verdict(),
                reason,
            }
        }
    };
    let score = (!draws.one_in(4)).then_some(series.score());
    record.set_result(score, result);
    Recorded { record, positions }
}

fn any_options() -> impl Strategy<Value = Options> {
    prop::sample::select(&OPTIONS[..])
        .prop_map(|(mancala, text)| Options::parse(mancala, text).unwrap())
}

fn any_side() -> impl Strategy<Value = Side> {
    prop::sample::select(&Side::ALL[..])
}

fn any_phase() -> impl Strategy<Value = Phase> {
    let reason = prop::sample::select(&Reason::ALL[..]);
    let columns = prop::collection::vec(1..=8_u8, 0..3)
        .prop_map(|list| Columns::try_from(list.as_slice()).unwrap_or_default());
    prop_oneof![
        Just(Phase::Arrange),
        Just(Phase::Play),
        Just(Phase::Lottery),
        any::<u32>().prop_map(|seeds| Phase::Strip { seeds }),
        (
            any::<u16>(),
            any::<u32>(),
            any::<bool>(),
            columns,
            any::<u32>()
        )
            .prop_map(|(pit, seeds, held, columns, laps)| {
                Phase::Direction(PendingLap {
                    pit: Pit(pit),
                    seeds,
                    held,
                    columns,
                    laps,
                })
            }),
        (any_side(), any::<u8>(), reason.clone())
            .prop_map(|(side, points, reason)| Phase::Over(Outcome::win(side, points, reason))),
        reason
            .clone()
            .prop_map(|reason| Phase::Over(Outcome::draw(reason))),
        reason.prop_map(|reason| Phase::Over(Outcome::void(reason))),
    ]
}

/// A position as data, mostly nonsense.
fn any_setup() -> impl Strategy<Value = Setup> {
    let number = || prop_oneof![4 => 0..5_u32, 1 => any::<u32>()];
    let lists = || prop::collection::vec(number(), 0..=72);
    let by_side = |south, north| BySide { south, north };
    let extra = prop_oneof![
        Just(Extra::None {}),
        prop::option::of(any_side()).prop_map(|last_seed| Extra::Anywoli { last_seed }),
        (any::<bool>(), number(), number()).prop_map(move |(captured, south, north)| {
            Extra::Omweso {
                captured,
                captures: by_side(south, north),
            }
        }),
    ];
    let board =
        (lists(), lists(), number(), number()).prop_map(move |(south, north, own, other)| Board {
            pits: BySide { south, north },
            stores: by_side(own, other),
        });
    let standing = (any_side(), number(), number(), any_phase());
    let standing = standing.prop_map(|(to_move, turn, quiet, phase)| Standing {
        to_move,
        turn,
        quiet,
        phase,
    });
    (board, standing, extra).prop_map(|(board, standing, extra)| Setup {
        board,
        standing,
        extra,
    })
}

/// Reads a text that may be anything. If it is a record, printing it is canonical.
fn throw(text: &str) {
    let lines: Vec<&str> = text.split('\n').collect();
    for parsed in Record::parse_many(text) {
        match parsed {
            Ok(parsed) => {
                let printed = parsed.record.to_string();
                assert_eq!(printed.parse().as_ref(), Ok(&parsed.record), "{text}");
                let report = parsed.check();
                assert_eq!(report.games.len(), parsed.record.games().len());
            }
            Err(error) => {
                let (line, column) = (error.at.line as usize, error.at.column as usize);
                assert!((1..=lines.len()).contains(&line), "{error} in {text:?}");
                let end = lines[line - 1].chars().count() + 1;
                assert!((1..=end).contains(&column), "{error} in {text:?}");
                assert!(error.message.len() < 500, "{error}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_record_is_read_as_it_was_written(options in any_options(), seed: u64) {
        let Recorded { record, .. } = recorded_match(options, seed);
        let printed = record.to_string();
        let read: Record = printed.parse().unwrap_or_else(|error| panic!("{error}\n{printed}"));
        prop_assert_eq!(&read, &record);
        prop_assert_eq!(read.to_string(), printed);
    }

    #[test]
    fn a_match_that_was_played_has_no_fault(options in any_options(), seed: u64) {
        let Recorded { record, positions } = recorded_match(options, seed);
        let report = record.check();
        prop_assert_eq!(report.first_fault(), None, "{}", record);
        for (game, shown) in record.games().iter().zip(&report.games) {
            prop_assert_eq!(shown.legal_actions, game.actions().len());
            let on_board = matches!(game.end(), Some(GameEnd::Board(_)));
            prop_assert_eq!(shown.is_true_on_board(), on_board);
        }
        for (actions, (game, position)) in positions.iter().enumerate() {
            // Replaying to each moment would be quadratic.
            if actions % 37 == 0 || actions + 1 == positions.len() {
                let moment = record.at(actions).unwrap();
                prop_assert_eq!((moment.game, &moment.position), (*game, position));
            }
        }
        let beyond = record.at(positions.len());
        prop_assert_eq!(beyond, Err(AtError::Beyond(positions.len() - 1)));
    }

    #[test]
    fn positions_and_actions_survive_as_text(options in any_options(), seed: u64) {
        let draws = &mut Draws(seed);
        let mut game = Game::<AnyPosition>::start(options, draws.side());
        for _ in 0..400 {
            let setup = game.position().setup();
            let text = setup.to_string();
            prop_assert_eq!(text.parse::<Setup>(), Ok(setup));
            prop_assert!(!text.contains(['"', '\\', '\n']));
            if game.outcome().is_some() {
                break;
            }
            let shape = game.position().shape();
            let next = draws.action(&game);
            let listed = game.moves().iter().chain(sample_choices(game.position()));
            let mut texts = Vec::new();
            for action in listed.chain([next.clone(), Action::LoseTurn]) {
                let text = action.to_notation(shape).unwrap();
                let read = Action::from_notation(&text, shape);
                prop_assert_eq!(read.as_ref(), Ok(&action));
                texts.push((text, action));
            }
            // Different actions are written differently.
            texts.sort_by(|one, other| one.0.cmp(&other.0));
            for pair in texts.windows(2) {
                prop_assert_eq!(pair[0].0 == pair[1].0, pair[0].1 == pair[1].1);
            }
            game.play(&next).unwrap();
        }
    }

    /// Data that may be nonsense is kept too, and never makes a game by mistake.
    #[test]
    fn any_position_survives_as_text(setup in any_setup(), options in any_options()) {
        let text = setup.to_string();
        prop_assert_eq!(text.parse(), Ok(setup.clone()), "{}", text);
        let mut record = Record::new(options, Format::Single, Side::South);
        record.begin_game(Side::South, Some(setup.clone())).unwrap();
        record.push_action(Turn::from(&setup.standing), Action::sow(Pit(0))).unwrap();
        prop_assert_eq!(record.to_string().parse(), Ok(record.clone()));
        let report = record.check();
        let sound = AnyPosition::from_setup(options, &setup).is_ok();
        let bad_start = report.games[0].fault.as_ref().is_some_and(|fault| {
            matches!(fault.problem, Problem::BadStart(_))
        });
        prop_assert_eq!(sound, !bad_start);
    }

    #[test]
    fn damaged_words(options in any_options(), text in any::<String>(), seed: u64) {
        let draws = &mut Draws(seed);
        let shape = AnyPosition::start(options, Side::South).shape();
        let setup = AnyPosition::start(options, Side::North).setup().to_string();
        let words = [
            "A5", "B12<", "a3k", "xA3.2+B1", "(3,3,2,13x2,0)", "lot=south", "lost", &setup,
            "columns 7, full_pit forbid, cap none", "first_to 12", "0:04:58.250", "south agreed",
            "1/1 0/0 north 5 0 direction:pit=15,seeds=3,held=no,columns=4.1,laps=2", &text,
        ];
        for word in words {
            let mut letters: Vec<char> = word.chars().collect();
            for _ in 0..draws.below(3) {
                let place = draws.below(letters.len() + 1);
                let signs = ['0', '9', 'x', '+', '.', ',', '/', ' ', ':', '-', 'A', 'é', '='];
                match letters.get_mut(place) {
                    Some(letter) if draws.one_in(2) => *letter = signs[draws.below(signs.len())],
                    _ => letters.insert(place, signs[draws.below(signs.len())]),
                }
            }
            let word: String = letters.into_iter().collect();
            if let Ok(action) = Action::from_notation(&word, shape) {
                let text = action.to_notation(shape).unwrap();
                prop_assert_eq!(Action::from_notation(&text, shape), Ok(action));
            }
            if let Ok(setup) = word.parse::<Setup>() {
                prop_assert_eq!(setup.to_string().parse(), Ok(setup));
            }
            if let Ok(read) = Options::parse(options.mancala(), &word) {
                prop_assert_eq!(Options::parse(options.mancala(), &read.to_string()), Ok(read));
            }
            if let Ok(format) = word.parse::<Format>() {
                prop_assert_eq!(format.to_string(), word.clone());
            }
            if let Ok(time) = word.parse::<ClockTime>() {
                prop_assert_eq!(time.to_string(), word.clone());
            }
            if let Ok(result) = word.parse::<MatchResult>() {
                prop_assert_eq!(result.to_string(), word);
            }
        }
    }

    #[test]
    fn a_record_that_was_damaged(options in any_options(), seed: u64) {
        let draws = &mut Draws(seed);
        let printed = recorded_match(options, seed).record.to_string();
        let mut letters: Vec<char> = printed.chars().take(4000).collect();
        const SIGNS: &[u8] = b"[]{}\"@\\ \n=~*<>.x+(),0129ABksn";
        for _ in 0..1 + draws.below(4) {
            let place = draws.below(letters.len());
            let sign = char::from(SIGNS[draws.below(SIGNS.len())]);
            match draws.below(4) {
                0 => letters[place] = sign,
                1 => letters.insert(place, sign),
                2 => drop(letters.remove(place)),
                _ => {
                    let end = letters.len().min(place + 1 + draws.below(60));
                    let piece: Vec<char> = letters[place..end].to_vec();
                    let place = draws.below(letters.len());
                    letters.splice(place..place, piece);
                }
            }
        }
        throw(&letters.into_iter().collect::<String>());
    }

    #[test]
    fn any_text(text in any::<String>(), seed: u64) {
        throw(&text);
        const WORDS: [&str; 32] = [
            "[record \"1\"]", "[game \"omweso\"]", "[game \"nsolo\"]", "[begins \"south\"]",
            "[options \"columns 36\"]", "[south \"", "[format \"first_to 2\"]", "[", "]", "{", "}",
            "\"", "@", "@clock", "\"0:00:01.000\"", "game", "1", "2", "south", "north", "from",
            "\"8x4,8x0/8x4,8x0 0/0 south 1 0 play captured:no,0/0\"", "1s.", "2n.", "A1", "xA1.2",
            "=", "~", "*", "draw", "quiet", "\n",
        ];
        let draws = &mut Draws(seed);
        let words: Vec<_> = (0..60).map(|_| WORDS[draws.below(WORDS.len())]).collect();
        throw(&words.join(" "));
        let begun = format!("{} {} {} {}", WORDS[0], WORDS[1], WORDS[3], words.join(" "));
        throw(&begun);
    }
}

/// Texts that would take a reader that goes back a very long time, or one that recurses
/// all of its stack.
#[test]
fn hostile_texts() {
    let many = 200_000;
    for (text, records) in [
        ("[".repeat(many), 1),
        ("{".repeat(many), 1),
        (format!("{HEADER}{}", "{} ".repeat(many)), 1),
        (format!("{HEADER}{}", "@a\"\"".repeat(many)), 1),
        (
            format!("{HEADER}game 1 south {}", "1s. A1 ".repeat(many)),
            1,
        ),
        (
            format!("{HEADER}game 1 south 1s. x{}A1", "A1+".repeat(many)),
            1,
        ),
        (format!("{HEADER}[a \"{}", "\\u{41}".repeat(many)), 1),
        (format!("{HEADER}[{}", " ".repeat(many)), 1),
        ("[record \"1\"]\n".repeat(many), many),
        (format!("{HEADER}{{\n").repeat(many), many),
        (format!("{HEADER}{{{}", "\n[".repeat(many)), 1),
        (format!("{HEADER}{{{}", "\n ".repeat(many)), 1),
        (HEADER.repeat(many), many),
        ("[record ?\n".repeat(many), many),
        ("[record \"1\"] [a \"\n".repeat(many), many),
        (format!("{HEADER}[a \"\"]\n").repeat(many), many),
    ] {
        assert_eq!(Record::parse_many(&text).count(), records, "{:.60}", text);
    }
}

/// The random matches come to every phase, and start in every phase but the last.
#[test]
fn random_matches_see_everything() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..60 {
        for (mancala, text) in OPTIONS {
            let played = recorded_match(Options::parse(mancala, text).unwrap(), seed);
            let played_in = played
                .positions
                .iter()
                .map(|(_, position)| (false, position.standing().phase));
            let starts = played.record.games().iter().filter_map(|game| game.start());
            let started_in = starts.map(|setup| (true, setup.standing.phase));
            for (start, phase) in played_in.chain(started_in) {
                seen.insert((
                    start,
                    match phase {
                        Phase::Arrange => "arrange",
                        Phase::Play => "play",
                        Phase::Direction(lap) if lap.held => "direction in hand",
                        Phase::Direction(_) => "direction",
                        Phase::Strip { .. } => "strip",
                        Phase::Lottery => "lottery",
                        Phase::Over(_) => "over",
                    },
                ));
            }
        }
    }
    for phase in [
        "arrange",
        "play",
        "direction in hand",
        "direction",
        "strip",
        "over",
    ] {
        assert!(
            seen.contains(&(false, phase)) && seen.contains(&(true, phase)),
            "{seen:?}"
        );
    }
    assert!(seen.contains(&(false, "lottery")), "{seen:?}");
}

#[test]
fn a_record_cut_off_anywhere() {
    for (index, &(mancala, text)) in OPTIONS.iter().enumerate() {
        let options = Options::parse(mancala, text).unwrap();
        let mut printed = String::new();
        let mut seed = index as u64;
        while !(600..2500).contains(&printed.len()) {
            printed = recorded_match(options, seed).record.to_string();
            seed += 100;
        }
        for end in (0..printed.len()).filter(|&end| printed.is_char_boundary(end)) {
            throw(&printed[..end]);
        }
    }
}

#[test]
fn many_records_in_a_text() {
    let records: Vec<Record> = OPTIONS
        .iter()
        .map(|&(mancala, text)| recorded_match(Options::parse(mancala, text).unwrap(), 5).record)
        .collect();
    let text: Vec<String> = records.iter().map(Record::to_string).collect();
    for between in ["", "\n", " \r\n\t"] {
        let text = text.join(between);
        let read = Record::parse_many(&text).map(|parsed| parsed.unwrap().record);
        assert!(read.eq(records.iter().cloned()));
    }
    assert_eq!(Record::parse_many(" \n").count(), 0);
    let error = text.concat().parse::<Record>().unwrap_err();
    assert_eq!(error.at.line as usize, text[0].lines().count() + 1);
    assert_eq!(error.at.column, 1);
}

/// One record that cannot be read does not hide the next, however that begins.
#[test]
fn reading_goes_on_at_the_next_record() {
    let nsolo = "[game \"nsolo\"] [begins \"south\"]";
    for (between, begins) in [
        ("\n", "[record \"1\"]"),
        ("\n", "[record\"1\"]"),
        ("\r\n \t ", "[ record \"1\"]"),
        ("\n", "[record\n\"1\"]"),
        ("\n", "\u{feff}[record \"1\"]"),
    ] {
        // An error in a word, one at the end of a line, one that is found at the next tag,
        // one that is a byte which is not UTF-8, and a comment that is not closed.
        for bad in [
            "[record \"1\"] ?",
            "[record \"1\"] [a \"",
            "[record \"1\"]",
            "[record \"1\"] {\u{fffd}}",
            "[record \"1\"] [game \"urim\"] [begins \"north\"] {who forgot to close this?",
        ] {
            let text = format!("{bad}{between}{begins} {nsolo}");
            let read: Vec<_> = Record::parse_many(&text).collect();
            assert_eq!(read.len(), 2, "{text}");
            assert!(read[0].is_err() && read[1].is_ok(), "{text}");
        }
    }
}

/// A comment may say what a record looks like, and is read as it was written.
#[test]
fn a_comment_about_records() {
    let mut record = Record::new(
        Options::standard(Mancala::Urim),
        Format::Single,
        Side::South,
    );
    for text in [
        "[record \"1\"]",
        "so:\n[record \"1\"] [game",
        "\n \t[ record\n[recorded]\n[[record]",
        "\n\n[\n\nrecord",
        "\n\u{feff}[record\u{2028}",
    ] {
        record.push_note(Note::comment(text).unwrap()).unwrap();
    }
    let printed = record.to_string();
    assert_eq!(printed.parse().as_ref(), Ok(&record), "{printed}");
    assert_eq!(Record::parse_many(&printed).count(), 1);
    assert!(printed.contains("{so:\n\\u{5b}record \"1\"] [game}"));
    assert!(printed.contains("\n[recorded]\n[[record]}"));
}

/// A direction and an arrangement that were forgotten.
#[test]
fn what_is_due_in_omweso() {
    let arranged = "[record \"1\"] [game \"omweso\"] [options \"setup free, opening off\"]
        [begins \"south\"] game 1 south
        0s. (6x2,3x1,3x2,5,3x2) 0n. (2,4,1,2,1,1,3,3,2,0,3,3x2,1,3) 1s. A5 2n. A1 *";
    for (text, expected) in [
        (
            arranged.to_owned(),
            "not due here: turn `1s.` goes on: a direction is due, `>` or `<`",
        ),
        (
            arranged.replace("0n.", "1s. A1 0n."),
            "not due here: turn `0n.` is due, in which north lays out its seeds, as in `(16x2)`",
        ),
    ] {
        let record: Record = text.parse().unwrap();
        assert_eq!(record.check().first_fault().unwrap().to_string(), expected);
    }
}

const HEADER: &str = "[record \"1\"]\n[game \"nsolo\"]\n[begins \"south\"]\n";

/// What is wrong with the text that follows the header, as `line:column message`.
fn first_error(text: &str) -> String {
    let text = format!("{HEADER}{text}");
    let error = text.parse::<Record>().unwrap_err();
    format!("{}:{} {}", error.at.line, error.at.column, error.message)
}

#[test]
fn errors_say_where_and_what() {
    let actions = "an action or the game's result (`=` as the board says, `~` as stated, `*` none \
                   yet)";
    for (text, expected) in [
        ("[game \"urim\"]", "4:1 the tag `game` stands twice"),
        (
            "[Event \"x\"]",
            "4:2 `Event`: a name is a lower-case letter and then lower-case letters, \
                           digits, `_`, `-` and `.`, at most 64 in all",
        ),
        ("[event x]", "4:8 `x]` stands here; a text in quotes should"),
        (
            "[event \"x\ny\"]",
            "4:10 a text in quotes ends in its line; write `\"`, and `\\n` for a \
                              new line within it",
        ),
        (
            "[event \"\\x\"]",
            "4:9 after a backslash comes `\\`, `\"`, `}`, `n`, `t` or a \
                             character's number as in `u{1f}`",
        ),
        (
            "[event \"\u{7}\"]",
            "4:9 a control character stands here; write `\\u{7}`",
        ),
        (
            "[format \"\\u{202e}\u{202e}\"]",
            "4:9 `\\u{202e}\\u{202e}`: a format is `single` or `first_to N`, where N is from 1 to 255",
        ),
        (
            "[format \"first to 12\"]",
            "4:9 `first to 12`: a format is `single` or `first_to N`, \
                                      where N is from 1 to 255",
        ),
        (
            "[options \"columns 7\"]",
            "4:10 `columns 7`: `columns` is from 8 to 36",
        ),
        (
            "{ é",
            "4:1 the text that begins here is not closed; write `}`",
        ),
        (
            "{who\n[record \"1\"]",
            "4:1 the text that begins here is not closed before the next record; write `}`, or \
             `\\u{5b}` for the `[` of the line that looks like one",
        ),
        (
            "\u{fffd} [event \"x\"]",
            "4:1 a byte that is not UTF-8 stood here, or a character was lost; `\\u{fffd}` in a \
             text stands for this sign itself",
        ),
        (
            "[event \u{202e}\"x\"]",
            "4:8 `\\u{202e}` stands here, which cannot be seen; take it out",
        ),
        (
            "match",
            "4:1 `match` stands here; `game 1`, or the next record, should",
        ),
        (
            "game 2 south *",
            "4:6 `2` stands here; the number of the game, 1, should",
        ),
        ("game 1 east *", "4:8 `east`: a side is `south` or `north`"),
        (
            "game 1 south from \"2\" *",
            "4:19 `2`: in a position, the first field is the seeds of \
                                       south and north, as in `8x4,8x0/8x4,8x0`, at most 72 pits \
                                       a side",
        ),
        (
            "game 1 south\nA1 *",
            "5:1 `A1` stands here; the number of a turn and its side, as in \
                                `1s.`, should",
        ),
        (
            "game 1 south\n1s.A1 *",
            "5:1 `1s.A1` stands here; the number of a turn and its side, as in `1s.`, should",
        ),
        (
            "game 1 south\n1s. (0x5,16x2) *",
            "5:5 `(0x5,16x2)`: an arrangement is a list of seeds in pit order, as in \
             `(10,9,9,4,12x0)`",
        ),
        (
            "game 1 south\n1s. A9 *",
            "5:5 `A9`: this board has the pits A1 to A8 and B1 to B8",
        ),
        // The character that cannot be seen is what is wrong, and not what stands about it.
        (
            "game 1 south\n1s.\0A1 *",
            "5:4 `\\u{0}` stands here, which cannot be seen; take it out",
        ),
        (
            "game 1 south\n1s. A1\u{200b} *",
            "5:7 `\\u{200b}` stands here, which cannot be seen; take it out",
        ),
        (
            "game 1 south\r1s. A1 *",
            &format!("4:13 `\\u{{d}}` stands here; {actions} should"),
        ),
        (
            "game 1 south\n1s. A1\u{fffd} *",
            "5:7 a byte that is not UTF-8 stood here, or a character was lost; `\\u{fffd}` in a \
             text stands for this sign itself",
        ),
        (
            "{so: \u{fffd}}",
            "4:6 a byte that is not UTF-8 stood here, or a character was lost; `\\u{fffd}` in a \
             text stands for this sign itself",
        ),
        (
            "game 1 south\n1s. A1 {é} A5! *",
            "5:12 `A5!`: an action looks like `A5`, `A1<`, `A3k`, \
                                           `>`, `<`, `xA3.2+B1`, `(16x2)`, `lot=south` or `lost`",
        ),
        (
            "game 1 south 1s.",
            "4:17 the text ends here; an action of this turn should follow",
        ),
        (
            "game 1 south 1s. A1",
            &format!("4:20 the text ends here; {actions} should follow"),
        ),
        (
            "game 1 south = south 1 boredom",
            "4:24 `boredom`: the reasons for which a game ends on \
            the board are `akawumbi`, `okutema`, `akakyala`, `bulijo`, `last_four`, `no_move`, \
            `all_captured`, `immobilised`, `both_stuck`, `never_ending`, `repetition`, `quiet`",
        ),
        (
            "game 1 south ~ south resigned",
            "4:22 `resigned` stands here; the points of the winner, \
                                           0 to 255, should",
        ),
        (
            "game 1 south ~ draw Agreed",
            "4:21 `Agreed`: the reason of a stated result is a \
            lower-case letter and then lower-case letters, digits and `_`, at most 32 in all, as \
            in `resigned`",
        ),
        (
            "@clock \"5\"",
            "4:8 `5`: a clock time is hours, minutes, seconds and thousandths, as in \
                          `0:04:58.250`",
        ),
    ] {
        assert_eq!(first_error(text), expected, "{text}");
    }
    for (text, expected) in [
        (
            "",
            "1:1 the text ends here; the tag `[record \"1\"]` should follow",
        ),
        (
            "[game \"urim\"]",
            "1:1 a record begins with the tag `[record \"1\"]`",
        ),
        (
            "[record \"2\"]",
            "1:9 this reader knows version 1 of the format; the first tag is \
                            `[record \"1\"]`",
        ),
        (
            "[record \"1\"]",
            "1:13 the tag `[game \"omweso\"]` is missing before this",
        ),
        // What cannot be read comes first: the tag may have been there.
        (
            "[record \"1\"] \u{200b}[game \"urim\"]",
            "1:14 `\\u{200b}` stands here, which cannot be seen; take it out",
        ),
    ] {
        let error = text.parse::<Record>().unwrap_err();
        assert_eq!(
            format!("{}:{} {}", error.at.line, error.at.column, error.message),
            expected
        );
    }
}

/// Checks the text that follows the header and says the first fault with its place.
fn first_fault(text: &str) -> String {
    let text = format!("{HEADER}{text}");
    let parsed = Record::parse_many(&text).next().unwrap().unwrap();
    let report = parsed.check();
    report.first_fault().map_or("none".to_owned(), |fault| {
        let at = parsed.locate(fault.spot);
        format!("{}:{} {fault}", at.line, at.column)
    })
}

#[test]
fn faults_say_where_and_what() {
    for (text, expected) in [
        ("", "none"),
        ("game 1 south *", "none"),
        (
            "[result \"draw\"] game 1 south 1s. A1 ~ draw agreed",
            "none",
        ),
        ("[result \"north resigned\"] game 1 south *", "none"),
        // What is stated is not checked.
        (
            "[result \"south\"] game 1 south ~ south 12 akawumbi",
            "none",
        ),
        (
            "[result \"void aborted\"] game 1 south 1s. A1 1s. xA1.2 2n. A2 *",
            "none",
        ),
        (
            "[rules \"7\"] game 1 south 1s. B8 *",
            "4:8 played by version 7 of the rules; this engine plays 1",
        ),
        (
            "game 1 south\n1s. B8 *",
            "5:5 not legal: the pit is empty; choose one that holds seeds",
        ),
        (
            "game 1 south\n2n. A1 *",
            "5:5 not due here: turn `1s.` is due, and a pit to sow, as in `A5`",
        ),
        (
            "game 1 south\n1s. xA1 *",
            "5:5 not due here: turn `1s.` is due, and a pit to sow, as in `A5`",
        ),
        // A strip that was forgotten, within its turn, in the next and at the end, and one
        // too many.
        (
            "game 1 south\n1s. A1 {first} A2 *",
            "5:16 not due here: turn `1s.` goes on: a strip is due, of 2 in all, as in `xA3.2+B1`",
        ),
        (
            "game 1 south\n1s. A1 2n. A2 *",
            "5:12 not due here: turn `1s.` goes on: a strip is due, of 2 in all, as in `xA3.2+B1`",
        ),
        (
            "game 1 south\n1s. A1 = south 1 all_captured",
            "5:8 on the board the game is not over: turn `1s.` goes on: a strip is due, of 2 in \
             all, as in `xA3.2+B1`; a result from outside is stated with `~`",
        ),
        (
            "game 1 south\n1s. A1 xA1.2 xA2 *",
            "5:14 not due here: turn `2n.` is due, and a pit to sow, as in `A5`",
        ),
        (
            "game 1 south\n1s. A1 xA1.2 = south 1 all_captured",
            "5:14 on the board the game is not over: turn `2n.` is due, and a pit to sow, as in \
             `A5`; a result from outside is stated with `~`",
        ),
        (
            "game 1 south from \"16x2/16x2 0/0 south 1 0 play\" *",
            "4:19 no game starts from here: the pits, the stores and the hand hold 64 seeds, the \
             game has 60",
        ),
        ("game 1 north *", "4:1 it was for south to begin"),
        (
            "[format \"first_to 2\"] game 1 south\n* game 2 north *",
            "5:1 this game is unfinished, and another follows",
        ),
        (
            "[result \"draw\"] game 1 south ~ draw agreed\ngame 2 north *",
            "5:1 the match was over before this game",
        ),
        (
            "[format \"first_to 2\"]\ngame 1 south ~ void aborted\ngame 2 north *",
            "6:1 it was for south to begin",
        ),
        (
            "[format \"first_to 2\"]\ngame 1 south ~ draw agreed\ngame 2 north *",
            "none",
        ),
        (
            "[score \"1-1\"] [result \"south\"] game 1 south ~ south 1 time",
            "4:8 the tag `score` says 1-1, and the games add up to 1-0",
        ),
        (
            "[result \"north administrator\"] game 1 south ~ south 1 time",
            "4:9 the tag `result` says `north administrator`, and the games decide the match; \
             write `[result \"south\"]`",
        ),
        (
            "[result \"north\"] game 1 south ~ south 1 time",
            "4:9 the tag `result` says `north`, and the games decide the match; \
             write `[result \"south\"]`",
        ),
        (
            "game 1 south ~ south 1 time",
            "1:1 the tag `result` is `*`, as it is where it is missing, and the games decide the \
             match; write `[result \"south\"]`",
        ),
        (
            "[result \"north\"] game 1 south *",
            "4:9 the tag `result` says `north`, and the games do not decide the match; write \
             `*`, or a reason behind it, as in `north resigned`",
        ),
    ] {
        assert_eq!(first_fault(text), expected, "{text}");
    }
}

/// The end that stands in the record must be the one on the board, and named as such.
#[test]
fn an_end_on_the_board_is_not_a_stated_one() {
    let mut game = Game::<AnyPosition>::start(Options::standard(Mancala::Urim), Side::South);
    let mut record = Record::new(game.position().options(), Format::Single, Side::South);
    record.begin_game(Side::South, None).unwrap();
    while game.outcome().is_none() {
        let action = game.moves().nth(0);
        record
            .push_action(game.position().standing().into(), action.clone())
            .unwrap();
        game.play(&action).unwrap();
    }
    let outcome = *game.outcome().unwrap();
    let end_fault = |end: Option<GameEnd>| {
        let mut record = record.clone();
        end.map_or(Ok(()), |end| record.end_game(end)).unwrap();
        record.check().games[0].fault.clone()
    };
    let other = Fault {
        spot: Spot::End(0),
        problem: Problem::OtherOutcome(outcome),
    };
    assert_eq!(end_fault(Some((&outcome).into())), None);
    assert_eq!(end_fault(None), Some(other.clone()));
    let result = GameResult::from(&outcome);
    let reason = "resigned".parse().unwrap();
    assert_eq!(
        end_fault(Some(GameEnd::Stated { result, reason })),
        Some(other)
    );
    let late = Turn::from(game.position().standing());
    record.push_action(late, Action::sow(Pit(0))).unwrap();
    let fault = record.check().games[0].fault.clone().unwrap();
    assert_eq!(fault.problem, Problem::Over(outcome));
    assert_eq!(
        fault.to_string(),
        "before this the game ended on the board: `= north 1 no_move`"
    );
}

#[test]
fn what_cannot_be_put_into_a_record() {
    let mut record = Record::new(
        Options::standard(Mancala::Urim),
        Format::Single,
        Side::South,
    );
    let turn = Turn {
        number: 1,
        side: Side::South,
    };
    assert_eq!(
        record.push_action(turn, Action::LoseTurn),
        Err(RecordError::NoGame)
    );
    record.begin_game(Side::South, None).unwrap();
    let before = record.clone();
    let strip = Action::Strip {
        take: vec![(Pit(0), 1); 73],
    };
    for action in [Action::sow(Pit(6)), strip, Action::Arrange { pits: vec![] }] {
        let refused = record.push_action(turn, action);
        assert!(matches!(refused, Err(RecordError::Action(_))));
    }
    assert_eq!(record, before);
    let reason = "agreed".parse().unwrap();
    record
        .end_game(GameEnd::Stated {
            result: GameResult::Draw,
            reason,
        })
        .unwrap();
    assert_eq!(
        record.push_action(turn, Action::LoseTurn),
        Err(RecordError::GameEnded)
    );
    let mut setup = game_of(Mancala::Urim).position().setup();
    setup.board.pits.south = vec![0; 73];
    assert_eq!(
        record.begin_game(Side::South, Some(setup)),
        Err(RecordError::BadStart)
    );
    assert!("Resigned".parse::<StatedReason>().is_err());
}

fn game_of(mancala: Mancala) -> Game<AnyPosition> {
    Game::start(Options::standard(mancala), Side::South)
}

/// A record can be filled to its brim and read again, and the reader refuses one more
/// where the builder does.
#[test]
fn a_record_is_bounded() {
    let mut record = Record::new(
        Options::standard(Mancala::Urim),
        Format::Single,
        Side::South,
    );
    for _ in 0..limits::GAMES_MAX {
        record.begin_game(Side::South, None).unwrap();
    }
    assert_eq!(
        record.begin_game(Side::South, None),
        Err(RecordError::TooManyGames)
    );
    let note = Note::comment(&"x".repeat(limits::TEXT_BYTES_MAX)).unwrap();
    let refused = loop {
        if let Err(error) = record.push_note(note.clone()) {
            break error;
        }
    };
    assert_eq!(refused, RecordError::TooLarge);
    let printed = record.to_string();
    assert_eq!(printed.parse().as_ref(), Ok(&record));
    let more = printed + "{" + &"x".repeat(limits::TEXT_BYTES_MAX) + "}";
    assert_eq!(
        more.parse::<Record>().unwrap_err().message,
        RecordError::TooLarge.to_string()
    );
    let one_more = format!("{} game {} south *", record, limits::GAMES_MAX + 1);
    let error = one_more.parse::<Record>().unwrap_err();
    assert_eq!(error.message, RecordError::TooManyGames.to_string());
    let long_tag = format!(
        "{HEADER}[event \"{}\"]",
        "x".repeat(limits::TEXT_BYTES_MAX + 1)
    );
    let error = long_tag.parse::<Record>().unwrap_err();
    assert_eq!(error.message, RecordError::TextTooLong.to_string());
    let long_word = format!("{HEADER}{}", "x".repeat(100_000));
    assert!(long_word.parse::<Record>().is_err());
}

#[test]
fn lines_are_broken_where_that_makes_sense() {
    for (index, &(mancala, text)) in OPTIONS.iter().enumerate() {
        let options = Options::parse(mancala, text).unwrap();
        let draws = &mut Draws(index as u64);
        let mut game = Game::<AnyPosition>::start(options, Side::South);
        let mut record = Record::new(options, Format::Single, Side::South);
        record.begin_game(Side::South, None).unwrap();
        while game.outcome().is_none() {
            let action = draws.action(&game);
            record
                .push_action(game.position().standing().into(), action.clone())
                .unwrap();
            record
                .push_note(Note::spent(ClockTime::from_ms(1500)))
                .unwrap();
            game.play(&action).unwrap();
        }
        let printed = record.to_string();
        let long: Vec<_> = printed
            .lines()
            .filter(|line| line.chars().count() > 80)
            .collect();
        // Only a strip or an arrangement may be longer than a line by itself.
        assert!(
            long.iter().all(|line| line.contains(['x', '('])),
            "{long:#?}"
        );
        assert!(printed.lines().all(|line| line == line.trim()), "{printed}");
    }
}

#[test]
fn tags_are_kept_to_the_letter_and_in_order() {
    let text =
        "\u{feff}[record \"1\"] [zeta \"\\u{1F600}\\\\\"] [begins \"north\"]\r\n[game \"urim\"]
        [alpha \"}\\}{\\t\"][zeta \"\"] {first\r\nsecond \\} \"} @x \"\"
        GAME 1 north"
            .replace("GAME", "game")
            + " 1N. a1 2n. A2 *  {after}";
    let record: Record = text.parse().unwrap();
    let expected = "\
[record \"1\"]
[game \"urim\"]
[format \"single\"]
[rules \"1\"]
[begins \"north\"]
[result \"*\"]
[zeta \"\u{1F600}\\\\\"]
[alpha \"}}{\\t\"]
[zeta \"\"]

{first
second \\} \"} @x \"\"

game 1 north
1n. A1 2n. A2 {after}
*
";
    assert_eq!(record.to_string(), expected);
    assert_eq!(record.score(), None::<BySide<u32>>);
}

const DOCUMENT: &str = include_str!("../../proto-docs/records.md");

/// The fenced blocks of the document in this language.
fn blocks(language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = DOCUMENT.lines();
    while let Some(line) = lines.next() {
        if line == format!("```{language}") {
            let block = lines.by_ref().take_while(|line| *line != "```");
            blocks.push(block.map(|line| format!("{line}\n")).collect());
        }
    }
    blocks
}

#[test]
fn every_example_of_the_document_is_canonical_and_without_fault() {
    let mut games = std::collections::BTreeSet::new();
    for example in blocks("record") {
        for parsed in Record::parse_many(&example) {
            let parsed = parsed.unwrap_or_else(|error| panic!("{error}\n{example}"));
            let report = parsed.check();
            if let Some(fault) = report.first_fault() {
                panic!("{}: {fault}\n{example}", parsed.locate(fault.spot));
            }
            assert_eq!(parsed.record.to_string(), example);
            games.insert(parsed.record.options().mancala());
        }
    }
    assert!(games.into_iter().eq(Mancala::ALL));
}

#[test]
fn every_position_of_the_document_is_sound() {
    let lines = blocks("positions").concat();
    assert!(lines.lines().count() >= 8);
    for line in lines.lines() {
        let (mancala, position) = line.split_once(' ').unwrap();
        let options = Options::standard(mancala.parse().unwrap());
        let position = position.trim_start();
        let setup: Setup = position
            .parse()
            .unwrap_or_else(|error| panic!("{error}\n{line}"));
        assert_eq!(setup.to_string(), position);
        AnyPosition::from_setup(options, &setup).unwrap_or_else(|error| panic!("{error}\n{line}"));
    }
}

#[test]
fn the_document_names_every_limit_and_reason() {
    let with_commas = |number: usize| {
        let digits = number.to_string();
        let groups = digits.as_bytes().rchunks(3).rev();
        let groups = groups.map(|group| std::str::from_utf8(group).unwrap());
        groups.collect::<Vec<_>>().join(",")
    };
    for limit in [
        limits::TEXT_BYTES_MAX,
        limits::NAME_BYTES_MAX,
        limits::REASON_BYTES_MAX,
        limits::GAMES_MAX,
        limits::RECORD_BYTES_MAX,
    ] {
        assert!(
            DOCUMENT.contains(&format!("| {}", with_commas(limit))),
            "{limit}"
        );
    }
    let reasons = Reason::ALL.map(Reason::code);
    let games = Mancala::ALL.map(Mancala::key);
    for word in reasons.into_iter().chain(games) {
        assert!(DOCUMENT.contains(&format!("`{word}`")), "{word}");
    }
    let rules = format!("now `{RULES_VERSION}`");
    assert!(DOCUMENT.contains(&rules), "{rules}");
}

/// The table of actions: each sign in its first column is an action and is printed so.
#[test]
fn the_documents_notation_is_the_engines() {
    let (_, section) = DOCUMENT.split_once("## Actions").unwrap();
    let (section, _) = section.split_once("## Results").unwrap();
    let shape = game_of(Mancala::Omweso).position().shape();
    let mut signs = 0;
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let first = row.split('|').nth(1).unwrap();
        for sign in first.split('`').filter(|sign| !sign.trim().is_empty()) {
            let action = Action::from_notation(sign, shape).unwrap();
            assert_eq!(action.to_notation(shape).as_deref(), Ok(sign));
            signs += 1;
        }
    }
    assert_eq!(signs, 9);
}
