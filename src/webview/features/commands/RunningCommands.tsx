import { t } from "@vscode/l10n";
import type { BackgroundCommand } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { oneLine, visible } from "../../text/visible.ts";
import type { Timing } from "../../timing.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { useDuration } from "../../ui/durations.ts";
import { Icon } from "../../ui/Icon.tsx";

const maxLength = 200;

export interface RunningCommandsProps {
  commands: readonly BackgroundCommand[];
  timing: Timing;
  post(intent: Intent): void;
}

/** Commands that run in the background, each of which the user can look at and end. */
export function RunningCommands({ commands, timing, post }: RunningCommandsProps) {
  return (
    <section class="running-commands" aria-label={t("Running commands")}>
      <ul>
        {commands.map((command) => (
          <RunningCommand key={command.id} command={command} timing={timing} post={post} />
        ))}
      </ul>
    </section>
  );
}

interface RunningCommandProps extends Omit<RunningCommandsProps, "commands"> {
  command: BackgroundCommand;
}

function RunningCommand({ command, timing, post }: RunningCommandProps) {
  const { id: commandId, agentPath, chatTitle, startedAt } = command;
  const text = oneLine(command.command, maxLength);
  const agents = agentPath.map(visible).join(" › ");
  const whose = chatTitle === undefined ? agents : t("{0}, in {1}", agents, oneLine(chatTitle, maxLength));
  return (
    <li>
      <Icon name="terminal" />
      <span class="running-what">
        <code title={visible(command.command)}>{text}</code>
        <span class="running-whose" title={whose}>
          <span class="running-agent">{whose}</span>
          <span class="running-time">{useDuration(startedAt, undefined, timing)}</span>
        </span>
      </span>
      <IconButton
        icon="output"
        label={t("Show output of {0}", text)}
        title={t("Show output")}
        onClick={() => post({ type: "showCommandOutput", commandId })}
      />
      <IconButton
        icon="debug-stop"
        label={t("Stop {0}", text)}
        title={t("Stop")}
        onClick={() => post({ type: "stopCommand", commandId })}
      />
    </li>
  );
}
