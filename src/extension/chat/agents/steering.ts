import * as vscode from "vscode";
import type { ThinkingLevel } from "../../../agent/types.ts";
import type { PermissionMode } from "../../../protocol/modes.ts";
import { UserError } from "../../common/userError.ts";
import { savedThinking } from "../../models/thinking.ts";
import { writePermissionMode } from "../../settings/liveSettings.ts";
import type { ArborSettings } from "../../settings/settings.ts";

/** How agents may act and think, and what they get to know of the editor. */
export interface SteeringActions {
  setMode(mode: PermissionMode): Promise<void>;
  setThinking(level: ThinkingLevel): Promise<void>;
  setEditorState(isSent: boolean): Promise<void>;
  setFocused(isFocused: boolean): Promise<void>;
}

export interface Steering extends SteeringActions {
  /** Undefined where the user has chosen nothing. */
  thinking(): ThinkingLevel | undefined;
  /** Whether messages say what the editor shows, as far as the setting lets them. */
  sendsEditorState(): boolean;
}

const thinkingKey = "arbor.thinkingLevel";
const editorStateKey = "arbor.editorStateRemoved";

/** How agents may act, which the settings keep, and the rest, which the workspace's memory keeps. */
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
    sendsEditorState: () => settings().sendsEditorState && memory.get(editorStateKey) !== true,
    async setEditorState(isSent) {
      await memory.update(editorStateKey, isSent ? undefined : true);
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
