//! What happens in a run, step by step: drawn from a seed, or written down for a case.

use crate::weather::Storm;
use crate::wire::{Line, Way};
use mancala_engine::Side;
use mancala_play::{OfferKind, Request};
use mancala_tests::Random;
use serde_json::{Value, json};
use std::time::Duration;

/// One thing that is done. People, devices, matches and whatever else there are several of
/// are named by a number, of which the remainder counts; so any step can be left out, and
/// the rest still says the same.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Time passes.
    Wait(u64),
    /// Time passes until so shortly before something is due in a match.
    UntilDue { game: usize, early_ms: i64 },
    /// Somebody becomes a guest.
    Guest,
    /// A device without a socket comes, of a person or of nobody.
    Device { person: Option<usize> },
    /// A person makes a match.
    Make { person: usize, wanted: Value },
    /// A creation is sent again, as it was or with another content.
    MakeAgain { which: usize, as_it_was: bool },
    /// A person wants a seat.
    Sit {
        person: usize,
        game: usize,
        side: Side,
        with_secret: bool,
    },
    /// A device opens a socket, greets and joins what it followed before.
    Connect { device: usize, line: Line },
    /// A device does what a good client does next: connects, joins, plays.
    Tend { device: usize, draw: u64 },
    /// Everybody plays for a while, with a pause after each turn.
    Rally {
        turns: usize,
        pause_ms: u64,
        draw: u64,
    },
    /// The client goes; what it had said still arrives.
    Go { device: usize },
    /// The client closes its socket in good order.
    Close { device: usize },
    /// The line is cut, now or after so many more bytes.
    Cut {
        device: usize,
        after: Option<(Way, usize)>,
    },
    /// The line goes silent.
    Silence { device: usize },
    /// The client reads no more, or again.
    Ears { device: usize, open: bool },
    /// Joins a match.
    Join {
        device: usize,
        game: usize,
        since: Since,
    },
    /// Leaves a match.
    Leave { device: usize, game: usize },
    /// Acts as no good client would, or would not at this moment.
    Act {
        device: usize,
        game: usize,
        how: How,
        draw: u64,
    },
    /// Asks for something else.
    Ask {
        device: usize,
        game: usize,
        what: Request,
        due: Due,
    },
    /// Asks what an action would do.
    Preview {
        device: usize,
        game: usize,
        how: How,
        draw: u64,
    },
    /// Sends an earlier command again, as it was: the last but so many.
    Again { device: usize, back: usize },
    /// Uses the key of an earlier command for something else.
    Reuse {
        device: usize,
        back: usize,
        draw: u64,
    },
    /// Reads over REST.
    Read { game: usize, what: What },
    /// By now everybody who can be reached has heard everything.
    Quiet,
    /// Says what nobody understands.
    Nonsense { device: usize, which: usize },
    /// Asks whether the server is there, so many times.
    Ping { device: usize, times: usize },
    /// The weather over the disk changes.
    Weather(Storm),
    /// The server is told to stop.
    Stop,
    /// The server crashes.
    Crash,
    /// A server starts, once the one before has ended.
    Start,
}

/// From where a device joins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Since {
    Nothing,
    /// The last event it has.
    Last,
    /// So many events before that.
    Before(u64),
    /// So many events after that.
    After(u64),
}

/// Which action somebody says is due who asks for something that is none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Due {
    /// None: whatever stands then is meant.
    Unsaid,
    /// The one that is.
    Now,
    /// The one that was so many before.
    Past(u32),
    /// The one that will be so many later.
    Later(u32),
}

/// How somebody acts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    /// As the rules have it.
    Well,
    /// The same, in two commands that cross, with other keys.
    Twice,
    /// For a number that has been.
    Late(u32),
    /// For a number that is to come.
    Early(u32),
    /// Any pit.
    Anyhow,
    /// Several actions at once, of which the last ones may be impossible.
    AtOnce(usize),
    /// What only the lot may do.
    ForTheLot,
}

/// What is read over REST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    View,
    Log,
    Record,
    List,
    Ready,
}

/// A plan: steps, and the seed of whatever is drawn beside them.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) steps: Vec<Step>,
}

impl Plan {
    /// The plan of a seed.
    pub(crate) fn from_seed(seed: u64) -> Plan {
        let mut draw = Draw {
            random: Random::from_seed(seed),
            people: 0,
        };
        let mut steps = draw.beginning();
        let length = 100 + draw.below(200);
        while steps.len() < length {
            steps.extend(draw.steps());
            steps.extend(draw.pause());
        }
        Plan { seed, steps }
    }
}

