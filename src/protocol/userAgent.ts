/** Whose edits those are that the user asks for by a click: no agent has this id. */
export const userAgentId = "user";
