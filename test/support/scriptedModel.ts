export * from "../../src/agent/testing/scriptedModel.ts";
