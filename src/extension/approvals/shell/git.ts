import { type Assessment, acts, type ReadPath, readOptions, unknown } from "./options.ts";
import type { ShellWord } from "./words.ts";

const diffOptions =
  "-pusbwRazMCDBWlSGXm0123456789 -U: -S: -G: -O< -l: -M? -C? -B? -X? --patch --no-patch --unified= --output-indicator-new= --raw --patch-with-raw --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --anchored= --diff-algorithm= --stat=? --stat-width= --stat-count= --compact-summary --numstat --shortstat --dirstat=? --cumulative --summary --patch-with-stat --name-only --name-status --submodule=? --color=? --no-color --color-moved=? --no-color-moved --color-words=? --word-diff=? --word-diff-regex= --no-renames --rename-empty --check --full-index --binary --abbrev=? --break-rewrites=? --find-renames=? --find-copies=? --find-copies-harder --irreversible-delete --diff-filter= --pickaxe-all --pickaxe-regex --skip-to= --rotate-to= --relative=? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --inter-hunk-context= --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules=? --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --ita-invisible-in-index --staged --cached --merge-base --no-index -z -i -I: !--output !--ext-diff !--textconv";
const logOptions = `${diffOptions} -n: -L: -g -c -t -h -E -F -P -r --oneline --decorate=? --no-decorate --decorate-refs= --graph --no-graph --all --branches=? --tags=? --remotes=? --glob= --exclude= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --first-parent --not --reverse --follow --full-diff --format= --pretty=? --abbrev-commit --no-abbrev-commit --date= --relative-date --parents --children --left-right --cherry --cherry-pick --cherry-mark --left-only --right-only --walk-reflogs --boundary --simplify-by-decoration --full-history --topo-order --date-order --author-date-order --source --notes=? --no-notes --cc --combined-all-paths --diff-merges= --no-diff-merges --ancestry-path=? --mailmap --use-mailmap --no-mailmap --encoding= --expand-tabs=? --no-expand-tabs --shortstat --log-size --no-walk=? --root !--show-signature`;

interface GitTable {
  options: string;
  /** Words that are no options may be given. Without them it lists; with them it may change something. */
  operands: boolean;
  /** First operands that only read; with any other it is not judged. */
  actions?: readonly string[];
  /** Operands are only patterns with one of these options. */
  operandsWith?: RegExp;
}

const listing = (options: string, more: Partial<GitTable> = {}): GitTable => ({ options, operands: true, ...more });
const branchOptions =
  "-avrli --all --remotes --list --show-current --verbose --color=? --no-color --column=? --no-column --abbrev=? --no-abbrev --contains= --no-contains= --merged=? --no-merged=? --points-at= --sort= --format= --ignore-case --omit-empty";

const tables: Readonly<Record<string, GitTable>> = {
  status: listing(
    "-sbvz -u? --short --branch --show-stash --porcelain=? --long --verbose --untracked-files=? --ignore-submodules=? --ignored=? --column=? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames=?",
  ),
  log: listing(logOptions),
  whatchanged: listing(logOptions),
  show: listing(logOptions),
  diff: listing(`${diffOptions} --base --ours --theirs -1 -2 -3`),
  "diff-tree": listing(`${logOptions} --stdin --no-commit-id -r -t`),
  "diff-index": listing(diffOptions),
  "diff-files": listing(diffOptions),
  "rev-list": listing(`${logOptions} --count --objects --disk-usage=? --timestamp`),
  shortlog: listing(
    "-nsecwz --numbered --summary --email --committer --group= --format= --since= --after= --until= --before= --author= --no-merges --all",
  ),
  reflog: listing(logOptions, { actions: ["show"] }),
  blame: listing(
    "-btflnsewcpCM -L: -S< --porcelain --line-porcelain --incremental --root --show-stats --show-name --show-number --show-email --date= --abbrev= --reverse --first-parent --color-lines --color-by-age --ignore-rev=",
  ),
  grep: listing(
    "-aIiwvhHEFGPnlLcpWqz0123456789r -A: -B: -C: -e: -f< -m: --cached --untracked --no-index --exclude-standard --no-exclude-standard --recurse-submodules --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching -o --count --color=? --no-color --break --heading --show-function --context= --after-context= --before-context= --function-context --threads= --and --or --not --all-match --quiet --max-depth= --max-count= !-O !--open-files-in-pager !--textconv",
  ),
  "ls-files": listing(
    "-cdomsiutvzfk -x: -X< --cached --deleted --others --modified --stage --ignored --unmerged --killed --directory --no-empty-directory --eol --exclude= --exclude-from< --exclude-per-directory= --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev=? --deduplicate --format=",
  ),
  "ls-tree": listing(
    "-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev=? --format=",
  ),
  "rev-parse": listing(
    "-q --abbrev-ref=? --short=? --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --verify --quiet --symbolic --symbolic-full-name --all --branches=? --tags=? --remotes=? --show-superproject-working-tree --is-shallow-repository --local-env-vars",
  ),
  describe: listing(
    "--all --tags --contains --abbrev= --candidates= --exact-match --long --match= --exclude= --always --first-parent --dirty=? --broken=?",
  ),
  "merge-base": listing("-a --all --octopus --independent --is-ancestor --fork-point"),
  "name-rev": listing("--tags --refs= --exclude= --all --name-only --always"),
  "show-ref": listing("-dqs --head --heads --branches --tags --dereference --hash=? --verify --abbrev=? --quiet"),
  "for-each-ref": listing(
    "--count= --sort= --format= --color=? --points-at= --merged=? --no-merged=? --contains=? --no-contains=? --ignore-case --omit-empty",
  ),
  "cat-file": listing("-tspe --batch-check=? --filters-none"),
  "count-objects": listing("-vH --verbose --human-readable", { operands: false }),
  "check-ignore": listing("-vnqz --verbose --non-matching --quiet --no-index"),
  "check-attr": listing("-az --all --cached"),
  branch: listing(branchOptions, { operands: false, operandsWith: /^-(?:l|-list)$/ }),
  tag: listing(
    "-li -n? --list --sort= --contains= --no-contains= --merged=? --no-merged=? --points-at= --format= --color=? --column=? --ignore-case --omit-empty",
    {
      operands: false,
      operandsWith: /^-(?:l|-list)$/,
    },
  ),
  remote: listing("-v --verbose --all --push", { operands: false, actions: ["get-url"] }),
  stash: listing(diffOptions, { actions: ["list", "show"] }),
  worktree: listing("-vz --porcelain --verbose", { actions: ["list"] }),
  version: listing("--build-options", { operands: false }),
};

