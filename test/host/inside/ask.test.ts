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
});
