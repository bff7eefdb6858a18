//! What can be written, and the SQL that writes it.

use super::super::{Idempotency, NewMatch, Outcome, StageRow, UserRow};
use super::columns::{EVENT_VERSION, access_text, public_id, request_hash};
use super::columns::{outcome_text, stage, stage_text};
use super::{Challenging, Joining, Standing, Talk};
use crate::ids::{PublicId, RequestHash, TokenHash};
use crate::limits::{CREATION_KEY_KEPT_MS, CREATION_KEYS_REMOVED, LOG_ROWS_PER_INSERT};
use mancala_engine::BySide;
use mancala_play::MatchId;
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteConnection};
use sqlx::{AssertSqlSafe, Error, Row, Sqlite, query};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// Something to be written. All JSON has been made before it comes here: the writer's time
/// is everybody's.
#[derive(Debug)]
pub(super) enum Change {
    Append {
        id: MatchId,
        expected_seq: u64,
        rows: Vec<LogColumns>,
        stage: StageRow,
        /// What came of the match, where it ends with these rows.
        outcome: Option<Outcome>,
        service_ms: i64,
    },
    CreateMatch {
        new: Box<NewMatch>,
        /// The numbers of the names of the standing teams that play it.
        standing: Option<BySide<u64>>,
        /// Is it what the challenge of this name comes to?
        accepts: bool,
        spec: Arc<str>,
        rows: Vec<LogColumns>,
    },
    PutSnapshot {
        id: MatchId,
        seq: u64,
        snapshot: Arc<str>,
    },
    DeleteSnapshots,
    SetAside {
        id: MatchId,
        reason: Arc<str>,
    },
    CreateUser {
        user: UserRow,
        token: TokenHash,
    },
    /// How people come to matches.
    Joining(Box<Joining>),
    /// What becomes of the challenges between the teams that stand on their own.
    Challenging(Box<Challenging>),
    /// What becomes of the teams that stand on their own.
    Standing(Box<Standing>),
    /// What is said in the rooms of matches.
    Talk(Box<Talk>),
    /// Only how far the service time has come.
    ServiceTime(i64),
    /// Only the commit itself, to see whether it works.
    Nothing,
}

impl Change {
    /// The service time that it says; none is earlier than 0.
    pub(super) fn service_ms(&self) -> i64 {
        match self {
            Change::Append { service_ms, .. } => *service_ms,
            Change::CreateMatch { new, .. } => new.service_ms,
            Change::ServiceTime(service_ms) => *service_ms,
            _ => 0,
        }
    }
}

/// What is noted of a transaction, in the one row of its table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    /// The number of the transaction.
    pub(super) number: i64,
    /// The service time up to which something in it was decided.
    pub(super) service_ms: i64,
}

impl Note {
    /// Fills in what [`BEGIN`] asks for.
    fn bind<'q>(
        self,
        statement: Query<'q, Sqlite, SqliteArguments>,
    ) -> Query<'q, Sqlite, SqliteArguments> {
        statement.bind(self.number).bind(self.service_ms)
    }
}

/// A row of the log as it is written.
#[derive(Debug)]
pub(super) struct LogColumns {
    pub(super) seq: u64,
    pub(super) at_ms: i64,
    pub(super) event: Arc<str>,
    pub(super) digest: u64,
    pub(super) deadline_ms: Option<i64>,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is written.
    Done,
    /// The key of the creation was used before: for a match with this name, by a request
    /// for this.
    Before {
        public_id: PublicId,
        request: RequestHash,
    },
    /// It does not fit what is there: another end of a log, a name in use.
    Clash,
    /// There are as many already as may be.
    Full,
    /// It is not for who asks, as things are now.
    Refused,
    /// It is about a match that does not exist.
    NoSuchMatch,
    /// It is about a line that does not exist.
    NoSuchLine,
    /// Its author has reported as much of late as he may.
    ReportsOver,
    /// Nothing can be written now.
    Unavailable,
}

/// Where a match stands, as the writer knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tip {
    seq: u64,
    stage: StageRow,
}

/// Where the matches stand that were written to of late. What is known here has been
/// written by this process, or read; and nobody else writes.
pub(super) type Tips = HashMap<MatchId, Tip>;

