//! The law of converting: a patch in another format has the same effect.

use wpatch::engine::options::SYNTAXES;
use wpatch::engine::{self, Request};
use wpatch::workspace::memory::Memory;

use crate::scene::Scene;

/// Converts the patch of an input to each format, and compares the plans.
///
/// # Panics
///
/// Panics if a result has another plan.
pub fn keep_the_plan(bytes: &[u8]) {
    let scene = Scene::decode(bytes);
    let memory = scene.memory();
    let fingerprint = memory.fingerprint();
    let request = scene.request(scene.direction());
    let expected = plan_id(request.clone(), &memory);
    for syntax in SYNTAXES {
        let report = engine::convert(request.clone(), syntax.name(), &memory).report;
        let Some(text) = report.converted.map(|patch| patch.text) else {
            continue;
        };
        if expected.is_none() {
            // A diff can be converted to another diff without its tree.
            assert!(
                syntax.is_diff(),
                "a patch that does not apply was converted"
            );
            continue;
        }
        let mut converted = Request::of(text.clone());
        converted.decide.format = syntax.name().to_owned();
        converted.decide.overwrite = request.decide.overwrite;
        let found = plan_id(converted, &memory);
        let text = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(found, expected, "{}: another plan\n{text}", syntax.name());
    }
    assert_eq!(
        memory.fingerprint(),
        fingerprint,
        "converting changed the tree"
    );
}

/// Returns the `plan_id` of the patch, if it applies.
fn plan_id(mut request: Request, tree: &Memory) -> Option<String> {
    request.look.describe = true;
    let report = engine::check(request, tree).report;
    report.plan_id.filter(|_| report.ok)
}
