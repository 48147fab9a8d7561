"use strict";

/** The limit on the number of reasons that `wpatch reject` accepts. */
const MAX_REASONS = 256;

/** Returns `text` as one word for a POSIX shell. Control characters except line feeds are removed. */
function quoteWord(text) {
  const word = text.replace(/\r\n?/g, "\n").replace(/\t/g, " ").replace(/[\0-\x09\x0b-\x1f\x7f-\x9f]/g, "");
  return /^[\w%+,\-./:=@]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
}

/** Returns the decisions about the hunks of `file`. A hunk without a decision has that of the file. */
function hunksOf(plan, file) {
  const own = file.decision || plan.decision;
  const reason = file.decision === "reject" ? file.reason : "";
  return file.hunks.map((hunk) => ({
    id: hunk.id,
    path: file.path,
    decision: hunk.decision || own,
    reason: (hunk.decision === "reject" && hunk.reason) || (hunk.decision ? "" : reason),
  }));
}

/** Returns the decision about each file, or about each hunk of a file whose hunks differ. */
function resolve(plan) {
  const items = [];
  for (const file of plan.files) {
    const hunks = hunksOf(plan, file);
    const isWhole = hunks.every((hunk) => hunk.decision === hunks[0].decision && hunk.reason === hunks[0].reason);
    if (hunks.length === 0) {
      const reason = file.decision === "reject" ? file.reason : "";
      items.push({ id: file.id, path: file.path, decision: file.decision || plan.decision, reason });
    } else if (isWhole) {
      items.push({ ...hunks[0], id: file.id });
    } else {
      items.push(...hunks);
    }
  }
  return items;
}

/** Returns the shell commands for the decisions, one in each line; empty if nothing is decided. */
function commandsOf(plan) {
  const items = resolve(plan);
  const accepted = items.filter((item) => item.decision === "accept");
  const rejected = items.filter((item) => item.decision === "reject");
  const commands = [];
  if (accepted.length > 0 && accepted.length === items.length) {
    commands.push(plan.approve);
  } else if (accepted.length > 0) {
    commands.push(plan.part[0] + accepted.map((item) => item.id).join(",") + plan.part[1]);
  }
  if (rejected.length > 0) {
    const isWhole = rejected.length === items.length && rejected.every((item) => !item.reason.trim());
    const named = isWhole ? [] : [...rejected].sort((one, other) => !one.reason.trim() - !other.reason.trim());
    const words = named
      .slice(0, MAX_REASONS)
      .map((item) => " --hunk " + quoteWord(item.id + "=" + (item.reason.trim() || "rejected")));
    const reason = plan.reason.trim() ? " --reason=" + quoteWord(plan.reason.trim()) : "";
    commands.push(plan.reject + reason + words.join(""));
  }
  return commands.join(" &&\n");
}

/** Returns the decisions as a JSON document, with the fields of `decisions` in the report of `wpatch review`. */
function documentOf(plan) {
  const words = { accept: "accepted", reject: "rejected", "": "undecided" };
  const part = (item) => {
    const reason = item.decision === "reject" ? item.reason.trim() : "";
    return { decision: words[item.decision], ...(reason && { reason }) };
  };
  const files = plan.files.map((file) => {
    const hunks = hunksOf(plan, file);
    const [whole] = resolve({ ...plan, files: [file] });
    const own = hunks.every((hunk) => hunk.decision === hunks[0].decision)
      ? part({ ...whole, reason: hunks.length === 0 ? whole.reason : "" })
      : { decision: "partial" };
    const parts = hunks.map((hunk) => ({ id: hunk.id, ...part(hunk) }));
    return { id: file.id, path: file.path, ...own, ...(parts.length > 0 && { hunks: parts }) };
  });
  const accepted = resolve(plan).filter((item) => item.decision === "accept");
  const only = accepted.map((item) => item.id).join(",") || null;
  const reason = plan.reason.trim();
  const document = { schema: "wpatch.decisions/1", plan_id: plan.id, only, ...(reason && { reason }), files };
  return JSON.stringify(document, null, 2);
}

/** Returns the number of decisions of each kind in words. */
function statusOf(plan) {
  const items = resolve(plan);
  const count = (decision) => items.filter((item) => item.decision === decision).length;
  return `${count("accept")} accepted, ${count("reject")} rejected, ${count("")} undecided`;
}

/** Reads the plan from the page. */
function readPlan(page) {
  const read = (box) => {
    const decision = box.querySelector("input:checked")?.value || "";
    // A reason stays in its field when the decision changes.
    const reason = decision === "reject" ? box.querySelector("textarea").value : "";
    return { id: box.dataset.id, decision, reason };
  };
  const result = page.getElementById("decision");
  const files = [];
  for (const box of page.querySelectorAll("fieldset.decide[data-id]")) {
    if (box.dataset.path === undefined) {
      files[files.length - 1].hunks.push(read(box));
    } else {
      files.push({ ...read(box), path: box.dataset.path, hunks: [] });
    }
  }
  const { plan, approve, before, after, reject } = result.dataset;
  const { decision, reason } = read(page.getElementById("d-all"));
  return { id: plan, decision, reason, approve, part: [before, after], reject, files };
}

/** Shows the commands, the document and the status of the decisions on the page. */
function update(page) {
  const plan = readPlan(page);
  const commands = commandsOf(plan);
  page.getElementById("commands").textContent = commands || "Nothing is decided yet.";
  page.getElementById("document").textContent = documentOf(plan);
  page.getElementById("status").textContent = statusOf(plan);
  const links = new Map([...page.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  for (const file of plan.files) {
    const decisions = new Set(resolve({ ...plan, files: [file] }).map((item) => item.decision));
    const link = links.get(file.id);
    if (link) {
      link.dataset.decision = decisions.size > 1 ? "mixed" : [...decisions][0];
    }
  }
}

/** Copies the text of the element that a button names. */
async function copy(page, button) {
  const text = page.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(text.textContent);
  } catch {
    // Without the permission, the selection is copied.
    getSelection().selectAllChildren(text);
    page.execCommand("copy");
  }
  page.getElementById("copied").textContent = "Copied.";
}

if (typeof document !== "undefined") {
  document.addEventListener("input", () => {
    document.getElementById("copied").textContent = "";
    update(document);
  });
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(document, button));
  }
  // A browser can restore the decisions after a reload.
  addEventListener("pageshow", () => update(document));
  update(document);
}
