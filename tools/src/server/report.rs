//! What was measured, as a line of JSON and as a table for people.

use super::Decides;
use super::tally::{Spread, Tally};
use mancala_engine::Mancala;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// What was measured in a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) game: Mancala,
    pub(crate) options: Option<Value>,
    pub(crate) clock: Option<Value>,
    pub(crate) matches: usize,
    /// Members of each side, and how they decide; null where two play.
    pub(crate) teams: Option<TeamsReport>,
    pub(crate) spectators: usize,
    pub(crate) idle: usize,
    pub(crate) seed: u64,
    /// Moves a second that were to be sent; null where each follows the one before.
    pub(crate) rate: Option<f64>,
    #[serde(flatten)]
    pub(crate) figures: Figures,
    /// Moments of the schedule for which no match was ready until the end.
    pub(crate) unsent: usize,
    /// What went wrong.
    pub(crate) errors: Vec<String>,
    /// Null where the process is not known.
    pub(crate) server: Option<ServerReport>,
    /// Cores that the driver used: near its number of threads it measures itself.
    pub(crate) driver_cores: f64,
    /// Of the machine, over the last minute.
    pub(crate) load_average: f64,
}

/// The teams that played.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct TeamsReport {
    pub(crate) members: usize,
    pub(crate) decides: Decides,
}

/// What was counted and timed, at the clients' end.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figures {
    /// How long was measured.
    pub(crate) seconds: f64,
    /// Moves that were answered `done`.
    pub(crate) moves: u64,
    pub(crate) moves_a_second: f64,
    /// Microseconds from a move to the opponent's socket: of a team, to the first of theirs.
    pub(crate) to_opponent_us: Spread,
    /// Microseconds from a move to the last spectator's socket; null where nobody watches, or
    /// none has come to all of them.
    pub(crate) to_last_spectator_us: Option<Spread>,
    /// Microseconds from a move to its answer.
    pub(crate) to_answer_us: Spread,
    /// Bytes on the wire of a move's event.
    pub(crate) event_bytes_median: u64,
    pub(crate) frames_a_second: f64,
    pub(crate) events_checked: u64,
    pub(crate) matches_ended: u64,
    pub(crate) refused: BTreeMap<String, u64>,
    pub(crate) resyncs: u64,
    /// Moves that waited because a socket may not say more.
    pub(crate) held_back: u64,
}

impl Figures {
    pub(crate) fn of(tally: &Tally, measured: Duration) -> Figures {
        let seconds = measured.as_secs_f64();
        Figures {
            seconds: hundredths(seconds),
            moves: tally.moves,
            moves_a_second: (tally.moves as f64 / seconds).round(),
            to_opponent_us: tally.to_opponent(),
            to_last_spectator_us: tally.to_last_spectator(),
            to_answer_us: tally.to_answer(),
            event_bytes_median: tally.event_bytes_median(),
            frames_a_second: (tally.frames as f64 / seconds).round(),
            events_checked: tally.events_checked,
            matches_ended: tally.matches_ended,
            refused: tally.refused.clone(),
            resyncs: tally.resyncs,
            held_back: tally.held_back,
        }
    }
}

/// What the server took.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct ServerReport {
    /// Cores in use while it was measured.
    pub(crate) cores: f64,
    pub(crate) cpu_us_a_move: f64,
    /// In use before anybody came, and at the end.
    pub(crate) start_bytes: u64,
    pub(crate) end_bytes: u64,
    /// For each of the idle sockets.
    pub(crate) idle_socket_bytes: Option<u64>,
    /// For each socket of the players and spectators, greeted but in no match.
    pub(crate) player_socket_bytes: Option<u64>,
    /// For each match that has begun, beside its sockets.
    pub(crate) match_begun_bytes: Option<u64>,
    /// The same at the end, when it has been played for a while.
    pub(crate) match_played_bytes: Option<u64>,
}

/// To a hundredth, as far as any of these figures goes.
pub(crate) fn hundredths(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}

/// Runs as one: of each figure the median. What is no figure is that of the first run, and
/// what went wrong is that of all.
pub(crate) fn median(runs: &[Value]) -> Value {
    let Some(first) = runs.first() else {
        return Value::Null;
    };
    match first {
        Value::Object(_) => {
            let fields = runs.iter().filter_map(Value::as_object);
            let names: Vec<&String> = fields.flat_map(Map::keys).collect();
            let field = |name: &String| {
                let figures: Vec<Value> = runs
                    .iter()
                    .map(|run| run.get(name).cloned().unwrap_or_else(|| 0.into()))
                    .collect();
                (name.clone(), median(&figures))
            };
            Value::Object(names.into_iter().map(field).collect())
        }
        Value::Array(_) => {
            let all = runs.iter().filter_map(Value::as_array);
            Value::Array(all.flatten().cloned().collect())
        }
        Value::Number(_) => {
            let mut figures: Vec<&Value> = runs.iter().collect();
            figures.sort_by(|one, other| {
                let figure = |value: &Value| value.as_f64().unwrap_or_default();
                figure(one).total_cmp(&figure(other))
            });
            figures[(figures.len() - 1) / 2].clone()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => first.clone(),
    }
}

/// A report as lines of two columns, in the order of the alphabet.
pub(crate) fn table(report: &Value) -> String {
    let mut lines = Vec::new();
    lay_out(report, "", &mut lines);
    let width = lines.iter().map(|(name, _)| name.len()).max();
    let width = width.unwrap_or_default();
    lines
        .iter()
        .map(|(name, figure)| format!("{name:width$}  {figure}\n"))
        .collect()
}

fn lay_out(value: &Value, name: &str, lines: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = format!("{name} {}", field.replace('_', " "));
                lay_out(value, name.trim(), lines);
            }
        }
        Value::Null => lines.push((name.to_owned(), "-".to_owned())),
        Value::Array(all) if all.is_empty() => lines.push((name.to_owned(), "none".to_owned())),
        Value::Array(all) => {
            for value in all {
                lay_out(value, name, lines);
            }
        }
        Value::String(text) => lines.push((name.to_owned(), text.clone())),
        figure => lines.push((name.to_owned(), figure.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn of_each_figure_the_median() {
        let run = |rate: f64, busy: Option<u32>, errors: &[&str]| {
            let mut run = json!({"game": "urim", "rate": rate, "refused": {}, "errors": errors});
            if let Some(busy) = busy {
                run["refused"]["busy"] = busy.into();
            }
            run
        };
        let runs = [
            run(3.0, None, &[]),
            run(1.0, Some(4), &["a"]),
            run(2.0, Some(8), &["b"]),
        ];
        let one = median(&runs);
        let expected = json!({
            "game": "urim", "rate": 2.0, "refused": {"busy": 4}, "errors": ["a", "b"]
        });
        assert_eq!(one, expected);
        assert_eq!(median(&runs[..1]), runs[0]);
    }

    #[test]
    fn a_table_has_a_line_a_figure() {
        let report = json!({"moves": 7, "server": {"cores": 0.5}, "rate": null, "errors": []});
        assert_eq!(
            table(&report),
            "errors        none\nmoves         7\nrate          -\nserver cores  0.5\n"
        );
    }
}
