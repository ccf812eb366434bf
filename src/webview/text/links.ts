/** Where a link of a message may lead. The host judges it once more before anything is opened. */
export type LinkTarget = { kind: "url"; href: string } | { kind: "file"; path: string; line?: number };

const webSchemes = new Set(["http:", "https:", "mailto:"]);
const maxLength = 2_000;
/** Controls and characters that reorder or hide their neighbours. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Undefined for anything that is neither a web address, a mail address nor a path inside the workspace. */
export function linkTarget(href: string): LinkTarget | undefined {
  if (href === "" || href.length > maxLength || /\s/.test(href) || unseen.test(href)) return undefined;
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(href)?.[0].toLowerCase();
  if (scheme === undefined) return fileTarget(href);
  if (webSchemes.has(scheme)) return URL.canParse(href) ? { kind: "url", href } : undefined;
  // "price.ts:12" looks like a scheme.
  return /^[^/:]*\.[a-z0-9]+:\d+(?::\d+)?$/i.test(href) ? fileTarget(href) : undefined;
}

function fileTarget(href: string): LinkTarget | undefined {
  if (/[\\?*<>|"]/.test(href) || href.startsWith("/") || href.startsWith("#") || href.startsWith("~")) return undefined;
  const match = /^([^#:]+)(?:#L?(\d+)(?:-L?\d+)?|:(\d+)(?::\d+)?(?:-\d+)?)?$/.exec(href);
  const path = match?.[1] === undefined ? undefined : decoded(match[1]);
  if (path === undefined || unseen.test(path) || /[\\:]/.test(path)) return undefined;
  if (path.startsWith("/") || path.split("/").includes("..")) return undefined;
  const line = Number(match?.[2] ?? match?.[3] ?? 0);
  return line > 0 ? { kind: "file", path, line } : { kind: "file", path };
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** A path in inline code, with or without a line, that is worth a link: it has a folder or a line, and an extension. */
export function pathInCode(code: string): LinkTarget | undefined {
  if (code.length > 200 || !/^(?:[\w.@-]+\/)*[\w.@-]+\.\w{1,8}(?::\d+(?:-\d+)?)?$/.test(code)) return undefined;
  return code.includes("/") || /:\d+/.test(code) ? linkTarget(code) : undefined;
}
