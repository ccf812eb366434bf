import { t } from "@vscode/l10n";

/** Of what the editor cancels. */
interface CancellationToken {
  isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): { dispose(): void };
}

interface ChatRequest {
  prompt: string;
  stream: { markdown(text: string): void; progress(text: string): void };
  token: CancellationToken;
}

type Ask = (
  input: { prompt: string; attachments: [] },
  signal: AbortSignal,
) => Promise<{ text?: string | undefined } | undefined>;

/** `@arbor` in the editor's own chat: a run in the panel, whose answer is written there, too. */
export async function answerInChat(ask: Ask, { prompt, stream, token }: ChatRequest): Promise<void> {
  if (prompt.trim() === "") {
    stream.markdown(t("Say what should be done."));
    return;
  }
  stream.progress(t("Arbor works on it"));
  const answer = await untilCanceled(token, (signal) => ask({ prompt, attachments: [] }, signal));
  stream.markdown(answer?.text ?? "");
}

/** What the editor cancels is withdrawn here: from the queue, or by a stop of its run. */
export async function untilCanceled<Result>(
  token: CancellationToken,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  if (token.isCancellationRequested) abort.abort();
  const listening = token.onCancellationRequested(() => abort.abort());
  try {
    return await work(abort.signal);
  } finally {
    listening.dispose();
  }
}
