import assert from 'node:assert/strict'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import type { Host } from '../../lab/index.ts'
import type { InstalledFleet } from './installed.ts'
import { trust } from './trust.ts'

const SITE = {
  artisan: '',
  'composer.json': '{"require":{"php":">=8.1","laravel/framework":"*"}}',
  '.env.example': 'APP_NAME=store\nAPP_URL=http://localhost\n',
  'public/index.php': `<?php
$version = require __DIR__ . '/../version.php';
if ($_SERVER['REQUEST_URI'] === '/up' && $version === 'sick') http_response_code(500);
echo "store $version from ", basename(dirname(__DIR__));`,
  'public/cached.php': `<?php
foreach (array_keys(opcache_get_status()['scripts'] ?? []) as $script)
    if (preg_match('#/releases/([^/]+)/#', $script, $found)) $releases[$found[1]] = true;
echo 'cached ', implode(' ', array_keys($releases));`,
}

/** A PHP application whose next version is one commit away. */
export interface Store {
  publish(version: string): void
}

/** The Project `store` from a Git server of this machine, which these Nodes trust. */
export async function addStore(
  fleet: InstalledFleet,
  context: { after(close: () => unknown): void },
  ...nodes: readonly Host[]
): Promise<Store> {
  const git: GitServer = await startGitServer(['store'], fleet.lab.addresses.machine)
  context.after(() => git[Symbol.asyncDispose]())
  const publish = (version: string): void =>
    void git.commit('store', 'main', { ...SITE, 'version.php': `<?php return '${version}';` })
  publish('v1')
  await trust(git.caFile, 'store', fleet.gateway.host, ...nodes)
  const words = ['--type', 'laravel-app', '--root', 'public']
  await fleet.record('project:create', 'store', git.urlOf('store'), ...words)
  return { publish }
}

export interface Run {
  readonly status: number | null
  readonly phases: readonly string[]
  readonly printed: string
  readonly error: string | null
  readonly selected: string
}

/** Runs a deployment or rollback from the command line, and reads the lines of its stream. */
export async function runOn(fleet: InstalledFleet, ...words: readonly [string, ...string[]]): Promise<Run> {
  const { status, stdout, stderr } = await fleet.gateway.fleet([...words, '--json'])
  const lines = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  const result = lines.at(-1)
  assert.equal(result?.type, 'result', `${stdout}${stderr}`)
  const of = (type: string) => lines.filter((line) => line.type === type)
  return {
    status,
    phases: of('phase').map(({ phase, step_name }) => step_name ?? phase),
    printed: of('output')
      .map(({ data_base64 }) => Buffer.from(String(data_base64), 'base64').toString())
      .join(''),
    error: result.error_code,
    selected: String(result.selected_release),
  }
}
