//! The one task that writes. What has gathered while it was busy, from all matches, goes
//! into one transaction: one wait for the disk serves them all.
//!
//! An answer is given only once it is known to be true. `Done` follows the COMMIT, and
//! where a COMMIT fails, the database is opened again and asked.

use super::change::{Answer, Change, Changes, Commit, Note, Tips};
use super::folder::Folder;
use crate::clock::Stopwatch;
use crate::limits::{
    CHECKPOINT_IDLE_MS, CHECKPOINT_PAGES, CHECKPOINT_PAGES_IDLE, TIPS, WRITE_BATCH, WRITE_QUEUE,
};
use crate::metrics;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, Error, query, query_scalar};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::{error, info, warn};

/// The handle to the writer.
#[derive(Clone, Debug)]
pub(super) struct WriterHandle(mpsc::Sender<Message>);

impl WriterHandle {
    /// Asks for a change and waits for what becomes of it, and before that for a place in
    /// the queue. The change is made even if the caller stops waiting.
    pub(super) async fn write(&self, change: Change) -> Answer {
        let (reply, answer) = oneshot::channel();
        let request = Request { change, reply };
        if self.0.send(Message::Write(request)).await.is_err() {
            return Answer::Unavailable;
        }
        answer.await.unwrap_or(Answer::Unavailable)
    }

    /// Ends the writer after what has been asked for so far.
    pub(super) async fn close(&self) {
        let (done, ended) = oneshot::channel();
        if self.0.send(Message::Close(done)).await.is_ok() {
            // An error says that the writer is gone, which is what was wanted.
            _ = ended.await;
        }
    }
}

#[derive(Debug)]
enum Message {
    Write(Request),
    Close(oneshot::Sender<()>),
}

#[derive(Debug)]
struct Request {
    change: Change,
    reply: oneshot::Sender<Answer>,
}

impl Request {
    fn answer(self, answer: Answer) {
        // Whoever asked may have gone. What was written stands all the same.
        _ = self.reply.send(answer);
    }
}

/// The task that writes.
pub(super) struct Writer {
    messages: mpsc::Receiver<Message>,
    options: SqliteConnectOptions,
    /// None after a failure, until it has been opened again.
    database: Option<Database>,
    tips: Tips,
    /// About how many pages have been written since the last checkpoint: at least one for
    /// each row of a log.
    pages: usize,
    /// Copies the write-ahead log into the database while this goes on writing.
    copying: Option<JoinHandle<()>>,
    health: Health,
    closing: Vec<oneshot::Sender<()>>,
    /// Kept until the last connection is closed.
    _folder: Folder,
}

/// Did the last transaction succeed? A disk that is full is said once, not with each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Well,
    Failing,
}

impl Writer {
    pub(super) fn new(
        folder: Folder,
        options: SqliteConnectOptions,
        database: Database,
    ) -> (WriterHandle, Writer) {
        let (handle, messages) = mpsc::channel(WRITE_QUEUE);
        let writer = Writer {
            messages,
            // A database that has gone is not replaced by an empty one.
            options: options.create_if_missing(false),
            database: Some(database),
            tips: Tips::new(),
            pages: 0,
            copying: None,
            health: Health::Well,
            closing: Vec::new(),
            _folder: folder,
        };
        (WriterHandle(handle), writer)
    }

    /// Writes until it is closed, or all handles are gone.
    pub(super) async fn run(mut self) {
        let mut messages = Vec::with_capacity(WRITE_BATCH);
        loop {
            if self.receive(&mut messages).await == 0 {
                break;
            }
            let mut batch = Vec::with_capacity(messages.len());
            for message in messages.drain(..) {
                match message {
                    Message::Write(request) => batch.push(request),
                    Message::Close(done) => {
                        // What is in the queue still comes out of it.
                        self.messages.close();
                        self.closing.push(done);
                    }
                }
            }
            self.write(batch).await;
            self.keep_log_short().await;
        }
        self.end().await;
    }

    async fn receive(&mut self, messages: &mut Vec<Message>) -> usize {
        if self.pages >= CHECKPOINT_PAGES_IDLE {
            let idle = Duration::from_millis(CHECKPOINT_IDLE_MS);
            let received = self.messages.recv_many(messages, WRITE_BATCH);
            match timeout(idle, received).await {
                Ok(received) => return received,
                Err(_) => self.checkpoint().await,
            }
        }
        self.messages.recv_many(messages, WRITE_BATCH).await
    }

