import * as vscode from "vscode";
import type { ThinkingLevel } from "../../../agent/types.ts";
import type { PermissionMode } from "../../../protocol/modes.ts";
import { UserError } from "../../common/userError.ts";
import { savedThinking } from "../../models/thinking.ts";
import { writePermissionMode } from "../../settings/liveSettings.ts";
import type { ArborSettings } from "../../settings/settings.ts";

/** How agents may act and think. */
export interface SteeringActions {
  setMode(mode: PermissionMode): Promise<void>;
  setThinking(level: ThinkingLevel): Promise<void>;
  setFocused(isFocused: boolean): Promise<void>;
}

export interface Steering extends SteeringActions {
  /** Undefined where the user has chosen nothing. */
  thinking(): ThinkingLevel | undefined;
}

const thinkingKey = "arbor.thinkingLevel";

/** How agents may act, which the settings keep, and how much they think, which the workspace's memory keeps. */
export function createSteering(
  memory: Pick<vscode.Memento, "get" | "update">,
  settings: () => ArborSettings,
  { onChange, onFocus }: { onChange(): void; onFocus(isFocused: boolean): void },
): Steering {
  return {
    thinking: () => savedThinking(memory.get(thinkingKey)),
    async setThinking(level) {
      await memory.update(thinkingKey, level);
      onChange();
    },
    async setFocused(isFocused) {
      onFocus(isFocused);
      await vscode.commands.executeCommand("setContext", "arbor.panelFocus", isFocused);
    },
    async setMode(mode) {
      await writePermissionMode(mode);
      // Also when nothing changed, so that the picker shows what counts.
      onChange();
      if (settings().permissionMode !== mode) throw new UserError(stricterWorkspace(settings().permissionMode));
    },
  };
}

function stricterWorkspace(mode: PermissionMode): string {
  return vscode.l10n.t(
    "This workspace's settings allow nothing looser than the mode {0}. Change arbor.permissions.mode there.",
    mode,
  );
}
