import { t } from "@vscode/l10n";
import type { BackgroundCommand } from "../../../protocol/hostEvents.ts";
import type { Store } from "../../shell/store.ts";
import { oneLine, visible } from "../../text/visible.ts";
import { useDuration } from "../../ui/Elapsed.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { IconButton } from "../../ui/IconButton.tsx";

const longest = 200;

/** Commands that run in the background, each of which the user can look at and end. */
export function RunningCommands({ store }: { store: Store }) {
  return (
    <section class="running-commands" aria-label={t("Running commands")}>
      <ul>
        {store.hostState.value.commands.map((command) => (
          <RunningCommand key={command.id} command={command} store={store} />
        ))}
      </ul>
    </section>
  );
}

function RunningCommand({ command, store }: { command: BackgroundCommand; store: Store }) {
  const { id: commandId, agentPath, chatTitle, startedAt } = command;
  const text = oneLine(command.command, longest);
  const agents = agentPath.map(visible).join(" › ");
  const whose = chatTitle === undefined ? agents : t("{0}, in {1}", agents, oneLine(chatTitle, longest));
  return (
    <li>
      <Icon name="terminal" />
      <span class="running-what">
        <code title={visible(command.command)}>{text}</code>
        <span class="running-whose" title={whose}>
          <span class="running-agent">{whose}</span>
          <span class="running-time">{useDuration(startedAt, undefined, store.timing)}</span>
        </span>
      </span>
      <IconButton
        icon="output"
        label={t("Show output of {0}", text)}
        title={t("Show output")}
        onClick={() => store.post({ type: "showCommandOutput", commandId })}
      />
      <IconButton
        icon="debug-stop"
        label={t("Stop {0}", text)}
        title={t("Stop")}
        onClick={() => store.post({ type: "stopCommand", commandId })}
      />
    </li>
  );
}
