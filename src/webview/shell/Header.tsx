import { t } from "@vscode/l10n";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import type { Store } from "./store.ts";

export function Header({ store }: { store: Store }) {
  const title = store.history.isOpen.value ? t("History") : visible(store.hostState.value.title ?? "Arbor");
  return (
    <header class="header">
      <h1 title={title}>{title}</h1>
      {store.isRunning.value && (
        <Button class="stop" title={t("Stop all agents (Esc Esc)")} onClick={() => store.post({ type: "stop" })}>
          <Icon name="debug-stop" slot="start" />
          <span class="stop-word">{t("Stop")}</span>
        </Button>
      )}
      {store.hasAgents.value && (
        <IconButton
          icon="link-external"
          label={t("Open in editor")}
          onClick={() => store.post({ type: "openInEditor" })}
        />
      )}
      <IconButton
        icon="history"
        label={t("History")}
        isExpanded={store.history.isOpen.value}
        onClick={() => (store.history.isOpen.peek() ? store.closeHistory() : store.openHistory())}
      />
      <IconButton icon="add" label={t("New chat")} onClick={() => store.post({ type: "newChat" })} />
    </header>
  );
}
