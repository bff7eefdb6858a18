//! What is asked and answered over REST.

use super::{Run, lock};
use crate::model::Model;
use crate::plan::What;
use crate::wire::Line;
use mancala_engine::Side;
use mancala_play::Command;
use mancala_protocol::rest::{Guest, MatchMade};
use mancala_protocol::{MatchView, PublicId};
use mancala_tests::{Answer, Request};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// A creation that somebody wants, and what came of it.
#[derive(Clone, Debug)]
pub(super) struct Making {
    pub(super) person: usize,
    pub(super) key: String,
    pub(super) wanted: Value,
    pub(super) made: Option<(PublicId, Option<String>)>,
}

impl Run {
    /// Sends a request and has the answer looked at, if there is one.
    pub(super) fn request(
        &mut self,
        request: Request,
        line: Line,
        answered: impl FnOnce(&mut Model, Option<Answer>) + Send + 'static,
    ) {
        self.requests.retain(|request| !request.is_finished());
        let Some((stream, wire)) = self.dial(line) else {
            return;
        };
        let model = Arc::clone(&self.model);
        let sent = lock(&model).moment();
        self.requests.push(tokio::spawn(async move {
            let answer = request.send_over(stream, "mancala.example").await.ok();
            let mut model = lock(&model);
            match &answer {
                Some(answer) => {
                    let code = (answer.status >= 400).then(|| answer.problem().1);
                    model.count(format!(
                        "REST {} {}",
                        answer.status,
                        code.unwrap_or_default()
                    ));
                    let body = answer.text().to_owned();
                    model.note(format_args!("REST {} {body:.400}", answer.status));
                    if let 503 = answer.status {
                        let (_, code) = answer.problem();
                        model.check_unavailable(sent, &code);
                    }
                }
                None => {
                    model.note("REST lost");
                    assert!(wire.is_broken() || model.disturbed_since(sent));
                }
            }
            answered(&mut model, answer);
        }));
    }

    pub(super) fn guest(&mut self) {
        self.guests += 1;
        let name = format!("Guest {}", self.guests);
        let body = json!({ "name": name });
        let request = Request::post("/api/v1/guests", &body);
        self.request(request, Line::GOOD, move |model, answer| {
            if let Some(answer) = answer.filter(|answer| answer.status != 503) {
                let guest: Guest = answer.json();
                model.guest(name, guest.token);
            }
        });
    }

    pub(super) fn make(&mut self, person: usize, wanted: Value) {
        if self.lock().people.is_empty() {
            return;
        }
        let mut makings = self.makings.lock().unwrap();
        let which = makings.len();
        makings.push(Making {
            person: person % self.lock().people.len(),
            key: format!("make-{which}"),
            wanted,
            made: None,
        });
        drop(makings);
        self.make_again(which, true);
    }

