import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { formatTokens } from "../../text/format.ts";
import { ScrollBox } from "../../ui/ScrollBox.tsx";

const headCharacters = 4_000;
const tailCharacters = 2_000;

/** Text as it is, in a box that scrolls; of a very long one the head and the tail until all of it is asked for. */
export function LongText({ text }: { text: string }) {
  const isWhole = useSignal(false);
  const isShort = text.length <= headCharacters + tailCharacters;
  if (isShort || isWhole.value) {
    return (
      <ScrollBox class="long-text">
        <pre>{text}</pre>
      </ScrollBox>
    );
  }
  const left = text.length - headCharacters - tailCharacters;
  return (
    <ScrollBox class="long-text">
      <pre>{text.slice(0, headCharacters)}</pre>
      <button
        type="button"
        class="link more"
        onClick={() => {
          isWhole.value = true;
        }}
      >
        {t("Show {0} more characters", formatTokens(left))}
      </button>
      <pre>{text.slice(-tailCharacters)}</pre>
    </ScrollBox>
  );
}
