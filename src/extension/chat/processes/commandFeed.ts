import { t } from "@vscode/l10n";
import { visibleText } from "../../approvals/requestText.ts";
import type { NamedCommand } from "../../terminal/commands.ts";
import { endText } from "../../tools/commandText.ts";

const mostShown = 512 * 1_024;

/**
 * Writes what a command has printed, what it prints from now on, and how it ended, as a terminal shows text. The
 * output has no control sequences any more, and those of the command's own text are spelt out: nothing that is written
 * here moves the cursor or changes the terminal. Until the result is called.
 */
export function feedTerminal(command: NamedCommand, write: (text: string) => void): () => void {
  const { output } = command;
  const writeText = (text: string) => write(text.replaceAll("\n", "\r\n"));
  const shown = output.tail(mostShown);
  const omitted = output.length - Buffer.byteLength(shown);
  writeText(`$ ${visibleText(command.command)}\n`);
  if (omitted > 0) writeText(`${t("[… {0} bytes before this are not shown.]", omitted)}\n`);
  writeText(shown);
  let isFed = true;
  const unfollow = output.follow(writeText);
  void command.ended.then((end) => {
    if (isFed) writeText(`\n[${endText(end).trimEnd()}]\n`);
  });
  return () => {
    isFed = false;
    unfollow();
  };
}
