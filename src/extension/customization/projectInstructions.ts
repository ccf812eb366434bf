import { t } from "@vscode/l10n";
import { errorText } from "../../agent/vocabulary/errors.ts";
import { UserError } from "../common/userError.ts";
import { projectFile } from "../prompts/contextBlocks.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { hiddenTextIn } from "./hiddenText.ts";

/** A longer file is left out: it would cost more in every request than it says. */
const maxFileBytes = 64 * 1_024;
/** Of all files together. */
const maxCharacters = 64 * 1_024;
const maxReadMs = 3_000;

export interface ProjectInstructionsSources {
  workspace: Pick<Workspace, "roots" | "stat" | "read">;
  /** Files that the user works with, by their paths in the workspace, the active one first. */
  filesInPlay(): readonly string[];
}

export interface ProjectInstructions {
  /** Empty where the project says nothing. */
  text: string;
  /** For the user: what was left out, and why, and what is read though it can't be seen. */
  problems: string[];
}

/**
 * What the project says to agents: the AGENTS.md in the folders of the files in play and in those above them, up to the
 * workspace folder, nearest first. A folder without one may have a CLAUDE.md, the workspace folder also a
 * .github/copilot-instructions.md. Everything is read as tools read it, so nothing outside the workspace is.
 */
export async function readProjectInstructions({
  workspace,
  filesInPlay,
}: ProjectInstructionsSources): Promise<ProjectInstructions> {
  const texts: string[] = [];
  const problems: string[] = [];
  let room = maxCharacters;
  for (const { folder, isRoot } of foldersInPlay(workspace.roots(), filesInPlay())) {
    for (const name of ["AGENTS.md", "CLAUDE.md", ...(isRoot ? [".github/copilot-instructions.md"] : [])]) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const found = await readInstructions(workspace, path);
      if (found === undefined) continue;
      const text = "text" in found ? projectFile(path, found.text) : "";
      if ("problem" in found) problems.push(t("{0} is not used as instructions: {1}", path, found.problem));
      else if (text.length > room) problems.push(t("{0} is not used as instructions: {1}", path, tooMuch()));
      else {
        const hidden = "text" in found ? hiddenTextIn(found.text) : [];
        problems.push(...hidden.map(({ message }) => `${path}: ${message}`));
        texts.push(text);
        room -= text.length;
      }
      break;
    }
  }
  return { text: texts.join("\n\n"), problems };
}

function tooMuch(): string {
  return t("there are more than {0} kB of them in all", maxCharacters / 1_024);
}

/** The folders of the files, then those above them, to the workspace folders; each once, deeper ones first. */
function foldersInPlay(roots: readonly string[], files: readonly string[]): { folder: string; isRoot: boolean }[] {
  const rootFolders = roots.length === 1 ? [""] : [...roots];
  const folders = new Map<string, number>();
  for (const file of files) {
    const parts = file.split("/").slice(0, -1);
    for (let depth = parts.length; depth > (roots.length === 1 ? 0 : 1); depth--) {
      folders.set(parts.slice(0, depth).join("/"), depth);
    }
  }
  const nested = [...folders].sort(([, one], [, other]) => other - one).map(([folder]) => ({ folder, isRoot: false }));
  return [...nested, ...rootFolders.map((folder) => ({ folder, isRoot: true }))];
}

/** Undefined where there is no such file, or nothing in it: devices and pipes have no size. */
export async function readInstructions(
  workspace: Pick<Workspace, "stat" | "read">,
  path: string,
): Promise<{ text: string } | { problem: string } | undefined> {
  try {
    const stat = await workspace.stat(path);
    if (stat?.kind !== "file" || stat.size === 0) return undefined;
    if (stat.size > maxFileBytes) return { problem: t("it has more than {0} kB", maxFileBytes / 1_024) };
    const content = await workspace.read(path, AbortSignal.timeout(maxReadMs));
    if (content.kind !== "text") return { problem: t("it is a picture") };
    return content.text.trim() === "" ? undefined : { text: content.text };
  } catch (error) {
    return { problem: error instanceof UserError ? error.message : errorText(error) };
  }
}
