import { render } from "preact";
import type { HostMessage, ReplayRequest, TimedEntry } from "../protocol/messages.ts";
import "./features/replay/replay.css";
import type { WebviewApi } from "./host.ts";
import { ReplayPage } from "./shell/ReplayPage.tsx";
import { createReplay, themeOf } from "./shell/replay.ts";
import "./styles/panel.css";
import { browserTiming } from "./timing.ts";
import { defineToolkit } from "./ui/toolkit.ts";

declare function acquireVsCodeApi(): WebviewApi;

/** What an exported page has in itself. */
interface PageData {
  entries: TimedEntry[];
  note?: string;
}

defineToolkit();
const root = document.getElementById("root");
const data = document.getElementById("recording")?.textContent;
if (root !== null) {
  if (data === undefined) replayInEditor(root);
  else replayInBrowser(root, JSON.parse(data) as PageData);
}

function replayInEditor(element: HTMLElement): void {
  const api = acquireVsCodeApi();
  const saved = api.getState();
  const post = (request: ReplayRequest) => api.postMessage(request);
  const position = typeof saved === "object" && saved !== null && "position" in saved ? saved.position : undefined;
  const replay = createReplay({
    timing: browserTiming(),
    position: typeof position === "number" ? position : undefined,
    copy: (text) => post({ type: "copy", text }),
  });
  let isSaved = false;
  window.addEventListener("message", ({ data: json }) => {
    // The host posts JSON texts of its own types.
    const message = typeof json === "string" ? (JSON.parse(json) as HostMessage) : undefined;
    if (message?.type !== "recording") return;
    const { chatId } = message;
    replay.receive(message);
    if (!message.isWhole || isSaved) return;
    isSaved = true;
    replay.player.position.subscribe((at) => api.setState({ chatId, position: at }));
  });
  render(
    <ReplayPage
      replay={replay}
      fork={(seq) => post({ type: "fork", seq })}
      exportPage={() => post({ type: "export", theme: themeOf(document) })}
    />,
    element,
  );
  post({ type: "ready" });
}

function replayInBrowser(element: HTMLElement, { entries, note }: PageData): void {
  const replay = createReplay({
    timing: browserTiming(),
    copy: (text) => void navigator.clipboard.writeText(text).catch(reportError),
  });
  replay.receive({ entries, isFirst: true, isWhole: true });
  render(<ReplayPage replay={replay} note={note} />, element);
}
