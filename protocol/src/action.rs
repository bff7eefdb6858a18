//! Actions on the wire: the forms of the rules.

use crate::forms::ActionForm;
use mancala_engine::Action;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An action as the rules write it, `{"type": "sow", "pit": 3}` and its like; see
/// `proto-docs/rules.md`.
///
/// ```
/// use mancala_protocol::WireAction;
/// let action: WireAction = serde_json::from_str(r#"{"type":"sow","pit":3}"#)?;
/// assert_eq!(action.0, mancala_engine::Action::sow(mancala_engine::Pit(3)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WireAction(pub Action);

impl JsonSchema for WireAction {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Action".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ActionForm::json_schema(generator)
    }
}
