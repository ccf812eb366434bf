import type { SimpleCommand } from "./parseCommand.ts";
import { isPlainInZsh } from "./words.ts";

/** Programs that run what their words name, or change what later words mean. */
const runners = new Set([
  ...[
    "env",
    "sudo",
    "doas",
    "su",
    "runuser",
    "pkexec",
    "xargs",
    "parallel",
    "timeout",
    "gtimeout",
    "nohup",
    "nice",
    "ionice",
  ],
  ...[
    "chrt",
    "taskset",
    "stdbuf",
    "setsid",
    "setarch",
    "time",
    "watch",
    "script",
    "expect",
    "unbuffer",
    "strace",
    "ltrace",
    "gdb",
  ],
  ...[
    "chroot",
    "unshare",
    "nsenter",
    "bwrap",
    "flock",
    "systemd-run",
    "busybox",
    "toybox",
    "entr",
    "faketime",
    "fakeroot",
  ],
  ...[
    "eval",
    "source",
    ".",
    "exec",
    "builtin",
    "trap",
    "bind",
    "enable",
    "alias",
    "unalias",
    "coproc",
    "hash",
    "complete",
    "compgen",
  ],
  ...[
    "set",
    "shopt",
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "read",
    "mapfile",
    "readarray",
    "let",
    "getopts",
    "unset",
  ],
  ...["pushd", "popd", "wait", "suspend", "noglob", "nocorrect", "repeat", "autoload", "zmodload", "emulate"],
]);
const keywords = new Set([
  "if",
  "then",
  "else",
  "fi",
  "for",
  "while",
  "until",
  "do",
  "done",
  "case",
  "esac",
  "function",
  "select",
  "{",
  "}",
  "[[",
  "!",
  "in",
]);

/** What no rule allows, by the words alone. */
export function wordsConcern(command: SimpleCommand, shell: "bash" | "zsh"): string | undefined {
  const [first, ...args] = command.words;
  const [concern] = command.concerns;
  if (concern !== undefined) return concern;
  if (first === undefined) return "It is a redirect without a command.";
  if (first.isGlob || first.isTilde) return "Which program it is depends on the names of files.";
  if (shell === "zsh" && !command.words.every(({ source }) => isPlainInZsh(source)))
    return "zsh may read it in another way.";
  const name = first.text.slice(first.text.lastIndexOf("/") + 1);
  if (runners.has(name)) return `${name} runs another command or changes how later ones run.`;
  if (keywords.has(name)) return "It can't be parsed.";
  if (name === "rm" && args.some(({ text }) => /^-./.test(text) && text !== "--"))
    return "It removes folders, or removes without asking.";
  return undefined;
}

/** The script that a shell is given as a word; "unclear" where it may get one in another way. */
export function shellScript(name: string, words: readonly string[]): string | "unclear" | undefined {
  if (!/^(?:ba|z|da|k|a|fi)?sh$/.test(name)) return undefined;
  const [, option, script] = words;
  if (words.length === 3 && /^-l?c$/.test(option ?? "") && script !== undefined) return script;
  return words.length === 1 || /^[-+]/.test(option ?? "") ? "unclear" : undefined;
}
