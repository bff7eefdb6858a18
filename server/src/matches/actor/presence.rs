//! Who of the players is here, and what comes of it.

use super::Actor;
use crate::hub::Audience;
use crate::store::AppendError;
use mancala_engine::{BySide, Side};
use mancala_play::Leaving;
use mancala_protocol::{ServerMessage, convert};
use tracing::warn;

impl Actor {
    /// Somebody of a side is here. Where that cannot be written it is tried again, as all that
    /// is due.
    pub(super) async fn welcome_back(&mut self, side: Side) {
        self.seats.come(side);
        if self.seats.back(&self.play).is_none() {
            self.seats.has_come(side);
            return;
        }
        let now_ms = self.matches.inner.service.now_ms();
        let written = match self.find_out().await {
            Ok(()) => self.write_who_is_back(now_ms).await,
            failed => failed,
        };
        if let Err(failed) = written {
            warn!(?failed, %side, "that somebody is back could not be written yet");
        }
    }

    pub(super) async fn write_who_is_back(&mut self, now_ms: i64) -> Result<(), AppendError> {
        while let Some(side) = self.seats.back(&self.play) {
            self.commit(self.play.decide_back(side), now_ms).await?;
            self.seats.has_come(side);
        }
        Ok(())
    }

    /// Those sides lose the line whose last socket was cut off, or found to be gone, when it was
    /// to be sent something.
    pub(super) fn miss_who_was_cut_off(&mut self) {
        self.meet_people();
        let audience = self.audience.lock();
        for side in Side::ALL {
            if !audience.is_here(side) && self.seats.is_here(side) {
                let now_ms = self.matches.inner.service.now_ms();
                self.seats.leave(side, Leaving::Dropped, now_ms);
                self.presence_due = true;
            }
        }
    }

    /// Looks who of the people in the teams is here.
    pub(super) fn meet_people(&mut self) {
        if self.play.teams().is_none() {
            return;
        }
        let now_ms = self.matches.inner.service.now_ms();
        let audience = self.audience.lock();
        let is_here = |user| audience.is_connected(user);
        self.people.meet(&self.play, is_here, now_ms);
    }

    pub(super) fn presence(&self, audience: &Audience) -> ServerMessage {
        ServerMessage::Presence {
            r#match: self.name,
            players: BySide::from_fn(|side| audience.is_here(side)),
            watching: rounded(audience.watching()),
            grace_ms: convert::grace_ms(&self.play, self.passing()),
        }
    }
}

/// A crowd in a round number: exact up to ten, then two digits that count.
fn rounded(crowd: usize) -> u32 {
    let mut scale = 1;
    let mut rest = crowd;
    while rest >= 100 {
        rest /= 10;
        scale *= 10;
    }
    let rough = if crowd <= 10 { crowd } else { rest * scale };
    u32::try_from(rough).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn crowds_are_rounded_to_two_digits() {
        for (crowd, told) in [
            (0, 0),
            (7, 7),
            (10, 10),
            (57, 57),
            (123, 120),
            (2_468, 2_400),
        ] {
            assert_eq!(rounded(crowd), told);
        }
    }
}
