import type { Attachment } from "../../../src/protocol/attachments.ts";
import type { HostMessage, PanelStatus } from "../../../src/protocol/messages.ts";
import type { SlashCommand, Suggestion } from "../../../src/protocol/suggestions.ts";
import { recording } from "../support/recording.ts";
import { picture } from "./picture.ts";
import type { Scene } from "./scenes.ts";

const place = (kind: "file" | "folder", path: string): Suggestion => ({
  attachment: { kind, path },
  label: path.split("/").at(-1) ?? path,
  ...(path.includes("/") && { detail: path.slice(0, path.lastIndexOf("/")) }),
  mention: path,
});

const suggestions: Suggestion[] = [
  {
    attachment: { kind: "selection", path: "src/auth/session.ts", startLine: 12, endLine: 40 },
    label: "selection",
    detail: "src/auth/session.ts:12-40",
    mention: "selection",
  },
  { attachment: { kind: "problems" }, label: "problems", detail: "3 errors and warnings", mention: "problems" },
  { attachment: { kind: "diff" }, label: "diff", detail: "Changes since the last commit", mention: "diff" },
  { attachment: { kind: "terminal" }, label: "terminal", detail: "Output of npm test", mention: "terminal" },
  {
    attachment: { kind: "agent", name: "explore" },
    label: "explore",
    detail: "Finds out about the workspace without changing it: where something is, how it works, what uses it.",
    mention: "explore",
  },
  place("file", "src/auth.ts"),
  place("folder", "src/auth"),
  place("file", "src/some/deeply/nested/folder/that/nobody/reads/authenticationMiddlewareFactory.ts"),
  place("file", "README.md"),
];

const commands: SlashCommand[] = [
  { name: "explain", description: "Explain this code", takesText: true },
  { name: "fix", description: "Fix the problems", takesText: true },
  { name: "tests", description: "Write tests for this code", takesText: true },
  { name: "review", description: "Review my changes", takesText: true },
  { name: "new", description: "Start a new chat", takesText: false },
  { name: "plan", description: "Plan only, change nothing", takesText: true },
  { name: "model", description: "Choose another model", takesText: false },
  { name: "history", description: "Show earlier chats", takesText: false },
];

const shot = (name: string, hue: number): Attachment => ({
  kind: "image",
  name,
  mimeType: "image/png",
  data: picture(64, 48, hue),
});

const many: Attachment[] = [
  { kind: "file", path: "src/auth/authenticationMiddlewareFactory.ts" },
  { kind: "selection", path: "src/auth/session.ts", startLine: 12, endLine: 40 },
  { kind: "folder", path: "src/cart" },
  { kind: "symbol", path: "src/pricing/computePrice.ts", name: "computePrice", startLine: 12 },
  { kind: "problems" },
  { kind: "terminal" },
  { kind: "diff" },
  { kind: "agent", name: "explore" },
  { kind: "text", name: "Pasted text", text: "x".repeat(1_048_576) },
  { kind: "file", path: "src/invoice\u202efdp.ts" },
];

const blind = { id: "ollama/coder", label: "qwen3-coder:30b", isDemo: false, hasPrice: false, images: false };

function drafted(attachments: Attachment[], draft = "", status: Partial<PanelStatus> = {}): HostMessage[] {
  const chat = recording().chat({ commands, ...status }, draft);
  return chat.type === "chat" ? [{ ...chat, draftAttachments: attachments }] : [];
}

function sentPictures(): HostMessage[] {
  const log = recording();
  log.host({ type: "chat_titled", title: "Why does the button jump?" });
  const main = log.agent("main");
  const message = {
    role: "user" as const,
    id: "u1",
    timestamp: 0,
    content: [
      { type: "text" as const, text: "Why does the button jump?" },
      { type: "text" as const, text: "(the picture follows)" },
      { type: "image" as const, mimeType: "image/png", data: picture(300, 200, 20) },
      { type: "text" as const, text: "(the picture follows)" },
      { type: "image" as const, mimeType: "image/png", data: picture(60, 200, 120) },
      { type: "text" as const, text: "body" },
    ],
    meta: {
      attachments: [
        { kind: "image", name: "before.png", mimeType: "image/png" },
        { kind: "image", name: "after.png", mimeType: "image/png" },
        { kind: "file", path: "src/button.css" },
      ],
    },
  };
  log.event(main, { type: "message_end", message });
  log.end(main, "done");
  return [log.chat()];
}

export const composerScenes: Readonly<Record<string, () => Scene>> = {
  mentions: () => ({
    messages: drafted([]),
    types: "Where is the session checked in @",
    answers: [{ type: "suggestions", requestId: "1", items: suggestions }],
  }),
  "mentions-lines": () => ({
    messages: drafted([]),
    types: "First look here:\n\nand then compare it with @au",
    answers: [{ type: "suggestions", requestId: "1", items: suggestions.slice(5) }],
  }),
  commands: () => ({ messages: drafted([]), types: "/" }),
  pictures: () => ({
    messages: drafted([shot("before.png", 20), shot("after.png", 120)], "Why does the button jump?"),
  }),
  "pictures-unseen": () => ({ messages: drafted([shot("before.png", 20)], "Why?", { model: blind }) }),
  chips: () => ({ messages: drafted(many, "Everything at once") }),
  "sent-pictures": () => ({ messages: sentPictures() }),
  "picture-large": () => ({ messages: sentPictures(), clicks: ['[aria-label*="before.png"]'] }),
};
