//! Checks a JSON text before its values are stored.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The limit on the number of values in a text. A value takes much more memory than its text.
const MAX_VALUES: usize = 200_000;

/// Checks that `text` is JSON, has at most 200,000 values, and has no name twice in an object.
///
/// # Errors
///
/// Returns the first fault. Its category is `Data` for a fault in valid JSON.
pub(super) fn check(text: &str) -> serde_json::Result<()> {
    let count = Cell::new(0);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Check(&count).deserialize(&mut deserializer)?;
    deserializer.end()
}

/// The check of one value. The number is the number of values before it.
#[derive(Clone, Copy)]
struct Check<'a>(&'a Cell<usize>);

impl Check<'_> {
    fn count<E: Error>(self) -> Result<(), E> {
        self.0.set(self.0.get() + 1);
        if self.0.get() > MAX_VALUES {
            return Err(E::custom(format_args!(
                "it has more than {MAX_VALUES} values"
            )));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Check<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Check<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            self.count()?;
            if names.contains(&name) {
                let name: String = name.chars().take(100).collect();
                return Err(A::Error::custom(format_args!("`{name}` occurs twice")));
            }
            names.insert(name);
            members.next_value_seed(self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::error::Category;

    use super::*;

    #[test]
    fn faults_have_a_category() {
        let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
        for (text, category) in [
            (r#"{"a": [1, null, "x", -1.5, true], "b": {"a": {}}}"#, None),
            ("", Some(Category::Eof)),
            ("[1", Some(Category::Eof)),
            ("1 2", Some(Category::Syntax)),
            (r#"{"a"}"#, Some(Category::Syntax)),
            (r#"{"a": 1, "a": 2}"#, Some(Category::Data)),
            (&many, Some(Category::Data)),
        ] {
            let fault = check(text).err().map(|error| error.classify());
            assert_eq!(fault, category, "{}", &text[..text.len().min(30)]);
        }
    }
}
