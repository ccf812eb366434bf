import type { AgentMeta } from "../../../src/agent/types.ts";
import type { Approval } from "../../../src/protocol/hostEvents.ts";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { demo, local, type Recording, recording, text, toolCall } from "../support/recording.ts";
import { changesScenes } from "./changesScenes.ts";
import { compareScenes } from "./compareScenes.ts";
import { composerScenes } from "./composerScenes.ts";
import { crowdScenes } from "./crowdScenes.ts";
import { delegationScenes } from "./delegationScenes.ts";
import { editScenes } from "./editScenes.ts";
import { historyScenes } from "./historyScenes.ts";
import { longAnswer } from "./longAnswer.ts";
import { runsScenes } from "./runsScenes.ts";
import { stateScenes } from "./stateScenes.ts";
import { timelineScenes } from "./timelineScenes.ts";

/** A state of the panel: what the host posted, and what the user did then. */
export interface Scene {
  messages: HostMessage[];
  /** Selectors that are clicked, in order; the same in every language. */
  clicks?: string[];
  /** Keys that are pressed after that. */
  keys?: string[];
  /** What is typed into the composer. */
  types?: string;
  /** What the host posts after that. */
  answers?: HostMessage[];
  /** Selectors that are clicked once that is shown. */
  clicksAfter?: string[];
}

export const scenes: Readonly<Record<string, () => Scene>> = {
  idle: () => ({ messages: [recording().chat()] }),
  "idle-setup": () => ({ messages: [recording().chat({ needsSetup: true, model: demo, problemCount: 0 })] }),
  answered: () => ({ messages: [answered().chat({ model: demo })] }),
  running: () => ({ messages: [running().chat()] }),
  "fan-out": () => ({ messages: [running().chat()], clicks: [".delegation > .tool-head"] }),
  child: () => ({ messages: [running().chat()], clicks: ['[role=treeitem]:has-text("tests")'] }),
  details: () => ({ messages: [running().chat()], clicks: ['[role=treeitem]:has-text("docs") .codicon-info'] }),
  approval: () => ({ messages: [waiting().chat()] }),
  conflict: () => ({ messages: [conflicting().chat()] }),
  scopes: () => ({ messages: [waiting().chat()], clicks: [".more-answers"] }),
  granted: () => ({
    messages: [granted().chat({ mode: "auto-edit", thinking: "high" })],
    clicks: [".grants .fold-head"],
  }),
  shared: () => ({ messages: [sharing().chat()], clicks: [".more-answers"] }),
  command: () => ({ messages: [commanding().chat()] }),
  "command-edited": () => ({ messages: [commanding().chat()], clicks: [".request-shown .codicon-edit"] }),
  "secret-file": () => ({ messages: [readingSecrets().chat()] }),
  question: () => ({ messages: [asking().chat()] }),
  plan: () => ({ messages: [planned().chat()], clicks: [".plan-head"] }),
  notices: () => ({ messages: [failed().chat({ model: local })] }),
  queue: () => ({ messages: [queued().chat()], types: "and rename the helper\nwhile you are at it" }),
  gauge: () => ({ messages: [running().chat()], clicks: [".gauge-button"] }),
  markdown: () => ({ messages: [markdown().chat()] }),
  tools: () => ({ messages: [markdown().chat()], clicks: [".tool-head", ".fold-head"] }),
  find: () => ({ messages: [markdown().chat()], keys: ["Control+f", "t", "h", "e", "Enter"] }),
  titled: () => ({ messages: [titled().chat()] }),
  "titled-approval": () => ({
    messages: [titled(true).chat()],
    clicks: [".plan-head", '[role=treeitem]:has-text("Fix the totals") .codicon-info'],
  }),
  many: () => ({ messages: [many().chat()] }),
  ...editScenes,
  ...historyScenes,
  ...changesScenes,
  ...compareScenes,
  ...composerScenes,
  ...runsScenes,
  ...crowdScenes(() => oneHunk),
  ...delegationScenes,
  ...timelineScenes,
  ...stateScenes(running),
};

