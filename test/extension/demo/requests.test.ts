import assert from "node:assert/strict";
import {
  type LlmMessage,
  type ToolCall,
  type ToolResultMessage,
  userMessage,
} from "../../../src/agent/vocabulary/messages.ts";
import { findDeclarations } from "../../../src/extension/demo/declarations.ts";
import { plan } from "../../../src/extension/demo/plan.ts";
import { parseQuery } from "../../../src/extension/demo/query.ts";
import { type NameReplacement, parseReplacement } from "../../../src/extension/demo/replace.ts";
import { ruleFor } from "../../../src/extension/demo/requests.ts";
import { demoWorld } from "../../support/demoWorld.ts";

const replacements: [string, NameReplacement][] = [
  ["replace formatPrice with formatMoney", { from: "formatPrice", to: "formatMoney" }],
  ["Replace `a b` by `c d`.", { from: "a b", to: "c d" }],
  ["please rename the function foo to bar in src/cart.ts", { from: "foo", to: "bar", within: "src/cart.ts" }],
  ["rename all occurrences of foo to bar everywhere", { from: "foo", to: "bar" }],
  ["replace “Hello, World” with 'Bye' in the whole project", { from: "Hello, World", to: "Bye" }],
  ["replace old with new in `src/`", { from: "old", to: "new", within: "src/" }],
];

