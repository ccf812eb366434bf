/** Asks through Arbor's panel as a user would, in an editor without a display, and prints what came of it. */
import * as z from "zod";
import { openEditor } from "../../test/host/editor.ts";
import { readConversation, readTree } from "../../test/host/readPanel.ts";
import { askAndSeeThrough, type RunEnd } from "../../test/host/run.ts";
import { takeSnapshot } from "./workspaceDiff.ts";

const jobSchema = z.object({
  workspace: z.string(),
  ask: z.string(),
  approve: z.enum(["all", "none"]),
  model: z.string().default("demo/demo"),
  settings: z.record(z.string(), z.unknown()).default({}),
  screenshot: z.string().optional(),
});
type Job = z.infer<typeof jobSchema>;

// Side bar and editor share the picture.
const panelWidthPx = 600;

/** The usual variables for keys: a key in the environment is all that a known provider needs. */
const providers = {
  anthropic: { apiKeyEnv: "ANTHROPIC_API_KEY" },
  openai: { apiKeyEnv: "OPENAI_API_KEY" },
  openrouter: { apiKeyEnv: "OPENROUTER_API_KEY" },
};

function section(title: string, text: string): void {
  console.log(`\n── ${title} ${"─".repeat(Math.max(0, 74 - title.length))}\n\n${text.trimEnd() || "(nothing)"}`);
}

/** The agents only know that the user rejected it, but no user was asked. */
function rejectedWords(count: number): string {
  const what = count === 1 ? "1 request for approval was" : `${count} requests for approval were`;
  return `${what} rejected, since no user is there to approve. To accept all edits and commands: --approve all`;
}

async function work(job: Job): Promise<RunEnd> {
  console.log(`Opening ${job.workspace} in an editor without a display, to ask ${job.model} …`);
  const before = await takeSnapshot(job.workspace);
  try {
    const editor = await openEditor({
      workspace: job.workspace,
      settings: { "arbor.providers": providers, "arbor.model": job.model, ...job.settings },
      width: panelWidthPx,
    });
    try {
      let answers = 0;
      const end = await askAndSeeThrough(editor.panel, job.ask, job.approve, () => answers++);
      section("Conversation", await readConversation(editor.panel));
      section("Agents", await readTree(editor.panel));
      section("Changes in the workspace", await before.diff());
      if (job.screenshot !== undefined) {
        await editor.screenshot(job.screenshot);
        section("Picture", job.screenshot);
      }
      if (job.approve === "none" && answers > 0) console.log(`\n${rejectedWords(answers)}`);
      return end;
    } finally {
      await editor.close();
    }
  } finally {
    await before.remove();
  }
}

const end = await work(jobSchema.parse(JSON.parse(process.argv[2] ?? "null")));
if (!end.ok) {
  console.error(`\nThe run failed: ${end.reason}`);
  process.exitCode = 1;
}
