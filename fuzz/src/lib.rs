//! What the fuzz targets have in common: inputs as trees and patches, the laws, and seeds from
//! `fixtures/`.

pub mod apply;
pub mod convert;
pub mod crash;
pub mod diff;
pub mod parse;
pub mod recover;
pub mod scene;
pub mod seeds;