const answers: [string, RegExp][] = [
  ["Give me a tour of this project: what it does and where things are.", /^The files:/],
  ["Where is the overview rendered?", /^I found nothing about “overview” or “rendered”/],
  ["how do I replace the battery?", /^I found nothing about “replace” or “battery”/],
  ["show where errors are logged", /^I found nothing about “errors” or “logged”/],
  ["formatPrice", /^I found nothing about “formatPrice”/],
  ["change the button to be blue", /^I am the demo model/],
  ["What can you do?", /^I am the demo model.*Find a place.*Replace a name.*connect a language model/s],
  ["hello", /^Hello! I am the demo model.*Find a place/s],
  ["What is this project about?", /^The files:/],
  ["can you explain this project?", /^The files:/],
  ["list the files", /^The files:/],
  ["add a test", /I can't do that: it takes a language model.*Find a place/s],
  ["please fix the bug in a.md", /I can't do that: it takes a language model/],
  ["refactor", /I can't do that: it takes a language model/],
  ["find bugs", /I can't do that: it takes a language model/],
  ["are you ChatGPT?", /^I am the demo model/],
  ["what model are you?", /^I am the demo model/],
  ["How do I set up a model?", /^I am the demo model.*Arbor: Set Up a Model/s],
  ["thanks!", /^You're welcome/],
  ["undo that", /^\*\*Rewind to here\*\*/],
  ["asdfghjkl", /^I found nothing about “asdfghjkl”.*in English/s],
  ["Was macht dieses Projekt?", /^Ich bin das Demo-Modell.*verstehe nur Englisch.*Find a place/s],
  ["¿Qué hace este proyecto?", /^Soy el modelo de demostración.*Find a place/s],
  ["explique ce projet", /^Je suis le modèle de démonstration.*Find a place/s],
  ["привет", /^I am the demo model.*I understand English only/s],
  ["Fix the problems that the editor reports.", /^The editor shows no problems/],
  ["open b.md", /^There is no file `b\.md`/],
];

describe("what the demo model takes a message for", () => {
  for (const [text, expected] of replacements) {
    it(`${JSON.stringify(text)} is a replacement`, () => {
      assert.deepEqual(parseReplacement(text), expected);
    });
  }

  for (const [text, expected] of answers) {
    it(`${JSON.stringify(text)} is answered with ${expected.source.slice(1, 20)}`, async () => {
      assert.equal(parseReplacement(text), undefined);
      assert.match(await demoWorld({ files: { "a.md": "# A\n" } }).ask(text), expected);
    });
  }
});

describe("a command for the demo model", () => {
  const tools = ["search_text", "read_file", "run_command"];
  const result = (call: ToolCall, text: string, isError = false): ToolResultMessage => ({
    ...{ role: "toolResult", id: `of ${call.id}`, callId: call.id, toolName: call.name, timestamp: 0 },
    ...{ content: [{ type: "text", text }], isError },
  });
  const request = (messages: LlmMessage[]) => ({
    ...{ systemPrompt: "<identity>\nYou are main.\n</identity>", messages },
    tools: tools.map((name) => ({ name, description: "", parameters: {} })),
  });
  /** What the demo does when `outcomes` answer its calls, one after the other. */
  function play(text: string, ...outcomes: [text: string, isError?: boolean][]): { calls: unknown[]; answer: string } {
    const messages: LlmMessage[] = [userMessage(text)];
    const calls: unknown[] = [];
    for (const [index, outcome] of [...outcomes, undefined].entries()) {
      const step = plan(request(messages));
      if (step.type === "answer" || outcome === undefined) return { calls, answer: step.text };
      const made = step.calls.map((call): ToolCall => ({ type: "toolCall", id: `${index}`, ...call }));
      calls.push(...step.calls);
      const rest = { model: "", provider: "", stopReason: "toolUse" as const, timestamp: 0 };
      messages.push({ role: "assistant", id: `m${index}`, content: made, ...rest });
      messages.push(...made.map((call) => result(call, ...outcome)));
    }
    return { calls, answer: "" };
  }
  const ran = (command: string) => ({ name: "run_command", arguments: { command } });

  it("is run as it was named, and what it printed is shown", () => {
    for (const text of ["run `npm run lint`", "please run npm run lint", "npm run lint"]) {
      const { calls, answer } = play(text, ["Exit code 0\nall fine"]);
      assert.deepEqual(calls, [ran("npm run lint")]);
      assert.match(answer, /^`npm run lint` succeeded:.*all fine/s);
    }
    assert.match(
      play("run `make`", ["Exit code 2\nboom", true]).answer,
      /did not succeed:.*boom.*takes a language model/s,
    );
  });

  it("to test is what the project says, where it says so", () => {
    const manifest = '1\t{ "scripts": { "test": "node --test" } }';
    assert.deepEqual(play("run the tests", [manifest], ["ok"]).calls.at(-1), ran("npm test"));
    assert.match(play("run the tests", ["There is no file", true]).answer, /Name the command/);
    const offered = "Run the tests with `cargo test`. Fix what fails, and say what it was.";
    assert.deepEqual(play(offered, ["ok"]).calls, [ran("cargo test")]);
  });
});

describe("a pasted page", () => {
  const pages = [
    "replace a with b by c in d ".repeat(5_000),
    "fix todo ".repeat(20_000),
    "`'\"“".repeat(20_000),
    " ".repeat(90_000),
  ];
  it("is read without trouble, and asks for no more than a few searches", () => {
    for (const page of pages) {
      parseReplacement(page);
      ruleFor(page, { tools: new Set(), agents: new Set() });
      assert.ok(parseQuery(`Where is this? ${page}`).terms.length <= 6);
    }
  });

  it("declares names whole that begin like a keyword", () => {
    const texts = [
      "export const variance = (input: number): number => {",
      "const letters = async () => 1;",
      "valid: (x) => x,",
    ];
    const names = findDeclarations(texts.map((text, index) => ({ line: index + 1, text }))).map(({ name }) => name);
    assert.deepEqual(names, ["variance", "letters", "valid"]);
  });

  it("declares nothing, however long its lines are", () => {
    const lines = [
      "function ((((".repeat(9_000),
      "a ".repeat(40_000),
      "export const x: ".repeat(5_000),
      "{(".repeat(40_000),
    ];
    assert.deepEqual(findDeclarations(lines.map((text, index) => ({ line: index + 1, text }))), []);
  });
});
