//! Tests the names of scratch files.

use super::*;

#[test]
fn a_name_says_what_it_is_for_if_it_was_given_here() {
    let scratch = Scratch::for_entry(RelPath::new(b"e").unwrap(), "1");
    for slot in [
        ScratchFile::Staged,
        ScratchFile::Displaced,
        ScratchFile::Reverted,
    ] {
        for number in [
            0,
            7,
            50_000,
            FIRST_BUCKETED - 1,
            FIRST_BUCKETED,
            FIRST_BUCKETED + 50_000,
            usize::MAX,
        ] {
            let path = scratch.own_scratch_path(slot, number).unwrap();
            assert_eq!(
                parse_name(path.as_bytes().strip_prefix(b"e/").unwrap()),
                Some((slot, number))
            );
        }
    }
    let others = [
        "",
        "o",
        "o01",
        "o00",
        "o+1",
        "o1x",
        "O1",
        "b1",
        "d0",
        "done",
        "n99999999999999999999",
    ];
    let elsewhere = [
        "n2147483648",
        "files1/n0",
        "files1/n70",
        "files2/",
        "files01/n40",
        "file1/n40",
        "files1/files1/n40",
    ];
    let others = others.into_iter().chain(elsewhere);
    for other in others {
        assert_eq!(parse_name(other.as_bytes()), None, "{other}");
    }
}