/// One transaction: changes are made in it one after the other, but the rows of logs are
/// gathered and inserted together. Each statement is a way to another thread and back, so
/// the transaction begins with the first that is needed, and the last of them commits it:
/// where there are just some rows of logs, one way does it all.
pub(super) struct Changes<'c, 'a> {
    connection: &'c mut SqliteConnection,
    tips: &'c mut Tips,
    log: Vec<(MatchId, &'a LogColumns)>,
    note: Note,
    begun: bool,
}

const BEGIN: &str =
    "begin immediate; update commits set number = ?, service_ms = max(service_ms, ?);";

impl<'c, 'a> Changes<'c, 'a> {
    pub(super) const fn new(
        connection: &'c mut SqliteConnection,
        tips: &'c mut Tips,
        note: Note,
    ) -> Changes<'c, 'a> {
        Changes {
            connection,
            tips,
            log: Vec::new(),
            note,
            begun: false,
        }
    }

    /// The connection, in the transaction.
    pub(super) async fn connection(&mut self) -> Result<&mut SqliteConnection, Error> {
        if !self.begun {
            let begin = self.note.bind(query(BEGIN));
            begin.execute(&mut *self.connection).await?;
            self.begun = true;
        }
        Ok(self.connection)
    }

    /// Makes a change, or finds that it does not fit, which leaves the others as they are.
    pub(super) async fn make(&mut self, change: &'a Change) -> Result<Answer, Error> {
        match change {
            Change::Append {
                id,
                expected_seq,
                rows,
                stage,
                outcome,
                service_ms: _,
            } => {
                self.append(*id, *expected_seq, rows, (*stage, *outcome))
                    .await
            }
            Change::CreateMatch {
                new,
                standing,
                accepts,
                spec,
                rows,
            } => {
                let answer = match accepts {
                    true => self.accept(new).await?,
                    false => Answer::Done,
                };
                match answer {
                    Answer::Done => self.create_match(new, *standing, spec, rows).await,
                    answer => Ok(answer),
                }
            }
            Change::PutSnapshot { id, seq, snapshot } => {
                self.put_snapshot(*id, *seq, snapshot).await
            }
            Change::DeleteSnapshots => self.done(query("delete from snapshots")).await,
            Change::SetAside { id, reason } => self.set_aside(*id, reason).await,
            Change::CreateUser { user, token } => self.create_user(user, *token).await,
            Change::Joining(joining) => self.join(joining).await,
            Change::Challenging(challenging) => self.challenge(challenging).await,
            Change::Standing(standing) => self.stand(standing).await,
            Change::Talk(talk) => self.talk(talk).await,
            Change::ServiceTime(_) | Change::Nothing => Ok(Answer::Done),
        }
    }

    /// Inserts the rows that have gathered, but for the last of them, which are inserted by
    /// what commits.
    pub(super) async fn finish(mut self) -> Result<Commit<'a>, Error> {
        let log = std::mem::take(&mut self.log);
        let rows = log.len();
        let mut chunks = log.chunks(LOG_ROWS_PER_INSERT);
        let last = chunks.next_back().unwrap_or_default().to_vec();
        for chunk in chunks {
            let part = if self.begun {
                Part::Middle
            } else {
                Part::Begin
            };
            let insert = insert_rows(part, self.note, chunk);
            insert.execute(&mut *self.connection).await?;
            self.begun = true;
        }
        Ok(Commit {
            rows,
            last,
            note: self.note,
            begun: self.begun,
        })
    }

    async fn append(
        &mut self,
        id: MatchId,
        expected_seq: u64,
        rows: &'a [LogColumns],
        (stage, outcome): (StageRow, Option<Outcome>),
    ) -> Result<Answer, Error> {
        let tip = match self.tip(id).await? {
            Some(tip) if tip.seq == expected_seq => tip,
            _ => return Ok(Answer::Clash),
        };
        if tip.stage != stage {
            let update = query("update matches set stage = ?, outcome = ? where id = ?")
                .bind(stage_text(stage))
                .bind(outcome.map(outcome_text))
                .bind(id.0);
            self.done(update).await?;
        }
        self.add_to_log(id, rows, tip.seq, stage);
        Ok(Answer::Done)
    }

    async fn create_match(
        &mut self,
        new: &NewMatch,
        standing: Option<BySide<u64>>,
        spec: &Arc<str>,
        rows: &'a [LogColumns],
    ) -> Result<Answer, Error> {
        if let Some(Idempotency { key, .. }) = &new.idempotency
            && let Some(before) = self.created_before(new, key).await?
        {
            return Ok(before);
        }
        let insert = query(
            "insert into matches
                (id, public_id, creator, access, link_hash, stage, created_ms, spec)
             values (?, ?, ?, ?, ?, ?, ?, ?)
             on conflict do nothing",
        )
        .bind(new.id.0)
        .bind(new.public_id.as_str())
        .bind(new.creator.0)
        .bind(access_text(new.access))
        .bind(new.link_hash.map(|hash| hash.0.to_vec()))
        .bind(stage_text(new.stage))
        .bind(new.created_ms)
        .bind(Arc::clone(spec));
        if self.rows_of(insert).await? == 0 {
            return Ok(Answer::Clash);
        }
        if let Some(standing) = standing {
            self.put_team_matches(new, standing).await?;
        }
        self.add_to_log(new.id, rows, 0, new.stage);
        if let Some(idempotency) = &new.idempotency {
            self.remember_creation(new, idempotency).await?;
        }
        Ok(Answer::Done)
    }

