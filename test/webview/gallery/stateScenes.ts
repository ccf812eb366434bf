import type { AgentMeta, Usage } from "../../../src/agent/types.ts";
import type { CommandOutcome } from "../../../src/protocol/hostEvents.ts";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { type Recording, recording, startTime, text, toolCall } from "../support/recording.ts";
import type { Scene } from "./scenes.ts";

const longName = "review-the-authentication-middleware-and-everything-that-calls-it";
const longPath = "src/some/deeply/nested/folder/that/nobody/reads/authenticationMiddlewareFactory.integration.test.ts";

const output = Array.from({ length: 14 }, (_, index) => `  ✔ case ${index + 1} of the login (${index * 7 + 3} ms)`);

/** States in between: what waits, what was withdrawn, what is still being written, and names of any kind. */
export function stateScenes(running: () => Recording): Readonly<Record<string, () => Scene>> {
  return {
    "pending-edits": () => ({ messages: [pending().chat()], clicks: [".pending-edits .fold-head"] }),
    rewound: () => ({ messages: [rewound().chat()] }),
    retrying: () => ({ messages: [retrying().chat()] }),
    "running-commands": () => ({ messages: [serving().chat()] }),
    output: () => ({ messages: [writing().chat()], clicks: [".tool-head"] }),
    telling: () => ({ messages: [running().chat()], clicks: ['[role=treeitem]:has-text("tests") .codicon-comment'] }),
    steered: () => ({
      messages: [steered(running()).chat()],
      clicks: ['[role=treeitem]:has-text("edit") .codicon-info'],
    }),
    "mode-picker": () => ({ messages: [running().chat()], clicks: [".dropdown:has(.codicon-shield)"] }),
    "thinking-picker": () => ({
      messages: [running().chat({ thinking: "medium" })],
      clicks: [".dropdown:has(.codicon-lightbulb)"],
    }),
    "model-picker": () => ({ messages: [running().chat()], clicks: [".dropdown:not(.collapses, .mode)"] }),
    "long-names": () => ({ messages: [longNames().chat({ activeFile: longPath, model: longModel })] }),
    "hostile-names": () => ({ messages: [hostileNames().chat({ activeFile: "src/\u202etxt.exe" })] }),
    "everything-waits": () => ({ messages: [everythingWaits(running()).chat()] }),
    stopped: () => ({ messages: [ended("aborted").chat()] }),
    limit: () => ({ messages: [ended("limit").chat()] }),
    "find-none": () => ({ messages: [running().chat()], keys: ["Control+f", "q", "q", "Enter"] }),
    "no-folder": () => ({ messages: [withoutFolder()] }),
  };
}

/** A branch is paused, two agents work on one file, and one has read a message of the user's. */
function steered(log: Recording): Recording {
  const named = (name: string) => {
    const entry = log.entries.find((each) => "agent" in each && each.agent.agent.name === name);
    if (entry === undefined || !("agent" in entry)) throw new Error(`There is no agent ${name}.`);
    return entry.agent.agent;
  };
  const [explore, tests, edit] = [named("explore"), named("tests"), named("edit")];
  log.host({ type: "branches_paused", agentIds: [explore.id] });
  const asker = { agentId: edit.id, agentPath: ["main", "edit"] };
  const others = [{ agentId: tests.id, agentPath: ["main", "explore", "tests"], did: "read" as const }];
  log.host({ type: "files_collided", callId: "w1", path: "test/auth.test.ts", ...asker, others });
  const message = { messageId: "m9", agentId: edit.id, to: "edit", text: "keep the old login as well" };
  log.host({ type: "agent_steered", ...message, parentId: named("main").id, callId: "d1" });
  return log;
}

const both = { messageId: "m1", what: "both" } as const;
const longModel = {
  id: "ollama/long",
  label: "hf.co/someone/Qwen3-Coder-480B-A35B-Instruct-GGUF:UD-Q4_K_XL",
  isDemo: false,
  hasPrice: false,
};

function withoutFolder(): HostMessage {
  const message = recording().chat({ folderOpen: false, problemCount: 0 });
  if (message.type !== "chat") return message;
  const { activeFile: _, offers: __, ...status } = message.status;
  return { ...message, status };
}

