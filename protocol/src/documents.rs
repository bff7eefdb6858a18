//! The protocol as documents that programs read: JSON Schemas, AsyncAPI and OpenAPI, all
//! made from the types of this crate. They are kept in `proto-docs`, and the server gives
//! out the OpenAPI one.

mod asyncapi;
mod examples;
mod html;
mod openapi;
mod operation;
mod page;
mod schemas;

pub use asyncapi::asyncapi;
pub use openapi::openapi;
pub use page::openapi_page;

use serde_json::Value;

/// The version that the documents carry: that of the protocol, not of the server.
const VERSION: &str = "1.0.0";

/// All documents, each with its path inside `proto-docs`.
///
/// ```
/// let files = mancala_protocol::documents::files();
/// assert!(files.iter().any(|(path, _)| path == "openapi.json"));
/// ```
#[must_use]
pub fn files() -> Vec<(String, Value)> {
    let mut files = vec![
        ("asyncapi.json".to_owned(), asyncapi()),
        ("openapi.json".to_owned(), openapi()),
    ];
    let schemas = schemas::files();
    files.extend(
        schemas
            .into_iter()
            .map(|(name, schema)| (format!("schemas/{name}.json"), schema)),
    );
    files
}

/// A text as a paragraph: its lines are one.
fn paragraph(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
