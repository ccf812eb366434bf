import type { createAsk } from "../../chat/compose/ask.ts";
import type { EditorEntries } from "../../panel/entryPoints/editorEntries.ts";
import type { Chatting } from "../chatting.ts";
import type { Doctor } from "../doctor.ts";
import type { Editing } from "../editing.ts";
import type { Host } from "../host.ts";
import type { Mcp } from "../mcp.ts";
import type { Models } from "../models.ts";

/** A command: what `package.json` says of it, which is checked against this, and what it does. */
export interface CommandDefinition {
  id: `arbor.${string}`;
  /** English, as in `package.nls.json`. */
  title: string;
  /** The name of a codicon. */
  icon?: string;
  /** A when clause: where it does not hold, the command is greyed out and does nothing. */
  enablement?: string;
  /** Absent: it is in the palette. */
  palette?: "hidden";
  menus?: readonly MenuEntry[];
  keys?: readonly Keybinding[];
  /** Gets the arguments of the command. */
  run(parts: CommandParts, ...input: unknown[]): unknown;
}

interface MenuEntry {
  /** The editor's name of the menu. */
  menu: string;
  /** With its position in it, like `navigation@1`. */
  group: string;
  when?: string;
}

interface Keybinding {
  key: string;
  mac: string;
  when: string;
  args?: string;
}

/** What commands act on. */
export interface CommandParts extends Pick<Editing, "review" | "isolation">, Pick<Models, "commands"> {
  log: Host["log"];
  chatting: Chatting;
  mcp: Mcp;
  doctor: Doctor;
  ask: ReturnType<typeof createAsk>;
  entries: EditorEntries;
  /** Runs a command of the editor's. */
  execute(command: string, ...input: unknown[]): PromiseLike<unknown>;
  /** Shows the side-bar view and puts the focus into it. */
  focusPanel(): Promise<void>;
}

/** Only defines: `entryPoints.ts` registers what is in one of the lists beside this file. */
export function defineCommand(command: CommandDefinition): CommandDefinition {
  return command;
}
