import { textCleaner } from "../../../terminal/cleanText.ts";
import type { TerminalOutput } from "./sources.ts";

/** Of what a command wrote, so many characters are kept: its end, where errors are. */
const maxKept = 60_000;

/** A command that a user's shell runs, as the editor reports it. */
interface ShellExecution {
  command: string;
  read(): AsyncIterable<string>;
}

/** Remembers the command that ended last in the user's terminals, of those that wrote anything. */
export interface LastCommand {
  started(key: object, execution: ShellExecution): Promise<void>;
  ended(key: object, exitCode: number | undefined): void;
  /** Undefined as long as none was seen. */
  readonly output: TerminalOutput | undefined;
}

interface Recorded {
  command: string;
  output: string;
  omitted: number;
  isRead: boolean;
  isEnded: boolean;
  exitCode: number | undefined;
}

export function rememberLastCommand(): LastCommand {
  const running = new WeakMap<object, Recorded>();
  let last: Recorded | undefined;

  function remember(recorded: Recorded): void {
    // The end is reported before the last of the output has arrived. One that wrote nothing has nothing to show, and of a
    // terminal's first command the editor sometimes reports nothing.
    if (recorded.isRead && recorded.isEnded && recorded.output.trim() !== "") last = recorded;
  }

  return {
    async started(key, { command, read }) {
      const recorded: Recorded = {
        command,
        output: "",
        omitted: 0,
        isRead: false,
        isEnded: false,
        exitCode: undefined,
      };
      running.set(key, recorded);
      const clean = textCleaner();
      for await (const piece of read()) append(recorded, clean(piece));
      recorded.isRead = true;
      remember(recorded);
    },
    ended(key, exitCode) {
      const recorded = running.get(key);
      if (recorded === undefined) return;
      recorded.exitCode = exitCode;
      recorded.isEnded = true;
      remember(recorded);
    },
    get output() {
      if (last === undefined) return undefined;
      const { command, output, omitted, exitCode } = last;
      return { command, output: output.trimEnd(), omitted, ...(exitCode !== undefined && { exitCode }) };
    },
  };
}

function append(recorded: Recorded, text: string): void {
  recorded.output += text;
  const surplus = recorded.output.length - maxKept;
  // Cut seldom: each cut copies what is kept.
  if (surplus < maxKept) return;
  recorded.output = recorded.output.slice(surplus);
  recorded.omitted += surplus;
}
