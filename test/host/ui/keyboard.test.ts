import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { violationsIn } from "../../webview/support/axe.ts";
import { eventually } from "../eventually.ts";
import { turn } from "./scripted.ts";
import { useSession } from "./wire/session.ts";

const edit = (from: string, to: string): Step => ({
  tool: "edit_file",
  arguments: { path: "README.md", edits: [{ old_text: from, new_text: to }] },
});

/** More stations than any panel of these tests has. */
const mostStations = 80;

/** Where the keyboard is, as the page reports it. */
interface Station {
  name: string;
  /** Not the page as a whole. */
  isSomewhere: boolean;
  /** A line around it, or around the box that represents it. */
  isMarked: boolean;
}

/** The part of the page's elements that is read here: this project has no DOM types. */
interface PageElement {
  readonly localName: string;
  readonly textContent: string | null;
  readonly shadowRoot: { readonly activeElement: PageElement | null } | null;
  readonly parentElement: PageElement | null;
  readonly firstElementChild: PageElement | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  getRootNode(): { readonly host?: PageElement };
}

interface PageScope {
  document: { activeElement: PageElement | null; body: PageElement; documentElement: PageElement };
  getComputedStyle(element: PageElement): Record<string, string> & { getPropertyValue(name: string): string };
}

/** Runs in the page. */
function stationInPage(): Station {
  const { document, getComputedStyle } = globalThis as unknown as PageScope;
  const host = document.activeElement;
  let inner = host;
  while (inner?.shadowRoot?.activeElement) inner = inner.shadowRoot.activeElement;
  const label =
    host?.getAttribute("aria-label") ?? host?.querySelector(".agent-name")?.textContent ?? host?.textContent ?? "";
  const { body, documentElement } = document;
  // As the page writes colours: the theme writes them in hexadecimal numbers.
  const [red, green, blue] = (
    getComputedStyle(documentElement)
      .getPropertyValue("--vscode-focusBorder")
      .match(/[\da-f]{2}/gi) ?? []
  ).map((pair) => Number.parseInt(pair, 16));
  const focusColor = `rgb(${red}, ${green}, ${blue})`;
  const drawsLine = (element: PageElement): boolean => {
    const { outlineStyle, outlineColor, borderTopColor, borderTopStyle } = getComputedStyle(element);
    if (outlineStyle !== "none" && outlineColor === focusColor) return true;
    return borderTopStyle !== "none" && borderTopColor === focusColor;
  };
  let isMarked = false;
  let steps = 0;
  for (let at = inner; at !== null && steps < 5; steps++) {
    isMarked ||= drawsLine(at);
    at = at.parentElement ?? at.getRootNode().host ?? null;
  }
  // A row of the tree draws the line around what is in it, without its children.
  if (host?.firstElementChild && host.getAttribute("role") === "treeitem")
    isMarked ||= drawsLine(host.firstElementChild);
  return { name: label.trim(), isSomewhere: host !== null && host !== body, isMarked };
}

