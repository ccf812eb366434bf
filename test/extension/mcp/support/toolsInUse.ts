import assert from "node:assert/strict";
import type { AgentTool } from "../../../../src/agent/vocabulary/tools.ts";
import type { McpPermission, PermissionAnswer } from "../../../../src/extension/approvals/permission.ts";
import type { McpServer } from "../../../../src/extension/mcp/mcpServer.ts";
import { toolsOfServers } from "../../../../src/extension/mcp/mcpTools.ts";

/** The tools of servers that run, with a user who answers what is set. */
export async function setUp(...started: McpServer[]) {
  const state = {
    asked: [] as McpPermission[],
    answer: { allowed: true } as PermissionAnswer,
    versions: {} as Readonly<Record<string, string>>,
    outputs: [] as string[],
    questions: [] as { text: string; options: readonly string[] }[],
    answers: [] as string[],
    /** Before an answer is given. */
    until: async () => {},
  };
  for (const server of started) await server.start(new AbortController().signal);
  const tools = () =>
    toolsOfServers(started, {
      async askPermission(request) {
        assert.equal(request.kind, "mcp");
        if (request.kind === "mcp") state.asked.push(request);
        return state.answer;
      },
      async ask({ text, options }) {
        state.questions.push({ text, options });
        await state.until();
        return state.answers.shift() ?? "";
      },
      subAgentParts: () => ({}),
      allowed: {
        read: () => state.versions,
        write: async (versions) => {
          state.versions = versions;
        },
      },
      outputs: {
        keep: async (_kind, _extension, text) => `arbor-output:/${state.outputs.push(text)}`,
      },
    });
  const tool = (name: string): AgentTool => {
    const found = tools().find((each) => each.name === name);
    assert.ok(found, name);
    return found;
  };
  return { state, tools, tool };
}
