import { agentMutants } from "./agents.mjs";
import { libraryMutants } from "./library.mjs";
import { loopMutants } from "./loop.mjs";

/**
 * Every fault: the statement whose tests must notice it, what is wrong, and the exact text that is replaced (it occurs
 * once in its file below src/agent).
 */
export const mutants = [...loopMutants, ...agentMutants, ...libraryMutants];
