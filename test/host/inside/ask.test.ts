import assert from "node:assert/strict";
import * as vscode from "vscode";

interface Answer {
  sessionId: string;
  text: string;
}

const ask = (prompt: string) => vscode.commands.executeCommand<Answer | undefined>("arbor.ask", { prompt });

describe("arbor.ask", () => {
  beforeEach(() => vscode.commands.executeCommand("arbor.newChat"));

  it("resolves to the chat and the answer once the run has ended", async () => {
    const answer = await ask("Where is the price computed?");
    assert.match(answer?.text ?? "", /src\/pricing\/computePrice\.ts:\d+/);
    assert.notEqual(answer?.sessionId, "");
  });

  it("goes on in the same chat until a new one is started", async () => {
    const first = await ask("Where is the price computed?");
    const second = await ask("Where is the cart emptied?");
    assert.equal(second?.sessionId, first?.sessionId);
    await vscode.commands.executeCommand("arbor.newChat");
    assert.notEqual((await ask("Where is the price computed?"))?.sessionId, first?.sessionId);
  });

  it("leaves the caret in the editor where the user types", async () => {
    const [file] = await vscode.workspace.findFiles("src/cart/cart.ts");
    assert.ok(file);
    const editor = await vscode.window.showTextDocument(file);
    await ask("Where is the price computed?");
    await vscode.commands.executeCommand("type", { text: "x" });
    assert.equal(editor.document.getText().startsWith("x"), true);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("attaches files by their paths and addresses, and reports to its caller what it can't attach", async () => {
    const [file] = await vscode.workspace.findFiles("src/cart/cart.ts");
    assert.ok(file);
    const asking = (attachments: unknown[]) =>
      vscode.commands.executeCommand<Answer | undefined>("arbor.ask", { prompt: "What is in here?", attachments });
    assert.ok(await asking(["src/cart/cart.ts:1-2", file.fsPath, file, { uri: file.toString() }]));
    await assert.rejects(Promise.resolve(asking(["src/nowhere.ts"])), /src\/nowhere\.ts does not exist/);
    await assert.rejects(Promise.resolve(asking(["/etc/passwd"])), /outside the workspace/);
  });

  it("reports to its caller which agents there are when it is given another", async () => {
    const asking = vscode.commands.executeCommand("arbor.ask", { prompt: "Look", agent: "nobody" });
    await assert.rejects(Promise.resolve(asking), /There are main, explore, edit, review, plan\./);
  });

  it("has the agent that it names do the work, also one that works only when it is addressed", async () => {
    for (const agent of ["explore", "review"]) {
      const asking = { prompt: "Where is the price computed?", agent };
      const answer = await vscode.commands.executeCommand<Answer | undefined>("arbor.ask", asking);
      assert.match(answer?.text ?? "", /^Found for .*computePrice/s);
    }
  });
});
