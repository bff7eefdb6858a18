//! What is said in the rooms of matches, who may not speak there, what was reported of it; and
//! the SQL for that.

use super::super::{Bar, LineRow, NewLine, NewReport, ReportRow, RoomRow, StoreError};
use super::change::{Answer, Changes};
use super::columns::{line_row, report_row, room};
use super::read::unreadable;
use super::{Change, Sqlite, json, stored};
use crate::limits::REPORTS_COUNTED_MS;
use mancala_play::{MatchId, Room, UserId};
use mancala_protocol::limits::REPORTS_A_DAY_MAX;
use sqlx::{Error, Row, query, query_scalar};
use std::sync::Arc;
use uuid::Uuid;

/// Something to be written of what is said.
#[derive(Debug)]
pub(super) enum Talk {
    Say(NewLine),
    Bar(Bar),
    RemoveLine { id: MatchId, room: Room, n: u32 },
    Clear(MatchId),
    Report { report: NewReport, lines: Arc<str> },
}

impl Changes<'_, '_> {
    pub(super) async fn talk(&mut self, talk: &Talk) -> Result<Answer, Error> {
        match talk {
            Talk::Say(line) => self.say(line).await,
            Talk::Bar(bar) => self.bar(*bar).await,
            Talk::RemoveLine { id, room, n } => self.remove_line(*id, *room, *n).await,
            Talk::Clear(id) => {
                let clear = query("delete from talk where match_id = ?");
                self.done(clear.bind(id.0)).await
            }
            Talk::Report { report, lines } => self.report(report, lines).await,
        }
    }

    async fn say(&mut self, new: &NewLine) -> Result<Answer, Error> {
        if self.tip(new.match_id).await?.is_none() {
            return Ok(Answer::NoSuchMatch);
        }
        let insert = query(
            "insert into talk (match_id, room, n, user_id, side, at_ms, key, text)
             values (?, ?, ?, ?, ?, ?, ?, ?)
             on conflict do nothing",
        )
        .bind(new.match_id.0)
        .bind(new.room.as_str())
        .bind(new.line.n)
        .bind(new.line.user.0)
        .bind(new.line.side.map(|side| side.to_string()))
        .bind(new.line.at_ms)
        .bind(new.key.as_str())
        .bind(new.line.text.as_deref());
        Ok(match self.rows_of(insert).await? {
            0 => Answer::Clash,
            _ => Answer::Done,
        })
    }

    async fn bar(&mut self, bar: Bar) -> Result<Answer, Error> {
        if self.tip(bar.match_id).await?.is_none() {
            return Ok(Answer::NoSuchMatch);
        }
        let statement = if bar.stands {
            query(
                "insert into talk_barred (match_id, room, user_id) values (?, ?, ?)
                 on conflict do nothing",
            )
        } else {
            query("delete from talk_barred where match_id = ? and room = ? and user_id = ?")
        };
        let user = bar.user.map(|user| user.0.as_bytes().to_vec());
        let statement = statement
            .bind(bar.match_id.0)
            .bind(bar.room.as_str())
            .bind(user.unwrap_or_default());
        self.done(statement).await
    }

    async fn remove_line(&mut self, id: MatchId, room: Room, n: u32) -> Result<Answer, Error> {
        let update = query(
            "update talk set text = null
             where match_id = ? and room = ? and n = ? and text is not null",
        )
        .bind(id.0)
        .bind(room.as_str())
        .bind(n);
        Ok(match self.rows_of(update).await? {
            0 => Answer::NoSuchLine,
            _ => Answer::Done,
        })
    }

    async fn report(&mut self, new: &NewReport, lines: &Arc<str>) -> Result<Answer, Error> {
        if self.tip(new.match_id).await?.is_none() {
            return Ok(Answer::NoSuchMatch);
        }
        let before = query(
            "select exists (
                select 1 from reports where by_user = ? and match_id = ? and room = ? and n = ?
             ) as same,
             (select count(*) from reports where by_user = ? and at_ms > ?) as own",
        )
        .bind(new.by.0)
        .bind(new.match_id.0)
        .bind(new.room.as_str())
        .bind(new.n)
        .bind(new.by.0)
        .bind(new.at_ms.saturating_sub(REPORTS_COUNTED_MS))
        .fetch_one(self.connection().await?)
        .await?;
        if before.try_get::<i64, _>("same")? == 1 {
            return Ok(Answer::Done);
        }
        if before.try_get::<i64, _>("own")? >= REPORTS_A_DAY_MAX.into() {
            return Ok(Answer::ReportsOver);
        }
        let insert = query(
            "insert into reports (at_ms, by_user, match_id, room, n, why, lines)
             values (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(new.at_ms)
        .bind(new.by.0)
        .bind(new.match_id.0)
        .bind(new.room.as_str())
        .bind(new.n)
        .bind(new.why.as_str())
        .bind(Arc::clone(lines));
        self.done(insert).await
    }
}

impl Sqlite {
    async fn write_talk(&self, talk: Talk) -> Result<(), StoreError> {
        let change = Change::Talk(Box::new(talk));
        stored(self.writer.write(change).await)
    }

