//! The store in memory: for tests under virtual time, and for trying things. It behaves as
//! the other one does, and forgets everything at the end.

use super::row::follows;
use super::{Append, AppendError, Created, LogRow, MatchRow, NewMatch, StageRow};
use super::{StoreError, UserRow};
use crate::ids::{PublicId, RequestHash, TokenHash};
use crate::limits::CREATION_KEY_KEPT_MS;
use mancala_play::{Access, MatchId, Snapshot, UserId};
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The store in memory.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Contents>>);

#[derive(Debug, Default)]
struct Contents {
    matches: BTreeMap<MatchId, Kept>,
    names: BTreeMap<PublicId, MatchId>,
    /// Newest first, then by name backwards, as lists want it.
    listed: BTreeMap<Reverse<(i64, PublicId)>, MatchId>,
    creations: BTreeMap<(UserId, String), Creation>,
    users: BTreeMap<UserId, UserRow>,
    tokens: BTreeMap<TokenHash, UserId>,
    closed: bool,
}

/// What is remembered of a request that created a match.
#[derive(Debug)]
struct Creation {
    at_ms: i64,
    public_id: PublicId,
    request: RequestHash,
}

#[derive(Debug)]
struct Kept {
    row: MatchRow,
    log: Vec<LogRow>,
    snapshot: Option<(u64, Snapshot)>,
}

impl Kept {
    fn is_unfinished(&self) -> bool {
        self.row.stage != StageRow::Over && self.row.set_aside.is_none()
    }

    fn place_in_list(&self) -> Reverse<(i64, PublicId)> {
        Reverse((self.row.created_ms, self.row.public_id))
    }
}

impl Memory {
    /// Does something with what is kept, unless the store is closed.
    fn with<T>(&self, work: impl FnOnce(&mut Contents) -> T) -> Result<T, StoreError> {
        let mut contents = self.0.lock();
        if contents.closed {
            return Err(StoreError::Unavailable);
        }
        Ok(work(&mut contents))
    }

    pub(super) fn create_match(&self, new: NewMatch) -> Result<Created, StoreError> {
        let spec = new.spec().ok_or(StoreError::Malformed)?.clone();
        self.with(|contents| {
            let oldest_ms = new.created_ms.saturating_sub(CREATION_KEY_KEPT_MS);
            contents
                .creations
                .retain(|_, before| before.at_ms > oldest_ms);
            let creation = new.idempotency.map(|idempotency| {
                let made = Creation {
                    at_ms: new.created_ms,
                    public_id: new.public_id,
                    request: idempotency.request,
                };
                ((new.creator, idempotency.key), made)
            });
            if let Some((key, _)) = &creation
                && let Some(before) = contents.creations.get(key)
            {
                return Ok(Created::Before {
                    public_id: before.public_id,
                    request: before.request,
                });
            }
            if contents.names.contains_key(&new.public_id) {
                return Err(StoreError::Taken);
            }
            let Entry::Vacant(place) = contents.matches.entry(new.id) else {
                return Err(StoreError::Taken);
            };
            let kept = place.insert(Kept {
                row: MatchRow {
                    id: new.id,
                    public_id: new.public_id,
                    creator: new.creator,
                    access: new.access,
                    link_hash: new.link_hash,
                    stage: new.stage,
                    created_ms: new.created_ms,
                    spec,
                    set_aside: None,
                },
                log: new.rows,
                snapshot: None,
            });
            if kept.row.access == Access::Public && kept.is_unfinished() {
                contents.listed.insert(kept.place_in_list(), new.id);
            }
            contents.names.insert(new.public_id, new.id);
            contents.creations.extend(creation);
            Ok(Created::New)
        })?
    }

    pub(super) fn append(&self, append: Append) -> Result<(), AppendError> {
        let appended = self.with(|contents| {
            let Some(kept) = contents.matches.get_mut(&append.match_id) else {
                return Err(AppendError::Conflict);
            };
            let last = kept.log.last().map_or(0, |row| row.seq);
            if append.expected_seq != last || !follows(&append.rows, last) {
                return Err(AppendError::Conflict);
            }
            kept.log.extend(append.rows);
            kept.row.stage = append.stage;
            if !kept.is_unfinished() {
                contents.listed.remove(&kept.place_in_list());
            }
            Ok(())
        });
        appended.unwrap_or(Err(AppendError::Unavailable))
    }

