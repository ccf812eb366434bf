import { type Disposable, EventEmitter, l10n, type Terminal, ViewColumn, window } from "vscode";
import { visibleText } from "../../approvals/requestText.ts";
import { UserError } from "../../common/userError.ts";
import type { NamedCommand } from "../../terminal/commands.ts";
import { feedTerminal } from "./chatCommands.ts";

/** Terminals among the editors that show what commands print; they take no input, and closing one ends nothing. */
export class CommandTerminals implements Disposable {
  readonly #open = new Map<NamedCommand, Terminal>();
  readonly #closing = window.onDidCloseTerminal((closed) => {
    for (const [command, terminal] of this.#open) if (terminal === closed) this.#open.delete(command);
  });

  /** Opens the command's terminal, or shows the one that is open. The focus stays where it is. */
  show(command: NamedCommand | undefined): void {
    if (command === undefined) {
      throw new UserError(
        l10n.t("There is no output of this command to show: it did not run, or it ended too long ago."),
      );
    }
    const terminal = this.#open.get(command) ?? openTerminal(command);
    this.#open.set(command, terminal);
    terminal.show(true);
  }

  dispose(): void {
    this.#closing.dispose();
    for (const terminal of this.#open.values()) terminal.dispose();
  }
}

function openTerminal(command: NamedCommand): Terminal {
  const written = new EventEmitter<string>();
  let stopFeeding: (() => void) | undefined;
  return window.createTerminal({
    name: visibleText(command.command).split("\n", 1)[0] ?? command.id,
    // The editor would bring it back empty after a reload.
    isTransient: true,
    location: { viewColumn: ViewColumn.Active, preserveFocus: true },
    pty: {
      onDidWrite: written.event,
      open() {
        stopFeeding = feedTerminal(command, (text) => written.fire(text));
      },
      close() {
        stopFeeding?.();
        written.dispose();
      },
    },
  });
}