    pub(super) fn make_again(&mut self, which: usize, as_it_was: bool) {
        let makings = Arc::clone(&self.makings);
        let Making {
            person,
            key,
            mut wanted,
            ..
        } = {
            let makings = makings.lock().unwrap();
            if makings.is_empty() {
                return;
            }
            makings[which % makings.len()].clone()
        };
        if !as_it_was {
            wanted["format"] = json!("first_to 7");
        }
        let request = Request::post("/api/v1/matches", &wanted)
            .token(&self.lock().people[person].token)
            .header("idempotency-key", &key);
        self.request(request, Line::GOOD, move |model, answer| {
            let Some(answer) = answer else { return };
            let mut makings = makings.lock().unwrap();
            let making = makings.iter_mut().find(|making| making.key == key).unwrap();
            match answer.status {
                503 => {}
                201 => {
                    let made: MatchMade = answer.json();
                    let now = (made.view.r#match, made.secret);
                    let before = making.made.replace(now.clone());
                    assert!(before.is_none_or(|before| before == now), "made twice");
                    // The first to come has the key, and it may not be the one that was meant.
                    making.wanted = wanted;
                    let truth = model.truth(now.0);
                    truth.check_view(&made.view);
                    if let Some(secret) = now.1 {
                        model.keep_secret(secret);
                    }
                }
                _ => assert_eq!(answer.problem(), (422, "key_reused".to_owned())),
            }
        });
    }

    pub(super) fn sit(&mut self, person: usize, game: usize, side: Side, with_secret: bool) {
        let Some(game) = self.game(game) else { return };
        let mut model = self.lock();
        let person = person % model.people.len();
        let (token, user) = (
            model.people[person].token.clone(),
            model.people[person].user,
        );
        let told = model.truth(game).told;
        drop(model);
        let making = {
            let makings = self.makings.lock().unwrap();
            let made = |making: &&Making| making.made.as_ref().is_some_and(|made| made.0 == game);
            makings.iter().find(made).cloned()
        };
        // In a rematch both seats are taken.
        let Some(making) = making else { return };
        let needed = making.made.unwrap().1.filter(|_| making.person != person);
        let secret = needed.clone().filter(|_| with_secret);
        let welcome = needed == secret;
        let mut body = json!({ "side": side.name() });
        if let Some(secret) = secret {
            body["secret"] = json!(secret);
        }
        let path = format!("/api/v1/matches/{game}/seats");
        let request = Request::post(path, &body).token(&token);
        self.request(request, Line::GOOD, move |model, answer| {
            let Some(answer) = answer else { return };
            let truth = model.truth(game);
            match answer.status {
                200 => {
                    let view: MatchView = answer.json();
                    assert!(welcome && view.seq >= told);
                    truth.check_view(&view);
                    assert_eq!(truth.play_at(view.seq).seats()[side], Some(user));
                    truth.tell(view.seq);
                }
                403 => assert!(!welcome, "{}", answer.text()),
                409 => {
                    let (_, code) = answer.problem();
                    let decided = truth.decisions(
                        told,
                        user,
                        &Command::Sit {
                            side,
                            asked_for: false,
                        },
                    );
                    let refused = |code: &str| {
                        decided.iter().any(|decided| {
                            decided
                                .as_ref()
                                .is_err_and(|refusal| refusal.code() == code)
                        })
                    };
                    assert!(welcome && refused(&code), "{code} of {decided:?}");
                }
                _ => assert_eq!(answer.status, 503),
            }
        });
    }

    pub(super) fn read(&mut self, game: usize, what: What) {
        let game = self.game(game);
        let path = match (what, game) {
            (What::Ready, _) => "/readyz".to_owned(),
            (What::List, _) => "/api/v1/matches?limit=2".to_owned(),
            (_, None) => return,
            (What::View, Some(game)) => format!("/api/v1/matches/{game}"),
            (What::Log, Some(game)) => format!("/api/v1/matches/{game}/log"),
            (What::Record, Some(game)) => format!("/api/v1/matches/{game}/record"),
        };
        let told = game.map_or(1, |game| self.lock().told(game));
        self.request(Request::get(path), Line::GOOD, move |model, answer| {
            let Some(answer) = answer.filter(|answer| answer.status != 503) else {
                return;
            };
            assert_eq!(answer.status, 200, "{}", answer.text());
            model.check_secrecy(answer.text());
            if let Some(game) = game {
                check_reading(model, what, game, told, &answer);
            }
        });
    }

    /// A request that is sent until it has an answer that counts.
    pub(super) async fn insist(&mut self, request: &Request) -> Answer {
        for _ in 0..10 {
            let (stream, _) = self.dial(Line::GOOD).expect("a server");
            let answer = request.clone().send_over(stream, "mancala.example").await;
            if let Some(answer) = answer.ok().filter(|answer| answer.status != 503) {
                return answer;
            }
            sleep(Duration::from_millis(100)).await;
        }
        panic!("no answer to {request:?}");
    }
}

/// What REST tells of a match is what the disk has, at some moment since an event.
pub(super) fn check_reading(
    model: &mut Model,
    what: What,
    game: PublicId,
    told: u64,
    answer: &Answer,
) {
    let truth = model.truth(game);
    match what {
        What::View => {
            let view: MatchView = answer.json();
            assert!(view.seq >= told, "a view of the past");
            truth.check_view(&view);
            truth.tell(view.seq);
        }
        What::Log => {
            let lines: Vec<_> = answer.text().lines().collect();
            assert!(lines.len() as u64 + 1 >= told, "a log of the past");
            assert_eq!(lines, truth.frames()[..lines.len()]);
        }
        What::Record => {
            let records = mancala_engine::record::Record::parse_many(answer.text());
            for record in records {
                let record = record.expect("a record that can be read");
                assert_eq!(record.check().first_fault(), None);
            }
        }
        What::List | What::Ready => {}
    }
}