    /// Makes all these changes in one transaction and answers.
    async fn write(&mut self, batch: Vec<Request>) {
        if batch.is_empty() {
            return;
        }
        let took = Stopwatch::start();
        let written = self.transact(&batch).await;
        metrics::committed(&took, batch.len());
        self.note_health(&written);
        match written {
            Ok(answers) => {
                for (request, answer) in batch.into_iter().zip(answers) {
                    request.answer(answer);
                }
            }
            // Somebody writes to the database beside us, and a constraint has caught it.
            // One by one only those fail whom it concerns.
            Err(error) if is_clash(&error) => {
                for request in batch {
                    let alone = std::slice::from_ref(&request);
                    let answer = match self.transact(alone).await {
                        Ok(answers) => answers.first().copied().unwrap_or(Answer::Unavailable),
                        Err(error) if is_clash(&error) => Answer::Clash,
                        Err(_) => Answer::Unavailable,
                    };
                    request.answer(answer);
                }
            }
            Err(_) => {
                for request in batch {
                    request.answer(Answer::Unavailable);
                }
            }
        }
    }

    /// Commits these changes, those that fit. After an error none of them has been made, as
    /// far as the database can say.
    async fn transact(&mut self, batch: &[Request]) -> Result<Vec<Answer>, Error> {
        if self.tips.len() > TIPS {
            self.tips.clear();
        }
        let mut database = match self.database.take() {
            Some(database) => database,
            None => Database::open_again(&self.options).await?,
        };
        let made = database.make(batch, &mut self.tips).await;
        let (answers, commit) = match made {
            Ok(made) => made,
            Err(error) => {
                self.give_up(database).await;
                return Err(error);
            }
        };
        let rows = commit.rows;
        match database.commit(commit).await {
            Ok(()) => {
                self.database = Some(database);
                // A transaction has the page of its own number, and a row often one more.
                self.pages += rows + 2;
                Ok(answers)
            }
            Err(error) if is_clash(&error) => {
                self.give_up(database).await;
                Err(error)
            }
            Err(error) => {
                self.tips.clear();
                if self.was_committed(database).await {
                    Ok(answers)
                } else {
                    Err(error)
                }
            }
        }
    }

    /// Ends a transaction of which something did not fit.
    async fn give_up(&mut self, mut database: Database) {
        self.tips.clear();
        // A connection that cannot roll back goes, and with it what it has not committed.
        if database.rollback().await.is_ok() {
            self.database = Some(database);
        } else {
            database.close().await;
        }
    }

    /// After a COMMIT that failed: was it done all the same?
    async fn was_committed(&mut self, failed: Database) -> bool {
        let number = failed.number + 1;
        failed.close().await;
        let Ok(database) = Database::open_again(&self.options).await else {
            return false;
        };
        let done = database.number == number;
        self.database = Some(database);
        done
    }

    fn note_health(&mut self, written: &Result<Vec<Answer>, Error>) {
        match (written, self.health) {
            (Err(error), Health::Well) if !is_clash(error) => {
                error!(%error, "the database takes no writes: moves are refused until it does");
                self.health = Health::Failing;
                metrics::store_well(false);
            }
            (Err(error), _) if is_clash(error) => {
                error!(%error, "somebody else has written to the database");
            }
            (Ok(_), Health::Failing) => {
                info!("the database takes writes again");
                self.health = Health::Well;
                metrics::store_well(true);
            }
            _ => {}
        }
    }

    /// Most of a long write-ahead log is copied beside the writing, by a connection of its
    /// own. Then only what has come meanwhile is left, and nobody waits long for that.
    async fn keep_log_short(&mut self) {
        match &self.copying {
            None if self.pages >= CHECKPOINT_PAGES => {
                self.copying = Some(tokio::spawn(copy(self.options.clone())));
            }
            Some(copying) if copying.is_finished() => {
                self.copying = None;
                self.checkpoint().await;
            }
            _ => {}
        }
    }

    /// Copies what was written into the database itself, so that the write-ahead log begins
    /// anew. A reader may prevent that; then the next one does it.
    async fn checkpoint(&mut self) {
        self.pages = 0;
        if let Some(database) = &mut self.database {
            checkpoint(&mut database.connection, PASSIVE).await;
        }
    }

