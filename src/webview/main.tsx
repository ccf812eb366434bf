import "./words.ts";
import { render } from "preact";
import { createHost, type WebviewApi } from "./host.ts";
import { warmUpMarkdown } from "./markdown/warmUp.ts";
import { App } from "./shell/App.tsx";
import { createStore } from "./shell/store.ts";
import "./styles/panel.css";
import { browserTiming } from "./timing.ts";
import { defineToolkit } from "./ui/toolkit.ts";

declare function acquireVsCodeApi(): WebviewApi;

defineToolkit();
const host = createHost(acquireVsCodeApi());
const store = createStore(host, browserTiming());
window.addEventListener("message", (event) => store.receive(event.data));

window.addEventListener("focus", () => host.post({ type: "focusChanged", isFocused: true }));
window.addEventListener("blur", () => host.post({ type: "focusChanged", isFocused: false }));
window.addEventListener("pagehide", () => store.composer.flush());

const root = document.getElementById("root");
if (root !== null) render(<App store={store} />, root);
store.start();
// The host's answer takes a moment.
requestIdleCallback(() => {
  warmUpMarkdown();
  // Who opens find begins to type at once.
  import("./shell/rare.ts").catch(reportError);
});
