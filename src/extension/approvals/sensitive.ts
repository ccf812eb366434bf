import { runningEntries, runningExpressions, secretEntries, secretExpressions } from "./sensitiveNames.ts";

/**
 * Two lists of files by their names. Those with secrets are read, searched and changed only when the user says so; those
 * that decide what runs on this machine, or what agents are instructed, are changed only then.
 */
const environExpression = String.raw`proc\/[^/]+\/(?:environ|mem|maps|cmdline|fd|root|cwd|task)(?:\/.*)?`;
const browserExpression = "(?:login data|cookies|web data|local state)(?: for account)?(?:-journal)?";

/** What shows how such a file is written, with values that belong to no user; and texts for people, in their languages. */
const exampleOrText =
  /(?:^|[._-])(?:example|sample|template|dist|defaults|schema)(?:\.(?:json|ya?ml|toml|ini|env|properties|conf|xml|txt))?$|(?:^|\/)(?:locales?|i18n|lang|translations?)\/(?:[^/]*\/)*[^/]*\.(?:json|ya?ml|properties|php)$/;

interface ListedNames {
  has(path: string): boolean;
  stems: readonly string[];
}

// Hundreds of names, which the start of the extension does not need.
const secrets = atFirstUse(() =>
  listedNames(secretEntries, [environExpression, browserExpression, ...secretExpressions]),
);
const running = atFirstUse(() => listedNames(runningEntries, runningExpressions));

function atFirstUse<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function listedNames(lines: readonly string[], others: readonly string[]): ListedNames {
  return { has: matcherOf(lines, others), stems: stemsOf(lines) };
}

function entriesOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(" "));
}

/** Whole names are looked up, since there are hundreds of them; the others, and the kinds of names, are one expression. */
function matcherOf(lines: readonly string[], others: readonly string[]): (path: string) => boolean {
  const entries = entriesOf(lines);
  const isWhole = (entry: string) => /^[^*/]+\/?$/.test(entry);
  const whole = new Set(entries.filter(isWhole));
  const escaped = entries
    .filter((entry) => !isWhole(entry))
    .map((entry) => {
      const source = entry.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
      return entry.endsWith("/") ? `${source.slice(0, -1)}(?:/.*)?` : source;
    });
  const expression = new RegExp(`(?:^|/)(?:${[...escaped, ...others].join("|")})$`);
  return (path) => {
    const names = path.split("/");
    return whole.has(names.at(-1) ?? "") || names.some((name) => whole.has(`${name}/`)) || expression.test(path);
  };
}

/** How the short names of Windows begin: without dots and blanks, six characters at most. */
function stemsOf(lines: readonly string[]): readonly string[] {
  const names = entriesOf(lines).flatMap((entry) => entry.replace(/\/$/, "").split("/"));
  return names
    .map((name) =>
      name
        .replace(/^\.+/, "")
        .replace(/[*. ].*$/, "")
        .slice(0, 6),
    )
    .filter((stem) => stem.length >= 2);
}

function hasShortName(path: string, stems: readonly string[]): boolean {
  return path.split("/").some((segment) => {
    const stem = /^([^.~]{3,6})~\d+(?:\.[^.]{0,3})?$/.exec(segment)?.[1];
    return stem !== undefined && stems.some((each) => each.slice(0, stem.length) === stem);
  });
}

/**
 * Whether an edit of a file is asked for each time, whatever is allowed otherwise. Judged by its text alone; a link has
 * to be judged by where it leads, too. Slashes of either kind part a path.
 */
export function isSensitivePath(path: string): boolean {
  return plainPaths(path).some((plain) => {
    if (running().has(plain) || hasShortName(plain, [...running().stems, ...secrets().stems])) return true;
    return secrets().has(plain) && !exampleOrText.test(plain);
  });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Whether a file holds what only its owner should see: keys, passwords, tokens. Judged by its text alone, like
 * `isSensitivePath`.
 */
export function isSecretPath(path: string): boolean {
  return plainPaths(path).some((plain) => {
    const name = nameOf(plain);
    // Of git's own, a link to a remote may hold a password.
    const isInGit = /(?:^|\/)\.git\/./.test(plain);
    if (name.endsWith(".pub") || exampleOrText.test(plain)) return false;
    return isInGit || secrets().has(plain) || hasShortName(plain, [...secrets().stems, "git"]);
  });
}

/** As a glob, for a search of the files that `isSecretPath` may mean; it means a few less. */
export function secretGlob(): string {
  const globs = entriesOf(secretEntries).flatMap((entry) =>
    !entry.includes("/") ? [entry] : entry.endsWith("/") ? [`**/${entry}**`] : [`**/${entry}`],
  );
  return `{${globs.join(",")}}`;
}

const drawsNothing = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/** What editors and people add to a name when they keep what a file held before. */
const backupEnding =
  /(?:~|\.(?:bak|backup|back|old|orig|original|saved?|sw[a-p]|tmp|copy|prev|previous|gz|bz2|xz|zst|zip|7z|\d{1,3}))+$/;

/**
 * The path as it is written and as it would be resolved, each as it is read by file systems that ignore case and some
 * characters; and what it would be without the ending of a backup.
 */
function plainPaths(path: string): string[] {
  const segments = path
    .split(/[\\/]/)
    .map(plainSegment)
    .filter((segment) => segment !== "");
  const resolved: string[] = [];
  for (const segment of segments) {
    if (segment === "..") resolved.pop();
    else resolved.push(segment);
  }
  const paths = [segments.join("/"), resolved.join("/")];
  return [...new Set([...paths, ...paths.map((each) => each.replace(backupEnding, ""))])];
}

/** Without case, trailing dots and streams, without what draws nothing, and with letters that only look different. */
function plainSegment(segment: string): string {
  if (segment === "..") return segment;
  const stream = segment.indexOf(":", 1);
  const name = stream < 0 ? segment : segment.slice(0, stream);
  return name
    .normalize("NFKC")
    .replace(drawsNothing, "")
    .replace(/[. ]+$/, "")
    .toUpperCase()
    .toLowerCase();
}
