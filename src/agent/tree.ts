/** The fold of all events: what the protocol and the panel may run of the library. */
export * from "./tree/reduceTree.ts";
