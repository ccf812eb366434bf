/**
 * Two lists of files by their names. Those with secrets are read, searched and changed only when the user says so; those
 * that decide what runs on this machine, or what agents are instructed, are changed only then.
 *
 * An entry with a slash at its end is a folder with all that is in it, any other one a file. `*` stands for any
 * characters of one name. An entry is found at any depth; one with a slash inside needs the folders that it names.
 */
const secretEntries = [
  // Environments, and what tools call their secrets.
  ".env* *.env .flaskenv .dev.vars .secrets .secret .token .tokens .passwd .password .credentials *.secret *.secrets",
  "secrets.json secrets.y*ml secrets.toml secrets.ini secrets.xml secrets.txt secrets.properties secrets.enc* secrets.tfvars secret.json secret.y*ml secret.toml secret.txt",
  "credentials *credentials.json *credentials.y*ml *credentials.csv *credentials.txt *credentials.ini *credentials.toml *credentials.xml *credentials.properties credentials.db credentials.cfg credentials.conf credentials.tfrc.json credentials.yml.enc passwords.txt passwords.csv passwords.json password.txt",
  "token.json token.txt tokens.json auth.json oauth_creds.json client_secret*.json service-account*.json service_account*.json serviceaccount*.json *-adminsdk-*.json application_default_credentials.json access_tokens.db accesstokens.json *service-account*.json *service_account*.json *.token",
  "local.settings.json settings.local.php wp-config.php parameters.local.y*ml *.tfvars *.tfvars.json *.tfstate *.tfstate.* *.auto.tfvars vault.y*ml *-vault.y*ml *.vault vault_pass* vault-pass* .vault_pass* .vault-token .doppler.y*ml",
  // Keys and the stores that keep them.
  "*.pem *.key *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.bks *.kdbx *.kdb *.gpg *.pgp *.age *.agekey *.ovpn *.keytab *.keychain *.keychain-db *.mobileprovision *.wallet wallet.dat utc--* krb5cc_*",
  "id_rsa* id_dsa* id_ecdsa* id_ed25519* *_rsa *_dsa *_ecdsa *_ed25519 key.properties keystore.properties encrypted_data_bag_secret authorized_keys known_hosts authorized_keys2 ssh_host_*_key keyring.gpg secring.*",
  ".ssh/ .gnupg/ .pki/ .password-store/ .keys/ keyrings/ keychains/ .ethereum/keystore/ .electrum/ .bitcoin/ .1password/ .config/op/ .config/age/ .config/sops/ .config/bitwarden*/",
  // Clouds, registries and services.
  ".aws/ .azure/ .kube/ .docker/ .config/gcloud/ gcloud/legacy_credentials/ .config/gh/ .config/hub .config/glab*/ .config/doctl/ .config/rclone/ .config/heroku/ .config/hcloud/ .config/linode-cli .config/netlify/ .config/vercel/ .config/configstore/ .config/filezilla/ .config/github-copilot/ .config/containers/ .oci/ .bluemix/ .aliyun/ .tccli/ .terraform.d/ .pulumi/ .fly/ .railway/ .heroku/ .netlify/ .vercel/ .snowflake/ .snowsql/ .databricks/ .kaggle/ .huggingface/ .cache/huggingface/token .jupyter/ .ipython/ .dbt/ .linode-cli .ansible/ .chef/ .vagrant.d/ .minikube/ .helm/ .cargo/credentials* .gem/credentials .composer/auth.json .m2/settings*.xml .gradle/gradle.properties .subversion/auth/ .purple/ .weechat/ .irssi/ .thunderbird/ .mozilla/ .config/google-chrome/ .config/chromium/",
  "kubeconfig kubeconfig.* *.kubeconfig .npmrc .yarnrc .yarnrc.yml .pypirc .netrc _netrc .git-credentials .gitcookies .dockercfg .dockerconfigjson .htpasswd htpasswd .htdigest .pgpass pgpass.conf .my.cnf .mylogin.cnf .mongorc.js .boto .s3cfg .s3curl .terraformrc terraform.rc .databrickscfg .smbcredentials .msmtprc .fetchmailrc .muttrc .esmtprc .ngrok2/ ngrok.y*ml rclone.conf .rclone.conf .sentryclirc .k5login .bundle/config sitemanager.xml recentservers.xml nuget.config kaggle.json .rediscli_auth .tugboat .bintray .exports .extra .rhosts .shosts .wgetrc .curlrc google-services.json googleservice-info.plist firebase.json.enc *.pubxml.user *.publishsettings *.rdp *.remmina",
  // What the machine itself keeps, browsers, and what was typed.
  "etc/shadow etc/shadow- etc/gshadow etc/gshadow- etc/sudoers etc/sudoers.d/ etc/master.passwd etc/krb5.keytab etc/ssl/private/ etc/wireguard/ etc/openvpn/ etc/ppp/ run/secrets/ secrets/kubernetes.io/ var/lib/docker/ windows/system32/config/ config/sam",
  ".*_history .lesshst .viminfo .histfile .mysql_history .recently-used logins.json key3.db key4.db cookies.sqlite signons.sqlite protonvpn/",
  ".claude.json .claude/.credentials.json .codex/auth.json .continue/config.json .copilot/ github-copilot/",
];