describe("The panel without a mouse", () => {
  const session = useSession("anthropic");

  const key = (name: string) => session().editor.page.keyboard.press(name);
  const type = (words: string) => session().editor.page.keyboard.type(words);
  const station = (): Promise<Station> => session().panel.frame.locator("body").evaluate(stationInPage);

  /** Tab or Shift+Tab until the focus is there; each station on the way must be one, and be seen. */
  async function goTo(name: string | RegExp, step: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    const visited: string[] = [];
    for (let count = 0; count < mostStations; count++) {
      const at = await station();
      assert.ok(at.isSomewhere, `the focus is lost after ${visited.at(-1)}`);
      assert.ok(at.isMarked, `nothing shows that the focus is on ${at.name}`);
      if (typeof name === "string" ? at.name === name : name.test(at.name)) return;
      visited.push(at.name);
      await key(step);
    }
    assert.fail(`${name} is not among ${visited.join(", ")}`);
  }

  /** The focus moved there on its own. */
  const comesTo = (name: string | RegExp) =>
    eventually(async () => {
      const at = await station();
      assert.match(at.name, typeof name === "string" ? new RegExp(`^${name}$`) : name);
    });

  it("asks, answers, steers, looks, stops, rewinds and finds an earlier chat", async function () {
    this.timeout(240_000);
    const { fake, panel, editor, workspace } = session();
    const readme = () => readFile(path.join(workspace, "README.md"), "utf8");
    const before_ = await readme();
    await fake.script(
      turn("Rename it", 0, [edit("# Corner shop", "# Corner store")]),
      turn("Rename it", 1, [edit("# Corner store", "# Corner market")]),
      turn("Rename it", 2, [{ tool: "delegate_to_agent", arguments: { agent: "explore", task: "look", context: "" } }]),
      turn("look", 0, [{ text: "I look. " }, { gate: "looking" }, { tool: "list_files", arguments: {} }]),
      turn("look", 1, [{ text: "Nothing." }]),
      turn("turn left", 0, [{ text: "I turned left." }]),
      turn("Rename it", 3, [{ text: "Renamed." }]),
      turn("Wait", 0, [{ text: "I wait. " }, { gate: "waiting" }, { text: "Over." }]),
    );
    await panel.frame.locator("body").evaluate((body) => {
      const page = body as unknown as {
        ownerDocument: { addEventListener(name: string, note: () => void, capture: boolean): void };
        dataset: Record<string, string>;
      };
      for (const name of ["pointerdown", "mousedown", "touchstart"]) {
        page.ownerDocument.addEventListener(name, () => (page.dataset.mouse = name), true);
      }
    });

    // From an editor into the panel, as the palette's command does.
    await key("F1");
    await editor.page.locator(".quick-input-widget input").waitFor();
    await type("Arbor: Focus on Chat View");
    await editor.page
      .locator(".quick-input-list .monaco-list-row.focused", { hasText: "Focus on Chat View" })
      .waitFor();
    await key("Enter");
    await comesTo("Ask Agent");
    await type("Rename it");
    await key("Enter");
    await panel.approval("edit_file README.md").waitFor();
    await goTo("Accept", "Shift+Tab");
    await key("Enter");
    await eventually(async () => assert.match(await readme(), /^# Corner store/));

    await panel.frame.getByText("Corner market").first().waitFor();
    await goTo("Reject with feedback…", "Shift+Tab");
    await type("keep the store");
    // A card takes answers once it has been in view for a moment.
    await panel.approvals.getByRole("button", { name: "Accept", exact: true, disabled: false }).waitFor();
    await key("Enter");
    await fake.reached("looking");
    assert.match(JSON.stringify((await fake.requests())[2]?.body), /keep the store/);
    assert.match(await readme(), /^# Corner store/);

    await goTo(/^main/, "Shift+Tab");
    await key("End");
    await comesTo(/look/);
    await key("Enter");
    await panel.conversation.getByText("I look.").waitFor();
    await goTo("Message explore");
    await key("Enter");
    await comesTo("Message look…");
    await type("turn left");
    await key("Enter");
    await comesTo(/look/);
    assert.deepEqual(await violationsIn(panel.frame.locator("body")), []);
    await key("Home");
    await key("Enter");
    await fake.release("looking");
    await panel.messagesOf("main").filter({ hasText: "Renamed." }).waitFor();
    assert.ok(JSON.stringify((await fake.requests()).map(({ body }) => body)).includes("turn left"));

    await goTo(/^Context details/);
    await key("Enter");
    await panel.frame.getByRole("dialog", { name: "Context of main" }).waitFor();
    await key("Escape");
    await panel.frame.getByRole("dialog", { name: "Context of main" }).waitFor({ state: "detached" });
    await comesTo(/^Context details/);

    await goTo("Ask Agent", "Shift+Tab");
    await type("Wait");
    await key("Enter");
    await fake.reached("waiting");
    await panel.conversation.getByText("I wait.").waitFor();
    await panel.stop.waitFor();
    await key("Escape");
    await panel.frame.getByText("Press Esc again to stop all agents.").waitFor();
    await key("Escape");
    await panel.stop.waitFor({ state: "detached" });
    await comesTo("Ask Agent");

    await goTo("Rewind to here", "Shift+Tab");
    await goTo("Edit and resend", "Shift+Tab");
    await goTo("Rewind to here", "Shift+Tab");
    await key("Enter");
    const dialog = editor.page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    await key("Enter");
    await dialog.waitFor({ state: "detached" });
    await eventually(async () => assert.equal(await readme(), before_));
    await panel.button("Undo rewind").waitFor();
    // The dialog was the editor's own; it gives the focus back, and the message is gone.
    await comesTo("Ask Agent");
    await goTo("Undo rewind", "Shift+Tab");
    await key("Enter");
    await eventually(async () => assert.match(await readme(), /^# Corner store/));
    await comesTo("Ask Agent");

    await key("Control+f");
    await comesTo("Find in conversation");
    await type("turned left");
    await panel.frame.getByText("No results").waitFor();
    await key("Escape");
    await comesTo("Ask Agent");

    await goTo("New chat", "Shift+Tab");
    await key("Enter");
    await panel.messages.first().waitFor({ state: "detached" });
    await goTo("History", "Shift+Tab");
    await key("Enter");
    await comesTo("Search chats");
    await type("Rename");
    await panel.frame.getByRole("listitem").filter({ hasText: "Rename it" }).waitFor();
    await key("ArrowDown");
    await comesTo(/^Rename it/);
    await key("Enter");
    await panel.conversation.getByText("Renamed.").waitFor();
    await eventually(async () => assert.ok((await station()).isSomewhere));
    const mouse = await panel.frame
      .locator("body")
      .evaluateAll((bodies) => bodies.map((body) => body.dataset.mouse ?? "none"));
    assert.deepEqual(mouse, ["none"]);
  });
});
