import type { Rule, Step } from "../../test/support/fakeProvider/script.ts";

/** What is asked in the pictures. */
export const question = "Group thousands in prices, and check what shows them.";
export const editedFile = "src/format/money.ts";
/** What is written to an agent at work. */
export const steered = "Look at vouchers, too.";

const task = (title: string, words: string, agent = "explore") => ({
  ...{ title, agent },
  task: words,
  context: "Prices are cents; formatPrice shows them.",
});
const tests = task("Find price tests", "Which tests check formatted prices?");
const shown = task("Find shown prices", "Where does a customer see a price?", "edit");
const printed = task("Check receipt", "Is the receipt wide enough for grouped prices?");

function turn(words: string, index: number, input: number, steps: Step[]): Rule {
  return { when: { lastUser: words, turn: index }, reply: { steps, usage: { input, cacheRead: 6200, output: 140 } } };
}

const edits = [
  {
    old_text: "/** Cents as customers read them: `€ 12.50`. */",
    new_text: "/** Cents as customers read them: `€ 12.50`, `€ 1,250.00`. */",
  },
  {
    old_text: [
      "  const whole = Math.trunc(Math.abs(cents) / 100);",
      '  const rest = String(Math.abs(cents) % 100).padStart(2, "0");',
      "  // TODO: group thousands",
    ].join("\n"),
    new_text: [
      '  const whole = Math.trunc(Math.abs(cents) / 100).toLocaleString("en");',
      '  const rest = String(Math.abs(cents) % 100).padStart(2, "0");',
    ].join("\n"),
  },
];

/** A run that comes to rest twice: while agents on three levels work (gate "looking"), and at a proposed edit. */
export const story: Rule[] = [
  turn(question, 0, 3100, [
    { text: "I'll have the **tests** and the **places that show prices** looked at, then change `formatPrice`." },
    { tool: "spawn_agents", arguments: { tasks: [shown, tests] } },
  ]),
  turn(shown.task, 0, 1900, [
    { text: "Three files call it." },
    { tool: "search_text", arguments: { query: "formatPrice" } },
  ]),
  turn(shown.task, 1, 2600, [{ tool: "delegate_to_agent", arguments: printed }]),
  turn(tests.task, 0, 1700, [{ tool: "find_files", arguments: { pattern: "test/**/*.ts" } }]),
  turn(tests.task, 1, 2300, [{ tool: "read_file", arguments: { path: "test/format.test.ts" } }]),
  turn(tests.task, 2, 2900, [
    { text: "`test/format.test.ts` checks two amounts, both below a thousand.", chunk: 200 },
    { gate: "looking" },
  ]),
  turn(printed.task, 0, 1500, [{ tool: "read_file", arguments: { path: "src/orders/receipt.ts" } }]),
  turn(printed.task, 1, 2100, [
    { text: "The receipt is 48 wide and pads by the price's length", chunk: 200 },
    { gate: "looking" },
    { text: ", so grouped prices fit." },
  ]),
  turn(shown.task, 2, 3300, [{ text: "Cart, shop window, receipt and export show prices; all call `formatPrice`." }]),
  turn(question, 1, 5200, [{ tool: "read_file", arguments: { path: editedFile } }]),
  turn(question, 2, 6100, [
    { text: "All four places call `formatPrice`, and none depends on its width. One change is enough:" },
    { tool: "edit_file", arguments: { path: editedFile, edits } },
  ]),
  turn(question, 3, 6900, [{ text: "Grouped: `€ 1,250.00`. The tests stay as they are." }]),
];
