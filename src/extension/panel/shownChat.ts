import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeWhole } from "../common/atomicFile.ts";
import { isFileSystemError } from "../workspace/fileSystemErrors.ts";

const shape = z.object({ chatId: z.string().min(1).max(200) });

/** Remembers which chat the side-bar view shows, over a reload of the window and over a crash. */
export interface ShownChat {
  /** Undefined when none was remembered. */
  read(): Promise<string | undefined>;
  write(chatId: string): Promise<void>;
}

/** Kept in a file of that folder. */
export function shownChatIn(folder: string): ShownChat {
  const file = join(folder, "shown-chat.json");
  let writing = Promise.resolve();
  return {
    async read() {
      try {
        return shape.safeParse(JSON.parse(await readFile(file, "utf8"))).data?.chatId;
      } catch (error) {
        if (error instanceof SyntaxError || (isFileSystemError(error) && error.code === "ENOENT")) return undefined;
        throw error;
      }
    },
    write(chatId) {
      // In order: the last one counts.
      const written = writing.then(async () => {
        await mkdir(folder, { recursive: true });
        await writeWhole(file, JSON.stringify({ chatId }));
      });
      writing = written.catch(() => undefined);
      return written;
    },
  };
}
