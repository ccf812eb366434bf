import "./language.ts";
import { render } from "preact";
import { createPanelHost, type WebviewApi } from "./host.ts";
import { warmUpMarkdown } from "./markdown/parse.ts";
import { App } from "./shell/App.tsx";
import { createPanel } from "./shell/panel.ts";
import "./styles/panel.css";
import { browserTiming } from "./timing.ts";
import { defineToolkit } from "./ui/toolkit.ts";

declare function acquireVsCodeApi(): WebviewApi;

defineToolkit();
const host = createPanelHost(acquireVsCodeApi());
const panel = createPanel(host, browserTiming());
window.addEventListener("message", (event) => panel.receive(event.data));

window.addEventListener("focus", () => host.post({ type: "focusChanged", isFocused: true }));
window.addEventListener("blur", () => host.post({ type: "focusChanged", isFocused: false }));
window.addEventListener("pagehide", () => panel.composer.composer.flush());

const root = document.getElementById("root");
if (root !== null) render(<App panel={panel} />, root);
panel.start();
// The host's answer takes a moment.
requestIdleCallback(() => {
  warmUpMarkdown();
  // Who opens find begins to type at once.
  import("./shell/onDemand.ts").catch(reportError);
});
