/** A glob as the source of a regular expression over whole paths. A glob without a slash starts at any depth. */
export function globSource(glob: string): string {
  const isAnchored = glob.replace(/\/$/, "").includes("/");
  const segments = glob.replace(/^\//, "").replace(/\/$/, "").split("/");
  const parts = segments.map((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === "**") return isLast ? ".+" : "(?:.*/)?";
    return segmentSource(segment) + (isLast ? "" : "/");
  });
  return `${isAnchored ? "" : "(?:.*/)?"}${parts.join("")}`;
}

function segmentSource(segment: string): string {
  let source = "";
  for (let at = 0; at < segment.length; at++) {
    const character = segment.charAt(at);
    if (character === "*") source += "[^/]*";
    else if (character === "?") source += "[^/]";
    else if (character === "\\" && at + 1 < segment.length) source += escaped(segment.charAt(++at));
    else if (character === "[") {
      const end = segment.indexOf("]", at + 2);
      if (end < 0) return source + escaped(segment.slice(at));
      source += classSource(segment.slice(at + 1, end));
      at = end;
    } else source += escaped(character);
  }
  // Stars in a row are one: as a regular expression they would take for ever on a long name.
  return source.replace(/(?:\[\^\/\]\*){2,}/g, "[^/]*");
}

/** A range that is upside down matches nothing instead of being no expression at all. */
function classSource(inner: string): string {
  const isNegated = inner.startsWith("!") || inner.startsWith("^");
  const members = (isNegated ? inner.slice(1) : inner).replace(/[\\\]^]/g, "\\$&");
  const source = isNegated ? `(?!/)[^${members}]` : `[${members}]`;
  try {
    return new RegExp(source).source;
  } catch {
    return "(?!)";
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
