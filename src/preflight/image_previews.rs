//! Image previews: the first small images of a change, kept for display.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::mutex::lock_unpoisoned;
use crate::text::Bytes;

/// The maximum size of one image in bytes.
const MAX_OF_ONE: usize = 1 << 20;
/// The maximum total size of the kept images in bytes.
const MAX_OF_ALL: usize = 8 << 20;

/// Keeps the images of files before and after the first operations of a plan.
///
/// The kept images do not depend on the order in which the threads add them.
#[derive(Debug, Default)]
pub struct ImagePreviews {
    store: Mutex<ImageStore>,
}

/// The images before and after an operation.
pub type ImagePair = [Option<Arc<Bytes>>; 2];

/// The state of a file before or after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ImageSide {
    /// The existing file.
    Before,
    /// The new file.
    After,
}

#[derive(Debug, Default)]
struct ImageStore {
    /// The sizes of all images that were added, including the images that were dropped since.
    sizes: BTreeMap<(usize, ImageSide), usize>,
    images: BTreeMap<(usize, ImageSide), Arc<Bytes>>,
    sum: usize,
}

impl ImagePreviews {
    /// Adds the images of the operation at `index`.
    pub(super) fn take(&self, index: usize, images: ImagePair) {
        for (moment, image) in [ImageSide::Before, ImageSide::After]
            .into_iter()
            .zip(images)
        {
            if let Some(image) = image {
                lock_unpoisoned(&self.store).take((index, moment), &image);
            }
        }
    }

    /// Returns the images of the operation at `index` that are within the limit.
    #[must_use]
    pub fn images(&self, index: usize) -> ImagePair {
        let kept = lock_unpoisoned(&self.store);
        [ImageSide::Before, ImageSide::After].map(|moment| kept.image((index, moment)))
    }
}

impl ImageStore {
    fn take(&mut self, key: (usize, ImageSide), content: &Arc<Bytes>) {
        self.sizes.insert(key, content.len());
        self.images.insert(key, Arc::clone(content));
        self.sum += content.len();
        while self.sum > MAX_OF_ALL
            && let Some((_, last)) = self.images.pop_last()
        {
            self.sum -= last.len();
        }
    }

    /// Returns an image if it and all images before it are within the limit. `take` drops the last
    /// image first, so such an image is still present.
    fn image(&self, key: (usize, ImageSide)) -> Option<Arc<Bytes>> {
        let sum: usize = self.sizes.range(..=key).map(|(_, size)| size).sum();
        self.images.get(&key).filter(|_| sum <= MAX_OF_ALL).cloned()
    }
}

/// Returns `content` if it is a small image in a format that browsers display. SVG images are
/// excluded.
pub(super) fn image(content: &Arc<Bytes>) -> Option<Arc<Bytes>> {
    (content.len() <= MAX_OF_ONE && media_type(content).is_some()).then(|| Arc::clone(content))
}

/// Returns the media type of an image, based on its first bytes.
///
/// # Security
///
/// SVG is not included, because an SVG file can contain scripts. It is displayed as text.
#[must_use]
pub fn media_type(content: &[u8]) -> Option<&'static str> {
    match content {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gif(bytes: usize) -> Arc<Bytes> {
        let mut gif = b"GIF89a".to_vec();
        gif.resize(bytes, 0);
        Arc::new(gif.into())
    }

    #[test]
    fn the_first_images_are_kept_whatever_the_order() {
        let sizes: Vec<usize> = (0..20)
            .map(|index| if index == 11 { 10 } else { 700 << 10 })
            .collect();
        let kept = |order: &mut dyn Iterator<Item = usize>| {
            let gallery = ImagePreviews::default();
            order.for_each(|index| gallery.take(index, [None, image(&gif(sizes[index]))]));
            let held: usize = gallery
                .store
                .lock()
                .unwrap()
                .images
                .values()
                .map(|image| image.len())
                .sum();
            assert!(held <= MAX_OF_ALL);
            (0..20)
                .filter(|&index| gallery.images(index)[1].is_some())
                .collect::<Vec<_>>()
        };
        let all: Vec<_> = (0..12).collect();
        assert_eq!(kept(&mut (0..20)), all);
        assert_eq!(kept(&mut (0..20).rev()), all);
        assert_eq!(kept(&mut (0..20).map(|index| index * 7 % 20)), all);
    }

    #[test]
    fn only_small_images_are_kept() {
        let gallery = ImagePreviews::default();
        gallery.take(0, [image(&gif(MAX_OF_ONE)), image(&gif(MAX_OF_ONE + 1))]);
        gallery.take(
            1,
            [
                image(&Arc::new(
                    b"<svg xmlns='http://www.w3.org/2000/svg'/>".into(),
                )),
                None,
            ],
        );
        assert_eq!(
            gallery.images(0).map(|image| image.is_some()),
            [true, false]
        );
        assert_eq!(gallery.images(1), [None, None]);
    }
}