function pending(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Move the login over to tokens" });
  const main = log.agent("main");
  log.user(main, "Move the login over to tokens.");
  log.answer(main, [text("The login uses tokens now; four files changed.")]);
  log.end(main, "done");
  const by = { agentId: "main/edit", agentPath: ["main", "edit"] };
  log.host({
    type: "pending_edits_changed",
    files: [
      { path: "src/auth/session.ts", ...by, hunks: 2, added: 8, removed: 2 },
      { path: longPath, ...by, change: "add", hunks: 1, added: 120, removed: 0 },
      { path: "src/auth/cookies.ts", ...by, change: "delete", hunks: 1, added: 0, removed: 64 },
      { path: "src/auth/token.ts", agentId: "main", agentPath: ["main"], movedFrom: "src/token.ts", hunks: 0, ...none },
    ],
  });
  return log;
}

/** Commands in the background: two run, one of them in another chat, and others have ended in several ways. */
function serving(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Keep the shop running" });
  const main = log.agent("main");
  log.user(main, "Start the shop and watch its tests.");
  const ended: [string, CommandOutcome | undefined][] = [
    ["npm run dev -- --port 4173", undefined],
    ["npm run build", { cause: "exit", exitCode: 0, durationMs: 12_400 }],
    ["npm test -- --watch", { cause: "exit", exitCode: 1, durationMs: 62_000 }],
    ["npx vite preview", { cause: "user", durationMs: 125_000 }],
    ["tail -f server.log", { cause: "closed" }],
  ];
  const calls = ended.map(([command], index) => toolCall(`b${index}`, "run_command", { command, background: true }));
  log.answer(main, [text("Both are on their way."), ...calls]);
  for (const [index, [command, outcome]] of ended.entries()) {
    log.toolStart(main, `b${index}`, "run_command", "Run command", { command, background: true });
    log.toolEnd(main, `b${index}`, "run_command", `Started in the background as command-${index + 1}.`);
    if (outcome !== undefined) log.host({ type: "command_ended", callId: `b${index}`, outcome });
  }
  const by = { agentId: "main", agentPath: ["main"], startedAt: startTime };
  log.host({
    type: "commands_changed",
    commands: [
      { id: "r1", callId: "b0", command: "npm run dev -- --port 4173", ...by },
      {
        ...{
          id: "r2",
          callId: "x1",
          command: "npx tsc --watch --project tsconfig.packages.server.json",
          startedAt: startTime,
        },
        ...{ agentId: "main/explore", agentPath: ["main", "explore", "tests"], chatTitle: "Move the login over" },
      },
    ],
  });
  log.end(main, "done");
  return log;
}

const none = { added: 0, removed: 0 };

function retrying(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Explain the build");
  log.answer(main, [toolCall("c1", "delegate_to_agent", { agent: "explore", task: "Read the build" })]);
  const explore = log.agent("explore", main, "c1");
  const error = "The provider is overloaded (HTTP 529).";
  log.event(explore, { type: "retry", attempt: 2, delayMs: 90_000, error });
  log.event(main, { type: "retry", attempt: 1, delayMs: 70_000, error });
  return log;
}

function writing(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Run the tests.");
  const args = { command: "npm test -- --grep 'login' --reporter spec && git status --short" };
  log.answer(main, [
    { type: "thinking", text: "The tests of the login are enough." },
    text("I run them."),
    toolCall("c1", "run_command", args),
  ]);
  log.toolStart(main, "c1", "run_command", "Run command", args);
  log.event(main, { type: "tool_execution_update", callId: "c1", toolName: "run_command", output: output.join("\n") });
  return log;
}

function longNames(): Recording {
  const log = recording();
  log.host({
    type: "chat_titled",
    title: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft: why is it so slow?",
  });
  const main = log.agent("main");
  log.user(main, `Look at ${longPath}`, { attachments: [{ kind: "file", path: longPath }] });
  log.answer(main, [toolCall("c1", "delegate_to_agent", { agent: longName, task: longPath })]);
  const first = log.agent(longName, main, "c1");
  const args = { path: longPath, start_line: 1_000, end_line: 12_000 };
  log.answer(first, [toolCall("r1", "read_file", args)]);
  log.toolStart(first, "r1", "read_file", "Read", args);
  let above = first;
  for (let depth = 2; depth < 8; depth++) above = log.agent(`level-${depth}`, above, `c${depth}`);
  log.spend(above, { input: 1_940_000, output: 28_000, cost: 12.4 }, 99);
  log.spend(first, { input: 1_040_000, output: 128_000, cost: 112.4 }, 97);
  log.answer(main, [toolCall("r2", "read_file", args)]);
  log.toolStart(main, "r2", "read_file", "Read", args);
  log.toolEnd(main, "r2", "read_file", `ENOENT: ${longPath.repeat(4)}`, true);
  log.host({
    type: "queue_changed",
    items: [{ id: "q", text: longPath.repeat(2), kind: "followUp", attachmentCount: 12 }],
  });
  return log;
}

