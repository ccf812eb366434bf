import { t } from "@vscode/l10n";
import { useEffect } from "preact/hooks";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import { formatAge } from "./age.ts";
import { stateIcons, stateText } from "./states.ts";

const mostShown = 3;

/** The latest chats, offered where nothing was said yet. */
export function RecentChats({ store }: { store: Store }) {
  const { history } = store;
  useEffect(() => history.follow(mostShown), []);
  const items = (history.page.value?.items ?? [])
    .filter(({ id, state }) => id !== store.chatId.value && state !== "damaged")
    .slice(0, mostShown);
  if (items.length === 0) return null;
  const now = store.timing.now();
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
              onClick={() => store.openChat(id)}
            >
              <Icon name={stateIcons[state]} />
              <span class="history-title">{visible(title)}</span>
              <span class="history-age">
                {stateText(state).map((words) => (
                  <span key={words} class="recent-state">
                    {words} ·{" "}
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
