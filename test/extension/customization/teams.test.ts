import assert from "node:assert/strict";
import {
  Agent,
  type AgentEvent,
  type AgentMessage,
  emptyTree,
  foldTree,
  MemorySessionStore,
  userMessage,
} from "../../../src/agent/index.ts";
import { ChatDelegation } from "../../../src/extension/chat/agents/chatDelegation.ts";
import { UserError } from "../../../src/extension/common/userError.ts";
import { agentOptions, mainAgent } from "../../../src/extension/customization/agents.ts";
import { attachmentsOfCommand, listCustomCommands } from "../../../src/extension/customization/customCommands.ts";
import { loadCustom } from "../../../src/extension/customization/loadCustom.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import { results, said } from "../../support/agents.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { type RecordedRequest, scriptedModel, text } from "../../support/scriptedModel.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";

const context = {
  builtInAgents: ["explore", "edit"],
  builtInCommands: ["team"],
  modelProblem: (name: string) => (name.startsWith("test/") ? undefined : `No ${name}.`),
};

const team = `
name: audit
description: Audits a part of the code.
members:
  - type: orchestrator
    name: lead
    system_prompt: You lead the audit.
  - type: reader
    description: Reads code.
    system_prompt: You read.
    tools: [read_file, Grep]
  - type: writer
    description: Writes the report.
    tools: [write_file]
`;
const files = { ".agents/teams/audit.yaml": team, ".agents/teams/members/writer.md": "You write." };

const load = (given: Record<string, string> = files) =>
  loadCustom({ workspace: memoryWorkspace({ files: given }) }, context);
const shown = (problems: Awaited<ReturnType<typeof load>>["problems"]) =>
  problems.map(({ path, range, severity, message }) => `${path}:${range.start.line + 1} ${severity} ${message}`);

const ask = (identifier: string, question: string, id = question) => ({
  ...{ name: "ask_agent", id },
  args: { identifier, identifier_type: "name", question },
});

/** `before` is what an earlier run of the editor has left. */
async function arrange(
  answer: (request: RecordedRequest) => ReturnType<typeof text>,
  before: { events: AgentEvent[]; id?: string; messages?: readonly AgentMessage[] } = { events: [] },
) {
  const custom = await load();
  const workspace = memoryWorkspace({ files: { "a.ts": "one\n" } });
  const review = scriptedReview(workspace);
  const tools = editorTools({ workspace, review, reads: createReadVersions(), agentPath: () => ["main"] });
  const model = scriptedModel(answer);
  const events = [...before.events];
  const delegation = new ChatDelegation({
    ...{ tools, custom: () => custom, projectContext: async () => undefined },
    events: async () => events,
    each: () => ({ effects: [], middleware: [] }),
  });
  const main = new Agent({
    ...agentOptions(mainAgent, { tools }),
    model: { id: "big", provider: "test" },
    ...{ streamFn: model.streamFn, registry: delegation.directory, maxDepth: 3 },
    session: new MemorySessionStore(),
    ...(before.id !== undefined && { id: before.id, messages: [...(before.messages ?? [])] }),
  });
  delegation.attach(main);
  main.subscribe((event) => events.push(event));
  const say = async () => {
    const attachments = attachmentsOfCommand("team", "audit the login", custom, {}) ?? [];
    const message = { ...userMessage("/team audit the login"), meta: { attachments } };
    delegation.address(message);
    delegation.update(main);
    await main.prompt(message);
  };
  /** How many messages each request to the reader had. */
  const readerKnew = () =>
    model.requests.filter((request) => toldTo(request) === "read").map(({ messages }) => messages.length);
  return { main, model, say, events, readerKnew, nodes: () => Object.values(foldTree(emptyTree(), events).nodes) };
}

/** Main hands each message to the team, whose leader asks the reader once. */
function audit(request: RecordedRequest): ReturnType<typeof text> {
  const last = said(request.messages).at(-1) ?? "";
  if (!last.startsWith("user")) return text("done");
  switch (toldTo(request)) {
    case "main":
      return { calls: [{ name: "delegate_to_agent", args: { agent: "audit", task: "audit", context: "" } }] };
    case "lead":
      return { calls: [ask("reader", "what is there?")] };
    default:
      return text("a file");
  }
}

const toldTo = (request: RecordedRequest) => /^You (lead|read|write)|Arbor/m.exec(request.systemPrompt)?.[1] ?? "main";

