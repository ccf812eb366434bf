import type { FrameLocator, Locator, Page } from "playwright-core";

/** Arbor's panel as a user finds it: by roles and accessible names alone. */
export interface ArborPanel {
  readonly frame: FrameLocator;
  readonly composer: Locator;
  readonly send: Locator;
  readonly stop: Locator;
  readonly conversation: Locator;
  readonly messages: Locator;
  readonly tree: Locator;
  readonly rows: Locator;
  readonly gauge: Locator;
  readonly usage: Locator;
  readonly approvals: Locator;
  /** Sentences that say what is wrong, with buttons that help. */
  readonly problems: Locator;
  /** The entry of the model picker that is chosen, whether or not the list is open. */
  readonly chosenModel: Locator;
  /** Messages of `author`: "You" or an agent's name. */
  messagesOf(author: string): Locator;
  /** The row of the agent with that name. */
  row(agent: string): Locator;
  /** The approval card for that tool (and path or command, or its beginning). */
  approval(what: string): Locator;
  button(name: string): Locator;
}

/** In the side bar, or in an editor tab left of it. */
export type PanelPlace = "view" | "tab";

const places: Record<PanelPlace, string> = { view: ":right-of(.part.editor)", tab: ":left-of(.part.auxiliarybar)" };

/** Other extensions have webviews of their own. The address of one that was closed and opened again names no one. */
function panelFrame(page: Page, place?: PanelPlace): FrameLocator {
  const owners = ["arbor.arbor-agent", "nullExtensionDescription"].map((id) => `[src*="extensionId=${id}"]`);
  const where = place === undefined ? "" : places[place];
  const frames = page.locator(`iframe.webview.ready:is(${owners})${where}`);
  return frames.first().contentFrame().frameLocator("iframe#active-frame");
}

const startsWith = (text: string) => new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}`);

/** Without a place: the only one there is. */
export function arborPanel(page: Page, place?: PanelPlace): ArborPanel {
  const frame = panelFrame(page, place);
  const tree = frame.getByRole("tree", { name: "Agents" });
  const conversation = frame.getByRole("log", { name: "Conversation" });
  const button = (name: string) => frame.getByRole("button", { name, exact: true });
  return {
    frame,
    composer: frame.getByRole("textbox", { name: "Ask Agent" }),
    send: button("Send"),
    // Agents that make no progress have a button of their own with this name.
    stop: frame.locator("header.header").getByRole("button", { name: "Stop", exact: true }),
    conversation,
    messages: conversation.getByRole("article"),
    tree,
    rows: tree.getByRole("treeitem"),
    gauge: frame.getByRole("meter", { name: "Context window" }),
    usage: frame.getByRole("status", { name: "Token usage" }),
    approvals: frame.getByRole("group", { name: /^Approval: / }),
    problems: frame.getByRole("note", { name: "Problem" }),
    chosenModel: frame.getByRole("combobox", { name: "Model" }).locator('[role="option"][aria-selected="true"]'),
    messagesOf: (author) => conversation.getByRole("article", { name: author, exact: true }),
    // The title of its work, where it has one, comes before the agent's name.
    row: (agent) => tree.getByRole("treeitem", { name: new RegExp(`(?:^|, )${agent}\\b`) }),
    approval: (what) => frame.getByRole("group", { name: startsWith(`Approval: ${what}`) }),
    button,
  };
}
