import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { settingDefaults } from "../../../src/extension/settings/settings.ts";
import { readSettings } from "../../support/manifest.ts";

const read = (file: string) => readFile(new URL(`../../../${file}`, import.meta.url), "utf8");

describe("the settings that are described", () => {
  it("are those that are read, with their defaults, in the package", async () => {
    const described = (await readSettings()).map(([key, { default: value }]) => [key, value]);
    assert.deepEqual(Object.fromEntries(described), settingDefaults);
  });

  it("are those that are read, with their defaults, in the readme's table", async () => {
    const rows = (await read("README.md")).split("\n").filter((line) => line.startsWith("| `arbor."));
    const described = rows.flatMap((row) => {
      const [, names = "", defaults = ""] = row.split("|");
      const [first = "", ...others] = [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
      const folder = first.slice(0, first.lastIndexOf("."));
      const values = defaults.replaceAll("`", "").split(",");
      return [first, ...others.map((name) => folder + name)].map((key, at) => [key, values[at]?.trim()]);
    });
    const expected = Object.entries(settingDefaults).map(([key, value]) => [key, textOf(key, value)]);
    assert.deepEqual(Object.fromEntries(described), Object.fromEntries(expected));
  });
});

function textOf(key: string, value: unknown): string {
  if (value === "") return "empty";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (key === "arbor.limits.maxCost" && value === 0) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
