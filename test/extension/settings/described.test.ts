import assert from "node:assert/strict";
import { settingDefaults } from "../../../src/extension/settings/settings.ts";
import { readSettings } from "../../support/manifest.ts";

describe("the settings that are described", () => {
  it("are those that are read, with their defaults, in the package", async () => {
    const described = (await readSettings()).map(([key, { default: value }]) => [key, value]);
    assert.deepEqual(Object.fromEntries(described), settingDefaults);
  });
});