    /// The match that the same creator made with the same key, not longer ago than a day.
    async fn created_before(&mut self, new: &NewMatch, key: &str) -> Result<Option<Answer>, Error> {
        let found = query(
            "select public_id, request from creation_keys join matches on id = match_id
             where creation_keys.creator = ? and key = ? and creation_keys.created_ms > ?",
        )
        .bind(new.creator.0)
        .bind(key)
        .bind(oldest_key_ms(new))
        .fetch_optional(self.connection().await?)
        .await?;
        let before = |row| {
            Ok(Answer::Before {
                public_id: public_id(&row, "public_id")?,
                request: request_hash(&row, "request")?,
            })
        };
        found.map(before).transpose()
    }

    async fn remember_creation(
        &mut self,
        new: &NewMatch,
        idempotency: &Idempotency,
    ) -> Result<(), Error> {
        let forget = query(
            "delete from creation_keys where (creator, key) in (
                select creator, key from creation_keys
                where created_ms <= ? order by created_ms limit ?)",
        )
        .bind(oldest_key_ms(new))
        .bind(CREATION_KEYS_REMOVED);
        self.done(forget).await?;
        // One that stands there still is older than a day.
        let remember = query(
            "insert into creation_keys (creator, key, match_id, request, created_ms)
             values (?, ?, ?, ?, ?)
             on conflict (creator, key) do update
             set match_id = excluded.match_id, request = excluded.request,
                 created_ms = excluded.created_ms",
        )
        .bind(new.creator.0)
        .bind(idempotency.key.as_str())
        .bind(new.id.0)
        .bind(&idempotency.request.0[..])
        .bind(new.created_ms);
        self.done(remember).await?;
        Ok(())
    }

    async fn put_snapshot(
        &mut self,
        id: MatchId,
        seq: u64,
        snapshot: &Arc<str>,
    ) -> Result<Answer, Error> {
        if self.tip(id).await?.is_none() {
            return Ok(Answer::NoSuchMatch);
        }
        let put = query(
            "insert into snapshots (match_id, seq, snapshot) values (?, ?, ?)
             on conflict (match_id) do update
             set seq = excluded.seq, snapshot = excluded.snapshot
             where seq <= excluded.seq",
        )
        .bind(id.0)
        .bind(seq.cast_signed())
        .bind(Arc::clone(snapshot));
        self.done(put).await
    }

    async fn set_aside(&mut self, id: MatchId, reason: &Arc<str>) -> Result<Answer, Error> {
        let update = query("update matches set set_aside = ? where id = ?")
            .bind(Arc::clone(reason))
            .bind(id.0);
        match self.rows_of(update).await? {
            0 => Ok(Answer::NoSuchMatch),
            _ => Ok(Answer::Done),
        }
    }

    async fn create_user(&mut self, user: &UserRow, token: TokenHash) -> Result<Answer, Error> {
        let insert = query(
            "insert into users (id, name, created_ms)
             select ?, ?, ? where not exists (select 1 from tokens where hash = ?)
             on conflict do nothing",
        )
        .bind(user.id.0)
        .bind(user.name.as_str())
        .bind(user.created_ms)
        .bind(&token.0[..]);
        if self.rows_of(insert).await? == 0 {
            return Ok(Answer::Clash);
        }
        let insert = query("insert into tokens (hash, user_id, created_ms) values (?, ?, ?)")
            .bind(&token.0[..])
            .bind(user.id.0)
            .bind(user.created_ms);
        self.done(insert).await
    }

    /// Where a match stands. A match with rows that wait to be inserted is always among the
    /// remembered ones, so what is read misses nothing.
    pub(super) async fn tip(&mut self, id: MatchId) -> Result<Option<Tip>, Error> {
        if let Some(&tip) = self.tips.get(&id) {
            return Ok(Some(tip));
        }
        let found = query(
            "select stage,
                (select max(seq) from log where match_id = matches.id) as seq
             from matches where id = ?",
        )
        .bind(id.0)
        .fetch_optional(self.connection().await?)
        .await?;
        let Some(row) = found else {
            return Ok(None);
        };
        let last: Option<i64> = row.try_get("seq")?;
        let tip = Tip {
            seq: last.unwrap_or(0).cast_unsigned(),
            stage: stage(&row, "stage")?,
        };
        self.tips.insert(id, tip);
        Ok(Some(tip))
    }

    fn add_to_log(&mut self, id: MatchId, rows: &'a [LogColumns], after: u64, stage: StageRow) {
        self.log.extend(rows.iter().map(|row| (id, row)));
        let seq = rows.last().map_or(after, |row| row.seq);
        self.tips.insert(id, Tip { seq, stage });
    }

    /// Inserts a row, which the statement does not where there are as many as may be.
    pub(super) async fn unless_full(
        &mut self,
        insert: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<Answer, Error> {
        match self.rows_of(insert).await? {
            0 => Ok(Answer::Full),
            _ => Ok(Answer::Done),
        }
    }

    /// Changes a row, which the statement does not find where it is not for who asks.
    pub(super) async fn unless_refused(
        &mut self,
        update: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<Answer, Error> {
        match self.rows_of(update).await? {
            0 => Ok(Answer::Refused),
            _ => Ok(Answer::Done),
        }
    }

    pub(super) async fn done(
        &mut self,
        statement: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<Answer, Error> {
        statement.execute(self.connection().await?).await?;
        Ok(Answer::Done)
    }

    /// How many rows a statement has changed.
    pub(super) async fn rows_of(
        &mut self,
        statement: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<u64, Error> {
        let done = statement.execute(self.connection().await?).await?;
        Ok(done.rows_affected())
    }
}

/// A key from this time or an earlier one is forgotten when this match is created.
fn oldest_key_ms(new: &NewMatch) -> i64 {
    new.created_ms.saturating_sub(CREATION_KEY_KEPT_MS)
}

/// What is left of a transaction: the last rows of logs, and its COMMIT.
pub(super) struct Commit<'a> {
    /// How many rows of logs the transaction has.
    pub(super) rows: usize,
    last: Vec<(MatchId, &'a LogColumns)>,
    note: Note,
    begun: bool,
}

impl Commit<'_> {
    pub(super) async fn run(self, connection: &mut SqliteConnection) -> Result<(), Error> {
        let part = if self.begun { Part::End } else { Part::Whole };
        let insert = insert_rows(part, self.note, &self.last);
        insert.execute(connection).await?;
        Ok(())
    }
}

/// What inserts rows into the log, in this part of a transaction.
fn insert_rows<'q>(
    part: Part,
    note: Note,
    rows: &[(MatchId, &LogColumns)],
) -> Query<'q, Sqlite, SqliteArguments> {
    let mut statement = query(insert_log(part, rows.len()));
    if let Part::Whole | Part::Begin = part {
        statement = note.bind(statement);
    }
    rows.iter().fold(statement, |statement, (id, row)| {
        statement
            .bind(id.0)
            .bind(row.seq.cast_signed())
            .bind(row.at_ms)
            .bind(Arc::clone(&row.event))
            .bind(row.digest.cast_signed())
            .bind(row.deadline_ms)
    })
}

