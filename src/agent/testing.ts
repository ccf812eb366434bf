/** For tests of agents: a model that follows a script, and events as text to compare. */
export { eventLines, recordEvents } from "./testing/recording.ts";
export * from "./testing/scriptedModel.ts";