function answered(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Where is the price computed?" });
  const main = log.agent("main");
  const path = "src/cart/price.ts";
  log.user(main, "Where is the price computed?", { attachments: [{ kind: "file", path }] });
  log.answer(main, [text("Two explorers look for it."), toolCall("c1", "spawn_agents", twoTasks)]);
  log.toolStart(main, "c1", "spawn_agents", "Delegate", twoTasks);
  for (const [index, { agent }] of twoTasks.tasks.entries()) {
    const child = log.agent(agent, main, "c1");
    for (const name of ["search_text", "read_file"]) {
      const id = `${child.id}-${name}`;
      const args = name === "read_file" ? { path, start_line: 1, end_line: 40 } : { query: "price" };
      log.answer(child, [toolCall(id, name, args)]);
      log.toolStart(child, id, name, name === "read_file" ? "Read" : "Search", args);
      log.toolEnd(child, id, name, "found");
    }
    log.spend(child, { input: 3_200 + index * 900, output: 400 }, 12);
    log.end(child, "done");
  }
  log.toolEnd(main, "c1", "spawn_agents", "both found it");
  log.answer(main, [
    text(
      "The price is computed in `src/cart/price.ts:24`:\n\n- `total()` sums the items and applies the discount\n- `formatPrice()` only writes it down\n\nThe tax is added later, in [the checkout](src/checkout/tax.ts#L8).",
    ),
  ]);
  log.spend(main, { input: 5_100, output: 640 }, 16);
  log.host(measured(main));
  log.end(main, "done");
  return log;
}

const twoTasks = {
  tasks: [
    { agent: "explore", task: "Search the sources for where prices are computed", context: "" },
    { agent: "explore", task: "Read the tests that mention a price", context: "" },
  ],
};

function measured(agent: AgentMeta): Parameters<Recording["host"]>[0] {
  const context = {
    system: 3_100,
    tools: 6_400,
    messages: 12_000,
    files: 11_000,
    toolResults: 8_700,
    reserved: 16_000,
  };
  return { type: "context_measured", agentId: agent.id, context: { ...context, window: 200_000 } };
}

function running(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Refactor auth to use tokens" });
  const main = log.agent("main");
  log.user(main, "Move the login over to tokens and keep the tests green.");
  const read = { path: "src/auth.ts", start_line: 1, end_line: 120 };
  log.answer(main, [text("I read the entry point first."), toolCall("r1", "read_file", read)]);
  log.toolStart(main, "r1", "read_file", "Read", read);
  log.toolEnd(main, "r1", "read_file", "1 export function login() {}");
  const tasks = {
    tasks: [
      { agent: "explore", task: "Find every caller of login() and what each expects", context: "" },
      { agent: "edit", task: "Write the token adapter", context: "" },
    ],
  };
  log.answer(main, [toolCall("d1", "spawn_agents", tasks)]);
  log.toolStart(main, "d1", "spawn_agents", "Delegate", tasks);
  const explore = log.agent("explore", main, "d1");
  log.user(explore, "Find every caller of **login()** and what each expects.");
  log.answer(explore, [toolCall("e1", "delegate_to_agent", { agent: "docs", task: "Read the docs about login" })]);
  log.toolStart(explore, "e1", "delegate_to_agent", "Delegate", { agent: "docs", task: "Read the docs about login" });
  const docs = log.agent("docs", explore, "e1");
  for (const id of ["d-1", "d-2", "d-3"]) {
    log.answer(docs, [toolCall(id, "read_file", { path: `docs/${id}.md` })]);
    log.toolStart(docs, id, "read_file", "Read", { path: `docs/${id}.md` });
    log.toolEnd(docs, id, "read_file", "text");
  }
  log.spend(docs, { input: 5_600, output: 400, cost: 0.01 }, 4);
  log.end(docs, "done");
  log.toolEnd(explore, "e1", "delegate_to_agent", "The docs name three callers.");
  const tests = log.agent("tests", explore, "e1");
  log.user(tests, "Which tests cover the login?");
  log.answer(tests, [toolCall("t1", "read_file", { path: "test/auth.test.ts" })]);
  log.toolStart(tests, "t1", "read_file", "Read", { path: "test/auth.test.ts" });
  log.spend(tests, { input: 10_200, output: 800, cost: 0.02 }, 6);
  log.answer(explore, [toolCall("e2", "search_text", { query: "login" })]);
  log.toolStart(explore, "e2", "search_text", "Search", { query: "login" });
  log.spend(explore, { input: 17_000, output: 1_000, cost: 0.04 }, 9);
  const edit = log.agent("edit", main, "d1");
  log.streaming(edit, "I write the adapter so that the callers stay as they are");
  log.spend(edit, { input: 8_700, output: 300, cost: 0.03 }, 5);
  log.spend(main, { input: 12_200, cacheRead: 27_000, output: 2_000, cost: 0.06 }, 21);
  log.host(measured(main));
  return log;
}

