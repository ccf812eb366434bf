import type { PermissionMode } from "../../protocol/modes.ts";
import type { AgentConnection } from "./connection.ts";
import type { OpenedAgent } from "./openAgent.ts";
import { modelsOption, offeredOptions, type ProgramOffers } from "./programOffers.ts";
import type { SessionResult } from "./protocol.ts";

interface SessionChoicesOptions {
  permissionMode(): PermissionMode;
  host: {
    onOffers(offers: Pick<ProgramOffers, "options">): void;
    /** Values by the ids of the program's options, as the user chose them. */
    chosenOptions(): Readonly<Record<string, string>>;
  };
}

/** The mode and the options of a session: as the user wants them, and as the program has them. */
export class SessionChoices {
  readonly #options: SessionChoicesOptions;
  readonly #timeoutMs: number;
  /** As it is in the session. */
  modeId: string | undefined;
  /** As they are in the session. */
  #values: Record<string, string> = {};

  constructor(options: SessionChoicesOptions, timeoutMs: number) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
  }

  /** The session was opened. */
  begin({ modes, options }: OpenedAgent): void {
    this.modeId = modes?.currentModeId;
    this.#values = Object.fromEntries(options.map(({ id, current }) => [id, current]));
  }

  /** Sets what the user has chosen since. */
  async apply(connection: AgentConnection, session: OpenedAgent, signal: AbortSignal): Promise<void> {
    await this.#setMode(connection, session, signal);
    await this.#setOptions(connection, session, signal);
  }

  /** In a mode that skips questions nothing is begun that could be asked for. */
  async #setMode(connection: AgentConnection, session: OpenedAgent, signal: AbortSignal): Promise<void> {
    const modeId = session.wantedMode(this.#options.permissionMode());
    if (modeId === undefined || modeId === this.modeId) return;
    await session.setMode(connection, modeId, signal);
    this.modeId = modeId;
  }

  /** What it does not take or answer is left as it is: its models may be others now. */
  async #setOptions(connection: AgentConnection, session: OpenedAgent, signal: AbortSignal): Promise<void> {
    const chosen = this.#options.host.chosenOptions();
    for (const { id, values } of session.options) {
      const value = chosen[id];
      if (value === undefined || value === this.#values[id]) continue;
      if (!values.some((each) => each.value === value)) continue;
      this.#values[id] = value;
      const limited = AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]);
      await session.setOption(connection, { id, value }, limited).catch((error: unknown) => {
        if (signal.aborted || !connection.isOpen) throw error;
      });
    }
  }

  /**
   * The program has changed its options on its own: another model may have other levels of thinking. Gives whether its
   * mode is another one.
   */
  change(session: OpenedAgent, configOptions: NonNullable<SessionResult["configOptions"]>): boolean {
    const mode = configOptions.find(({ category }) => category === "mode");
    const isOtherMode = mode !== undefined && mode.currentValue !== this.modeId;
    if (isOtherMode) this.modeId = mode.currentValue;
    const apart = session.options.filter(({ id }) => id === modelsOption);
    session.options = [...offeredOptions({ configOptions }), ...apart];
    const current = session.options.filter(({ id }) => id !== modelsOption);
    for (const { id, current: value } of current) this.#values[id] = value;
    this.#options.host.onOffers({ options: session.options });
    return isOtherMode;
  }
}
