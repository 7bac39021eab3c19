//! Times as a table and as JSON lines.

use quarry_scores::topk::ScoredDoc;

pub struct Measured {
    pub terms: Vec<String>,
    pub kind: String,
    pub command: &'static str,
    pub microseconds: f64,
    pub top: Vec<ScoredDoc>,
    pub count: Option<u64>,
}

impl Measured {
    pub fn json(&self) -> serde_json::Value {
        let top: Vec<(u32, f32)> = self.top.iter().map(|scored| (scored.doc, scored.score)).collect();
        serde_json::json!({"q": self.terms, "kind": self.kind, "cmd": self.command, "us": self.microseconds, "count": self.count, "top": top})
    }
}

/// The value below which this share of the sorted values lies.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len()) - 1]
}

pub fn print_table(measured: &[Measured], commands: &[&str]) {
    println!("{:14}{:14}{:>5}{:>12}{:>12}{:>12}", "kind", "command", "n", "mean_us", "p50_us", "p99_us");
    for kind in ["term", "intersection", "union", "phrase"] {
        for command in commands {
            let of_kind = measured.iter().filter(|one| one.kind == kind && one.command == *command);
            let mut times: Vec<f64> = of_kind.map(|one| one.microseconds).collect();
            if times.is_empty() {
                continue;
            }
            times.sort_by(f64::total_cmp);
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            let (median, high) = (percentile(&times, 0.5), percentile(&times, 0.99));
            println!("{kind:14}{command:14}{:5}{mean:12.1}{median:12.1}{high:12.1}", times.len());
        }
    }
}