const environExpression = String.raw`proc\/[^/]+\/(?:environ|mem|maps|cmdline|fd|root|cwd|task)(?:\/.*)?`;
/** Named after what it opens, as text or data: no program's source is. */
const keyExpression = String.raw`(?:[^/]*[._-])?(?:api|access|auth|oauth|bearer|refresh|deploy|license|github|gitlab|gh|npm|slack|bot)[._-]?(?:token|key)s?(?:\.(?:txt|json|ya?ml|toml|ini|cfg|conf|csv|enc|dat|bin))?`;
/** In the hidden folder of a program. */
const hiddenKeyExpression = String.raw`\.[^/.][^/]*\/(?:[^/]*\/)*(?:key|token|api[._-]?key|credentials?|secrets?)(?:\.\w+)?`;
const browserExpression = "(?:login data|cookies|web data|local state)(?: for account)?(?:-journal)?";

const runningEntries = [
  // Editors.
  ".vscode/ .vscode-server/ .idea/ .fleet/ .zed/ .vs/ .theia/ .nova/ .settings/ .run/ *.code-workspace *.sublime-project *.sublime-build .vimrc _vimrc .gvimrc .exrc .nvimrc .nvim.lua .vim/ .config/nvim/ .emacs .emacs.d/ .dir-locals.el .clangd compile_commands.json compile_flags.txt .lldbinit .gdbinit omnisharp.json .code/ code/user/ cursor/user/",
  // Version control, hooks and what runs elsewhere.
  ".git/ .git .gitmodules .gitattributes .gitconfig .config/git/ .hg/ .hgrc .svn/ .jj/ .bzr/ .husky/ .githooks/ git-hooks/ .git-hooks/ .lefthook/ lefthook.y*ml .lefthook.y*ml lefthook-local.y*ml .pre-commit-config.y*ml .pre-commit-hooks.y*ml .overcommit.yml .lintstagedrc* .huskyrc* .commitlintrc* .czrc .releaserc*",
  ".github/workflows/ .github/actions/ .github/hooks/ .github/instructions/ .github/prompts/ .github/agents/ .github/chatmodes/ .github/skills/ .github/copilot/ .circleci/ .buildkite/ .woodpecker/ .semaphore/ .teamcity/ .gitlab/ .gitea/ .forgejo/ .azure-pipelines/ .tekton/ .drone.y*ml .gitlab-ci.y*ml .travis.y*ml appveyor.y*ml .appveyor.y*ml azure-pipelines*.y*ml bitbucket-pipelines.y*ml .woodpecker.y*ml .cirrus.y*ml .cirrus.star jenkinsfile* cloudbuild.y*ml buildspec.y*ml codemagic.y*ml wercker.y*ml circle.y*ml action.y*ml netlify.toml vercel.json fly.toml render.yaml railway.toml",
  // Machines that are built from a file.
  ".devcontainer/ .devcontainer* devcontainer.json devfile.y*ml .gitpod.y*ml .gitpod.dockerfile .replit replit.nix .idx/ dockerfile dockerfile.* *.dockerfile containerfile containerfile.* docker-compose*.y*ml compose.y*ml compose.*.y*ml docker-bake.* vagrantfile tiltfile skaffold.y*ml procfile procfile.* flake.nix shell.nix default.nix devenv.nix .tool-versions mise.toml .mise.toml mise.*.toml .mise/ .envrc",
  // Builds, tests and checks: an allowed command would run an edit of it unasked.
  "package.json npm-shrinkwrap.json .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml .yarn/ .pnp.* bunfig.toml deno.json deno.jsonc lerna.json nx.json turbo.json rush.json common/config/rush/ angular.json .angular-cli.json project.json workspace.json",
  "*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts *.config.jsx *.config.tsx *.conf.js *.conf.cjs *.conf.ts .*rc.js .*rc.cjs .*rc.mjs .*rc.ts .*rc.cts .*rc.mts .babelrc* .eslintrc* .stylelintrc* .prettierrc* .mocharc* .postcssrc* .swcrc .taprc .c8rc* .nycrc* .jestrc* .huskyrc karma.conf.* gruntfile* gulpfile* jakefile* cakefile nightwatch.* wdio.conf.* vitest.workspace.* vitest.setup.* jest.setup.* babel.config.json tsup.config.json wrangler.toml wrangler.json* knexfile.* ormconfig.* ember-cli-build.js electron-builder.* serverless.y*ml serverless.js serverless.ts .sequelizerc",
  "setup.py setup.cfg pyproject.toml tox.ini pytest.ini .pytest.ini conftest.py noxfile.py fabfile.py dodo.py manage.py pipfile sitecustomize.py usercustomize.py *.pth .pylintrc pylintrc .coveragerc .pdbrc .pythonrc* .pythonstartup pip.conf pip.ini .condarc environment.y*ml buildout.cfg wscript sconstruct sconscript waf",
  "build.rs .cargo/config .cargo/config.toml cargo.toml rust-toolchain rust-toolchain.toml go.work magefile.go build.zig build.zig.zon package.swift mix.exs rebar.config rebar.config.script build.sbt project/plugins.sbt project/build.sbt build.sc build.mill go.mod *.cabal *.opam stack.yaml setup.hs setup.lhs dune-project pubspec.yaml",
  "makefile gnumakefile bsdmakefile makefile.* *.mk *.mak cmakelists.txt *.cmake cmakepresets.json cmakeuserpresets.json meson.build meson.options build.ninja *.ninja configure configure.ac configure.in autogen.sh bootstrap.sh build build.bazel workspace workspace.bazel module.bazel *.bzl *.star .bazelrc .bazeliskrc buck .buckconfig pants.toml build.xml pom.xml *.gradle *.gradle.kts gradlew gradlew.bat gradle.properties gradle/wrapper/ mvnw mvnw.cmd .mvn/ justfile .justfile *.just taskfile.y*ml taskfile.*.y*ml earthfile dagger.json snakefile nextflow.config pkgbuild debian/ snapcraft.y*ml *.spec",
  "gemfile gemfile.* *.gemspec rakefile rakefile.rb *.rake guardfile capfile berksfile podfile *.podspec cartfile fastfile fastlane/ brewfile dangerfile dangerfile.* .rspec .simplecov .irbrc .pryrc .rubocop.yml spec_helper.rb rails_helper.rb composer.json artisan .bundle/ phpunit.xml phpunit.xml.dist .php-cs-fixer* phpstan.neon* .rprofile .renviron .rprofile.site",
  "*.csproj *.fsproj *.vbproj *.vcxproj *.proj *.targets *.props *.sln *.slnx dotnet-tools.json global.json packages.config *.csx *.cake *.psake.ps1 *.xcodeproj/ *.xcworkspace/ *.xcscheme *.xcconfig *.pbxproj",
  // Shells and what starts by itself.
  ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions .bash_completion .profile .inputrc .zshrc .zshenv .zprofile .zlogin .zlogout .zsh/ .oh-my-zsh/ .kshrc .cshrc .tcshrc .login .logout .xonshrc .mkshrc config.fish .config/fish/ *profile.ps1 .xprofile .xinitrc .xsession .xsessionrc .xserverrc .pam_environment .tmux.conf .tmux/ .screenrc .wezterm.lua .config/environment.d/ .config/autostart/ .config/systemd/ .local/bin/ bin/activate .bin/ launchagents/ launchdaemons/ programs/startup/ crontab etc/cron*/ etc/profile* etc/init.d/ etc/systemd/ etc/environment etc/ld.so.preload etc/hosts etc/sudoers etc/passwd etc/pam.d/ .ssh/ .mailcap .lesskey .lessfilter .sqliterc .psqlrc .ghci .ocamlinit .julia/ .guile .octaverc .mongoshrc.js .node_repl_* .npm/ node_modules/.bin/ node_modules/ .venv/ venv/bin/ site-packages/",
  // What instructs agents, and the programs that they are given.
  ".agentignore agents.md agents.*.md agent.md claude.md claude.local.md claude.*.md gemini.md qwen.md warp.md crush.md codex.md copilot.md skill.md replit.md copilot-instructions.md .rules .cursorrules .windsurfrules .goosehints .augment-guidelines .roomodes .kilocodemodes .roorules* .clinerules* .aider* *.agent.md *.chatmode.md *.instructions.md *.prompt.md *.agent *.chatmode *.instructions *.prompt *.mdc mcp.json .mcp.json mcp.y*ml mcp_config.json mcp-config.json mcp_settings.json cline_mcp_settings.json claude_desktop_config.json opencode.json* crush.json .crush.json",
  ".arbor/ .agents/ .agent/ .claude/ .claude-plugin/ .cursor/ .windsurf/ .codex/ .codeium/ .gemini/ .qwen/ .continue/ .roo/ .kilocode/ .cline/ .clinerules/ .junie/ .amazonq/ .kiro/ .trae/ .augment/ .opencode/ .crush/ .factory/ .warp/ .amp/ .openhands/ .copilot/ .cody/ .tabnine/ .goose/ .void/ .mcp/ .config/github-copilot/",
  "*.asc",
];

