//! How values stand in columns.

use super::super::{LineRow, LogRow, MatchRow, NewReport, Outcome, ReportRow};
use super::super::{StageRow, StoreError, UserRow};
use crate::ids::{PublicId, RequestHash, SecretHash};
use mancala_engine::Side;
use mancala_play::{Access, Digest, MatchId, Room, UserId};
use sqlx::error::BoxDynError;
use sqlx::sqlite::SqliteRow;
use sqlx::{Error, Row};
use uuid::Uuid;

/// The form in which events are written. It rises when a server of an earlier version could
/// not read them any more; every form that ever was can be read.
pub(super) const EVENT_VERSION: i64 = 1;

pub(super) const fn stage_text(stage: StageRow) -> &'static str {
    match stage {
        StageRow::Gathering => "gathering",
        StageRow::Playing => "playing",
        StageRow::Over => "over",
    }
}

pub(super) const fn access_text(access: Access) -> &'static str {
    match access {
        Access::Public => "public",
        Access::Link => "link",
    }
}

pub(super) fn outcome_text(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Won(Side::South) => "south",
        Outcome::Won(Side::North) => "north",
        Outcome::Drawn => "drawn",
        Outcome::Void => "void",
    }
}

/// The outcome in this column, where there is one.
pub(super) fn outcome(row: &SqliteRow, column: &str) -> Result<Option<Outcome>, Error> {
    let Some(text) = row.try_get::<Option<&str>, _>(column)? else {
        return Ok(None);
    };
    let sides = Side::ALL.map(Outcome::Won);
    let known = sides.into_iter().chain([Outcome::Drawn, Outcome::Void]);
    known
        .into_iter()
        .find(|&outcome| outcome_text(outcome) == text)
        .map(Some)
        .ok_or_else(|| strange(column, format!("the unknown outcome {text:?}")))
}

/// The stage in this column.
pub(super) fn stage(row: &SqliteRow, column: &str) -> Result<StageRow, Error> {
    let text: &str = row.try_get(column)?;
    [StageRow::Gathering, StageRow::Playing, StageRow::Over]
        .into_iter()
        .find(|&stage| stage_text(stage) == text)
        .ok_or_else(|| strange(column, format!("the unknown stage {text:?}")))
}

fn access(row: &SqliteRow, column: &str) -> Result<Access, Error> {
    let text: &str = row.try_get(column)?;
    [Access::Public, Access::Link]
        .into_iter()
        .find(|&access| access_text(access) == text)
        .ok_or_else(|| strange(column, format!("the unknown access {text:?}")))
}

/// The side in this column.
pub(super) fn side(row: &SqliteRow, column: &str) -> Result<Side, Error> {
    let text: &str = row.try_get(column)?;
    text.parse().map_err(|error| strange(column, error))
}

/// The public name in this column.
pub(super) fn public_id(row: &SqliteRow, column: &str) -> Result<PublicId, Error> {
    let text: &str = row.try_get(column)?;
    text.parse().map_err(|error| strange(column, error))
}

/// The id of a match in this column.
pub(super) fn match_id(row: &SqliteRow, column: &str) -> Result<MatchId, Error> {
    row.try_get::<Uuid, _>(column).map(MatchId)
}

/// The hash of a request in this column.
pub(super) fn request_hash(row: &SqliteRow, column: &str) -> Result<RequestHash, Error> {
    let bytes: &[u8] = row.try_get(column)?;
    let hash = bytes.try_into().map_err(|error| strange(column, error))?;
    Ok(RequestHash(hash))
}

/// A match, from a row of `select *`.
pub(super) fn match_row(row: &SqliteRow) -> Result<MatchRow, Error> {
    let link_hash: Option<&[u8]> = row.try_get("link_hash")?;
    let link_hash = link_hash.map(|bytes| bytes.try_into().map(SecretHash));
    let spec: &str = row.try_get("spec")?;
    Ok(MatchRow {
        id: match_id(row, "id")?,
        public_id: public_id(row, "public_id")?,
        creator: UserId(row.try_get("creator")?),
        access: access(row, "access")?,
        link_hash: link_hash
            .transpose()
            .map_err(|error| strange("link_hash", error))?,
        stage: stage(row, "stage")?,
        created_ms: row.try_get("created_ms")?,
        spec: serde_json::from_str(spec).map_err(|error| strange("spec", error))?,
        outcome: outcome(row, "outcome")?,
        set_aside: row.try_get("set_aside")?,
    })
}

/// A user, from a row with its columns.
pub(super) fn user_row(row: &SqliteRow) -> Result<UserRow, Error> {
    Ok(UserRow {
        id: UserId(row.try_get("id")?),
        name: row.try_get("name")?,
        created_ms: row.try_get("created_ms")?,
    })
}

/// An event in its place, from a row with its columns. The places in a log begin at 1 and
/// rise by 1, so the caller knows which one this must be.
pub(super) fn log_row(row: &SqliteRow, id: MatchId, place: u64) -> Result<LogRow, StoreError> {
    let read = || -> Result<LogRow, Error> {
        let version: i64 = row.try_get("version")?;
        if version != EVENT_VERSION {
            let what = format!("the form {version}, which this program does not know");
            return Err(strange("version", what));
        }
        let event: &str = row.try_get("event")?;
        Ok(LogRow {
            seq: row.try_get::<i64, _>("seq")?.cast_unsigned(),
            at_ms: row.try_get("at_ms")?,
            event: serde_json::from_str(event).map_err(|error| strange("event", error))?,
            digest: Digest(row.try_get::<i64, _>("digest")?.cast_unsigned()),
            deadline_ms: row.try_get("deadline_ms")?,
        })
    };
    match read() {
        Ok(row) if row.seq == place => Ok(row),
        Ok(_) => Err(StoreError::missing_row(id, place)),
        Err(error) => Err(StoreError::Damaged(format!(
            "row {place} of match {id} cannot be read: {error}"
        ))),
    }
}

/// The room in this column.
pub(super) fn room(row: &SqliteRow, column: &str) -> Result<Room, Error> {
    let text: &str = row.try_get(column)?;
    text.parse().map_err(|error| strange(column, error))
}

/// A line of talk, from a row with its columns.
pub(super) fn line_row(row: &SqliteRow) -> Result<LineRow, Error> {
    Ok(LineRow {
        n: row.try_get("n")?,
        user: UserId(row.try_get("user_id")?),
        side: match row.try_get::<Option<&str>, _>("side")? {
            Some(_) => Some(side(row, "side")?),
            None => None,
        },
        at_ms: row.try_get("at_ms")?,
        text: row.try_get("text")?,
    })
}

/// A report, from a row with its columns and the name of its match.
pub(super) fn report_row(row: &SqliteRow) -> Result<ReportRow, Error> {
    let lines: &str = row.try_get("lines")?;
    Ok(ReportRow {
        id: row.try_get::<i64, _>("id")?.cast_unsigned(),
        public_id: public_id(row, "public_id")?,
        report: NewReport {
            at_ms: row.try_get("at_ms")?,
            by: UserId(row.try_get("by_user")?),
            match_id: match_id(row, "match_id")?,
            room: room(row, "room")?,
            n: row.try_get("n")?,
            why: row.try_get("why")?,
            lines: serde_json::from_str(lines).map_err(|error| strange("lines", error))?,
        },
    })
}

/// What stands in the column is nothing that was ever written there.
pub(super) fn strange(column: &str, source: impl Into<BoxDynError>) -> Error {
    Error::ColumnDecode {
        index: column.to_owned(),
        source: source.into(),
    }
}