/** A second run, its agents named by their work: three levels, and one of each state. */
function titled(isWaiting = false): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Audit the shop" });
  const main = log.agent("main");
  log.user(main, "Where is the price computed?");
  const fanOut = (id: string, titles: readonly string[]) => {
    const tasks = { tasks: titles.map((title) => ({ agent: "explore", title, task: `${title}.`, context: "" })) };
    log.answer(main, [toolCall(id, "spawn_agents", tasks)]);
    log.toolStart(main, id, "spawn_agents", "Delegate", tasks);
    return titles.map((title) => log.agent("explore", main, id, title));
  };
  for (const agent of fanOut("f0", ["Search the sources for prices", "Read the tests of prices"])) {
    log.spend(agent, { input: 3_200, cost: 0.02 }, 12);
    log.end(agent, "done");
  }
  log.toolEnd(main, "f0", "spawn_agents", "both found it");
  log.answer(main, [text("It is in `src/cart/price.ts:24`.")]);
  log.end(main, "done");
  log.event(main, { type: "agent_start" });
  log.user(main, "Audit the whole shop and fix what is wrong.");
  const titles = [
    "Audit the login area",
    "Audit the cart and its totals",
    "Fix the totals",
    "Check the mail templates",
    "Read the server configuration",
    "Look for unused routes",
  ];
  const [login, cart, fix, mail, server, routes] = fanOut("f1", titles);
  if (!login || !cart || !fix || !mail || !server || !routes) throw new Error("There are six.");
  log.answer(fix, [toolCall("x1", "delegate_to_agent", { agent: "tests", title: "Run the tests", task: "Run them." })]);
  log.toolStart(fix, "x1", "delegate_to_agent", "Delegate", { agent: "tests", task: "Run them." });
  const tests = log.agent("tests", fix, "x1", "Run the tests");
  log.spend(tests, { input: 4_000, cost: 0.01 }, 3);
  log.streaming(cart, "The totals are rounded twice");
  for (const [index, agent] of [login, cart, fix, mail, server, routes].entries()) {
    log.spend(agent, { input: 9_000 + index * 4_321, cost: 0.03 + index * 0.02 }, 6 + index * 7);
  }
  log.end(login, "done");
  log.end(mail, "error", "Rate limited by the provider");
  log.end(routes, "aborted");
  log.answer(server, [toolCall("s1", "read_file", { path: "config/server.json" })]);
  log.toolStart(server, "s1", "read_file", "Read", { path: "config/server.json" });
  log.spend(main, { input: 14_200, output: 900, cost: 0.21 }, 17);
  if (!isWaiting) return log;
  const items = ["Read the cart", "Find the faults", "Fix the totals", "Run the tests", "Write it down"];
  log.host({
    type: "plan_changed",
    agentId: main.id,
    items: items.map((item, index) => ({ text: item, status: index < 2 ? "completed" : "pending" })),
  });
  const asker = { agentId: tests.id, agentPath: ["main", "explore", "tests"] };
  log.host({ type: "approval_requested", approval: { ...twoHunks, ...asker, scopes: everyScope } });
  return log;
}

export const twoHunks: Approval = {
  id: "a1",
  agentId: "edit",
  agentPath: ["main", "edit"],
  callId: "w1",
  toolName: "edit_file",
  files: [
    {
      path: "src/auth/session.ts",
      change: "update",
      languageId: "typescript",
      hunks: [
        {
          id: "h1",
          oldStart: 24,
          oldLines: ["  const token = read();", "  return token;"],
          newStart: 24,
          newLines: [
            "  const token = await read();",
            "  if (token === undefined) throw new SessionExpired(user.id);",
            "  return token;",
          ],
          decision: "pending",
        },
        {
          id: "h2",
          oldStart: 61,
          oldLines: [],
          newStart: 62,
          newLines: ["  await session.close();"],
          decision: "pending",
        },
      ],
    },
  ],
};

const everyScope: NonNullable<Approval["scopes"]> = [
  { scope: "agent" },
  { scope: "session" },
  { scope: "pattern", pattern: "src/auth/**" },
];

export const oneHunk: Approval = {
  ...twoHunks,
  id: "a2",
  callId: "w2",
  files: twoHunks.files.map((file) => ({ ...file, path: "src/login.ts", hunks: file.hunks.slice(0, 1) })),
};

