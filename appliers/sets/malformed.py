"""Patches of real commits, intact and with one kind of damage each. The truth is the commit."""

from harness import damage_blocks, damage_codex, damage_diff, render
from harness.case import Case, stable_number
from harness.commits import materials

EACH = 4  # commits for each kind of damage and each family of formats
FAMILIES = (("diff", ("git", "unified"), damage_diff.DAMAGE), ("codex", ("codex",), damage_codex.DAMAGE),
            ("blocks", ("blocks",), damage_blocks.DAMAGE))


def can_render(material, format):
    """Returns whether the format can express the change."""
    return format != "blocks" or all(change.new is not None for change in material.changes)


def make(material, kind, format, patch):
    """Returns one case."""
    return Case("malformed", f"{kind}/{material.name}", kind, format, material.before, patch, material.after,
                source=material.source)


def intact(all_materials):
    """Returns the patches without damage: the control group."""
    return [make(material, "intact", format, render.encode(render.RENDERERS[format](material.changes)))
            for material in all_materials for format in render.RENDERERS if can_render(material, format)]


def damaged_patch(function, material, format):
    """Returns the damaged patch, or None if the damage has no effect on this commit."""
    lines = render.RENDERERS[format](material.changes)
    damaged = function(material.changes, lines, f"{function.__name__} {material.name}")
    if damaged is None:
        return None
    patch = render.encode(damaged)
    if function.__name__ == "no_final_newline":
        patch = patch.rstrip(b"\n")
    return None if patch == render.encode(lines) else patch


def damaged(all_materials):
    """Returns the damaged patches. Each damage takes the first commits, from a start of its own, that it changes."""
    cases = []
    for family, formats, functions in FAMILIES:
        for function in functions:
            kind = function.__name__
            start = stable_number(f"{family} {kind}", max(1, len(all_materials)))
            found = 0
            for material in all_materials[start:] + all_materials[:start]:
                format = formats[found % len(formats)]
                if found == EACH or not can_render(material, format):
                    continue
                patch = damaged_patch(function, material, format)
                if patch is None and len(formats) > 1:
                    format = formats[1 - found % 2]
                    patch = damaged_patch(function, material, format)
                if patch is not None:
                    cases.append(make(material, kind, format, patch))
                    found += 1
    return cases


def load(cache):
    """Returns the cases and the missing repositories."""
    all_materials, missing = materials(cache)
    return intact(all_materials) + damaged(all_materials), missing