/** Actions without which `git stash` and the like change something. */
const needsAction = new Set(["stash", "worktree"]);
const showsContent = new Set([
  "log",
  "whatchanged",
  "show",
  "diff",
  "diff-tree",
  "diff-index",
  "diff-files",
  "blame",
  "grep",
  "cat-file",
  "stash",
]);

/** What git reads without changing anything. Global options can name another repository or a program to run. */
export function judgeGit(args: readonly ShellWord[]): Assessment {
  let at = 0;
  for (
    ;
    /^--(?:no-pager|no-optional-locks|no-replace-objects|literal-pathspecs|no-advice)$/.test(args[at]?.text ?? "");
    at++
  );
  const name = args[at];
  if (name === undefined || name.text === "--version") return { kind: "reads", reads: [] };
  if (name.text.startsWith("-")) return acts(`git ${name.text} changes which repository or program is used.`);
  const table = Object.hasOwn(tables, name.text) ? tables[name.text] : undefined;
  if (table === undefined) return unknown(`git ${name.text} is not known to only read.`);
  const parsed = readOptions(table.options, args.slice(at + 1));
  if ("kind" in parsed) return parsed;
  const { options } = parsed;
  let { operands } = parsed;
  if (table.actions !== undefined) {
    const [action] = operands;
    const isListed = action !== undefined && table.actions.includes(action.text);
    if (
      !isListed &&
      (needsAction.has(name.text) ||
        (name.text === "reflog" && /^(?:delete|drop|expire|exists|list|write)$/.test(action?.text ?? "")))
    ) {
      return unknown(`git ${name.text} ${action?.text ?? ""} may change something.`);
    }
    if (isListed) operands = operands.slice(1);
    else if (!table.operands && action !== undefined)
      return unknown(`git ${name.text} ${action.text} may change something.`);
  } else if (!table.operands && operands.length > 0) {
    const isPattern =
      table.operandsWith !== undefined && options.some((option) => table.operandsWith?.test(option.name));
    if (!isPattern) return unknown(`git ${name.text} ${operands[0]?.text} may change something.`);
  }
  // A signature is checked by a program that the configuration names.
  if (options.some(({ value }) => /%G|%\(signature/.test(value?.text ?? ""))) return acts("It checks signatures.");
  const reads: ReadPath[] = options.flatMap(({ value, isFile }) =>
    isFile === true && value !== undefined ? [{ word: value, namesOnly: false }] : [],
  );
  const isAnywhere = options.some((option) => option.name === "--no-index");
  if (showsContent.has(name.text)) {
    for (const word of operands)
      reads.push({
        word: pathIn(word),
        namesOnly: false,
        ...(isAnywhere && { below: { hidden: true, followsLinks: false } }),
      });
  }
  return { kind: "reads", reads, usesGit: true };
}

/** Of `HEAD:src/a.ts` and `:(glob)src/a.ts`, the path. */
function pathIn(word: ShellWord): ShellWord {
  const colon = word.text.lastIndexOf(":");
  if (colon < 0) return word;
  const text = word.text.slice(colon + 1).replace(/^(?:\([^)]*\)|[!^/]+)/, "");
  return { ...word, text, isTilde: false, isGlob: false };
}

/** Sub-commands of which the tables say what only reads. */
export const gitReadCommands: readonly string[] = Object.keys(tables);
