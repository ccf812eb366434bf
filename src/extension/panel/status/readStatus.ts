import type * as vscode from "vscode";
import type { ThinkingLevel } from "../../../agent/types.ts";
import type { PanelStatus } from "../../../protocol/messages.ts";
import type { SlashCommand } from "../../../protocol/suggestions.ts";
import { activeFile, countProblems } from "../../chat/compose/editorContext.ts";
import { shownEditorState } from "../../context/surroundings.ts";
import type { ShownAgent } from "../../customization/agents.ts";
import { describeModel, hasUsableModel, listModelChoices } from "../../models/catalog.ts";
import type { ReportedModels } from "../../models/facts.ts";
import type { Keys } from "../../models/keys.ts";
import { foreignProviderId } from "../../models/providers.ts";
import { thinkingFor } from "../../models/thinking.ts";
import type { EditorState } from "../../prompts/contextBlocks.ts";
import type { ArborSettings } from "../../settings/settings.ts";
import { findOffers } from "../../start/offers.ts";
import type { SearchedFacts } from "../../start/recentFacts.ts";
import type { Workspace } from "../../workspace/workspace.ts";

export interface StatusSources {
  settings(): ArborSettings;
  keys: Pick<Keys, "get">;
  workspace: Pick<Workspace, "roots">;
  /** What providers said of their models. */
  reported: ReportedModels;
  /** Names of models that are listed first: favourites and recent ones. */
  preferredModels(): readonly string[];
  /** Undefined where the user has chosen nothing. */
  thinking(): ThinkingLevel | undefined;
  pathOf(uri: vscode.Uri): string | undefined;
  /** What a message says of the editor if the user has not removed that; undefined where the setting is off. */
  editorState(): { isSent: boolean; state: EditorState } | undefined;
  /** What was found in the workspace; undefined where agents can do nothing in it. */
  facts(): (SearchedFacts & { changes: number }) | undefined;
  /** Who can be addressed. */
  agents(): readonly ShownAgent[];
  /** What a slash may name. */
  commands(facts: { canCompact: boolean }): Promise<SlashCommand[]>;
}

/** What can be said without asking for keys. */
export function firstStatus({ settings, reported, workspace, thinking }: StatusSources): PanelStatus {
  const model = describeModel(settings().model, settings(), reported);
  const { editReview } = settings();
  return {
    model,
    models: [],
    needsSetup: false,
    folderOpen: workspace.roots().length > 0,
    problemCount: 0,
    mode: settings().permissionMode,
    ...(editReview !== "before" && { editReview }),
    thinking: thinkingFor(thinking(), model.thinkingLevels),
    // An agent of another program manages its own context.
    ...(!model.id.startsWith(`${foreignProviderId}/`) && {
      compactAt: model.isDemo ? 0 : settings().compactionThreshold,
    }),
    budget: { turns: settings().limits.maxTurns, cost: settings().limits.maxCost },
  };
}

/** All that the panel shows beside a chat; asks for keys, and for what the editor shows. */
export async function readStatus(sources: StatusSources): Promise<PanelStatus> {
  const { settings, keys, reported, preferredModels, pathOf } = sources;
  const file = activeFile(pathOf);
  const first = firstStatus(sources);
  const sent = sources.editorState();
  const shown = sent && shownEditorState(sent.state, sent.isSent);
  const needsSetup = !(await hasUsableModel(settings(), keys));
  const problems = countProblems();
  const activeFileOf = file !== undefined && { activeFile: file };
  const facts = needsSetup ? undefined : sources.facts();
  return {
    ...first,
    agents: [...sources.agents()],
    commands: await sources.commands({ canCompact: first.compactAt !== undefined }),
    models: await listModelChoices({ settings: settings(), keys, reported, preferred: preferredModels() }),
    needsSetup,
    problemCount: problems,
    ...activeFileOf,
    ...(facts !== undefined && { offers: findOffers({ ...facts, problems, ...activeFileOf }, first.model.isDemo) }),
    ...(shown !== undefined && { editorState: shown }),
  };
}
