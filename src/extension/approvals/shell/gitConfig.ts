import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isMissing } from "../../common/files.ts";

/** Settings that name no program and lead to no other file. */
const harmless: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|commentchar|preloadindex|longpaths|untrackedcache|sparsecheckout|sparsecheckoutcone|splitindex|protecthfs|protectntfs|compression|bigfilethreshold|whitespace|trustctime|checkstat|sharedrepository)$/,
  /^(?:remote|branch|submodule)\..*\.(?:url|pushurl|fetch|push|merge|remote|pushremote|rebase|active|description|mergeoptions|tagopt|prune|prunetags|branch|ignore|shallow|fetchrecursesubmodules|vscode-merge-base|gh-resolved|github-pr-owner-number|gh-merge-base)$/,
  /^(?:remote|branch|submodule)\.(?:pushdefault|autosetupmerge|autosetuprebase|sort|active|recurse)$/,
  /^(?:user|author|committer)\.(?:name|email|signingkey|useconfigonly)$/,
  /^(?:init|pull|push|fetch|rebase|rerere|gc|maintenance|color|advice|status|log|commit|tag|merge|diff|feature|index|pack|http|receive|transfer|lfs|extensions|i18n|apply|blame|column|format|versionsort|grep|am|stash|help|checkout|clone|worktree)\.(?!(?:.*\.)?(?:.*program|.*command|external|textconv|tool|driver|filter|proxy|sslcert|sslkey|cookiefile|template|gpgsign|showsignature|excludesfile|orderfile|pager|customtransfer.*|.*path)$)[^.]*$/,
  /^(?:url|alias)\./,
  /^color\.[^.]*\.[^.]*$/,
];

/** What git-lfs sets up; its program is the user's, by its own name. */
const lfs =
  /^filter\.lfs\.(?:clean=git-lfs clean -- %f|smudge=git-lfs smudge -- %f|process=git-lfs filter-process|required=true)$/;

/** Without these hooks no reading command of git runs anything. */
const hooksOfReading = ["post-index-change", "fsmonitor-watchman"];

/**
 * Why a command of git that only reads may run something in this folder: the repository's own settings can name
 * programs. Undefined where they don't, or where there is no repository.
 */
export async function gitConcern(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const dotGit = join(at, ".git");
    const kind = await kindOf(dotGit);
    if (kind === "folder") return concernIn(dotGit, at);
    if (kind === "file") return concernOfLinked(dotGit, at);
    if (kind === "odd") return "Its .git can't be judged.";
    if ((await kindOf(join(at, "HEAD"))) === "file" && (await kindOf(join(at, "objects"))) === "folder") {
      return "The folder is a repository without a working tree, whose settings git would use.";
    }
    if (dirname(at) === at) return undefined;
  }
}

async function concernOfLinked(file: string, top: string): Promise<string | undefined> {
  const target = /^gitdir: (.+?)\s*$/.exec(await readFile(file, "utf8"))?.[1];
  if (target === undefined) return "Its .git can't be judged.";
  const gitFolder = resolve(top, target);
  const common = await textOf(join(gitFolder, "commondir"));
  const own = await concernIn(gitFolder, top);
  return own ?? (common === undefined ? undefined : concernIn(resolve(gitFolder, common.trim()), top));
}

async function concernIn(gitFolder: string, top: string): Promise<string | undefined> {
  const modules = (await readdir(join(gitFolder, "modules"), { withFileTypes: true, recursive: true }).catch(() => []))
    .filter((entry) => entry.isFile() && entry.name === "config")
    .slice(0, 100)
    .map((entry) => join(entry.parentPath, entry.name));
  let hooks = join(gitFolder, "hooks");
  for (const file of [join(gitFolder, "config"), join(gitFolder, "config.worktree"), ...modules]) {
    const text = await textOf(file);
    if (text === undefined) continue;
    for (const [key, value] of settingsIn(text)) {
      if (key === "core.hookspath" && value !== "") hooks = resolve(top, value);
      else if (key === "core.worktree" && modules.includes(file)) continue;
      else if (key === "core.fsmonitor" && /^(?:true|false|)$/i.test(value)) continue;
      else if (!harmless.some((pattern) => pattern.test(key)) && !lfs.test(`${key}=${value}`)) {
        return `The repository's own settings (${key}) may run a program.`;
      }
    }
  }
  for (const hook of hooksOfReading) {
    if ((await kindOf(join(hooks, hook))) !== "missing") return `The repository's hook ${hook} would run.`;
  }
  return undefined;
}

/** Sections, keys and values, the way git reads them, names in lower case. What isn't understood is a key of its own. */
function settingsIn(text: string): [string, string][] {
  const settings: [string, string][] = [];
  let section = "";
  for (const line of text.replaceAll("\\\n", "").split(/\r?\n/)) {
    let rest = line.trim();
    const header = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest);
    if (header !== null) {
      const [whole, name = "", sub] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub.replaceAll(".", "_")}`;
      rest = rest.slice(whole.length).trim();
    }
    if (rest === "" || /^[#;]/.test(rest)) continue;
    const [, key, value = ""] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest) ?? [];
    settings.push(key === undefined ? [rest, ""] : [`${section}.${key.toLowerCase()}`, value.trim()]);
  }
  return settings;
}

async function kindOf(path: string): Promise<"file" | "folder" | "missing" | "odd"> {
  try {
    const found = await stat(path);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "odd";
  } catch (error) {
    return isMissing(error) ? "missing" : "odd";
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
