import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { dependencyInventory, dependencyUpdate, type EcosystemInventory } from '@fleet/contract'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import type { Host } from '../../lab/index.ts'
import { CACHE_FOLDER } from '../../lab/place.ts'
import { waitFor } from '../../lab/wait.ts'
import { tunnelAddress } from './facts.ts'
import { asObject } from '../embedded/ask.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'
import { trust } from './trust.ts'

const started = shareFleet({
  name: 'dep',
  nodes: [{ name: 'web', roles: ['app-dev'], words: ['--tld', 'dep.test'] }],
})

const GUIDE = join(import.meta.dirname, '../../docs/guides/know-what-you-depend-on.md')
const VITE_PLUS = '0.3.0'
const NODE = '/usr/local/bin/node'

/** A repository of Composer on the host itself, with these versions of one package. */
const offer = (host: Host, ...versions: readonly string[]): Promise<string> =>
  host.run([
    'sh',
    '-ec',
    `mkdir -p /srv/composer && cd /srv/composer && entries=
    for version; do
      mkdir -p "$version" && echo '{"name": "acme/hello"}' >"$version/composer.json"
      tar -cf "hello-$version.tar" -C "$version" composer.json
      entries="$entries\${entries:+,}\\"$version\\": {\\"name\\": \\"acme/hello\\", \\"version\\": \\"$version\\", \\"dist\\": {\\"type\\": \\"tar\\", \\"url\\": \\"file:///srv/composer/hello-$version.tar\\"}}"
    done
    printf '{"packages": {"acme/hello": {%s}}}' "$entries" >packages.json`,
    'sh',
    ...versions,
  ])

const COMPOSER = JSON.stringify({
  repositories: [{ type: 'composer', url: 'file:///srv/composer' }, { 'packagist.org': false }],
  require: { 'acme/hello': '^1.0' },
  config: { 'secure-http': false },
})

/** The manager is named, so that Vite+ has nothing to add. */
const PACKAGE = JSON.stringify({
  name: 'shop',
  version: '1.0.0',
  dependencies: { semver: '^7.0.0' },
  devEngines: { packageManager: { name: 'npm', version: '11.19.1', onFail: 'download' } },
})

const PACKAGE_LOCK = JSON.stringify({
  name: 'shop',
  version: '1.0.0',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': { name: 'shop', version: '1.0.0', dependencies: { semver: '^7.0.0' } },
    'node_modules/semver': { version: '7.0.0', bin: { semver: 'bin/semver.js' } },
  },
})

/** The lock that the Composer of the host makes of the manifest. */
async function composerLock(host: Host): Promise<string> {
  const folder = '/srv/lock'
  mkdirSync(join(host.root, folder), { recursive: true })
  await host.run(['sh', '-c', `cd ${folder} && printf %s "$1" >composer.json`, 'sh', COMPOSER])
  await host.run([
    'env',
    'COMPOSER_ALLOW_SUPERUSER=1',
    'composer',
    'update',
    '--no-install',
    `--working-dir=${folder}`,
  ])
  return host.run(['cat', `${folder}/composer.lock`])
}

/** The Vite+ of the npm registry, kept on this machine, and a Node.js that runs it. */
async function carryVitePlus(host: Host): Promise<void> {
  const kept = join(CACHE_FOLDER, `vite-plus-${VITE_PLUS}`)
  if (!existsSync(kept)) {
    const fresh = `${kept}.${process.pid}`
    mkdirSync(fresh, { recursive: true })
    execFileSync('npm', ['install', '--prefix', fresh, '--no-audit', '--no-fund', `vite-plus@${VITE_PLUS}`], {
      stdio: 'ignore',
    })
    renameSync(fresh, kept)
  }
  cpSync(kept, join(host.root, 'opt/vite-plus'), { recursive: true, verbatimSymlinks: true })
  copyFileSync(process.execPath, join(host.root, NODE))
  await host.run(['sh', '-c', 'apt-get -q update && apt-get -q -y install libatomic1'])
  await host.run(['ln', '-s', '/opt/vite-plus/node_modules/.bin/vp', '/usr/local/bin/vp'])
  // npm knows only the authorities that it brings, and this machine may reach its registry through another.
  const trust = 'echo cafile=/etc/ssl/certs/ca-certificates.crt >.npmrc && vp --version'
  assert.match(await host.run(['runuser', '-l', 'fleet', '-c', trust]), /vp v0\.3\.0/)
}