describe("a team", () => {
  it("is read from its file, whose members have instructions of their own", async () => {
    const { agents, problems } = await load();
    assert.deepEqual(problems, []);
    assert.deepEqual(
      agents.map((agent) => [agent.name, agent.description, "workers" in agent]),
      [["audit", "Audits a part of the code.", true]],
    );
  });

  it("answers by its orchestrator, who asks workers that remember and have their own tools alone", async () => {
    const asked: string[] = [];
    const { main, model, say, nodes } = await arrange((request) => {
      const who = toldTo(request);
      const last = said(request.messages).at(-1) ?? "";
      asked.push(`${who} < ${last.split("\n")[0]}`);
      if (who === "main") {
        if (!last.startsWith("user")) return text("reported");
        return { calls: [{ name: "delegate_to_agent", args: { agent: "audit", task: "audit", context: "" } }] };
      }
      if (who === "lead") {
        const count = request.messages.length;
        if (count === 1) return { calls: [ask("reader", "what is there?"), ask("writer", "begin")] };
        return count < 5 ? { calls: [ask("reader", "and then?", `again ${count}`)] } : text("audited");
      }
      return text(`${who} knows ${request.messages.length}`);
    });
    await say();
    const workers = model.requests.filter((request) => ["read", "write"].includes(toldTo(request)));
    const reader = workers.filter((request) => toldTo(request) === "read");
    assert.deepEqual(
      reader.map(({ messages }) => messages.length),
      [1, 3],
    );
    assert.deepEqual(
      workers.map(({ tools }) => tools.map(({ name }) => name).sort()),
      [
        ["ask_agent", "list_team", "read_file", "search_text"],
        ["ask_agent", "list_team", "write_file"],
        ["ask_agent", "list_team", "read_file", "search_text"],
      ],
    );
    assert.deepEqual(
      nodes().map(({ meta, children }) => [meta.name, meta.depth, children.length]),
      [
        ["main", 0, 1],
        ["audit", 1, 2],
        ["reader", 2, 0],
        ["writer", 2, 0],
      ],
    );
    const node = nodes().find(({ meta }) => meta.name === "reader");
    assert.deepEqual(said(node?.messages ?? []), [
      "user: what is there?",
      "assistant: read knows 1",
      "user: and then?",
      "assistant: read knows 3",
    ]);
    assert.match(results(main.messages)[0] ?? "", /audited/);
    await say();
    assert.equal(reader.length, 2);
    const again = model.requests.filter((request) => toldTo(request) === "read");
    assert.deepEqual(
      again.slice(2).map(({ messages }) => messages.length),
      [5, 7],
    );
  });

  it("has workers that know after a reload what they were asked before it", async () => {
    const before = await arrange(audit);
    await before.say();
    await before.say();
    const { id, messages } = before.main;
    const { say, readerKnew, nodes } = await arrange(audit, { events: before.events, id, messages });
    await say();
    assert.deepEqual([before.readerKnew(), readerKnew()], [[1, 3], [5]]);
    assert.equal(nodes().filter(({ meta }) => meta.name === "reader").length, 1);
  });

  it("has workers that know after a rewind what they were asked before the message, and again when it is undone", async () => {
    const { main, say, readerKnew } = await arrange(audit);
    await say();
    await say();
    const messages = [...main.messages];
    const second = messages.findLastIndex(({ role }) => role === "user");
    await main.rewindTo(messages[second]?.id ?? "");
    await say();
    assert.deepEqual(readerKnew(), [1, 3, 3]);
    await main.rewindTo(messages[0]?.id ?? "");
    await say();
    assert.deepEqual(readerKnew(), [1, 3, 3, 1]);
    await main.rewindTo(main.messages[0]?.id ?? "");
    main.addMessage(messages);
    await say();
    assert.deepEqual(readerKnew().at(-1), 5);
  });

  it("has workers that forget when they are asked afresh, also after a reload", async () => {
    const forgetting = (request: RecordedRequest) => {
      const answer = audit(request);
      const isLead = toldTo(request) === "lead" && "calls" in answer;
      if (!isLead) return answer;
      const args = { identifier: "reader", identifier_type: "name", question: "afresh", reset_context: true };
      return { calls: [{ name: "ask_agent", id: "call", args }] };
    };
    const before = await arrange(audit);
    await before.say();
    const again = await arrange(forgetting, { ...before, id: before.main.id, messages: before.main.messages });
    await again.say();
    const last = await arrange(audit, { ...again, id: again.main.id, messages: again.main.messages });
    await last.say();
    assert.deepEqual([before.readerKnew(), again.readerKnew(), last.readerKnew()], [[1], [1], [3]]);
  });

  it("lets its workers ask each other, but not in a circle", async () => {
    const { model, say } = await arrange((request) => {
      const who = toldTo(request);
      const last = said(request.messages).at(-1) ?? "";
      if (who === "main" && last.startsWith("user"))
        return { calls: [{ name: "delegate_to_agent", args: { agent: "audit", task: "audit", context: "" } }] };
      if (!last.startsWith("user")) return text("ok");
      if (who === "lead") return { calls: [ask("reader", "q")] };
      return { calls: [ask(who === "read" ? "writer" : "reader", `from ${who}`)] };
    });
    await say();
    const writer = model.requests.filter((request) => toldTo(request) === "write").at(-1);
    assert.match(said(writer?.messages ?? []).at(-1) ?? "", /already running above you/);
  });

  it("is a command, which says which teams there are where the name is another one", async () => {
    const custom = await load();
    assert.deepEqual(
      listCustomCommands(custom).map(({ name, description }) => [name, description]),
      [["team", "Hand this to a team: audit"]],
    );
    assert.deepEqual(attachmentsOfCommand("team", "Audit the login", custom, {}), [{ kind: "agent", name: "audit" }]);
    const other = () => attachmentsOfCommand("team", "adit x", custom, {});
    assert.throws(other, new UserError("There is no team adit. There are: audit"));
  });

  const broken: [string, Record<string, string>, string[]][] = [
    [
      "the instructions of a worker are missing",
      { ".agents/teams/audit.yaml": team },
      [
        ".agents/teams/audit.yaml:12 error The instructions of writer can't be read: .agents/teams/members/writer.md does not exist",
      ],
    ],
    [
      "it is no YAML",
      { ".agents/teams/a.yaml": "members: [" },
      [
        ".agents/teams/a.yaml:1 error The team can't be read: Flow sequence in block collection must be sufficiently indented and end with a ]",
      ],
    ],
    [
      "nobody leads it, and two members have one name",
      {
        ".agents/teams/a.yaml": "members:\n  - { type: w, system_prompt: x y }\n  - { type: w, system_prompt: x y }\n",
      },
      [
        ".agents/teams/a.yaml:2 error One member must have the type orchestrator. Here there are 0.",
        ".agents/teams/a.yaml:3 error Two members are called w.",
      ],
    ],
    [
      "a field is mistaken, a tool or a model does not exist",
      {
        ".agents/teams/a.yaml": "members:\n  - type: orchestrator\n    system_prompt: x y\n    tols: []\n",
        ".agents/teams/b.yaml":
          "members:\n  - type: orchestrator\n    system_prompt: x y\n    tools: [raed_file]\n    provider: none\n    model_id: big\n",
      },
      [
        ".agents/teams/a.yaml:4 error A team has no field members.0.tols. Is tools meant?",
        ".agents/teams/b.yaml:4 warning There is no tool raed_file.",
        ".agents/teams/b.yaml:6 warning No none/big.",
      ],
    ],
    [
      "its instructions lead out of its folder",
      {
        ".agents/teams/a.yaml": "members:\n  - type: orchestrator\n    system_prompt: ../../secret.md\n",
        "secret.md": "x",
      },
      [
        ".agents/teams/a.yaml:3 error The instructions of orchestrator can't be read: it is not below the folder of the team file",
      ],
    ],
    [
      "its name is of another alphabet",
      { ".agents/teams/\u05d0.yaml": "members:\n  - type: orchestrator\n    system_prompt: x y\n" },
      [
        ".agents/teams/\u05d0.yaml:1 error A name has letters a to z, digits, dots, hyphens and underscores, 64 at most.",
      ],
    ],
  ];
  for (const [what, given, expected] of broken) {
    it(`is a mistake at its line where ${what}`, async () => {
      const { problems } = await load({ ...given, ".agents/agents/x.md": "---\ndescription: X.\n---\nX." });
      assert.deepEqual(shown(problems), expected);
    });
  }
});
