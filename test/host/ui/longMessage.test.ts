import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { ask } from "../run.ts";
import { sessionFile } from "./sessionFile.ts";
import { useSession } from "./wire/session.ts";

const answer = "There are three prices.";
const long = `${answer}\n\n${"A line of the answer, which is long.\n\n".repeat(1_600_000)}The end of it.`;

describe("An answer of 60 MB", () => {
  const session = useSession("anthropic");

  it("is shown as its beginning, and opened whole in an editor that is only read", async () => {
    const { fake, panel, editor } = session();
    const { page } = editor;
    await fake.script({
      when: { lastUser: "Count the prices", turn: 0 },
      reply: { steps: [{ text: answer }], usage: { input: 1_000, output: 10 } },
    });
    await ask(panel, "Count the prices");
    await panel.conversation.getByText(answer).waitFor();
    await panel.stop.waitFor({ state: "hidden" });
    const file = await sessionFile(editor, "Count the prices");
    const lines = (await readFile(file, "utf8")).split("\n").slice(0, -1);
    const changed = lines.map((line) =>
      (line.includes('"type":"message_end"')
        ? line.replace(JSON.stringify(answer), () => JSON.stringify(long))
        : line
      ).replace('"title":"Count the prices"', '"title":"Long"'),
    );
    assert.ok(changed.some((line) => line.length > 60e6));
    await writeFile(path.join(path.dirname(file), "long.jsonl"), `${changed.join("\n")}\n`);

    await panel.button("History").click();
    await panel.frame.getByRole("listitem").filter({ hasText: "Long" }).getByRole("button").first().click();
    await panel.conversation.getByText(/^\d\d\.\d MB more/).waitFor();
    await panel.button("Show all").click();
    await page.getByRole("tab", { name: "Message.md" }).waitFor();
    await page.locator(".view-line").getByText(answer).waitFor();
    await page.locator(".view-lines").first().click();
    await page.keyboard.press("Control+End");
    await page.locator(".view-line").getByText("The end of it.").waitFor();
    await page.keyboard.type("typed");
    await page.getByText("Cannot edit in read-only editor").first().waitFor();
  }).timeout(240_000);
});
