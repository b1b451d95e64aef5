//! What is at a point, and in which cluster it lies.

use super::{Report, table::rows};
use shared::cm::ClipMap;

pub fn check(clip: &ClipMap, text: &str, report: &mut Report) {
    for mut row in rows(text) {
        let model = row.decimal();
        let point = row.vec3();
        let origin = row.optional_vec3().unwrap_or_default();
        let angles = row.optional_vec3().unwrap_or_default();
        let wanted = row.hex();
        let found = match model {
            0 => clip.point_contents(point),
            _ => clip.model_contents(point, model, origin, angles),
        };
        report.expect(found == wanted, || {
            format!("{}\n  contents {found:x}", row.line())
        });
        let cluster = row.text();
        if !cluster.is_empty() {
            let found = clip.cluster_at(point);
            report.expect(cluster == found.to_string(), || {
                format!("{}\n  cluster {found}", row.line())
            });
        }
    }
}
