import { type ReadonlySignal, signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { mostImages, type TextAttachment } from "../../../protocol/attachments.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { visible } from "../../text/visible.ts";
import type { Composer } from "./composer.ts";
import type { ReadPicture } from "./readPicture.ts";
import type { Transferred } from "./transfer.ts";

/** A longer text does not stand among the words: it would be all that one sees of them. */
const longestPasted = 20_000;
const longestText = 5_000_000;
const largestTextFile = 4_000_000;

/** How what is pasted and dropped comes to the composer. */
export interface Attaching {
  /** One sentence about what could not be attached. */
  readonly problem: ReadonlySignal<string | undefined>;
  /** Files that are being read. */
  readonly reading: ReadonlySignal<number>;
  /** True when it was taken; false leaves it to the text. */
  take(transferred: Transferred): boolean;
  forgive(): void;
}

export function createAttaching(
  composer: Composer,
  post: (intent: Intent) => void,
  read: (file: File) => Promise<ReadPicture> = async (file) => (await import("./readPicture.ts")).readPicture(file),
): Attaching {
  const problem = signal<string | undefined>(undefined);
  const reading = signal(0);

  function imageCount(): number {
    return composer.attachments.peek().filter(({ kind }) => kind === "image").length;
  }

  async function takeFile(file: File): Promise<void> {
    if (file.type.startsWith("image/")) {
      if (imageCount() >= mostImages) {
        problem.value = t("At most {0} pictures go with one message.", mostImages);
        return;
      }
      const picture = await read(file);
      if (picture.ok) composer.attach(picture.attachment);
      else problem.value = picture.problem;
      return;
    }
    const text = file.size > largestTextFile ? undefined : await textOf(file);
    if (text !== undefined) composer.attach(text);
    else problem.value = t("{0} is no text and no picture that could be attached.", visible(file.name));
  }

  /** One after the other: decoding many large pictures at once would take all the memory there is. */
  async function takeFiles(files: readonly File[]): Promise<void> {
    reading.value += files.length;
    for (const file of files) {
      try {
        await takeFile(file);
      } catch {
        // It was taken away while it was read, or may not be.
        problem.value = t("{0} could not be read.", visible(file.name));
      }
      reading.value--;
    }
  }

  return {
    problem,
    reading,
    take(given) {
      problem.value = undefined;
      switch (given.kind) {
        case "uris":
          post({ type: "dropFiles", uris: given.uris });
          return true;
        case "files":
          void takeFiles(given.files);
          return true;
        case "text":
          if (given.text.length <= longestPasted) return false;
          if (given.text.length > longestText) {
            problem.value = t("This text is too long to paste. Save it as a file of the workspace and attach that.");
          } else composer.attach({ kind: "text", name: t("Pasted text"), text: given.text });
          return true;
        default:
          given satisfies never;
          return false;
      }
    },
    forgive() {
      problem.value = undefined;
    },
  };
}

/** Undefined for what is no text. */
async function textOf(file: File): Promise<TextAttachment | undefined> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? undefined : { kind: "text", name: file.name || t("Pasted text"), text };
  } catch {
    return undefined;
  }
}
