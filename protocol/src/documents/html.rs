//! Pieces of a page: text made safe, and JSON laid out for people.

use serde_json::{Map, Value};

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(super) fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

pub(super) fn entry(name: &Value, kind: &str, told: &str) -> String {
    let name = escaped(text(name));
    format!("<dt><code>{name}</code> {kind}</dt>\n<dd>\n{told}</dd>\n")
}

pub(super) fn definitions(heading: &str, entries: &str) -> String {
    let heading = match heading {
        "" => String::new(),
        heading => format!("<h4>{heading}</h4>\n"),
    };
    match entries {
        "" => String::new(),
        entries => format!("{heading}<dl>\n{entries}</dl>\n"),
    }
}

pub(super) fn sample(caption: &str, value: &Value) -> String {
    let value = match value {
        Value::String(text) => text.clone(),
        other => laid_out(other, 0),
    };
    let (caption, value) = (escaped(caption), escaped(value.trim_end()));
    format!("<figure>\n<figcaption>{caption}</figcaption>\n<pre>{value}</pre>\n</figure>\n")
}

/// JSON with a line for each field of what would not fit into one line.
fn laid_out(value: &Value, depth: usize) -> String {
    const LINE: usize = 64;
    let short = value.to_string();
    let Value::Object(object) = value else {
        return short;
    };
    if 2 * depth + short.len() <= LINE {
        return short;
    }
    let indent = "  ".repeat(depth + 1);
    let lines = object.iter().map(|(name, value)| {
        let value = laid_out(value, depth + 1);
        format!("{indent}\"{name}\": {value}")
    });
    let lines = lines.collect::<Vec<_>>().join(",\n");
    format!("{{\n{lines}\n{}}}", "  ".repeat(depth))
}

/// Paragraphs, lists of one line an entry, and `code`.
pub(super) fn prose(description: &Value) -> String {
    let blocks = text(description)
        .split("\n\n")
        .filter(|block| !block.is_empty());
    let blocks = blocks.map(|block| match block.strip_prefix("- ") {
        Some(entries) => {
            let entries = entries.split("\n- ");
            let entries = entries.map(|entry| format!("<li>{}</li>\n", inline(entry)));
            format!("<ul>\n{}</ul>\n", entries.collect::<String>())
        }
        None => format!("<p>{}</p>\n", inline(block)),
    });
    blocks.collect()
}

fn inline(text: &str) -> String {
    let pieces = text.split('`').enumerate();
    let pieces = pieces.map(|(number, piece)| match number % 2 {
        0 => escaped(piece),
        _ => format!("<code>{}</code>", escaped(piece)),
    });
    pieces.collect()
}

pub(super) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
