import type { HostEvent, Notice } from "../../../protocol/hostEvents.ts";

/** The notices a chat shows. A new run takes them down. */
export class NoticeBoard {
  readonly #emit: (event: HostEvent) => void;
  readonly #open = new Set<string>();

  constructor(emit: (event: HostEvent) => void) {
    this.#emit = emit;
  }

  /** Notices that an earlier run of the editor left open. */
  adopt(notices: readonly Notice[]): void {
    for (const { id } of notices) this.#open.add(id);
  }

  show(notice: Notice): void {
    this.#open.add(notice.id);
    this.#emit({ type: "notice_shown", notice });
  }

  close(noticeId: string): void {
    if (this.#open.delete(noticeId)) this.#emit({ type: "notice_closed", noticeId });
  }

  clear(): void {
    for (const noticeId of [...this.#open]) this.close(noticeId);
  }
}
