//! How a run ends: all is quiet, everybody knows the same, and nothing is left.

use super::devices::with_id;
use super::rest::check_reading;
use super::{Run, alive, faults};
use crate::plan::What;
use crate::weather::Storm;
use crate::wire::Line;
use mancala_protocol::rest::MatchList;
use mancala_tests::Request;
use std::time::Duration;
use tokio::time::sleep;

impl Run {
    /// After the last step the weather clears, everybody comes back and has everything
    /// answered; then everybody knows the same.
    pub(super) async fn converge(&mut self) {
        self.lock().note("== the weather clears");
        self.climate.becomes(Storm::CALM);
        self.start().await;
        // What could not be written is by now, and nobody had to come again for it.
        sleep(Duration::from_secs(1)).await;
        faults::check();
        self.lock().check_here();
        self.come_back().await;
        self.settle_makings().await;
        for _ in 0..3 {
            self.settle_commands().await;
            self.reconnect();
            self.quiet().await;
        }
        self.quiet().await;
        self.lock().check_quiet();
        self.lock().check_settled();
        self.lock().check_refused();
        self.read_all().await;
    }

    pub(super) async fn come_back(&mut self) {
        self.cut_all();
        self.quiet().await;
        let devices = self.lock().devices.len();
        let games = self.lock().games.clone();
        for device in 0..devices {
            self.connect(device, Line::GOOD);
            let known = self.lock().devices[device].since.clone();
            // Who holds a seat looks after it, and others look at what they did before.
            for game in &games {
                let person = self.lock().devices[device].person;
                let seated = person.is_some_and(|person| {
                    let mut model = self.lock();
                    let user = model.people[person].user;
                    model.truth(*game).last().side_of(user).is_some()
                });
                if seated && !known.contains_key(game) {
                    self.join(device, *game, None);
                }
            }
        }
        self.quiet().await;
    }

    /// Whoever has lost the socket opens another one.
    pub(super) fn reconnect(&mut self) {
        let devices = self.lock().devices.len();
        for device in 0..devices {
            if self.socket_of(device).is_none() {
                self.connect(device, Line::GOOD);
            }
        }
    }

    pub(super) async fn quiet(&self) {
        sleep(Duration::from_secs(3)).await;
        faults::check();
    }

    pub(super) async fn settle_makings(&mut self) {
        for which in 0.. {
            let makings = self.makings.lock().unwrap().clone();
            let Some(making) = makings.get(which) else {
                break;
            };
            if making.made.is_none() {
                self.make_again(which, true);
                self.quiet().await;
                // Another content may have come first with this key, and been forgotten.
                let made = self.makings.lock().unwrap()[which].made.is_some();
                if !made {
                    self.make_again(which, false);
                    self.quiet().await;
                }
            }
        }
    }

    /// Every command whose answer was lost is sent again, unchanged.
    pub(super) async fn settle_commands(&mut self) {
        let people = self.lock().people.len();
        for person in 0..people {
            let device = {
                let model = self.lock();
                let of_person = |device: &crate::model::Device| device.person == Some(person);
                model.devices.iter().position(of_person)
            };
            let Some(device) = device else { continue };
            let open: Vec<_> = {
                let model = self.lock();
                let issued = model.people[person].issued.iter().enumerate();
                let open = issued.filter(|(_, issued)| !issued.settled);
                open.map(|(place, issued)| (place, issued.game, issued.message.clone()))
                    .collect()
            };
            for (place, game, message) in open {
                if !self.followed(device).contains(&game) {
                    self.join(device, game, None);
                    sleep(Duration::from_millis(50)).await;
                }
                self.say(device, Some((person, place)), |id| with_id(message, id));
                // No faster than one may.
                sleep(Duration::from_millis(40)).await;
            }
        }
        sleep(Duration::from_millis(500)).await;
        faults::check();
    }

    /// What REST tells is the same.
    pub(super) async fn read_all(&mut self) {
        let games = self.lock().games.clone();
        for &game in &games {
            for what in ["", "/log", "/record"] {
                let request = Request::get(format!("/api/v1/matches/{game}{what}"));
                let now = self.lock().truth(game).seq();
                let answer = self.insist(&request).await;
                let mut model = self.lock();
                let what = match what {
                    "" => What::View,
                    "/log" => What::Log,
                    _ => What::Record,
                };
                check_reading(&mut model, what, game, now, &answer);
            }
        }
        let mut listed = Vec::new();
        let mut next = None;
        loop {
            let after = next.map_or(String::new(), |next| format!("&after={next}"));
            let request = Request::get(format!("/api/v1/matches?limit=2{after}"));
            let page: MatchList = self.insist(&request).await.json();
            listed.extend(page.matches.iter().map(|listed| listed.r#match));
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        // A crash may come between a rematch and the word of it.
        let mut model = self.lock();
        for name in &listed {
            assert!(model.read(*name));
        }
        let open = model.open_matches();
        drop(model);
        assert_eq!(listed.len(), open.len());
        assert!(listed.iter().all(|name| open.contains(name)));
    }

    /// Once more from the disk, and then everybody goes and nothing is left of them.
    pub(super) async fn end(&mut self, idle: usize) {
        if self.keys.is_multiple_of(2) {
            self.crash();
        } else {
            self.stop();
        }
        self.start().await;
        self.come_back().await;
        self.lock().check_quiet();
        let devices = self.lock().devices.len();
        for device in 0..devices {
            self.go(device);
        }
        // A match stays while something is due in it before long.
        for _ in 0..24 {
            sleep(Duration::from_secs(150)).await;
            if alive() == idle {
                break;
            }
        }
        faults::check();
        self.lock().check_disk();
        assert_eq!(alive(), idle, "tasks are left with nobody there");
        assert!(self.lock().sockets.iter().all(|socket| socket.ended));
    }
}
