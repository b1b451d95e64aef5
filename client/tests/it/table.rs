//! Rows of tables as comma-separated text, whose fields may be quoted.

use std::{collections::HashMap, fs};

/// One row: fields by the names in the heading.
#[derive(Clone, Debug, Default)]
pub struct Row(HashMap<String, String>);

impl Row {
    pub fn get(&self, name: &str) -> &str {
        let field = self.0.get(name);
        field.unwrap_or_else(|| panic!("no column {name} in {:?}", self.0.keys()))
    }

    pub fn number(&self, name: &str) -> i32 {
        let text = self.get(name);
        text.parse().unwrap_or_else(|_| panic!("{name}: {text:?}"))
    }
}

/// All rows of a table that lies in `tests/data/tables`.
pub fn rows(name: &str) -> Vec<Row> {
    let path = format!(
        "{}/tests/data/tables/{name}.csv",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut lines = text.lines().map(fields);
    let heading = lines.next().expect("a table has a heading");
    let rows: Vec<Row> = lines
        .map(|line| Row(heading.iter().cloned().zip(line).collect()))
        .collect();
    assert!(!rows.is_empty(), "{name} is empty");
    rows
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = fields.last_mut().expect("there is always one");
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                last.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            letter => last.push(letter),
        }
    }
    fields
}

#[test]
fn quoted_fields_hold_commas_and_quotes() {
    assert_eq!(fields(r#"1,"a,""b""",,c"#), ["1", r#"a,"b""#, "", "c"]);
}
