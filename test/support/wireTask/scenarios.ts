import type { Step, StreamReply, WireName } from "../fakeProvider/script.ts";
import type { Scenario } from "./chatOverWire.ts";

const files = {
  "src/cart/total.ts": sourceFile("total", 90),
  "src/cart/discount.ts": sourceFile("discount", 60),
  "test/total.test.ts": sourceFile("check", 40),
};

/** A file of some length, of which each line says something else. */
function sourceFile(name: string, lines: number): string {
  const functions = Array.from({ length: lines / 3 }, (_, at) =>
    [
      `export function ${name}${at}(items: readonly number[]): number {`,
      `  return items[${at}] ?? ${at * 7};`,
      "}",
    ].join("\n"),
  );
  return `${functions.join("\n")}\n`;
}

function calls(thinking: string, ...tools: readonly Step[]): StreamReply {
  return { steps: [{ thinking, signature: `signed: ${thinking}` }, ...tools] };
}

function says(text: string, phase = "final_answer"): StreamReply {
  return { steps: [{ text, phase }] };
}

const read = (path: string): Step => ({ tool: "read_file", arguments: { path } });
const plan = (...statuses: readonly string[]): Step => ({
  tool: "update_plan",
  arguments: { items: statuses.map((status, at) => ({ text: `Step ${at + 1}`, status })) },
});

/** Changes one line, by the tool that the wire's model has. */
function edit(wire: WireName, path: string, [before, after]: readonly [string, string]): Step {
  if (wire === "anthropic") {
    return { tool: "edit_file", arguments: { path, edits: [{ old_text: before, new_text: after }] } };
  }
  const patch = ["*** Begin Patch", `*** Update File: ${path}`, "@@", `-${before}`, `+${after}`, "*** End Patch"];
  const text = `${patch.join("\n")}\n`;
  return wire === "responses"
    ? { tool: "apply_patch", input: text }
    : { tool: "apply_patch", arguments: { patch: text } };
}

/** Five messages of the user's, as a small change goes. */
export const fiveTurns: Scenario = {
  name: "five turns",
  files,
  steps: (wire) => [
    {
      say: "How is the total of the cart computed?",
      answers: [
        calls("I look at the cart.", { tool: "list_files", arguments: { path: "src/cart" } }),
        calls("Both files matter.", read("src/cart/total.ts"), read("src/cart/discount.ts")),
        says("By total0 in `src/cart/total.ts:1`, with the discounts of `src/cart/discount.ts:1`."),
      ],
    },
    {
      say: "Let total3 begin with 20 instead of 21, and check the test.",
      answers: [
        calls("Two steps.", plan("in_progress", "pending"), read("test/total.test.ts")),
        calls(
          "Now the change.",
          edit(wire, "src/cart/total.ts", ["  return items[3] ?? 21;", "  return items[3] ?? 20;"]),
        ),
        calls("Are there problems?", { tool: "get_diagnostics", arguments: { path: "src/cart/total.ts" } }),
        calls("Done.", plan("completed", "completed")),
        says("total3 begins with 20 now (`src/cart/total.ts:11`). The test does not depend on it."),
      ],
    },
    {
      say: "Who else uses 21? 😀",
      answers: [
        calls("A search.", { tool: "search_text", arguments: { query: "21" } }),
        says("`src/cart/discount.ts:11`."),
      ],
    },
    {
      say: "Change it there, too.",
      answers: [
        calls(
          "The same.",
          edit(wire, "src/cart/discount.ts", ["  return items[3] ?? 21;", "  return items[3] ?? 20;"]),
        ),
        says("Both begin with 20 now."),
      ],
    },
    { say: "Thanks. Sum it up.", answers: [says("total3 and discount3 begin with 20 instead of 21.")] },
  ],
};

/** What may come between: plan mode, an edit that waits ten minutes, a sub-agent, a compaction. */
export const interruptions: Scenario = {
  name: "interruptions",
  files,
  reviewMs: 10 * 60_000,
  steps: (wire) => [
    { planning: true },
    {
      say: "Plan how to change total3.",
      answers: [calls("I read it.", read("src/cart/total.ts")), says("Change line 11 of `src/cart/total.ts`.")],
    },
    { planning: false },
    {
      say: "Do it.",
      answers: [
        calls("Now.", edit(wire, "src/cart/total.ts", ["  return items[3] ?? 21;", "  return items[3] ?? 20;"])),
        says("Done: `src/cart/total.ts:11`."),
      ],
    },
    {
      say: "Find out who else does the same.",
      answers: [
        calls("That is for explore.", {
          tool: "delegate_to_agent",
          arguments: { agent: "explore", task: "Find what returns 21.", context: "Not src/cart/total.ts." },
        }),
        calls("A search.", { tool: "search_text", arguments: { query: "21" } }),
        calls("One look.", read("src/cart/discount.ts")),
        says("`src/cart/discount.ts:11` returns 21."),
        says("discount3 does, in `src/cart/discount.ts:11`."),
      ],
    },
    { summary: "The user had total3 changed to 20; discount3 in src/cart/discount.ts:11 still returns 21." },
    {
      say: "Change that one, too.",
      answers: [
        calls("First I read it.", read("src/cart/discount.ts")),
        calls("Now.", edit(wire, "src/cart/discount.ts", ["  return items[3] ?? 21;", "  return items[3] ?? 20;"])),
        says("Done."),
      ],
    },
  ],
};
