import type { ArborPanel } from "./panel.ts";

/**
 * Runs in the page: the messages of the conversation from top to bottom, each with its author, its words and one line
 * per tool call.
 */
function messagesAsText(log: PageElement): string {
  const lines: string[] = [];
  const walk = (element: PageElement): void => {
    if (element.getAttribute("aria-hidden") === "true" || element.localName === "button") return;
    if (element.getAttribute("role") === "group") {
      lines.push(`  · ${element.getAttribute("aria-label")} [${element.getAttribute("data-status")}]`);
    } else if (element.querySelector('[role="group"], [aria-hidden="true"]')) {
      for (const child of element.children) walk(child);
    } else if (element.innerText?.trim()) {
      lines.push(
        ...element.innerText
          .trim()
          .replace(/\n{3,}/g, "\n\n")
          .split("\n")
          .map((line) => `  ${line}`),
      );
    }
  };
  for (const message of log.querySelectorAll("article")) {
    lines.push(`${message.getAttribute("aria-label")}:`);
    for (const child of message.children) walk(child);
    lines.push("");
  }
  return lines.join("\n");
}

/** The part of an element that is read here: this project has no DOM types. */
interface PageElement {
  readonly localName: string;
  readonly innerText?: string;
  readonly children: Iterable<PageElement>;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** What was said and done, as text. */
export async function readConversation(panel: ArborPanel): Promise<string> {
  // What is far from the view is drawn when the browser has time.
  await panel.conversation.locator(".undrawn").first().waitFor({ state: "detached" });
  return panel.conversation.evaluate(messagesAsText);
}

/** The agent tree, indented, with what each row says. */
export async function readTree(panel: ArborPanel): Promise<string> {
  const rows = await readRows(panel);
  return rows.map(({ level, label }) => `${"  ".repeat(level - 1)}${label}`).join("\n");
}

export interface TreeRow {
  readonly level: number;
  readonly name: string;
  readonly status: string;
  /** As the row shows them: `950`, `1.2k`; empty before the first request has ended. */
  readonly tokens: string;
  /** Everything the row says. */
  readonly label: string;
}

/** The visible rows of the agent tree, from top to bottom. */
export async function readRows(panel: ArborPanel): Promise<TreeRow[]> {
  return panel.rows.evaluateAll((elements) =>
    elements.map((element) => {
      // A row's accessible name is made of its task's title, where it has one, its agent's name, and of facts about it.
      const [first = "", ...facts] = (element.getAttribute("aria-labelledby") ?? "")
        .split(" ")
        .map((id: string) => element.ownerDocument.getElementById(id)?.textContent?.trim() ?? "");
      const label = [first, ...facts].join(first.endsWith(",") ? " " : ", ");
      const name = first.endsWith(",") ? (facts[0] ?? "").split(",")[0] : first;
      return {
        level: Number(element.getAttribute("aria-level")),
        status: element.getAttribute("data-status") ?? "",
        name: name ?? "",
        tokens: /([\d.]+[kM]?) tokens/.exec(label)?.[1] ?? "",
        label,
      };
    }),
  );
}
