import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { RoleName } from '@fleet/contract'
import type { Store } from '@fleet/store'
import {
  addNode,
  fakeExecutables,
  type FakeSystemd,
  fakeSystemd,
  type LocalPool,
  localPool,
  localSession,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'
import { makeWebServer, type Site, type WebServer } from '#/web-server/api.ts'

export interface World extends AsyncDisposable {
  readonly store: Store
  readonly server: WebServer
  readonly pool: LocalPool
  readonly systemd: FakeSystemd
  readonly session: NodeSession
  /** What the records want on the Node. */
  sites: readonly Site[]
  /** Whether the gateway has a private network. */
  isPrivate: boolean
  /** What a converge does about the certificates before it builds, and a build that lacks one: writes those that are missing. */
  publishLeaves: () => Promise<void>
  at(path: string): string
  read(path: string): string | undefined
  write(path: string, text: string): void
  live(): string | undefined
  versions(): readonly string[]
  backups(): readonly string[]
  /** What `caddy version` prints; nothing removes Caddy. */
  install(version: string | undefined): void
}

const SETTINGS = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }

export const site = (domain: string, scope = `route-${domain}`): Site => ({
  source: 'custom-proxy',
  scope,
  domain,
  listener: { kind: 'tcp', addresses: ['127.0.0.1'] },
  tls: { kind: 'leaf', file: `/etc/fleet/certificates/${scope}/leaf.pem` },
  handler: { kind: 'proxy', upstream: 'http://127.0.0.1:3000' },
})

/**
 * A machine whose root is a folder here, with a Caddy that refuses files that say `refused` and otherwise runs them. Its domain
 * is made alone and not by `testDomains`: the test is its source of sites, where production has the Routes of the records.
 */
export async function startWorld({
  roles = ['app-dev'],
}: { readonly roles?: readonly RoleName[] } = {}): Promise<World> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet caddy-')))
  const at = (path: string): string => join(home, path)
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text, { mode })
  }
  const store = await openTestStore()
  const systemd = fakeSystemd(home)
  systemd.addForeign('caddy.service')
  const pool = localPool({ home, env: systemd.env })
  const install = (version: string | undefined): void => {
    if (version === undefined) return write('fake/caddy', '#!/bin/sh\nexit 127\n', 0o755)
    write('caddy-version', `${version}\n`)
    write('fake/caddy', CADDY, 0o755)
  }
  // Whoever it is to be, it is whoever runs this test.
  write('fake/runuser', '#!/bin/sh\necho "$2" >>"$FAKE/accounts"\nshift 3\nexec "$@"\n', 0o755)
  write('fake/sysctl', '#!/bin/sh\nexit 0\n', 0o755)
  for (const folder of ['run/lock', 'etc/systemd/system']) mkdirSync(at(folder), { recursive: true })
  install('v2.9.1 h1:abc=')
  const row = await addNode(store, { name: 'web-1', roles })
  const domains = testDomains({ store, ssh: pool, root: home })
  const { certificates } = domains
  const { nodes, holders } = domains.nodes
  const node = await nodes.find(row.id)
  if (!node) throw new Error('the Node of the test is gone')
  const session = localSession(pool, { node })
  const sites: readonly Site[] = []
  const world = {
    store,
    pool,
    systemd,
    session,
    sites,
    isPrivate: true,
    publishLeaves: async () => {
      for (const { tls } of world.sites)
        if (tls.kind === 'leaf' && !existsSync(at(tls.file))) write(tls.file, '')
    },
    at,
    write: (path: string, text: string) => write(path, text),
    read: (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined),
    live: () => world.read('etc/caddy/Caddyfile'),
    versions: () => readdirSync(at('etc/caddy/fleet-versions')).filter((name) => !name.startsWith('.')),
    backups: () =>
      listed(at('etc/caddy/fleet-backups')).map((time) => `etc/caddy/fleet-backups/${time}/Caddyfile`),
    install,
  }
  const server = makeWebServer({
    store,
    holders,
    network: { settings: async () => (world.isPrivate ? SETTINGS : undefined) },
    sources: [{ sitesOn: async () => world.sites, publishLeaves: () => world.publishLeaves() }],
    certificates,
    executables: fakeExecutables(),
    root: home,
  })
  return Object.assign(world, {
    server,
    [Symbol.asyncDispose]: async () => {
      systemd.end()
      await store[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  })
}

const listed = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).toSorted() : []

const CADDY = `#!/bin/sh
case $1 in
  version) cat "$FAKE/caddy-version" ;;
  validate)
    for word; do file=$word; done
    if grep -q refused "$file"; then
      echo '{"level":"info","msg":"using provided configuration"}' >&2
      echo "Error: adapting config: refused.test is not welcome, token=abcdef123456" >&2
      exit 1
    fi ;;
  reload)
    for word; do file=$word; done
    if grep -q taken "$file"; then
      echo "Error: listen tcp 127.0.0.1:443: bind: address already in use" >&2
      exit 1
    fi
    echo "$file" >>"$FAKE/handed"
    rm -f "$FAKE/systemd/reloading/caddy.service" ;;
esac
`
