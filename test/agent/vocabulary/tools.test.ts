import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod";
import type { ToolDefinition } from "../../../src/agent/vocabulary/messages.ts";
import { defineTool, jsonSchemaTool, toolDefinition } from "../../../src/agent/vocabulary/tools.ts";
import { truncateOutput } from "../../../src/agent/vocabulary/truncate.ts";
import { recordedAgent, results } from "../../support/agents.ts";
import { call, calls, text } from "../../support/scriptedModel.ts";

const schema = {
  type: "object",
  properties: { path: { type: "string" }, mode: { type: "string", enum: ["r", "w"] } },
  required: ["path"],
};

function described(parameters: Record<string, unknown>, name = "open"): ToolDefinition {
  return { name, description: "opens", parameters };
}

describe("tools from JSON schemas", () => {
  for (const [how, parameters] of [
    ["an unknown type", { type: "nonsense" }],
    ["a reference to nowhere", { $ref: "#/nowhere" }],
    ["a pattern that is no regular expression", { type: "string", pattern: "(" }],
    ["properties that are no schemas", { type: "object", properties: 5 }],
    ["a list of required names that is none", { type: "object", required: "path" }],
    ["a property that is no schema", { type: "object", properties: { path: 7 } }],
  ] as const) {
    it(`D39: a schema with ${how} is refused when the tool is made, naming the tool`, () => {
      assert.throws(() => jsonSchemaTool(described(parameters, "broken"), () => ""), {
        code: "bad_input",
        message: /"broken"/,
      });
    });
  }

  it("D39: a schema that compiles validates the arguments like any other", async () => {
    const open = jsonSchemaTool(described(schema), (args) => JSON.stringify(args));
    const { agent } = recordedAgent(
      [
        calls({ name: "open", args: { path: "a", mode: "x" } }, { name: "open", args: { path: "a", more: 1 } }),
        text("ok"),
      ],
      { tools: [open] },
    );
    await agent.prompt("hi");
    const [refused = "", opened] = results(agent.messages);
    assert.match(refused, /mode/);
    assert.equal(opened, '{"path":"a","more":1}');
  });

  const shapes: Record<string, { parameters: Record<string, unknown>; good: unknown[]; bad: unknown[] }> = {
    "properties beside oneOf": {
      parameters: {
        type: "object",
        properties: { id: { type: "string" }, url: { type: "string" } },
        oneOf: [{ required: ["id"] }, { required: ["url"] }],
      },
      good: [{ id: "1" }, { url: "u" }],
      bad: [{}, { id: "1", url: "u" }, { id: 1 }],
    },
    definitions: {
      parameters: {
        type: "object",
        definitions: { name: { type: "string", minLength: 2 } },
        properties: { name: { $ref: "#/definitions/name" } },
      },
      good: [{ name: "Ada" }, {}],
      bad: [{ name: "A" }, []],
    },
    "if, then and else": {
      parameters: {
        type: "object",
        if: { properties: { kind: { const: "file" } }, required: ["kind"] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema.
        then: { required: ["path"] },
        else: { required: ["url"] },
      },
      good: [{ kind: "file", path: "a" }, { url: "u" }],
      bad: [{ kind: "file", url: "u" }, {}],
    },
    not: { parameters: { type: "object", not: { required: ["secret"] } }, good: [{}], bad: [{ secret: 1 }] },
    dependentRequired: {
      parameters: { type: "object", dependentRequired: { from: ["to"] } },
      good: [{ from: 1, to: 2 }, { to: 2 }],
      bad: [{ from: 1 }],
    },
    "a list of types": {
      parameters: { type: "object", properties: { n: { type: ["number", "null"] } } },
      good: [{ n: null }, { n: 1 }],
      bad: [{ n: "1" }],
    },
    "a tuple of an older draft": {
      parameters: { type: "object", properties: { at: { type: "array", items: [{ type: "number" }] } } },
      good: [{ at: [1, "x"] }],
      bad: [{ at: ["x"] }],
    },
    "a schema that refers to itself": {
      parameters: {
        type: "object",
        properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
        required: ["name"],
      },
      good: [{ name: "a", children: [{ name: "b" }] }],
      bad: [{ name: "a", children: [{}] }],
    },
    "required names that are no properties": {
      parameters: { type: "object", properties: {}, required: ["path"] },
      good: [{ path: 1 }],
      bad: [{}],
    },
  };
  for (const [shape, { parameters, good, bad }] of Object.entries(shapes)) {
    it(`D39: ${shape}: the valid calls run, the others are refused`, async () => {
      const { schema: checked } = jsonSchemaTool(described(parameters), () => "");
      for (const args of good) assert.deepEqual(await checked.safeParseAsync(args), { success: true, data: args });
      for (const args of bad) {
        const { success, error } = await checked.safeParseAsync(args);
        assert.equal(success, false, JSON.stringify(args));
        assert.notEqual(error?.issues[0]?.message ?? "", "");
      }
    });
  }

  it("name to the model which part of its arguments a validator did not let through", async () => {
    const parameters = { type: "object", properties: { n: { type: ["number", "null"] } } };
    const { agent } = recordedAgent([call("open", { n: "1" }), text("ok")], {
      tools: [jsonSchemaTool(described(parameters), () => "")],
    });
    await agent.prompt("hi");
    assert.match(results(agent.messages)[0] ?? "", /#\/n: .*number/);
  });

  it("keep the definition they were made of", () => {
    const definition = described(schema);
    assert.equal(toolDefinition(jsonSchemaTool(definition, () => "")), definition);
  });
});

describe("the definition of a tool", () => {
  it("describes what the model has to send, not what execute gets", () => {
    const tool = defineTool({
      name: "t",
      description: "d",
      schema: z.object({ n: z.number().default(3), when: z.iso.date().transform((date) => new Date(date)) }),
      execute: ({ n, when }) => `${n} ${when.getTime()}`,
    });
    assert.deepEqual(toolDefinition(tool), {
      name: "t",
      description: "d",
      parameters: {
        type: "object",
        properties: {
          n: { type: "number", default: 3 },
          when: toolDefinition({ ...tool, schema: z.object({ when: z.iso.date() }) }).parameters.properties?.[
            "when" as never
          ],
        },
        required: ["when"],
      },
    });
  });

  it("is the same object each time, so that a provider can keep what it made of it", () => {
    const tool = defineTool({ name: "t", description: "d", schema: z.object({}), execute: () => "" });
    assert.equal(toolDefinition(tool), toolDefinition(tool));
  });

  it("asynchronous refinements of a schema are waited for", async () => {
    const tool = defineTool({
      name: "t",
      description: "d",
      schema: z.object({ n: z.number().refine(async (n) => n > 1, "too small") }),
      execute: ({ n }) => String(n),
    });
    const { agent } = recordedAgent([call("t", { n: 1 }), call("t", { n: 2 }), text("ok")], { tools: [tool] });
    await agent.prompt("hi");
    assert.match(results(agent.messages)[0] ?? "", /too small/);
    assert.equal(results(agent.messages)[1], "2");
  });
});

describe("truncateOutput", () => {
  it("E16: cuts at whichever limit comes first", () => {
    assert.match(truncateOutput("a\nb\nc", { lines: 2 }), /^a\nb\n\[Output cut: 3 of 5 characters/);
    assert.match(truncateOutput("abcdef", { bytes: 4 }), /^abcd\n\[Output cut/);
    assert.equal(truncateOutput("a\nb\n", { lines: 2 }), "a\nb\n");
    assert.equal(truncateOutput("abcd", { bytes: 4 }), "abcd");
  });

  it("E16: never cuts inside a character, and never keeps more bytes than allowed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (whole, bytes) => {
        const cut = truncateOutput(whole, { bytes, lines: 1_000 });
        if (cut === whole) return;
        const kept = cut.slice(0, cut.lastIndexOf("\n[Output cut"));
        assert.ok(whole.startsWith(kept));
        assert.ok(Buffer.byteLength(kept) <= bytes);
        assert.ok(kept.isWellFormed());
      }),
    );
  });
});
