import { readFile } from "node:fs/promises";
import { inspect } from "node:util";
import { eventually } from "../../eventually.ts";
import type { Settings } from "../../settings.ts";
import type { Entry } from "./oracle.ts";

/** Empty while no document has the file. */
interface DocumentState {
  text?: string;
  isDirty?: boolean;
}

/** What the extension in `observer/` answers: the documents as the extension host has them. */
export interface Observer {
  /** From now on every change of these files is recorded. */
  follow(files: readonly string[]): Promise<void>;
  entries(): Promise<Entry[]>;
  /** How many entries there are, and the state of each of the files. */
  look(files: readonly string[]): Promise<{ entries: number; saving: number; saved: number; states: DocumentState[] }>;
  /** Puts the focus into a file, and with a token the caret into its line. `column`: 1 or 2 of two beside each other. */
  show(caret: { file: string; token?: string; column: number }): Promise<void>;
  /** Undefined while no document has the file. */
  state(file: string): Promise<DocumentState>;
  run(command: string, ...args: unknown[]): Promise<void>;
  /** Closes every editor; what is unsaved is dropped. */
  closeAll(): Promise<void>;
  /** Changes the user's settings. */
  configure(settings: Settings): Promise<void>;
}

/** A command that opens a dialog ends with it; its caller answers the dialog meanwhile. */
const callLimitMs = 30_000;

/** `addressFile` is what the extension host has in `ARBOR_OBSERVER`. */
export async function connectObserver(addressFile: string): Promise<Observer> {
  const address = await eventually(() => readFile(addressFile, "utf8"));
  async function call<T>(name: string, parameters: object = {}): Promise<T> {
    const body = JSON.stringify({ call: name, ...parameters });
    const signal = AbortSignal.timeout(callLimitMs);
    const response = await fetch(address, { method: "POST", body, signal }).catch((cause: unknown) => {
      throw new Error(`The observer did not answer to ${body.slice(0, 200)}: ${inspect(cause)}`);
    });
    if (!response.ok) throw new Error(`The observer could not ${name}: ${await response.text()}`);
    // Both sides of this call are in this folder.
    return (await response.json()) as T;
  }
  return {
    follow: (files) => call("follow", { files }),
    entries: () => call("entries"),
    look: (files) => call("look", { files }),
    show: (caret) => call("show", caret),
    state: (file) => call("state", { file }),
    run: (command, ...args) => call("run", { command, args }),
    closeAll: () => call("closeAll"),
    configure: (settings) => call("configure", { settings }),
  };
}
