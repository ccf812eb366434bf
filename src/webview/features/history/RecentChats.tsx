import { t } from "@vscode/l10n";
import { useEffect } from "preact/hooks";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import { formatAge, stateIcons, stateText } from "./chatLabels.ts";
import type { HistoryModel } from "./history.ts";

const maxShown = 3;

/** The latest chats, offered while the one on show is empty. */
export function RecentChats({ model }: { model: HistoryModel }) {
  useEffect(() => model.subscribe(maxShown), []);
  const items = (model.page.value?.items ?? [])
    .filter(({ id, state }) => id !== model.shownChatId.value && state !== "damaged")
    .slice(0, maxShown);
  if (items.length === 0) return null;
  const now = model.now();
  return (
    <section class="recent" aria-label={t("Recent chats")}>
      <h3>{t("Recent")}</h3>
      <ul>
        {items.map(({ id, title, updatedAt, state }) => (
          <li key={id}>
            <button
              type="button"
              class="offer recent-chat"
              data-state={state}
              title={[visible(title), ...stateText(state)].join(" · ")}
              onClick={() => model.openChat(id)}
            >
              <Icon name={stateIcons[state]} />
              <span class="history-title">{visible(title)}</span>
              <span class="history-age">
                {stateText(state).map((text) => (
                  <span key={text} class="recent-state">
                    {text} ·{" "}
                  </span>
                ))}
                {formatAge(updatedAt, now)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