/** What shows which variables there are, with values that belong to no user. */
const exampleOfEnvironment =
  /(?:^|[._-])env(?:rc)?(?=[._-]).*[._-](?:example|sample|template|dist|defaults)$|^(?:example|sample|template)\.env$/;

const secretPath = expressionOf(secretEntries, [
  environExpression,
  browserExpression,
  keyExpression,
  hiddenKeyExpression,
]);
const runningPath = expressionOf(runningEntries, [String.raw`[^/]+\.git\/.*`, String.raw`[^/]+\.git`]);
const secretStems = stemsOf(secretEntries);
const runningStems = stemsOf(runningEntries);

function entriesOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(" "));
}

function expressionOf(lines: readonly string[], others: readonly string[]): RegExp {
  const escaped = entriesOf(lines).map((entry) => {
    const source = entry.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
    return entry.endsWith("/") ? `${source.slice(0, -1)}(?:/.*)?` : source;
  });
  return new RegExp(`(?:^|/)(?:${[...escaped, ...others].join("|")})$`);
}

/** How the short names of Windows begin: without dots and blanks, six characters at most. */
function stemsOf(lines: readonly string[]): readonly string[] {
  const names = entriesOf(lines).flatMap((entry) => entry.replace(/\/$/, "").split("/"));
  return names
    .map((name) =>
      name
        .replace(/^\.+/, "")
        .replace(/[*. ].*$/, "")
        .slice(0, 6),
    )
    .filter((stem) => stem.length >= 2);
}

