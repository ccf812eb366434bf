/** What an agent reads when plans are to be made, and when that is over. It stays in the conversation: later requests repeat it. */
export const planNote = `<mode>
Plan mode is on: the user wants answers and plans, not changes. You can read, search and ask. Nothing can be changed, run or fetched, by you or by agents you delegate to, until the user leaves this mode. A question simply gets its answer, without a plan. For a task, find out what is needed, then answer with the plan: its steps in order, with the files and places that each concerns.
</mode>`;

export const planEndNote = `<mode>
Plan mode is off: changes, commands and fetches are possible again. Carry out what the user asks for.
</mode>`;
