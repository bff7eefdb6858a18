//! What a player does who knows no rules: any of what the server says may be played.
//!
//! May know the message `legal` and the position, never which action is a good one.

use crate::playout::choose_seeds;
use crate::random::Random;
use anyhow::{Context as _, bail, ensure};
use mancala_engine::{Action, Phase, Setup};
use mancala_protocol::{MatchView, WireAction};
use serde_json::Value;
use serde_json::value::RawValue;

/// Seeds that a side lays out, and the pits it has for them (`proto-docs/rules.md`).
const LAID_OUT: (u32, usize) = (32, 16);

/// Any of the listed actions, each with the same chance. The rest of the list is not read.
/// `None` of an empty list.
pub(crate) fn listed(actions: &str, random: &mut Random) -> anyhow::Result<Option<WireAction>> {
    let actions: Vec<&RawValue> = serde_json::from_str(actions)?;
    if actions.is_empty() {
        return Ok(None);
    }
    let any = actions[random.below(actions.len())];
    Ok(Some(serde_json::from_str(any.get())?))
}

/// Any action of a phase whose actions are not listed.
pub(crate) fn unlisted(view: &MatchView, random: &mut Random) -> anyhow::Result<WireAction> {
    let position = view.position.as_ref().context("before the first game")?;
    let action = match position.standing.phase {
        Phase::Strip { seeds } => strip(position, seeds, random)?,
        Phase::Arrange => arrange(&view.options, random)?,
        phase => bail!("no action is listed in {phase:?}"),
    };
    Ok(WireAction(action))
}

fn strip(position: &Setup, due: u32, random: &mut Random) -> anyhow::Result<Action> {
    let pits = &position.board.pits[position.standing.to_move.other()];
    ensure!(
        due <= pits.iter().sum(),
        "a strip of {due} seeds from {pits:?}"
    );
    let take = choose_seeds(pits.clone(), due, random);
    Ok(Action::Strip { take })
}

fn arrange(options: &Value, random: &mut Random) -> anyhow::Result<Action> {
    let (seeds, pits) = LAID_OUT;
    let cap = options["cap"].as_u64().unwrap_or(u64::from(seeds));
    ensure!(cap * pits as u64 >= u64::from(seeds), "no room under {cap}");
    let mut pits = vec![0; pits];
    for _ in 0..seeds {
        let room: Vec<usize> = (0..pits.len())
            .filter(|&pit| u64::from(pits[pit]) < cap)
            .collect();
        pits[room[random.below(room.len())]] += 1;
    }
    Ok(Action::Arrange { pits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn any_listed_action_and_nothing_of_an_empty_list() {
        let mut random = Random::from_seed(1);
        let list = r#"[{"type":"sow","pit":0},{"type":"sow","pit":3}]"#;
        let mut pits: Vec<_> = (0..50)
            .map(|_| listed(list, &mut random).unwrap().unwrap().0)
            .collect();
        pits.dedup();
        assert!(pits.len() > 10, "each came again and again: {pits:?}");
        assert_eq!(listed("[]", &mut random).unwrap(), None);
        assert!(listed("{}", &mut random).is_err());
    }

    #[test]
    fn arrangements_hold_all_seeds_under_the_cap() {
        let mut random = Random::from_seed(2);
        for options in [json!({"cap": 2}), json!({"cap": 10}), json!({"cap": null})] {
            let Action::Arrange { pits } = arrange(&options, &mut random).unwrap() else {
                panic!("no arrangement");
            };
            assert_eq!((pits.len(), pits.iter().sum::<u32>()), (16, 32));
            let cap = options["cap"].as_u64().unwrap_or(32);
            assert!(pits.iter().all(|&pit| u64::from(pit) <= cap), "{pits:?}");
        }
        assert!(arrange(&json!({"cap": 1}), &mut random).is_err());
    }
}
