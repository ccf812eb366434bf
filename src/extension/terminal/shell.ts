import { existsSync } from "node:fs";
import { basename } from "node:path";

/** A program that runs a command given as one text. */
export interface Shell {
  kind: "bash" | "zsh" | "sh" | "powershell";
  file: string;
  /** `isApart`: error output goes its own way. */
  args(command: string, isApart?: boolean): string[];
  /** Where the file is a plain sh that starts the shell: arguments with which another script starts it. */
  argsFor?(script: string, command: string): string[];
}

export interface ShellChoice {
  platform: NodeJS.Platform;
  /** The user's own shell, as the environment names it. */
  preferred?: string | undefined;
  exists?(file: string): boolean;
}

/**
 * The user's shell where commands can be judged in its language, else bash, else sh; PowerShell on Windows. None reads
 * a start-up file, so that what runs is the command and nothing before it.
 */
export function chooseShell({ platform, preferred, exists = existsSync }: ShellChoice): Shell {
  if (platform === "win32") return powershell;
  const files = [...(preferred === undefined ? [] : [preferred]), "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
  for (const file of files) {
    const options = optionsOf[basename(file)];
    if (file.startsWith("/") && options !== undefined && exists(file)) return posixShell(options, file);
  }
  return posixShell({ kind: "sh", flags: [] }, "/bin/sh");
}

/** The shell and the system that commands are written for, like "bash on Linux". */
export function shellText(platform: NodeJS.Platform, preferred: string | undefined): string {
  const { kind } = chooseShell({ platform, preferred });
  const names: Partial<Record<NodeJS.Platform, string>> = { darwin: "macOS", linux: "Linux", win32: "Windows" };
  return `${kind === "powershell" ? "PowerShell" : kind} on ${names[platform] ?? platform}`;
}

interface ShellOptions {
  kind: "bash" | "zsh" | "sh";
  flags: readonly string[];
}

const optionsOf: Readonly<Record<string, ShellOptions>> = {
  bash: { kind: "bash", flags: ["--noprofile", "--norc"] },
  zsh: { kind: "zsh", flags: ["-f"] },
};

/**
 * A plain sh joins error output to output and becomes the shell: both then come through one pipe, in the order they
 * were written. The command itself stays one argument, byte for byte.
 */
function posixShell({ kind, flags }: ShellOptions, file: string): Shell {
  const argsFor = (script: string, command: string) => ["-c", script, file, ...flags, "-c", command];
  const args = (command: string, isApart = false) => argsFor(`exec "$0" "$@"${isApart ? "" : " 2>&1"}`, command);
  return { kind, file: "/bin/sh", args, argsFor };
}

/** Encoded, because Windows joins arguments to one line and every program takes that apart in its own way. */
const powershell: Shell = {
  kind: "powershell",
  file: "powershell.exe",
  args: (command) => [
    ...["-NoLogo", "-NoProfile", "-NonInteractive", "-OutputFormat", "Text", "-EncodedCommand"],
    Buffer.from(command, "utf16le").toString("base64"),
  ],
};
