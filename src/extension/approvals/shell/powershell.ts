import { isSecretPath } from "../sensitive.ts";
import type { SimpleCommand } from "./parseCommand.ts";
import { findAllowing, findOpposing } from "./rules.ts";
import type { CommandJudgement, CommandPart, ParsedRules } from "./verdict.ts";
import type { ShellWord } from "./words.ts";

/** Commands that only read, and need no rule. */
const harmless = new Set(
  "get-childitem get-date get-random get-location start-sleep select-object measure-object compare-object format-table format-list sort-object group-object test-path resolve-path get-item get-content select-string get-command get-filehash out-string convertfrom-json convertto-json get-member".split(
    " ",
  ),
);

const textOnly = new Set(["write-host", "write-output", "split-path", "join-path"]);

/** A name, then words of plain characters or in quotes without anything that is replaced. */
const command =
  /^[A-Za-z][\w.-]*(?:\.exe)?(?:[ \t]+(?:-[A-Za-z]\w*|[\w.\\/*?+,-][\w.\\/*?+,:=-]*|'[^'\u2018-\u201b\r\n]*'|"[^"$`\u201c-\u201e\r\n]*"))*$/;

/**
 * PowerShell and cmd read a line in so many ways that only what is plainly simple is judged: a list or a pipeline of
 * commands whose words mean themselves. All else is asked, and so is everything in cmd.
 */
export function judgePowerShell(line: string, rules: ParsedRules, shell: "powershell" | "cmd"): CommandJudgement {
  const isPlain = shell === "powershell" && /^[\x20-\x7e\n]*$/.test(line);
  // A separator in quotes parts what then is not plain.
  const texts = line.split(/[;|\n]/).map((piece) => piece.trim());
  const judged = texts.map((text) => ({ text, ...judgePart(text, rules, isPlain && command.test(text)) }));
  const verdict = (["deny", "ask"] as const).find((each) => judged.some((part) => part.verdict === each)) ?? "allow";
  const reason = judged.find((part) => part.verdict === verdict)?.reason ?? "";
  return { verdict, reason, parts: judged.map(({ reason: _, ...part }) => part) };
}

function judgePart(
  text: string,
  rules: ParsedRules,
  isPlain: boolean,
): { verdict: CommandPart["verdict"]; reason: string; rule?: string } {
  const words = (text.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []).map((source): ShellWord => {
    const word = source.replace(/^(['"])(.*)\1$/s, "$2");
    return { text: word.toLowerCase(), source, isGlob: false, isTilde: false, glob: word };
  });
  const simple: SimpleCommand = { text, words, redirects: [], concerns: [] };
  const denied = findOpposing(rules.deny, simple);
  if (denied?.isTimedOut) return { verdict: "ask", reason: `The rule ${denied.rule.source} takes too long.` };
  if (denied !== undefined)
    return { verdict: "deny", reason: `The rule ${denied.rule.source} denies ${text}.`, rule: denied.rule.source };
  if (!isPlain) return { verdict: "ask", reason: "The command is not a plain one." };
  const opposed = findOpposing(rules.ask, simple);
  if (opposed !== undefined) return { verdict: "ask", reason: `The rule ${opposed.rule.source} asks for it.` };
  const name = words[0]?.text ?? "";
  if (textOnly.has(name)) return { verdict: "allow", reason: `${name} only works with text.` };
  if (harmless.has(name) && words.slice(1).every(({ source, text: word }) => isHarmlessWord(source, word))) {
    return { verdict: "allow", reason: `${name} only reads.` };
  }
  const rule = findAllowing(rules.allow, simple);
  if (rule !== undefined) return { verdict: "allow", reason: `The rule ${rule.source} allows it.`, rule: rule.source };
  return { verdict: "ask", reason: `No rule allows ${text}.` };
}

/** Plain text or a path in the workspace: no drive but a disk, no other machine, no way up, no file with secrets. */
function isHarmlessWord(source: string, word: string): boolean {
  if (/^-/.test(source))
    return !/^-(?:outfile|filepath|literalpath|scriptblock|computername|session|credential)/i.test(source);
  return !/^(?:[\\/~]|[a-z]+:)|(?:^|[\\/])\.\.(?:[\\/]|$)/i.test(word) && !isSecretPath(word);
}
