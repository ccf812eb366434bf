import { type ReadonlySignal, signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { Intent } from "../../../protocol/messages.ts";
import { visible } from "../../text/visible.ts";
import type { Composer } from "./composer.ts";
import type { Transferred } from "./transfer.ts";

/** A longer text is attached instead of inserted: it would be all that one sees of the message. */
const maxPastedLength = 20_000;
const maxTextLength = 5_000_000;

/** How what is pasted and dropped comes to the composer. */
export interface Attaching {
  /** One sentence about what could not be attached. */
  readonly problem: ReadonlySignal<string | undefined>;
  /** Files that are being read. */
  readonly reading: ReadonlySignal<number>;
  /** True when it was attached; false leaves it to the text. */
  attach(transferred: Transferred): boolean;
  clearProblem(): void;
}

export function createAttaching(composer: Composer, post: (intent: Intent) => void): Attaching {
  const problem = signal<string | undefined>(undefined);
  const reading = signal(0);

  function imageCount(): number {
    return composer.attachments.peek().filter(({ kind }) => kind === "image").length;
  }

  async function attachFile(file: File): Promise<void> {
    const { readFile } = await import("./readPicture.ts");
    const read = await readFile(file, imageCount());
    if (read.ok) composer.attach(read.attachment);
    else problem.value = read.problem;
  }

  /** One after the other: decoding many large pictures at once would take all the memory there is. */
  async function attachFiles(files: readonly File[]): Promise<void> {
    reading.value += files.length;
    for (const file of files) {
      try {
        await attachFile(file);
      } catch {
        // It was removed while it was read, or must not be read.
        problem.value = t("{0} could not be read.", visible(file.name));
      }
      reading.value--;
    }
  }

  return {
    problem,
    reading,
    attach(brought) {
      problem.value = undefined;
      switch (brought.kind) {
        case "uris":
          post({ type: "dropFiles", uris: brought.uris });
          return true;
        case "files":
          void attachFiles(brought.files);
          return true;
        case "text":
          if (brought.text.length <= maxPastedLength) return false;
          if (brought.text.length > maxTextLength) {
            problem.value = t("This text is too long to paste. Save it as a file of the workspace and attach that.");
          } else composer.attach({ kind: "text", name: t("Pasted text"), text: brought.text });
          return true;
        default:
          brought satisfies never;
          return false;
      }
    },
    clearProblem() {
      problem.value = undefined;
    },
  };
}
