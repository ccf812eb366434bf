import { homedir } from "node:os";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { slashCommandNames } from "../chat/compose/slashCommands.ts";
import { delegateAgents, requestedAgents } from "../customization/agents.ts";
import { helpWithFields, showCustomProblems, watchCustomFiles } from "../customization/customEditor.ts";
import { homeFiles } from "../customization/customFiles.ts";
import { Customization } from "../customization/customization.ts";
import { createNewAgent } from "../customization/newAgent.ts";
import { isUsersProvider, resolveModel } from "../models/catalog.ts";
import { foreignProviderId } from "../models/providers.ts";
import type { Editing } from "./editing.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

/** What files of the workspace and of the user add: it is read when the window is up, and again when it changes. */
export function createCustomization(
  { own, warn, reportFailure }: Host,
  { settings, reported, preferred, onDidChange, access }: Models,
  { workspace }: Editing,
) {
  const changed = own(new vscode.EventEmitter<void>());
  const home = homedir();
  const problems = own(showCustomProblems(home));
  const context = {
    builtInAgents: [...delegateAgents, ...requestedAgents].map(({ name }) => name),
    foreignAgents: () => Object.keys(settings().foreignAgents),
    builtInCommands: slashCommandNames,
    modelProblem(name: string, by: "user" | "workspace") {
      const resolved = resolveModel(name, settings(), reported);
      if (!resolved.ok) return resolved.problem.text;
      if (by === "user" || isUsersProvider(resolved.model.provider, settings())) return undefined;
      return t(
        "{0} is ignored: a workspace chooses no server that you do not use. Add its provider to arbor.providers in your settings.",
        name,
      );
    },
  };
  const customization = own(
    new Customization({
      isTrusted: () => vscode.workspace.isTrusted,
      async load() {
        const { loadCustom } = await import("../customization/loadCustom.ts");
        return loadCustom({ workspace, home: homeFiles(home) }, context);
      },
      onChange(custom) {
        problems.show(custom.problems);
        changed.fire();
      },
      reportFailure,
    }),
  );
  const start = () => {
    own(watchCustomFiles(home, () => customization.changed()));
    own(vscode.workspace.onDidGrantWorkspaceTrust(() => customization.changed()));
    // Which models there are is a setting.
    own(onDidChange(() => customization.changed()));
    own(
      helpWithFields(
        ({ path }) => path,
        () => ({
          agents: [...context.builtInAgents, ...customization.current.agents.map(({ name }) => name)],
          skills: customization.current.skills.map(({ skill }) => skill.name),
          models: preferred(),
        }),
      ),
    );
    void customization.ready();
  };
  const model = () => {
    const main = access.mainModel();
    // An agent of another program writes no files for ours.
    return main.provider === foreignProviderId ? (access.subAgentModel() ?? main) : main;
  };
  const newAgent = () => createNewAgent({ customization, streamFn: access.streamFn, model, warn });
  return { customization, onDidChange: changed.event, newAgent, start };
}
export type RegisteredCustomization = ReturnType<typeof createCustomization>;