    pub(in super::super) async fn say(&self, line: NewLine) -> Result<(), StoreError> {
        self.write_talk(Talk::Say(line)).await
    }

    pub(in super::super) async fn bar(&self, bar: Bar) -> Result<(), StoreError> {
        self.write_talk(Talk::Bar(bar)).await
    }

    pub(in super::super) async fn remove_line(
        &self,
        id: MatchId,
        room: Room,
        n: u32,
    ) -> Result<(), StoreError> {
        self.write_talk(Talk::RemoveLine { id, room, n }).await
    }

    pub(in super::super) async fn clear_talk(&self, id: MatchId) -> Result<(), StoreError> {
        self.write_talk(Talk::Clear(id)).await
    }

    pub(in super::super) async fn report(&self, report: NewReport) -> Result<(), StoreError> {
        let lines = json(&report.lines);
        self.write_talk(Talk::Report { report, lines }).await
    }

    pub(in super::super) async fn said_before(
        &self,
        id: MatchId,
        user: UserId,
        key: &str,
    ) -> Result<Option<(Room, LineRow)>, StoreError> {
        query(
            "select room, n, user_id, side, at_ms, text from talk
             where match_id = ? and user_id = ? and key = ?",
        )
        .bind(id.0)
        .bind(user.0)
        .bind(key.to_owned())
        .try_map(|row| Ok((room(&row, "room")?, line_row(&row)?)))
        .fetch_optional(&self.readers)
        .await
        .map_err(unreadable)
    }

    pub(in super::super) async fn room(
        &self,
        id: MatchId,
        room: Room,
    ) -> Result<RoomRow, StoreError> {
        let last = query_scalar("select max(n) from talk where match_id = ? and room = ?")
            .bind(id.0)
            .bind(room.as_str())
            .fetch_one(&self.readers)
            .await
            .map_err(unreadable)?;
        let last: Option<u32> = last;
        // The constraint of the table has them in 16 bytes, or none.
        let barred: Vec<Vec<u8>> =
            query_scalar("select user_id from talk_barred where match_id = ? and room = ?")
                .bind(id.0)
                .bind(room.as_str())
                .fetch_all(&self.readers)
                .await
                .map_err(unreadable)?;
        let muted = barred
            .iter()
            .filter_map(|bytes| Uuid::from_slice(bytes).ok());
        Ok(RoomRow {
            last: last.unwrap_or(0),
            closed: barred.iter().any(Vec::is_empty),
            muted: muted.map(UserId).collect(),
        })
    }

    pub(in super::super) async fn lines(
        &self,
        id: MatchId,
        room: Room,
        (after, up_to): (u32, u32),
        limit: u32,
    ) -> Result<Vec<LineRow>, StoreError> {
        query(
            "select n, user_id, side, at_ms, text from talk
             where match_id = ? and room = ? and n > ? and n <= ? order by n limit ?",
        )
        .bind(id.0)
        .bind(room.as_str())
        .bind(after)
        .bind(up_to)
        .bind(limit)
        .try_map(|row| line_row(&row))
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)
    }

    pub(in super::super) async fn reports(
        &self,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ReportRow>, StoreError> {
        let before = before.and_then(|before| i64::try_from(before).ok());
        query(
            "select reports.*, public_id from reports join matches on matches.id = match_id
             where reports.id < ? order by reports.id desc limit ?",
        )
        .bind(before.unwrap_or(i64::MAX))
        .bind(limit)
        .try_map(|row| report_row(&row))
        .fetch_all(&self.readers)
        .await
        .map_err(unreadable)
    }
}
