/** A window's chat at work: three levels of agents over a real connection, until it is killed. Prints what is shown. */
import { appendFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { AgentRegistry, defineTool, type Model } from "../../../../src/agent/index.ts";
import { anthropicStream } from "../../../../src/agent/providers/anthropic/anthropicStream.ts";
import { Chats } from "../../../../src/extension/chat/chats.ts";
import { agentAfter } from "../../../../src/extension/chat/restore/earlierAgent.ts";
import { runNotice } from "../../../../src/extension/panel/notices/runNotice.ts";
import { openSessionStorage } from "../../../../src/extension/sessions/storage.ts";
import { shownOf } from "./killedRunOracle.ts";

const [folder = "", files = "", url = ""] = process.argv.slice(2);
const model: Model = { id: "model", provider: "fake", contextWindow: 200_000, price: { input: 1, output: 2 } };
const streamFn = anthropicStream({ apiKey: "k", baseUrl: url });
const say = (line: object) => void writeSync(1, `${JSON.stringify(line)}\n`);

const sessions = openSessionStorage({ folder, onTrouble: (trouble) => say({ trouble }) });
let approvals = 0;
const chats = new Chats({
  sessions,
  createAgent(chat) {
    const edit = defineTool({
      name: "edit_file",
      description: "Edits.",
      schema: z.object({ hunk: z.string() }),
      async execute({ hunk }, context) {
        const id = `approval-${++approvals}`;
        const about = { agentId: context.agent.id, agentPath: ["main"], callId: context.callId, toolName: "edit_file" };
        const hunks = [
          { id: "1", oldStart: 1, oldLines: [], newStart: 1, newLines: [hunk], decision: "pending" as const },
        ];
        chat.emit({
          type: "approval_requested",
          approval: { id, ...about, files: [{ path: "a.txt", change: "update", languageId: "", hunks }] },
        });
        await setTimeout(20);
        chat.emit({ type: "hunk_decided", approvalId: id, hunkId: "1", decision: "accepted" });
        appendFileSync(join(files, "a.txt"), `${hunk}\n`);
        await setTimeout(5);
        chat.emit({ type: "approval_closed", approvalId: id, outcome: "accepted" });
        return "Kept.";
      },
    });
    const command = defineTool({
      name: "run_command",
      description: "Runs.",
      schema: z.object({ command: z.string() }),
      async execute(_, context) {
        for (let line = 1; line <= 15; line++) {
          context.output(`line ${line}\n`);
          await setTimeout(100);
        }
        return "Exit code 0";
      },
    });
    const tools = [edit, command];
    const registry = new AgentRegistry();
    registry.register({ name: "leaf", description: "Works." }, () => ({ instructions: "Leaf.", tools }));
    registry.register({ name: "middle", description: "Hands on." }, () => ({
      instructions: "Middle.",
      tools,
      registry,
    }));
    return agentAfter(chat.earlier, { name: "main", instructions: "Main.", model, streamFn, registry, tools });
  },
  configure: () => {},
  noticeFor: runNotice,
  onActivity: () => {},
  warn: (trouble) => say({ trouble }),
});

const chat = chats.create();
say({ chat: chat.id });
chat.log.onAppend((entry) => say(shownOf(entry)));
void work();

async function work(): Promise<void> {
  for (let count = 1; ; count++) {
    const content = [{ type: "text" as const, text: `Go ${count}` }];
    await chat.send({ role: "user", id: `user-${count}`, content, timestamp: Date.now() }, "queue");
  }
}
