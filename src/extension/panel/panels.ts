import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { HostMessage } from "../../protocol/messages.ts";
import type { Chat } from "../chat/chat.ts";
import { writeWhole } from "../common/atomicFile.ts";
import { isFileSystemError } from "../common/files.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import type { Panel } from "./panel.ts";

/** All panels: the side-bar view's, which is always there, and one for each editor tab. */
export class Panels {
  readonly view: Panel;
  readonly #tabs = new Set<Panel>();
  #activeTab: Panel | undefined;

  constructor(view: Panel) {
    this.view = view;
  }

  get all(): readonly Panel[] {
    return [this.view, ...this.#tabs];
  }

  /** The one that commands act on: the editor tab that is active, else the side-bar view. */
  get active(): Panel {
    return this.#activeTab ?? this.view;
  }

  add(tab: Panel): void {
    this.#tabs.add(tab);
  }

  remove(tab: Panel): void {
    this.#tabs.delete(tab);
    this.setActive(tab, false);
  }

  setActive(tab: Panel, isActive: boolean): void {
    if (isActive) this.#activeTab = tab;
    else if (this.#activeTab === tab) this.#activeTab = undefined;
  }

  shows(chat: Chat): boolean {
    return this.all.some((panel) => panel.chat === chat);
  }

  send(message: HostMessage): void {
    for (const panel of this.all) panel.send(message);
  }
}

const shape = z.object({ chatId: z.string().min(1).max(200) });

/** Remembers which chat the side-bar view shows, over a reload of the window and over a crash. */
export interface ShownChat {
  /** Undefined when none was remembered. */
  read(): Promise<string | undefined>;
  write(chatId: string): Promise<void>;
}

/** In a file of that folder. */
export function shownChatIn(folder: string): ShownChat {
  const file = join(folder, "shown-chat.json");
  // In order: the last one counts.
  const writes = new SerialQueue();
  return {
    async read() {
      try {
        return shape.safeParse(JSON.parse(await readFile(file, "utf8"))).data?.chatId;
      } catch (error) {
        if (error instanceof SyntaxError || (isFileSystemError(error) && error.code === "ENOENT")) return undefined;
        throw error;
      }
    },
    write: (chatId) =>
      writes.run(async () => {
        await mkdir(folder, { recursive: true });
        await writeWhole(file, JSON.stringify({ chatId }));
      }),
  };
}