function waiting(): Recording {
  const log = running();
  const edit = log.entries.flatMap((entry) =>
    "agent" in entry && entry.agent.agent.name === "edit" ? [entry.agent.agent] : [],
  )[0];
  log.host({ type: "approval_requested", approval: { ...twoHunks, agentId: edit?.id ?? "", scopes: everyScope } });
  log.host({ type: "approval_requested", approval: { ...oneHunk, agentId: edit?.id ?? "" } });
  return log;
}

/** An edit whose lines have changed since it was proposed. */
function conflicting(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Await every session.");
  log.host({ type: "approval_requested", approval: inConflict({ ...oneHunk, agentId: main.id }) });
  return log;
}

/** The edit after its file has changed. */
export function inConflict(approval: Approval): Approval {
  const conflicted = true as const;
  const files = approval.files.map((file) => ({
    ...file,
    hunks: file.hunks.map((hunk) => ({ ...hunk, conflicted })),
  }));
  return { ...approval, files };
}

/** Two agents that propose the same. */
export function sharing(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Refactor auth" });
  const main = log.agent("main");
  log.user(main, "Await every session.");
  log.answer(main, [toolCall("s1", "spawn_agents", twoTasks)]);
  log.toolStart(main, "s1", "spawn_agents", "Delegate", twoTasks);
  const [first, ...others] = ["edit-1", "edit-2"].map((name) => {
    const { id } = log.agent(name, main, "s1");
    return { agentId: id, agentPath: ["main", name], callId: `call of ${name}` };
  });
  const scopes: Approval["scopes"] = [{ scope: "agent" }, { scope: "session" }];
  log.host({ type: "approval_requested", approval: { ...oneHunk, ...first, others, scopes } });
  return log;
}

const allTests = { id: "g1", kind: "command", scope: "session", text: "npm test", folder: "packages/server" } as const;

/** What was allowed before, and a call that it let through. */
function granted(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Keep the tests green" });
  const main = log.agent("main");
  log.user(main, "Keep the tests green.");
  log.answer(main, [text("I run them again."), toolCall("g-1", "run_command", { command: "npm test" })]);
  log.toolStart(main, "g-1", "run_command", "Run command", { command: "npm test" });
  log.host({ type: "call_allowed", callId: "g-1", grant: allTests });
  log.toolEnd(main, "g-1", "run_command", "42 passing", false, 2_400);
  const edits = { id: "g2", kind: "edit", scope: "pattern", text: "src/auth/**" } as const;
  const pages = { id: "g3", kind: "fetch", scope: "agent", text: "developer.mozilla.org" } as const;
  log.host({
    type: "grants_changed",
    grants: [allTests, edits, { ...pages, agentPath: ["main", "explore"] }],
  });
  log.spend(main, { input: 9_000, output: 900, cost: 0.05 }, 6);
  return log;
}

function commanding(): Recording {
  const log = running();
  const approval: Approval = {
    ...twoHunks,
    id: "a3",
    agentId: "main",
    agentPath: ["main"],
    toolName: "run_command",
    files: [],
  };
  const request = {
    kind: "command" as const,
    text: "npm test -- --grep auth\n&& git status",
    detail: "in packages/server\nruns a script of package.json",
    mayEdit: true as const,
  };
  const scopes: Approval["scopes"] = [{ scope: "agent" }, { scope: "session" }];
  log.host({ type: "approval_requested", approval: { ...approval, request, scopes } });
  return log;
}

/** A link to a file with keys, which is read once the user allows it. */
function readingSecrets(): Recording {
  const log = running();
  const asker = { id: "a4", agentId: "main", agentPath: ["main"], callId: "c9", toolName: "read_file" };
  const request = {
    kind: "read" as const,
    text: "packages/server/notes.txt",
    detail: "a link to packages/server/.env\nThis file may hold passwords or keys. Its text is sent to the model.",
  };
  const scopes: Approval["scopes"] = [{ scope: "agent" }, { scope: "session" }];
  log.host({ type: "approval_requested", approval: { ...asker, files: [], request, scopes } });
  return log;
}

function asking(): Recording {
  const log = running();
  log.host({
    type: "question_asked",
    question: {
      id: "q1",
      agentId: "main",
      agentPath: ["main"],
      callId: "c9",
      text: "Old sessions have no token. Should they be signed out, or get a token at their next request?",
      options: ["Sign them out", "Give them a token at the next request"],
    },
  });
  return log;
}

function planned(): Recording {
  const log = running();
  const items = [
    { text: "Read the entry point", status: "completed" as const },
    { text: "Find every caller of login() and what each of them expects of it", status: "completed" as const },
    { text: "Write the token adapter", status: "in_progress" as const },
    { text: "Move the callers over", status: "pending" as const },
    { text: "Run the tests", status: "pending" as const },
  ];
  log.host({ type: "plan_changed", agentId: "main", items });
  return log;
}

