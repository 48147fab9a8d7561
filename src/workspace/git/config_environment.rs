//! The variables of git's configuration in the environment.

use std::env;
use std::ffi::OsString;

use super::variables::Variable;

/// Returns the names and values of the variables that `GIT_CONFIG_COUNT` counts; see git-config(1).
/// Returns `None` if git rejects the environment.
pub(super) fn config_entries() -> Option<Vec<(OsString, OsString)>> {
    let count: u32 = match env::var("GIT_CONFIG_COUNT") {
        Ok(count) if !count.is_empty() => count.trim_start().parse().ok()?,
        _ => 0,
    };
    let part = |part: &str, number| env::var_os(format!("GIT_CONFIG_{part}_{number}"));
    (0..count)
        .map(|number| part("KEY", number).zip(part("VALUE", number)))
        .collect()
}

/// Returns the variables in the environment, as git and `git -c` pass them on; see
/// `GIT_CONFIG_COUNT` in git-config(1). Returns `None` if git rejects the environment.
pub(super) fn config_of_environment() -> Option<Vec<Variable>> {
    let parameters = env::var("GIT_CONFIG_PARAMETERS").unwrap_or_default();
    let counted = config_entries()?.into_iter().map(|(key, value)| {
        let value = value.into_encoded_bytes();
        Variable::named(&key.to_string_lossy(), value)
    });
    let parameters = split_parameters(&parameters)?.into_iter();
    counted
        .chain(parameters.map(|(key, value)| Variable::named(&key, value.into_bytes())))
        .collect()
}

/// Returns the keys and values of `GIT_CONFIG_PARAMETERS`. Each is `'KEY'='VALUE'`, `'KEY'=` without
/// a value, or `'KEY=VALUE'` and `'KEY'` as older versions of git write them; see
/// `git_config_from_parameters` in git's config.c. A missing value is `true`. Returns `None` for
/// another form.
fn split_parameters(text: &str) -> Option<Vec<(String, String)>> {
    let mut parameters = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (key, after) = unquote(rest)?;
        let (key, value, after) = match after.strip_prefix('=') {
            Some(value) if value.starts_with('\'') => {
                let (value, after) = unquote(value)?;
                (key, Some(value), after)
            }
            Some(after) => (key, None, after),
            None => match key.split_once('=') {
                Some((key, value)) => (key.to_owned(), Some(value.to_owned()), after),
                None => (key, None, after),
            },
        };
        parameters.push((key, value.unwrap_or_else(|| "true".to_owned())));
        rest = after.trim_start();
        if rest.len() == after.len() && !rest.is_empty() {
            return None;
        }
    }
    Some(parameters)
}

/// Removes the quotes of a shell from the start of `text`: `'it'\''s'` is `it's`. Returns the word
/// and the rest, or `None` if git rejects the quotes; see `sq_dequote_step` in git's quote.c.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text.strip_prefix('\'')?;
    loop {
        let (part, after) = rest.split_once('\'')?;
        word.push_str(part);
        match after.as_bytes() {
            [b'\\', escaped @ (b'\'' | b'!'), b'\'', ..] => {
                word.push(char::from(*escaped));
                rest = &after[3..];
            }
            [b'\\', ..] => return None,
            _ => return Some((word, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_both_forms_of_git() {
        let text = r"'core.eol'='it'\''s' 'a.b'= 'c.d' 'e.f=g=h'  'i.j=' 'k.l'=''";
        let found = split_parameters(text).unwrap();
        let expected = [
            ("core.eol", "it's"),
            ("a.b", "true"),
            ("c.d", "true"),
            ("e.f", "g=h"),
            ("i.j", ""),
            ("k.l", ""),
        ];
        let found: Vec<_> = found
            .iter()
            .map(|(key, value)| (&**key, &**value))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn git_rejects_other_parameters() {
        for text in [
            "x",
            " 'a.b'",
            "'a.b",
            "'a.b'x",
            "'a.b'='c'x",
            "'a.b'='c",
            r"'a.b'='c'\x'd'",
        ] {
            assert_eq!(split_parameters(text), None, "{text}");
        }
    }
}