function hostileNames(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Rename \u202egpj.exe and zero\u200bwidth" });
  const main = log.agent("main");
  log.user(main, "Read it", { attachments: [{ kind: "file", path: "src/\u202egpj.exe" }] });
  const name = "ex\u200bplore\u2066";
  log.answer(main, [toolCall("c1", "delegate_to_agent", { agent: name, task: "Read \u202egpj.exe" })]);
  const child = log.agent(name, main, "c1");
  const args = { path: "src/pay\u200dload\u202ets.exe" };
  log.answer(child, [toolCall("r1", "read_file", args)]);
  log.toolStart(child, "r1", "read_file", "Read", args);
  log.answer(main, [toolCall("r2", "run_command", { command: "rm \u2066-rf\u2069 ./x" })]);
  log.toolStart(main, "r2", "run_command", "Run command", { command: "rm \u2066-rf\u2069 ./x" });
  return log;
}

/** An edit, a command, a question and a budget at once. */
function everythingWaits(log: Recording): Recording {
  const from = { agentId: "main", agentPath: ["main"] };
  const scopes = [{ scope: "agent" }, { scope: "session" }] as const;
  for (const [index, command] of ["npm test", "npm run build", "git push --force origin main"].entries()) {
    log.host({
      type: "approval_requested",
      approval: {
        ...from,
        ...{ id: `a${index}`, callId: `c${index}`, toolName: "run_command", files: [], scopes: [...scopes] },
        request: { kind: "command", text: command },
      },
    });
  }
  log.host({
    type: "question_asked",
    question: { ...from, id: "q1", callId: "c9", text: "Which of both branches?", options: ["main", "next"] },
  });
  log.host({
    type: "budget_asked",
    question: { ...from, id: "b1", waitingId: "main", figure: "cost", used: 2, allowed: 2, step: 2 },
  });
  log.host({ type: "queue_changed", items: [{ id: "q", text: "then tell me", kind: "followUp" }] });
  log.host({ type: "rewind_changed", undoable: both });
  return log;
}

/** An explorer stays of what was said first; what the second request led to is rewound. */
function rewound(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.host({ type: "chat_titled", title: "Explain the build" });
  log.user(main, "Explain the build");
  const own = explored(log, main, "x1", "find-scripts");
  log.answer(main, [text("The build has two bundles.")]);
  const messages = log.entries.flatMap((entry) =>
    "agent" in entry && entry.agent.type === "message_end" && entry.agent.agent.id === main.id
      ? [entry.agent.message]
      : [],
  );
  log.user(main, "Now make it faster");
  explored(log, main, "x2", "measure");
  log.end(main, "done");
  log.event(main, { type: "transcript", messages, own, total: own, reason: "rewind" });
  log.host({ type: "rewind_changed", undoable: both });
  return log;
}

/** What the child spent. */
function explored(log: Recording, main: AgentMeta, callId: string, name: string): Usage {
  const task = { agent: name, task: `Look at the build: ${name}` };
  log.answer(main, [toolCall(callId, "delegate_to_agent", task)]);
  log.toolStart(main, callId, "delegate_to_agent", "Delegate", task);
  const child = log.agent(name, main, callId);
  log.answer(child, [text("Found it.")]);
  const spent = { input: 4_000, output: 300, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0.01 };
  log.spend(child, spent, 3);
  log.end(child, "done");
  log.toolEnd(main, callId, "delegate_to_agent", "Found it.");
  return spent;
}

function ended(reason: "aborted" | "limit"): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Explain the build");
  log.answer(main, [text("The build has two")], { stopReason: reason === "limit" ? "stop" : "aborted" });
  log.end(main, reason);
  return log;
}
