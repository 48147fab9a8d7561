//! Tests of content in pieces.

use super::*;

/// Returns content in pieces, and the same content as one slice.
fn large() -> (Contents, Contents) {
    let base: Contents = vec![b'x'; MIN_PIECE_TABLE_SIZE].into();
    let mut pieces = Pieces::default();
    pieces.insert(b"ab");
    pieces.insert(b"c");
    pieces.keep(0..MIN_PIECE_TABLE_SIZE / 2);
    pieces.keep(MIN_PIECE_TABLE_SIZE / 2..MIN_PIECE_TABLE_SIZE);
    pieces.keep(7..7);
    pieces.keep(0..1);
    let joined = [b"abc", &vec![b'x'; MIN_PIECE_TABLE_SIZE + 1][..]].concat();
    assert_eq!(pieces.list.len(), 3);
    (Contents::from_pieces(&base, pieces), joined.into())
}

/// Returns whether the content was not joined yet.
fn is_in_pieces(contents: &Contents) -> bool {
    matches!(&contents.0, Representation::PieceTable(made) if made.whole.get().is_none())
}

#[test]
fn pieces_are_the_bytes_that_they_come_to() {
    let (made, whole) = large();
    assert_eq!(made.slices().concat(), *whole);
    assert_eq!((made.len(), made.slices().len()), (whole.len(), 3));
    assert!(is_in_pieces(&made));
    assert_eq!(made[..], whole[..]);
}

#[test]
fn contents_are_equal_however_they_were_made() {
    let (made, whole) = large();
    assert_eq!(made, whole);
    assert_eq!(whole, made);
    assert!(is_in_pieces(&made));
    assert_eq!(
        (
            made.has_same_memory(&whole),
            made.has_same_memory(&made.clone())
        ),
        (false, true)
    );
    let other = [&whole[..whole.len() - 1], b"y"].concat().into();
    assert_ne!(made, other);
    assert_ne!(other, made);
    assert_ne!(made, Contents::default());
}

#[test]
fn the_beginning_is_not_all() {
    let (made, whole) = large();
    for count in [0, 2, 3, 4, 100, whole.len() + 1] {
        assert_eq!(made.prefix(count), whole.prefix(count), "{count}");
        assert_eq!(whole.prefix(count)[..], whole[..count.min(whole.len())]);
    }
}

#[test]
fn what_was_there_before_the_last_change_is_given_up() {
    let mut contents: Contents = vec![b'x'; MIN_PIECE_TABLE_SIZE].into();
    let first = Arc::downgrade(contents.whole());
    for _ in 0..2 {
        let mut pieces = Pieces::default();
        pieces.keep(0..contents.len());
        pieces.insert(b"y");
        contents = Contents::from_pieces(&contents, pieces);
    }
    assert_eq!(
        (first.strong_count(), contents.len()),
        (0, MIN_PIECE_TABLE_SIZE + 2)
    );
}

#[test]
fn the_end_can_be_taken_away() {
    let mut pieces = Pieces::default();
    pieces.keep(0..2);
    pieces.insert(b"x\n");
    pieces.remove_last(1);
    pieces.insert(b"y");
    assert_eq!((pieces.join(b"ab"), pieces.len()), (b"abxy".to_vec(), 4));
    pieces.remove_last(1);
    pieces.remove_last(1);
    assert_eq!((pieces.join(b"ab"), pieces.list.len()), (b"ab".to_vec(), 1));
}

#[test]
fn pieces_follow_pieces() {
    let (mut pieces, mut behind) = (Pieces::default(), Pieces::default());
    pieces.insert(b"x");
    pieces.keep(0..2);
    behind.keep(2..3);
    behind.insert(b"yz");
    behind.keep(0..1);
    pieces.append(behind);
    assert_eq!(
        (pieces.join(b"abc"), pieces.len(), pieces.list.len()),
        (b"xabcyza".to_vec(), 7, 4)
    );
    let mut behind = Pieces::default();
    behind.insert(b"-");
    pieces.remove_last(1);
    pieces.append(behind);
    assert_eq!(
        (pieces.join(b"abc"), pieces.list.len()),
        (b"xabcyz-".to_vec(), 3)
    );
}

#[test]
fn small_contents_are_one_piece() {
    let mut pieces = Pieces::default();
    pieces.keep(1..3);
    pieces.insert(b"-");
    pieces.keep(3..4);
    let made = Contents::from_pieces(&b"abcd".to_vec().into(), pieces);
    assert_eq!((&made[..], made.slices().len()), (&b"bc-d"[..], 1));
}
