//! Character classes in glob patterns. globset lets a class match a slash, and git does not.

use std::borrow::Cow;

/// A character that no path contains.
const NEVER: char = '\0';

/// Returns `pattern` with classes that do not match a slash. A pattern that globset rejects stays
/// unchanged.
pub(crate) fn exclude_slashes(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains('[') {
        return Cow::Borrowed(pattern);
    }
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => text.extend([character].into_iter().chain(rest.next())),
            '[' => match CharacterClass::parse(rest.as_str()) {
                Some((class, after)) => {
                    class.without_slash().write(&mut text);
                    rest = after.chars();
                }
                None => return Cow::Borrowed(pattern),
            },
            _ => text.push(character),
        }
    }
    Cow::Owned(text)
}

/// A class such as `[!a-z_]`.
struct CharacterClass {
    is_negated: bool,
    /// The first and the last character of each range.
    ranges: Vec<(char, char)>,
}

impl CharacterClass {
    /// Parses the text after `[` with globset's rules. Also returns the text after the class.
    fn parse(text: &str) -> Option<(Self, &str)> {
        let content = text.strip_prefix(['!', '^']).unwrap_or(text);
        let mut ranges: Vec<(char, char)> = Vec::new();
        let mut is_in_range = false;
        let mut rest = content.chars();
        loop {
            match (rest.next()?, ranges.last_mut()) {
                (']', Some(_)) => break,
                ('-', Some(_)) if !is_in_range => is_in_range = true,
                (character, Some(range)) if is_in_range => {
                    range.1 = character;
                    is_in_range = false;
                    if range.1 < range.0 {
                        return None;
                    }
                }
                (character, _) => ranges.push((character, character)),
            }
        }
        if is_in_range {
            ranges.push(('-', '-'));
        }
        let class = Self {
            is_negated: content.len() < text.len(),
            ranges,
        };
        Some((class, rest.as_str()))
    }

    fn without_slash(mut self) -> Self {
        if self.is_negated {
            // A final `-` must stay final. Otherwise it would start a range.
            let is_dash_last = self.ranges.last() == Some(&('-', '-'));
            let index = self.ranges.len() - usize::from(is_dash_last);
            self.ranges.insert(index, ('/', '/'));
            return self;
        }
        let split = |range: (char, char)| {
            let (first, last) = range;
            if !(first..=last).contains(&'/') {
                return [Some(range), None];
            }
            [
                (first < '/').then_some((first, '.')),
                (last > '/').then_some(('0', last)),
            ]
        };
        self.ranges = self.ranges.into_iter().flat_map(split).flatten().collect();
        // A class must not be empty, and a first `!` or `^` would negate it.
        if matches!(self.ranges.first(), None | Some(('!' | '^', _))) {
            self.ranges.insert(0, (NEVER, NEVER));
        }
        self
    }

    fn write(&self, text: &mut String) {
        text.push('[');
        if self.is_negated {
            text.push('!');
        }
        for &(first, last) in &self.ranges {
            text.push(first);
            if first != last {
                text.extend(['-', last]);
            }
        }
        text.push(']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_does_not_match_a_slash() {
        for (pattern, expected) in [
            ("a*?{b,c}", "a*?{b,c}"),
            ("[ab]", "[ab]"),
            ("[!x]", "[!x/]"),
            ("[^x-]y", "[!x/-]y"),
            ("[!]-a]", "[!]-a/]"),
            ("[/]", "[\0]"),
            ("[/!]", "[\0!]"),
            ("[+-9]", "[+-.0-9]"),
            ("[--/]", "[--.]"),
            ("[]/-]", "[]-]"),
            (r"\[!x]", r"\[!x]"),
            ("[a", "[a"),
            ("[z-a][!x]", "[z-a][!x]"),
        ] {
            assert_eq!(exclude_slashes(pattern), expected, "{pattern}");
        }
    }
}