function hasShortName(path: string, stems: readonly string[]): boolean {
  return path.split("/").some((segment) => {
    const stem = /^([^.~]{3,6})~\d+(?:\.[^.]{0,3})?$/.exec(segment)?.[1];
    return stem !== undefined && stems.some((each) => each.slice(0, stem.length) === stem);
  });
}

/**
 * Whether an edit of a file is asked for each time, whatever is allowed otherwise. Judged by its text alone; a link has
 * to be judged by where it leads, too. Slashes of either kind part a path.
 */
export function isSensitivePath(path: string): boolean {
  return plainPaths(path).some((plain) => {
    if (runningPath.test(plain) || hasShortName(plain, [...runningStems, ...secretStems])) return true;
    return secretPath.test(plain) && !exampleOfEnvironment.test(nameOf(plain));
  });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Whether a file holds what only its owner should see: keys, passwords, tokens. Judged by its text alone, like
 * `isSensitivePath`.
 */
export function isSecretPath(path: string): boolean {
  return plainPaths(path).some((plain) => {
    const name = nameOf(plain);
    // Of git's own, a link to a remote may hold a password.
    const isInGit = /(?:^|\/)\.git\/./.test(plain);
    if (name.endsWith(".pub") || exampleOfEnvironment.test(name)) return false;
    return isInGit || secretPath.test(plain) || hasShortName(plain, [...secretStems, "git"]);
  });
}

/** As a glob, for a search of the files that `isSecretPath` may mean; it means a few less. */
export const secretGlob = `{${entriesOf(secretEntries)
  .flatMap((entry) => (!entry.includes("/") ? [entry] : entry.endsWith("/") ? [`**/${entry}**`] : [`**/${entry}`]))
  .join(",")}}`;

const drawsNothing = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/** The path as it is written and as it would be resolved, each as it is read by file systems that ignore case and some characters. */
function plainPaths(path: string): string[] {
  const segments = path
    .split(/[\\/]/)
    .map(plainSegment)
    .filter((segment) => segment !== "");
  const resolved: string[] = [];
  for (const segment of segments) {
    if (segment === "..") resolved.pop();
    else resolved.push(segment);
  }
  return [...new Set([segments.join("/"), resolved.join("/")])];
}

/** Without case, trailing dots and streams, without what draws nothing, and with letters that only look different. */
function plainSegment(segment: string): string {
  if (segment === "..") return segment;
  const stream = segment.indexOf(":", 1);
  const name = stream < 0 ? segment : segment.slice(0, stream);
  return name
    .normalize("NFKC")
    .replace(drawsNothing, "")
    .replace(/[. ]+$/, "")
    .toUpperCase()
    .toLowerCase();
}
