//! Tests of names at strip levels.

use super::*;

fn claim(bytes: &[u8], strip: StripRule) -> NameCandidate {
    NameCandidate {
        bytes: bytes.to_vec(),
        strip,
        span: Span::default(),
    }
}

#[test]
fn a_header_is_split_where_both_halves_agree() {
    let name = Name::Header(Box::new(claim(b"a/x y b/x y", StripRule::Prefixed)));
    assert_eq!(name.resolve(1, b"").unwrap().as_bytes(), b"x y");
}

#[test]
fn a_header_whose_halves_differ_names_no_file() {
    let cases: [(&[u8], usize); 8] = [
        (b"a/x b/y", 1),
        (b"a/x y b/z", 1),
        (b"a/ b/", 1),
        (b"x  x", 0),
        (b"x", 0),
        (b"", 1),
        (b" ", 0),
        (b"a/b/x c/d/y", 2),
    ];
    for (line, level) in cases {
        let name = Name::Header(Box::new(claim(line, StripRule::Prefixed)));
        assert!(
            name.resolve(level, b"").is_err(),
            "{}",
            crate::text::printable(line)
        );
    }
    let taken: [(&[u8], usize, &[u8]); 4] = [
        (b"x y x y", 0, b"x y"),
        (b"a//x b/x", 1, b"x"),
        (b"p q/x y/z r/x y/z", 1, b"x y/z"),
        (b"a/d/x b/e/x", 2, b"x"),
    ];
    for (line, level, path) in taken {
        let name = Name::Header(Box::new(claim(line, StripRule::Prefixed)));
        assert_eq!(name.resolve(level, b"").unwrap().as_bytes(), path);
    }
}

#[test]
fn a_line_names_the_file_of_its_header() {
    let named = |header: &[u8], lines: &[&[u8]]| {
        let lines = lines
            .iter()
            .map(|line| claim(line, StripRule::Prefixed))
            .collect();
        let name = Name::Below {
            header: Box::new(claim(header, StripRule::Prefixed)),
            lines,
        };
        name.resolve(1, b"").map(|path| path.as_bytes().to_vec())
    };
    assert_eq!(named(b"a/x b/x", &[b"b/x"]), Ok(b"x".to_vec()));
    assert_eq!(named(b"a/x b/x", &[b"b/x-y"]), Err(NameError::Disagreement));
    assert_eq!(named(b"/dev/null b/x", &[b"b/x"]), Ok(b"x".to_vec()));
    assert_eq!(named(b"a/x b/x", &[b"a/y", b"b/y"]), Ok(b"y".to_vec()));
    assert_eq!(named(b"a/x b/x", &[b"x", b"x"]), Ok(b"x".to_vec()));
    assert_eq!(named(b"a/x b/x", &[b"x", b"b/x"]), Err(NameError::Stripped));
    assert_eq!(named(b"a/x b/y", &[b"x", b"x"]), Err(NameError::Stripped));
}

#[test]
fn a_level_of_its_own_holds_for_all_lines_of_a_section() {
    let header = || Box::new(claim(b"a/d/x b/d/x", StripRule::Prefixed));
    let (old, new) = (
        || claim(b"a/d/x", StripRule::Prefixed),
        || claim(b"b/d/x", StripRule::Prefixed),
    );
    let names = [
        Name::Header(header()),
        Name::Below {
            header: header(),
            lines: vec![old(), new()],
        },
        Name::from_pair(old(), new()),
    ];
    for mut name in names {
        for (level, path) in [(1, Ok(&b"d/x"[..])), (2, Ok(b"x"))] {
            let mut fixed = name.clone();
            fixed.fix_strip_level(level);
            assert_eq!(fixed.name_at_level(1), path, "{name:?}");
        }
        name.fix_strip_level(3);
        assert!(name.name_at_level(1).is_err(), "{name:?}");
    }
}

#[test]
fn a_header_full_of_blanks_is_split_at_once() {
    let half = |prefix: &[u8]| [prefix, &b" ".repeat(1 << 20)].concat();
    let line = [half(b"a/"), half(b"b/")].join(&b' ');
    assert_eq!(split_halves(&line, 1), Some(&b" ".repeat(1 << 20)[..]));
    assert_eq!(split_halves(&[&line[..], b"x"].concat(), 1), None);
}

#[test]
fn a_rename_line_has_one_component_fewer() {
    let name = Name::Agreed(vec![
        claim(b"x", StripRule::Bare),
        claim(b"a/x", StripRule::Prefixed),
    ]);
    assert_eq!(name.resolve(1, b"").unwrap().as_bytes(), b"x");
    assert_eq!(name.resolve(2, b""), Err(NameError::Stripped));
}

#[test]
fn a_rename_line_that_is_too_short_does_not_count() {
    let name = |bare: &[u8], prefixed: &[u8]| {
        Name::Agreed(vec![
            claim(bare, StripRule::Bare),
            claim(prefixed, StripRule::Prefixed),
        ])
    };
    let (short, long) = (name(b"f", b"x/y/f"), name(b"d/f", b"x/y/d/f"));
    assert_eq!(short.resolve(2, b"").unwrap().as_bytes(), b"f");
    assert_eq!(long.resolve(2, b""), Err(NameError::Disagreement));
    let mut fixed = short.clone();
    fixed.fix_strip_level(2);
    assert_eq!(fixed.resolve(1, b"").unwrap().as_bytes(), b"f");
    assert_eq!(
        name(b"d/", b"x/y/f").resolve(2, b"").unwrap().as_bytes(),
        b"f"
    );
    assert_eq!(
        Name::Agreed(vec![claim(b"f", StripRule::Bare)]).resolve(2, b""),
        Err(NameError::Stripped)
    );
}

#[test]
fn a_suffix_on_the_new_name_is_dropped() {
    let traditional = |old: &[u8], new: &[u8]| Name::Traditional {
        old: Box::new(claim(old, StripRule::Prefixed)),
        new: Box::new(claim(new, StripRule::Prefixed)),
    };
    assert_eq!(
        traditional(b"a/x.c", b"b/x.c~")
            .resolve(1, b"")
            .unwrap()
            .as_bytes(),
        b"x.c"
    );
    assert_eq!(
        traditional(b"a/x.c.orig", b"b/x.c")
            .resolve(1, b"")
            .unwrap()
            .as_bytes(),
        b"x.c"
    );
}

#[test]
fn a_directory_does_not_lift_the_rules() {
    let name = Name::Agreed(vec![claim(b"a//etc/x", StripRule::Prefixed)]);
    assert_eq!(name.resolve(0, b"sub").unwrap().as_bytes(), b"sub/a/etc/x");
    let absolute = Name::Agreed(vec![claim(b"/etc/x", StripRule::Literal)]);
    assert_eq!(absolute.resolve(1, b"sub"), Err(PathError::Absolute.into()));
}