/// Where in a transaction rows are inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// They are all of it.
    Whole,
    /// They are the first of it.
    Begin,
    /// Something comes before and after.
    Middle,
    /// They are the last, and committed.
    End,
}

/// The statement that inserts so many rows into the log, in this part of a transaction.
fn insert_log(part: Part, rows: usize) -> AssertSqlSafe<Arc<str>> {
    static STATEMENTS: LazyLock<[Vec<Arc<str>>; 4]> = LazyLock::new(|| {
        let row = format!("(?, ?, ?, {EVENT_VERSION}, ?, ?, ?)");
        let parts = [(BEGIN, "commit"), (BEGIN, ""), ("", ""), ("", "commit")];
        parts.map(|(begin, commit)| {
            let statement = |rows| {
                let insert = match rows {
                    0 => String::new(),
                    _ => format!(
                        "insert or fail into log
                            (match_id, seq, at_ms, version, event, digest, deadline_ms)
                         values {};",
                        vec![row.as_str(); rows].join(", ")
                    ),
                };
                format!("{begin} {insert} {commit}").into()
            };
            (0..=LOG_ROWS_PER_INSERT).map(statement).collect()
        })
    });
    // What fails is rolled back as a whole, so SQLite need not remember how each page was
    // before the statement. Nothing of the text comes from outside.
    AssertSqlSafe(Arc::clone(&STATEMENTS[part as usize][rows]))
}
