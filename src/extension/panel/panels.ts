import type { HostMessage } from "../../protocol/messages.ts";
import type { Chat } from "../chat/chat.ts";
import type { Panel } from "./panel.ts";

/** The panels there are: the side-bar view's, which is always there, and one for each editor tab. */
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