    pub(super) fn find_match(&self, public_id: PublicId) -> Result<Option<MatchRow>, StoreError> {
        self.with(|contents| {
            let id = contents.names.get(&public_id)?;
            contents.matches.get(id).map(|kept| kept.row.clone())
        })
    }

    pub(super) fn unfinished(&self) -> Result<Vec<(MatchId, PublicId)>, StoreError> {
        self.with(|contents| {
            let matches = contents.matches.iter();
            matches
                .filter(|(_, kept)| kept.is_unfinished())
                .map(|(&id, kept)| (id, kept.row.public_id))
                .collect()
        })
    }

    pub(super) fn set_aside_count(&self) -> Result<usize, StoreError> {
        let set_aside = |kept: &&Kept| kept.row.set_aside.is_some();
        self.with(|contents| contents.matches.values().filter(set_aside).count())
    }

    pub(super) fn listed(
        &self,
        before: Option<(i64, PublicId)>,
        limit: u32,
    ) -> Result<Vec<MatchRow>, StoreError> {
        self.with(|contents| {
            let listed = contents.listed.iter();
            listed
                .skip_while(|(Reverse(place), _)| before.is_some_and(|before| *place >= before))
                .filter_map(|(_, id)| contents.matches.get(id))
                .map(|kept| kept.row.clone())
                .take(limit as usize)
                .collect()
        })
    }

    pub(super) fn log_after(
        &self,
        id: MatchId,
        after_seq: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.with(|contents| {
            let log = contents.matches.get(&id).map_or(&[][..], |kept| &kept.log);
            log.iter()
                .skip(usize::try_from(after_seq).unwrap_or(usize::MAX))
                .take(limit as usize)
                .cloned()
                .collect()
        })
    }

    pub(super) fn put_snapshot(
        &self,
        id: MatchId,
        seq: u64,
        snapshot: &Snapshot,
    ) -> Result<(), StoreError> {
        self.with(|contents| {
            let kept = contents.matches.get_mut(&id);
            let kept = kept.ok_or(StoreError::NoSuchMatch)?;
            if kept.snapshot.as_ref().is_none_or(|&(kept, _)| kept <= seq) {
                kept.snapshot = Some((seq, snapshot.clone()));
            }
            Ok(())
        })?
    }

    pub(super) fn snapshot(&self, id: MatchId) -> Result<Option<(u64, Snapshot)>, StoreError> {
        self.with(|contents| contents.matches.get(&id)?.snapshot.clone())
    }

    pub(super) fn delete_snapshots(&self) -> Result<(), StoreError> {
        self.with(|contents| {
            for kept in contents.matches.values_mut() {
                kept.snapshot = None;
            }
        })
    }

    pub(super) fn set_aside(&self, id: MatchId, reason: &str) -> Result<(), StoreError> {
        self.with(|contents| {
            let kept = contents.matches.get_mut(&id);
            let kept = kept.ok_or(StoreError::NoSuchMatch)?;
            kept.row.set_aside = Some(reason.to_owned());
            contents.listed.remove(&kept.place_in_list());
            Ok(())
        })?
    }

    pub(super) fn create_user(&self, user: UserRow, token: TokenHash) -> Result<(), StoreError> {
        self.with(|contents| {
            let Contents { users, tokens, .. } = contents;
            match (users.entry(user.id), tokens.entry(token)) {
                (Entry::Vacant(place), Entry::Vacant(token)) => {
                    token.insert(user.id);
                    place.insert(user);
                    Ok(())
                }
                _ => Err(StoreError::Taken),
            }
        })?
    }

    pub(super) fn user_by_token(&self, token: TokenHash) -> Result<Option<UserRow>, StoreError> {
        self.with(|contents| {
            let id = contents.tokens.get(&token)?;
            contents.users.get(id).cloned()
        })
    }

    pub(super) fn users(&self, ids: &[UserId]) -> Result<Vec<UserRow>, StoreError> {
        let wanted: BTreeSet<UserId> = ids.iter().copied().collect();
        self.with(|contents| {
            let found = wanted.iter().filter_map(|id| contents.users.get(id));
            found.cloned().collect()
        })
    }

    pub(super) fn ready(&self) -> Result<(), StoreError> {
        self.with(|_| ())
    }

    pub(super) fn close(self) {
        self.0.lock().closed = true;
    }
}
