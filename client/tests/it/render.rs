//! Some of the reference views, drawn and compared; `cargo xtask views` does all.

use crate::views::draw_views;

#[test]
fn frames_match_the_reference_client() {
    let names = [
        "oa_dm1-torches",
        "oa_dm1-mirror",
        "oa_dm2-models",
        "oa_dm2-dlight",
        "oa_koth1-pit-fog",
        "oa_dm7-court",
    ];
    let outcomes = draw_views(&names.map(str::to_owned), |_| {});
    assert!(outcomes.len() >= names.len());
    for outcome in outcomes {
        assert!(
            outcome.passes(),
            "{}: mean error {:.2}, {:.2} % of the pixels far off, {} draws",
            outcome.name,
            outcome.mean_abs_error,
            outcome.share_over_16 * 100.0,
            outcome.stats.draws
        );
    }
}
