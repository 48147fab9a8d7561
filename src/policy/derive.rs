//! Derives policies from another one: with one more layer, for another root, for another file
//! system, or for another actor.

use super::{Policy, PolicyLayer, RootLocation};
use crate::path::RelPath;

impl Policy {
    /// Returns this policy with one more layer.
    #[must_use]
    pub fn with_layer(&self, layer: PolicyLayer) -> Self {
        let layers = [&self.layers[..], &[layer]].concat();
        let (tree, for_model) = (self.tree.clone(), self.for_model);
        Self {
            tree,
            for_model,
            roots: self.roots.clone(),
            ..Self::new(layers, self.location.clone(), self.files.clone())
        }
    }

    /// Returns this policy for a root whose file system finds a file under several spellings of its
    /// name. Rules then match every spelling of a path.
    ///
    /// # Errors
    ///
    /// Returns the name of a policy file whose patterns become too large, and the reason.
    pub fn with_folding(&self) -> Result<Self, (String, String)> {
        let fold = |layer: &PolicyLayer| {
            layer
                .with_folding()
                .map_err(|why| (layer.name.clone(), why))
        };
        Ok(Self {
            layers: self.layers.iter().map(fold).collect::<Result<_, _>>()?,
            ..self.clone()
        })
    }

    /// Returns this policy for changes by a model, in a hook or a server. It asks before control
    /// files are changed, unless the user's policy switches that off.
    #[must_use]
    pub fn for_model(self) -> Self {
        Self {
            for_model: true,
            ..self
        }
    }

    /// Returns this policy for changes by a person.
    #[must_use]
    pub fn for_user(self) -> Self {
        Self {
            for_model: false,
            ..self
        }
    }

    /// Returns this policy for the whole work tree `top`. The root of this policy is `prefix` in
    /// that work tree.
    ///
    /// Files below the old root keep their verdicts. For other files, only those parts of the
    /// policy apply that do not depend on the root. The result contains no facts about the tree.
    /// The caller must add the facts about the work tree.
    #[must_use]
    pub fn for_work_tree(&self, prefix: &RelPath, top: &[u8]) -> Self {
        let end = [b"/", prefix.as_bytes()].concat();
        let own = if self.location.roots.is_empty() {
            vec![[top, &end].concat()]
        } else {
            self.location.roots.clone()
        };
        let layer = |layer: &PolicyLayer| match layer.other_root {
            Some(_) => layer.clone(),
            None => layer.clone().with_other_root(own.clone()),
        };
        let mut roots: Vec<_> = own
            .iter()
            .filter_map(|root| Some(root.strip_suffix(&end[..])?.to_vec()))
            .collect();
        // A root that is named through a link need not end with `prefix`.
        if roots.is_empty() {
            roots.push(top.to_vec());
        }
        let files = self
            .files
            .iter()
            .filter_map(|file| prefix.join(file.as_bytes()).ok());
        let files = files.chain(prefix.join(b"wpatch.toml").ok()).collect();
        let place = RootLocation {
            roots,
            ..self.location.clone()
        };
        let layers = self.layers.iter().map(layer).collect();
        Self {
            for_model: self.for_model,
            ..Self::new(layers, place, files)
        }
    }

    /// Adds `layer`, the policy file of the directory `prefix` below the root `root`.
    ///
    /// [`PolicyLayer::with_other_root`] describes which paths its rules match.
    #[must_use]
    pub fn with_inner(&self, layer: PolicyLayer, prefix: &RelPath, root: &[u8]) -> Self {
        let mut place = self.location.clone();
        if place.roots.is_empty() {
            place.roots.push(root.to_vec());
        }
        let inner = |root: &Vec<u8>| [root, prefix.as_bytes()].join(&b'/');
        let layer = layer.with_other_root(place.roots.iter().map(inner).collect());
        let files = self
            .files
            .iter()
            .cloned()
            .chain(prefix.join(b"wpatch.toml").ok())
            .collect();
        let layers = [&self.layers[..], &[layer]].concat();
        Self {
            tree: self.tree.clone(),
            for_model: self.for_model,
            roots: self.roots.clone(),
            ..Self::new(layers, place, files)
        }
    }

    /// Adds `layer`, the policy file of the top of the work tree. It applies to the files below the
    /// root.
    ///
    /// `top` is the absolute path of the top, without links. `prefix` is the path of the root below
    /// it.
    #[must_use]
    pub fn with_outer(&self, layer: PolicyLayer, prefix: &RelPath, top: &[u8]) -> Self {
        let end = [b"/", prefix.as_bytes()].concat();
        let root = [top, &end].concat();
        let mut policy = self.clone();
        if !policy.location.roots.contains(&root) {
            policy.location.roots.push(root);
        }
        let tops = policy
            .location
            .roots
            .iter()
            .filter_map(|root| Some(root.strip_suffix(&end[..])?.to_vec()))
            .collect();
        policy.with_layer(layer.with_outer_root(tops))
    }

    /// Returns this policy for the directory at `place`, without rules on paths and without grants.
    /// Only the settings that apply everywhere remain. `files` are the policy files below that
    /// directory. The result contains no facts about the tree.
    #[must_use]
    pub fn for_directory(&self, place: RootLocation, files: Vec<RelPath>) -> Self {
        let layers = self.layers.iter().map(PolicyLayer::without_paths).collect();
        Self {
            for_model: self.for_model,
            ..Self::new(layers, place, files)
        }
    }
}
