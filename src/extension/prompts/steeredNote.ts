/** What the user wrote to a sub-agent, for the agent that gets its report. */
export function steeredNote(messages: readonly { to: string; text: string }[]): string {
  const lines = messages.map(({ to, text }) => `To ${to}: ${text}`);
  return `<user-messages>
While they worked, the user wrote to agents that you started, and they have read it. Where their reports follow these messages rather than your tasks, that is what the user wants.
${lines.join("\n")}
</user-messages>`;
}
