import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Step as ReplyStep, Rule } from "../../../support/fakeProvider/script.ts";
import { editOf, hunkIn, originalLines, originalToken } from "./documents.ts";
import { linesPerFile, type Plan, plotsPerFile } from "./plan.ts";
import { type FileHunk, gateOf, type Pace, type Round } from "./stage.ts";

/** The settings of a round. */
const settingsOf = ({ mode, autoSave, formats, steps }: Plan) => ({
  "arbor.edits.review": mode === "after" ? "after" : "before",
  "arbor.edits.actions": steps.some((step) => step.do === "answer" && step.way === "thread") ? "comment" : "codeLens",
  "arbor.permissions.mode": mode === "auto-edit" ? "auto-edit" : "ask",
  "files.autoSave": autoSave,
  "files.autoSaveDelay": 200,
  "editor.formatOnSave": formats,
});

export const originalText = ({ plan, files }: Pick<Round, "plan" | "files">, file: string): string =>
  originalLines(files.indexOf(file), linesPerFile)
    .map((line, index) => line + lineEndAt(plan, index))
    .join("");

function lineEndAt({ lineEnd }: Plan, index: number): string {
  if (lineEnd !== "mixed") return lineEnd;
  return index % 3 === 1 ? "\r\n" : "\n";
}

/** Fresh files, shown in the editor; the settings; the agents, each at its gate; an empty chat. */
export async function arrange(
  stage: Pick<Round, "page" | "panel" | "observer" | "fake">,
  { workspace, plan, name, pace }: { workspace: string; plan: Plan; name: string; pace: Pace },
): Promise<Round> {
  const { observer, fake, panel } = stage;
  const files = Array.from({ length: plan.files }, (_, index) => path.join(workspace, name, `${name}-${index}.txt`));
  const round: Round = {
    ...{ ...stage, name, pace, plan, files, hunks: hunksOf(plan, files) },
    ...{ deeds: [], log: [], proposed: new Set<number>(), tokens: 1, waysTaken: new Set() },
  };
  await mkdir(path.join(workspace, name), { recursive: true });
  for (const file of files) await writeFile(file, originalText(round, file));
  await observer.configure(settingsOf(plan));
  await observer.follow(files);
  if (plan.split) await observer.show({ file: files[0] ?? "", column: 2 });
  for (const file of files.toReversed()) await observer.show({ file, token: originalToken(0, 0), column: 1 });
  await fake.reset();
  await fake.script(...rulesOf(round));
  // What an earlier round undid is another chat's.
  const undone = panel.frame.getByRole("note", { name: "Undone edits" });
  if (await undone.isVisible()) await undone.getByRole("button", { name: "Hide" }).click();
  await panel.button("New chat").click();
  await panel.messages.first().waitFor({ state: "detached" });
  return round;
}

/** Each hunk gets a plot of its file. */
function hunksOf({ proposals }: Plan, files: readonly string[]): FileHunk[] {
  const used = new Map<number, number>();
  const made = proposals.flatMap(({ file, hunks, overlaps }, proposal) =>
    hunks.map((kind, index): FileHunk => {
      const count = used.get(file) ?? 0;
      const isShared = overlaps && index === 0 && count > 0;
      if (!isShared) used.set(file, count + 1);
      // Every third one, so that agents come between each other.
      const plot = isShared ? 1 : (count * 3 + 1) % plotsPerFile;
      // Two deletions of the same lines would be the same edit.
      const own = isShared && kind === "delete" ? "replace" : kind;
      const lines = originalLines(file, linesPerFile);
      return { ...hunkIn(lines, { proposal, index, plot, kind: own }), file: files[file] ?? "" };
    }),
  );
  const isOther = (one: FileHunk, other: FileHunk) => one !== other && one.file === other.file;
  return made.map((hunk) => ({
    ...hunk,
    isShared: made.some((other) => isOther(hunk, other) && hunk.plot === other.plot),
  }));
}

/** main asks one agent for each proposal; each waits at its gate before it edits. */
function rulesOf(round: Round): Rule[] {
  const { plan, hunks, files, name } = round;
  const task = (proposal: number) => `carry out ${gateOf(round, proposal)}`;
  const tasks = plan.proposals.map((_, proposal) => ({ agent: "edit", task: task(proposal), context: "none" }));
  const turn = (lastUser: string, index: number, steps: ReplyStep[]): Rule => ({
    when: { lastUser, turn: index },
    reply: { steps },
  });
  const agents = plan.proposals.flatMap(({ file, reads }, proposal) => {
    const of = `${name}/${path.basename(files[file] ?? "")}`;
    const edits = hunks.filter((hunk) => hunk.proposal === proposal).map(editOf);
    const call: ReplyStep = { tool: "edit_file", id: callOf(proposal), arguments: { path: of, edits } };
    const read: ReplyStep = { tool: "read_file", arguments: { path: of } };
    const replies: ReplyStep[][] = [[{ gate: gateOf(round, proposal) }, call], [{ text: "I am done." }]];
    return [...(reads ? [[read]] : []), ...replies].map((steps, index) => turn(task(proposal), index, steps));
  });
  return [
    turn(`Play ${name}`, 0, [{ tool: "spawn_agents", arguments: { tasks } }]),
    turn(`Play ${name}`, 1, [{ text: endOf(round) }]),
    turn(followUpOf(round), 0, [{ text: heardOf(round) }]),
    ...agents,
  ];
}

export const callOf = (proposal: number): string => `call-${proposal}`;

/** What main says when all agents are done. */
export const endOf = ({ name }: Pick<Round, "name">): string => `${name} is over.`;

/** What the user asks when the dust has settled, and what main says to that. */
export const followUpOf = ({ name }: Pick<Round, "name">): string => `What do you know of ${name}?`;
export const heardOf = ({ name }: Pick<Round, "name">): string => `This is what I know of ${name}.`;
