import { render } from "preact";
import { createPanelHost, type WebviewApi } from "./host.ts";
import { App } from "./shell/App.tsx";
import { createPanel } from "./shell/panel.ts";
import "./styles/panel.css";
import { browserTiming } from "./timing.ts";
import { defineToolkit } from "./ui/toolkit.ts";

declare function acquireVsCodeApi(): WebviewApi;

defineToolkit();
const host = createPanelHost(acquireVsCodeApi());
const panel = createPanel(host, browserTiming());
window.addEventListener("message", panel.receive);

const postFocus = (isFocused: boolean) => host.post({ type: "focusChanged", isFocused });
window.addEventListener("focus", () => postFocus(true));
window.addEventListener("blur", () => postFocus(false));
// The page may have the focus before its script runs.
if (document.hasFocus()) postFocus(true);
window.addEventListener("pagehide", () => panel.composer.draft.flush());

const root = document.getElementById("root");
if (root !== null) render(<App panel={panel} />, root);
panel.start();
// The host's answer takes a moment.
requestIdleCallback(() => {
  import("./markdown/warmUp.ts").then(({ warmUpMarkdown }) => warmUpMarkdown(), reportError);
  // Who opens find begins to type at once.
  import("./shell/onDemand.ts").catch(reportError);
});