async function addShop(fleet: InstalledFleet, context: TestContext): Promise<GitServer> {
  const web = fleet.node('web')
  const git = await startGitServer(['shop'], fleet.lab.addresses.machine)
  context.after(() => git[Symbol.asyncDispose]())
  await offer(web, '1.0.0')
  git.commit('shop', 'main', {
    'composer.json': COMPOSER,
    'composer.lock': await composerLock(web),
    'package.json': PACKAGE,
    'package-lock.json': PACKAGE_LOCK,
    '.gitignore': 'vendor\nnode_modules\n',
  })
  await trust(git.caFile, 'git', fleet.gateway.host, web)
  await fleet.record('project:create', 'shop', git.urlOf('shop'), '--type', 'node-package', '--root', '.')
  return git
}

/** A registry that has nothing and writes down who asked. */
async function startEmptyRegistry(address: string, context: TestContext) {
  const asked: string[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url ?? '')
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  context.after(() => server.close())
  const { port } = server.address() as AddressInfo // A listening TCP server has an address object.
  return { asked, url: `http://${address}:${port}/` }
}

const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

const versionsOf = (found: EcosystemInventory | undefined) =>
  found?.snapshot?.graph?.resolutions.map(({ version }) => version)

test(
  'the nightly scan of the guide runs as one Schedule on the host of a gateway and reads every Instance of the fleet, and real managers update an Instance within its constraints [DEP-001, DEP-071, DEP-072]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [gateway, web] = [fleet.gateway.host, fleet.node('web')]
    await addShop(fleet, context)
    const made = await fleet.record('instance:create', 'shop', web.name, 'default')
    const root = String(made['checkout_path'])
    const registry = await startEmptyRegistry(fleet.lab.addresses.machine, context)
    await web.run(['sh', '-c', `echo "registry=${registry.url}" >${root}/.npmrc`])
    const files = (): Promise<string> =>
      web.run(['sh', '-c', `cd ${root} && sha256sum composer.* package*.json`])
    const before = await files()

    // As the guide says: the managed user of the gateway's Node has added the gateway once.
    const { sha256 } = await fleet.record('gateway:trust')
    const url = `https://${await tunnelAddress(fleet, 'gateway')}`
    const { id, user } = await fleet.record('node:show', 'gateway')
    const own = String(id)
    const add = `fleet gateway:add office ${url} --fingerprint ${String(sha256)}`
    await gateway.run(['runuser', '-l', String(user), '-c', add])
    const line = readFileSync(GUIDE, 'utf8')
      .split('\n')
      .find((one) => one.startsWith('fleet schedule:create node 1 '))
    const [, verb = '', target = '', , ...rest] = wordsOf(line ?? '')
    const schedule = await fleet.record(verb, target, own, ...rest)
    await fleet.record('schedule:run', String(schedule['id']))
    const shown = () => fleet.record('schedule:show', String(schedule['id']))
    await waitFor(120, async () => ((await shown())['last_run_at'] === null ? undefined : true))
    const { output } = await fleet.record('schedule:logs', String(schedule['id']))
    assert.equal((await shown())['last_run_status'], 'success', String(output))
    assert.match(String(output), /"succeeded":\s*true[^]*"instances":\s*1/)
    const schedules = await fleet.records('schedule:list')
    assert.deepEqual(
      schedules.map((one) => [one['target_type'], String(one['target_id']), one['name']]),
      [['node', own, 'nightly-dependencies']],
    )
    const stored = dependencyInventory.parse(await fleet.record('instance:dependencies:show', 'shop/default'))
    assert.deepEqual([versionsOf(stored.composer), versionsOf(stored.javascript)], [['1.0.0'], ['7.0.0']])
    assert.deepEqual([await files(), registry.asked], [before, []])

    await web.run(['rm', `${root}/.npmrc`])
    await carryVitePlus(web)
    await offer(web, '1.0.0', '1.1.0', '2.0.0')
    const { stdout } = await fleet.gateway.fleet(['instance:dependencies:update', 'shop/default', '--json'])
    const { inventory, ...done } = dependencyUpdate.parse(asObject(JSON.parse(stdout), 'an answer')['data'])
    assert.partialDeepStrictEqual(done, { succeeded: true, error_code: null, may_have_mutated: true })
    assert.deepEqual(versionsOf(inventory?.composer), ['1.1.0'])
    const [npm = ''] = versionsOf(inventory?.javascript) ?? []
    assert.match(npm, /^7\.[1-9]/)
    const manifests = (text: string) =>
      text.split('\n').filter((one) => /composer\.json$|package\.json$/.test(one))
    assert.deepEqual(manifests(await files()), manifests(before))
    assert.equal((await web.run(['cat', `${root}/vendor/composer/installed.json`])).includes('1.1.0'), true)
    rmSync(join(web.root, 'opt/vite-plus'), { recursive: true })
  },
)
