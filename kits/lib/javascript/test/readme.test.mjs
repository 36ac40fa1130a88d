// README's example plays, and the package holds what it needs.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const own = fileURLToPath(new URL("..", import.meta.url));

test("the example of README plays", () => {
  const [, example] = /```js\n([^]*?)```/.exec(readFileSync(join(own, "README.md"), "utf8")) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "lanista-bot-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(own, join(folder, "node_modules/lanista-bot"));
    const args = ["--input-type=module", "--eval", example];
    const run = spawnSync(process.execPath, args, { cwd: folder, input: "START 20\nTURN 3,4\nEND\n", encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
    const [ok, cell] = run.stdout.split("\n");
    assert.equal(ok, "OK");
    assert.match(cell, /^\d+,\d+$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the package holds every module with its types, and nothing else", (context) => {
  const packed = spawnSync("npm", ["pack", "--dry-run", "--json", "--offline"], { cwd: own, encoding: "utf8" });
  if (packed.error) return context.skip("NOT RUN: npm is missing");
  assert.equal(packed.status, 0, packed.stderr);
  const files = JSON.parse(packed.stdout)[0].files.map((file) => file.path).sort();
  const modules = readdirSync(own).filter((name) => /\.(d\.mts|mjs)$/.test(name));
  assert.deepEqual(files, [...modules, "LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"].sort());
  const { exports } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  for (const { types, default: module } of Object.values(exports)) {
    assert.ok(files.includes(types.slice(2)) && files.includes(module.slice(2)), module);
  }
});
