/** Where a link in a conversation may lead: out to the browser, or to a file of the workspace. */
export type LinkTarget = { kind: "web"; url: string } | { kind: "file"; path: string; line?: number };

const webSchemes = new Set(["http:", "https:", "mailto:"]);

/** Judges a link that a model wrote; undefined for one that must not be followed. */
export function linkTarget(href: string): LinkTarget | undefined {
  const trimmed = href.trim();
  if (/^[a-z][a-z0-9+.-]*:/i.test(trimmed)) return webTarget(trimmed);
  // Neither an absolute path, nor one to another machine, nor one with an escape sequence in it.
  if (trimmed === "" || /^[\\/#?]/.test(trimmed) || /[%\\]/.test(trimmed)) return undefined;
  const [, path = "", line] = /^(.*?)(?:[:#]L?(\d+)(?:[:-]L?\d+)*)?$/.exec(trimmed) ?? [];
  if (path === "" || path.split("/").includes("..")) return undefined;
  return { kind: "file", path, ...(line !== undefined && { line: Number(line) }) };
}

function webTarget(text: string): LinkTarget | undefined {
  const fileWithLine = /^([^/:]+\.\w+):(\d+)$/.exec(text);
  if (fileWithLine?.[1] !== undefined) return { kind: "file", path: fileWithLine[1], line: Number(fileWithLine[2]) };
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return webSchemes.has(url.protocol) && url.username === "" && url.password === ""
    ? { kind: "web", url: url.href }
    : undefined;
}