    async fn end(mut self) {
        if let Some(copying) = self.copying.take() {
            // It ends by itself, and what it left is copied below.
            _ = copying.await;
        }
        if let Some(mut database) = self.database.take() {
            checkpoint(&mut database.connection, TRUNCATE).await;
            database.close().await;
        }
        let closing = std::mem::take(&mut self.closing);
        // The folder is free before anyone hears of the end.
        drop(self);
        for done in closing {
            // Who does not wait for it does not mind.
            _ = done.send(());
        }
    }
}

/// The connection that writes.
#[derive(Debug)]
pub(super) struct Database {
    connection: SqliteConnection,
    /// How many transactions have been committed, by the database's own account.
    number: i64,
    #[cfg(test)]
    fault: Option<tests::Fault>,
}

impl Database {
    /// Of a database in which something has gone wrong.
    ///
    /// What can be read may yet not be on disk: where a write to it failed, the system may
    /// take the pages that it has in memory for written. So all of the write-ahead log is
    /// first copied into the database, which writes it anew; what is left of a transaction
    /// that was not done goes with it.
    async fn open_again(options: &SqliteConnectOptions) -> Result<Database, Error> {
        let mut connection = options.connect().await?;
        let copied = query_scalar(TRUNCATE).fetch_one(&mut connection).await;
        if !matches!(copied, Ok(0_i64)) {
            close(connection).await;
            let busy = || Error::Io(std::io::Error::other("somebody reads the write-ahead log"));
            return Err(copied.err().unwrap_or_else(busy));
        }
        Database::of(connection).await
    }

    /// Of a connection to a database that is up to date.
    pub(super) async fn of(mut connection: SqliteConnection) -> Result<Database, Error> {
        let number = query_scalar("select number from commits")
            .fetch_one(&mut connection)
            .await?;
        Ok(Database {
            connection,
            number,
            #[cfg(test)]
            fault: None,
        })
    }

    /// Makes the changes in a transaction. The answers hold if it is committed.
    async fn make<'a>(
        &mut self,
        batch: &'a [Request],
        tips: &mut Tips,
    ) -> Result<(Vec<Answer>, Commit<'a>), Error> {
        let mut answers = Vec::with_capacity(batch.len());
        let said = batch.iter().map(|request| request.change.service_ms());
        let note = Note {
            number: self.number + 1,
            service_ms: said.max().unwrap_or(0),
        };
        let mut changes = Changes::new(&mut self.connection, tips, note);
        for request in batch {
            answers.push(changes.make(&request.change).await?);
        }
        Ok((answers, changes.finish().await?))
    }

    async fn commit(&mut self, commit: Commit<'_>) -> Result<(), Error> {
        #[cfg(test)]
        if let Some(fault) = self.fault.take() {
            return fault.strike(commit, &mut self.connection).await;
        }
        commit.run(&mut self.connection).await?;
        self.number += 1;
        Ok(())
    }

    async fn rollback(&mut self) -> Result<(), Error> {
        query("rollback").execute(&mut self.connection).await?;
        Ok(())
    }

    async fn close(self) {
        close(self.connection).await;
    }
}

/// Copies the write-ahead log into the database, on a connection of its own.
async fn copy(options: SqliteConnectOptions) {
    match options.connect().await {
        Ok(mut connection) => {
            // The second time only what came during the first is left, and after it hardly
            // anything.
            for _ in 0..2 {
                checkpoint(&mut connection, PASSIVE).await;
            }
            close(connection).await;
        }
        Err(error) => warn!(%error, "{NOT_COPIED}"),
    }
}

const PASSIVE: &str = "pragma wal_checkpoint(passive)";
const TRUNCATE: &str = "pragma wal_checkpoint(truncate)";
const NOT_COPIED: &str = "the write-ahead log could not be copied into the database";

async fn checkpoint(connection: &mut SqliteConnection, how: &'static str) {
    if let Err(error) = query(how).fetch_all(connection).await {
        warn!(%error, "{NOT_COPIED}");
    }
}

async fn close(connection: SqliteConnection) {
    if let Err(error) = connection.close().await {
        warn!(%error, "the database could not be closed in order");
    }
}

/// Has a constraint been violated?
fn is_clash(error: &Error) -> bool {
    use sqlx::error::ErrorKind;
    error
        .as_database_error()
        .is_some_and(|error| !matches!(error.kind(), ErrorKind::Other))
}

#[cfg(test)]
mod tests;
