//! Panics, of whichever task of a run: the model's, which found something, or the server's,
//! which ought not to.

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

thread_local! {
    static FOUND: RefCell<Option<Option<String>>> = const { RefCell::new(None) };
}

/// From now on the first panic of this thread is kept.
pub(crate) fn watch() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let kept = FOUND.with_borrow_mut(|found| match found {
                Some(found) => {
                    found.get_or_insert_with(|| info.to_string());
                    true
                }
                None => false,
            });
            if !kept {
                before(info);
            }
        }));
    });
    FOUND.set(Some(None));
}

/// Goes no further once there was one.
pub(crate) fn check() {
    let found = FOUND.with_borrow(|found| matches!(found, Some(Some(_))));
    assert!(!found, "a task has panicked");
}

/// The first one, if there was one. Later ones are nobody's here.
pub(crate) fn found() -> Option<String> {
    FOUND.take().flatten()
}