struct Draw {
    random: Random,
    people: usize,
}

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    fn number(&mut self) -> usize {
        self.below(1_000)
    }

    fn chance(&mut self, in_a_hundred: usize) -> bool {
        self.below(100) < in_a_hundred
    }

    fn beginning(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        self.people = 2 + self.below(3);
        steps.extend((0..self.people).map(|_| Step::Guest));
        steps.push(Step::Wait(50));
        for person in 0..self.people {
            steps.push(Step::Device {
                person: Some(person),
            });
            if self.chance(30) {
                steps.push(Step::Device {
                    person: Some(person),
                });
            }
        }
        for _ in 0..self.below(3) {
            steps.push(Step::Device { person: None });
        }
        for _ in 0..=self.below(3) {
            steps.push(self.make());
        }
        steps.push(Step::Wait(50));
        for game in 0..3 {
            for side in Side::ALL {
                if self.chance(80) {
                    let person = self.number();
                    steps.push(self.sit(person, game, side));
                }
            }
        }
        steps
    }

    fn sit(&mut self, person: usize, game: usize, side: Side) -> Step {
        Step::Sit {
            person,
            game,
            side,
            with_secret: self.chance(90),
        }
    }

    fn make(&mut self) -> Step {
        let mut wanted = match self.below(8) {
            0 => json!({ "game": "omweso", "format": "first_to 2" }),
            1 => json!({ "game": "omweso", "options": { "setup": "free", "quiet_limit": 10 } }),
            2 => json!({
                "game": "anywoli",
                "options": { "last_four": "lottery", "quiet_limit": 20 },
                "format": "first_to 2",
            }),
            3 => json!({ "game": "bao_kigogo", "options": { "quiet_limit": 10 } }),
            4 => json!({ "game": "nsolo", "options": { "quiet_limit": 10 } }),
            5 => json!({ "game": "nsolo", "options": { "columns": 12 } }),
            6 => {
                json!({ "game": "urim", "options": { "quiet_limit": 10 }, "format": "first_to 3" })
            }
            _ => json!({ "game": "urim", "options": { "columns": 7 } }),
        };
        if wanted["game"] == "omweso" && self.chance(60) {
            let way = *self.random.any(&["counting", "contract", "blitz"]);
            wanted["way"] = json!(way);
            if way == "contract" && self.chance(60) {
                wanted["clock"] = self.clock();
            }
        } else if self.chance(50) {
            wanted["clock"] = self.clock();
        }
        if wanted["options"]["columns"] == 7 && self.chance(50) {
            wanted["start"] = json!({
                "pits": { "south": [0, 0, 7, 2, 6, 1, 3], "north": [5, 0, 4, 3, 3, 3, 3] },
                "stores": { "south": 2, "north": 0 },
                "to_move": *self.random.any(&["south", "north"]),
                "turn": 1, "quiet": 0, "phase": { "kind": "play" },
            });
        } else if self.chance(15) {
            wanted["rated"] = json!(true);
        }
        if self.chance(30) {
            wanted["access"] = json!("link");
        }
        if self.chance(20) {
            wanted["preview"] = json!(false);
        }
        if self.chance(60) {
            wanted["seat"] = json!(*self.random.any(&["south", "north"]));
        }
        Step::Make {
            person: self.number(),
            wanted,
        }
    }

    fn line(&mut self) -> Line {
        let (latency_ms, room) = match self.below(4) {
            0 => (0, 64 * 1024),
            1 => (self.below(3), 300 + self.below(1_000)),
            2 => (1 + self.below(10), 8 * 1024),
            _ => (20 + self.below(100), 16 * 1024),
        };
        Line {
            latency: Duration::from_millis(latency_ms as u64),
            room,
        }
    }

    fn how(&mut self) -> How {
        match self.below(9) {
            0 | 1 => How::Well,
            2 => How::Twice,
            3 => How::Late(1 + self.below(5) as u32),
            4 => How::Early(1 + self.below(3) as u32),
            5 => How::ForTheLot,
            6 => How::AtOnce(*self.random.any(&[0, 2, 3, 9])),
            _ => How::Anyhow,
        }
    }

    /// Anything that one may ask for beside an action; what ends a match not too often.
    fn request(&mut self) -> Request {
        let kind = *self.random.any(&OfferKind::ALL);
        match self.below(16) {
            0..6 => Request::Offer(kind),
            6..8 => Request::Accept(kind),
            8..10 => Request::Decline(kind),
            10 => Request::Sign,
            11 => Request::Resume,
            12 => Request::ClaimWin,
            13 => Request::ClaimDraw,
            14 => *self.random.any(&[Request::ResignGame, Request::Abort]),
            _ => *self
                .random
                .any(&[Request::ResignMatch, Request::ResignGame]),
        }
    }

    fn due(&mut self) -> Due {
        match self.below(8) {
            0..3 => Due::Unsaid,
            3..6 => Due::Now,
            6 => Due::Past(1 + self.below(2) as u32),
            _ => Due::Later(1 + self.below(2) as u32),
        }
    }

    /// How time is kept: so that it is over before long, more often than not.
    fn clock(&mut self) -> Value {
        match self.below(7) {
            0 => json!({ "type": "untimed" }),
            1 => json!({ "type": "per_move", "seconds": 2 + self.below(4), "out": "loses_turn" }),
            2 => json!({ "type": "per_move", "seconds": 10, "out": "loses_game" }),
            3 | 4 => json!({ "type": "fischer", "initial": 5 + self.below(30), "increment": 2 }),
            5 => json!({ "type": "byo_yomi", "main": 5, "period": 3, "periods": 3 }),
            _ => json!({ "type": "correspondence", "days": 1 }),
        }
    }

    fn pause(&mut self) -> Option<Step> {
        let pause_ms = match self.below(100) {
            0..45 => return None,
            45..80 => 1 + self.below(30),
            80..95 => 30 + self.below(2_000),
            // Turns and games are lost by then, and who is gone is known to be.
            95..97 => 2_000 + self.below(7_000),
            // Matches are unloaded, and dead sockets given up.
            _ => 15_000 + self.below(80_000),
        };
        Some(Step::Wait(pause_ms as u64))
    }

    fn storm(&mut self) -> Storm {
        let mut storm = Storm::CALM;
        match self.below(8) {
            0..2 => {}
            2 => storm.slow_ms = 50,
            3 => storm.slow_ms = 1_500,
            4 => storm.writes_lost = 30,
            5 => storm.writes_unknown = 30,
            6 => storm.reads_lost = 30,
            _ => {
                storm = Storm {
                    slow_ms: 100,
                    writes_lost: 10,
                    writes_unknown: 10,
                    reads_lost: 10,
                }
            }
        }
        storm
    }

    /// The next thing that happens: mostly one step.
    fn steps(&mut self) -> Vec<Step> {
        let [device, game] = [self.number(), self.below(3)];
        let draw = self.random.next();
        let step = match self.below(100) {
            0..38 => Step::Tend { device, draw },
            38..43 => Step::Rally {
                turns: 1 + self.below(25),
                pause_ms: 1 + self.below(8) as u64,
                draw,
            },
            43..46 => Step::Connect {
                device,
                line: self.line(),
            },
            46..48 => Step::Go { device },
            48..49 => Step::Close { device },
            49..53 => Step::Cut {
                device,
                after: match self.below(3) {
                    0 => None,
                    1 => Some((Way::ToServer, self.below(600))),
                    _ => Some((Way::ToClient, self.below(2_000))),
                },
            },
            53..54 => Step::Silence { device },
            54..56 => Step::Ears {
                device,
                open: self.chance(50),
            },
            56..59 => Step::Join {
                device,
                game,
                since: match self.below(5) {
                    0 => Since::Nothing,
                    1 | 2 => Since::Last,
                    3 => Since::Before(self.below(12) as u64),
                    _ => Since::After(1 + self.below(4) as u64),
                },
            },
            59..60 => Step::Leave { device, game },
            60..67 => Step::Act {
                device,
                game,
                how: self.how(),
                draw,
            },
            67..71 => Step::Ask {
                device,
                game,
                what: self.request(),
                due: self.due(),
            },
            71..73 => Step::Preview {
                device,
                game,
                how: self.how(),
                draw,
            },
            73..78 => Step::Again {
                device,
                back: self.below(5),
            },
            78..80 => Step::Reuse {
                device,
                back: self.below(5),
                draw,
            },
            80..84 => Step::Read {
                game,
                what: *self.random.any(&[
                    What::View,
                    What::View,
                    What::Log,
                    What::Record,
                    What::List,
                    What::Ready,
                ]),
            },
            84..86 => Step::Nonsense {
                device,
                which: self.number(),
            },
            86..87 => Step::Ping {
                device,
                times: *self.random.any(&[1, 1, 5, 300]),
            },
            87..88 => self.make(),
            88..89 => Step::MakeAgain {
                which: self.number(),
                as_it_was: self.chance(70),
            },
            // Everybody acts just when time is over, or is about to be.
            89..90 => {
                let early_ms = self.below(40) as i64;
                let mut steps = vec![Step::UntilDue { game, early_ms }];
                for _ in 0..3 {
                    let device = self.number();
                    steps.push(Step::Tend { device, draw });
                    steps.push(Step::Wait(self.below(20) as u64));
                }
                return steps;
            }
            90..91 => {
                let side = *self.random.any(&Side::ALL);
                self.sit(device, game, side)
            }
            91..95 => Step::Weather(self.storm()),
            // A command, the loss of its answer, and the same again by another way.
            95..97 => {
                let after = Some((Way::ToClient, self.below(400)));
                return vec![
                    Step::Cut { device, after },
                    Step::Tend { device, draw },
                    Step::Wait(self.below(30) as u64),
                    Step::Go { device },
                    Step::Connect {
                        device,
                        line: self.line(),
                    },
                    Step::Again { device, back: 0 },
                    Step::Again {
                        device,
                        back: self.below(2),
                    },
                ];
            }
            97..98 => {
                let mut steps = vec![Step::Stop];
                for _ in 0..self.below(4) {
                    let device = self.number();
                    steps.push(Step::Tend { device, draw });
                    steps.push(Step::Wait(self.below(5) as u64));
                }
                steps.push(Step::Start);
                return steps;
            }
            _ => {
                let mut steps = Vec::new();
                for _ in 0..self.below(4) {
                    let device = self.number();
                    steps.push(Step::Tend { device, draw });
                }
                steps.push(Step::Wait(self.below(8) as u64));
                steps.push(Step::Crash);
                steps.extend(self.pause());
                steps.push(Step::Start);
                return steps;
            }
        };
        vec![step]
    }
}