const refusal =
  "The provider refused the request (HTTP 400): messages.7.content.0.tool_use.input: Input should be an object with the properties that the schema of the tool names.\nRequest id req_011CSHoEeqs5C35K2UUqR7Fy.\nThe model is claude-opus, the address https://api.example.com/v1/messages.\nSee the log for the whole answer of the server, which names every field of the request that it did not accept.";

function failed(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Explain the build" });
  const main = log.agent("main");
  log.user(main, "Explain the build");
  log.answer(main, [text("The build has two")], {
    stopReason: "error",
    errorMessage: refusal,
  });
  log.spend(main, { input: 900, output: 12 }, 1);
  log.end(main, "error", refusal);
  log.host({
    type: "notice_shown",
    notice: {
      id: "n1",
      level: "error",
      text: refusal,
      actions: ["retry", "openSettings"],
    },
  });
  log.host({
    type: "notice_shown",
    notice: {
      id: "n2",
      level: "warning",
      text: "arbor.limits.maxDepth is not a number; 3 is used.",
      actions: ["openSettings"],
    },
  });
  log.host({
    type: "notice_shown",
    notice: { id: "n3", level: "info", text: "No folder is open, so agents can't read files.", actions: [] },
  });
  return log;
}

function queued(): Recording {
  const log = running();
  log.host({
    type: "queue_changed",
    items: [
      { id: "q1", text: "leave the public API as it is", kind: "steering" },
      { id: "q2", text: "also update the docs and the changelog, and tell me what changed", kind: "followUp" },
    ],
  });
  return log;
}

function markdown(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "How does the cache work, and why is it slow on the first request?" });
  const main = log.agent("main");
  log.user(main, "How does the cache work?\nAnd why is the first request slow?");
  const calls = [
    {
      id: "k1",
      name: "search_text",
      label: "Search",
      args: { query: "class Cache", include: "src/**" },
      result: "src/cache.ts:12: export class Cache {",
    },
    {
      id: "k2",
      name: "read_file",
      label: "Read",
      args: { path: "src/some/deeply/nested/folder/cache/implementation.ts" },
      result: "…",
    },
    { id: "k3", name: "run_command", label: "Run", args: { command: "npm test -- --grep cache" }, result: "2 failing" },
  ];
  log.answer(main, [
    {
      type: "thinking",
      text: "The user asks two things. First how the cache works, then why the first request is slow.",
    },
    text("I look at the cache and run its tests."),
    ...calls.map(({ id, name, args }) => toolCall(id, name, args)),
  ]);
  for (const { id, name, label, args, result } of calls) {
    log.toolStart(main, id, name, label, args);
    log.toolEnd(main, id, name, result, name === "run_command", name === "run_command" ? 12_400 : 80);
  }
  log.answer(main, [text(longAnswer)]);
  log.spend(main, { input: 8_200, cacheRead: 61_000, output: 4_000, cost: 0.12 }, 74);
  log.host(measured(main));
  log.end(main, "done");
  return log;
}

function many(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Review everything" });
  const main = log.agent("main");
  log.user(main, "Review the whole project, one agent for each folder.");
  const tasks = {
    tasks: Array.from({ length: 20 }, (_, index) => ({
      agent: `review-${index + 1}`,
      task: `Review folder ${index + 1}`,
      context: "",
    })),
  };
  log.answer(main, [text("Twenty reviewers start."), toolCall("m1", "spawn_agents", tasks)]);
  log.toolStart(main, "m1", "spawn_agents", "Delegate", tasks);
  for (const [index, { agent }] of tasks.tasks.entries()) {
    const child = log.agent(agent, main, "m1");
    const args = { path: `src/folder-${index + 1}/index.ts` };
    log.answer(child, [toolCall(`m1-${index}`, "read_file", args)]);
    log.toolStart(child, `m1-${index}`, "read_file", "Read", args);
    log.spend(child, { input: 2_000 + index * 731, output: 200, cost: 0.01 }, 3);
    if (index % 5 === 1) log.end(child, "done");
    if (index === 7) log.end(child, "error", "Rate limited by the provider");
    if (index === 11) log.end(child, "aborted");
    if (index === 13) log.end(child, "limit");
  }
  log.spend(main, { input: 9_000, output: 900, cost: 0.05 }, 6);
  return log;
}
