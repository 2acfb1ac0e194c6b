import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { composerApp, VENDOR } from './composer-app.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { addShopOf } from './shop.ts'
import { onHosts } from './site.ts'

const DOMAIN = 'shop.hib.test'
/** A sweep every minute, for which a second without a visit is enough to stop Processes, and a day to remove dependencies. */
const SETTINGS = [
  'FLEET_HIBERNATION_IDLE_SECONDS=1',
  'FLEET_HIBERNATION_SWEEP_SECONDS=60',
  'FLEET_HIBERNATION_DEPENDENCY_IDLE_SECONDS=86400',
]
const VISITORS = 50
const ROUNDS = 3

const started = shareFleet({
  name: 'hib',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'hib.test'] },
    { name: 'guest', roles: ['app-prod'], words: ['--tld', 'live.test'] },
  ],
})

/** So many visitors at once, and then one who asks until the page is there. */
const CLIENT = `import collections, http.client, json, ssl, sys, threading, time
domain, count = sys.argv[1], int(sys.argv[2])
context, seen, ready = ssl.create_default_context(), collections.Counter(), threading.Barrier(count)
def ask():
    connection = http.client.HTTPSConnection(domain, timeout=60, context=context)
    connection.connect()
    return connection
def page(connection):
    connection.request('GET', '/')
    answer = connection.getresponse()
    return answer.status, answer.read().decode()
def visit():
    connection = ask()
    ready.wait()
    seen[page(connection)[0]] += 1
threads = [threading.Thread(target=visit) for _ in range(count)]
for thread in threads: thread.start()
began = time.time()
for thread in threads: thread.join()
connection, status = ask(), 0
while status in (0, 401):
    if status: time.sleep(0.02)
    status, body = page(connection)
print(json.dumps({'statuses': seen, 'status': status, 'body': body, 'milliseconds': round((time.time() - began) * 1000)}))
`

interface Visited {
  readonly statuses: Readonly<Record<string, number>>
  readonly status: number
  readonly body: string
  readonly milliseconds: number
}

const visit = async (guest: Host, count: number): Promise<Visited> =>
  JSON.parse(await guest.run(['python3', '-c', CLIENT, DOMAIN, String(count)])) as Visited // The program prints it.

/** Milliseconds from the start of the units by hand until they run. */
async function readiness(web: Host, units: readonly string[]): Promise<number> {
  const began = performance.now()
  await web.run(['systemctl', 'start', ...units])
  await web.run(['systemctl', 'is-active', '--quiet', ...units])
  return performance.now() - began
}

/** How often each unit was started since. */
const starts = async (web: Host, units: readonly string[], since: string): Promise<readonly number[]> => {
  const counts: number[] = []
  for (const unit of units) {
    const lines = await web.run([
      'journalctl',
      '--quiet',
      '--output=cat',
      `--since=@${since}`,
      `--unit=${unit}`,
    ])
    counts.push(lines.split('\n').filter((line) => line.startsWith('Started ')).length)
  }
  return counts
}

const now = async (web: Host): Promise<string> => (await web.run(['date', '+%s.%N'])).trim()

/** Wakes that ran; what a visitor asked for has no subject. */
async function wakesOf(fleet: InstalledFleet, id: string): Promise<number> {
  const rows = await fleet.records('activity:list', '--limit', '200')
  return rows.filter(
    ({ command, subject_id }) => String(command).endsWith('instance:wake') && subject_id === id,
  ).length
}

test(
  'an Instance that the sweep put to sleep answers its first visitor, fifty at once begin one wake, and a cold one gets back exactly what its lock file says [HIB-003, HIB-009, HIB-010, HIB-016]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, guest] = [fleet.node('web'), fleet.node('guest')]
    await addShopOf(composerApp(DOMAIN), fleet, context, web)
    const made = await fleet.record('instance:create', 'shop', web.name, 'default')
    const [id, path] = [String(made['id']), String(made['checkout_path'])]
    const owner = (await web.run(['stat', '--format=%U', path])).trim()
    const inside = (line: string): Promise<string> =>
      web.run(['runuser', '-u', owner, '--', 'sh', '-c', `cd ${path} && ${line}`])
    await inside('composer update --no-interaction --quiet')
    const vendor = (): Promise<string> => inside(VENDOR)
    const installed = await vendor()
    assert.match(installed, /vendor\/laravel\/framework\/greeting\.php/)

    const words = ['--runtime', 'systemd', '--start', '--command=/bin/sleep', '--command=100000']
    const create = async (name: string): Promise<string> => {
      const process = await fleet.record('process:create', 'instance', id, name, ...words)
      return `orbit-process-${String(process['id'])}-${name}.service`
    }
    const units = [await create('queue'), await create('mailer')]
    const isGated = async (): Promise<true | undefined> =>
      (await web.attempt(['grep', '-q', `app-instance/${id}$`, '/etc/caddy/Caddyfile'])).status === 0
        ? true
        : undefined
    assert.equal(await waitFor(20, isGated), true)
    await fleet.gateway.host.run([
      'sh',
      '-c',
      `printf '%s\\n' ${SETTINGS.join(' ')} >>/etc/fleet/gateway.env && systemctl restart fleet-gateway`,
    ])
    await fleet.gateway.ready()

    const sleep = `/var/lib/caddy/fleet-hibernation/${id}`
    const isThere = async (file: string): Promise<true | undefined> =>
      (await web.attempt(['test', '-f', file])).status === 0 ? true : undefined
    assert.equal(await waitFor(150, () => isThere(`${sleep}.slept`)), true, 'the sweep puts it to sleep')
    const states = await web.attempt(['systemctl', 'is-active', ...units])
    assert.deepEqual(states.stdout.trim().split('\n'), ['inactive', 'inactive'])
    const wakes = await wakesOf(fleet, id)
    const since = await now(web)
    const first = await visit(guest, VISITORS)
    assert.deepEqual([first.status, first.body], [200, 'welcome'])
    assert.equal(first.statuses['401'], VISITORS, JSON.stringify(first.statuses))
    assert.deepEqual(await starts(web, units, since), [1, 1], 'one wake')
    assert.equal((await wakesOf(fleet, id)) - wakes, 1)

    // One visitor, in turn with the same by hand, on the same machine.
    const taken: { readonly wake: number[]; readonly ready: number[] } = { wake: [], ready: [] }
    for (let round = 0; round < ROUNDS; round += 1) {
      await web.run(['systemctl', 'stop', ...units])
      taken.ready.push(await readiness(web, units))
      await web.run(['systemctl', 'stop', ...units])
      await web.run(['rm', '-f', `/dev/shm/fleet/hibernation/${id}.awake`])
      const { status, statuses, milliseconds } = await visit(guest, 1)
      assert.deepEqual([status, statuses], [200, { 401: 1 }])
      taken.wake.push(milliseconds)
    }
    const [wake, ready] = [Math.min(...taken.wake), Math.min(...taken.ready)]
    context.diagnostic(
      `awake after ${wake} ms, of which its Processes need ${ready.toFixed(0)} ms; after ${first.milliseconds} ms with fifty visitors`,
    )

    await web.run([
      'sh',
      '-c',
      `rm -f /dev/shm/fleet/hibernation/${id}.awake /var/lib/caddy/fleet-access/${id}.log`,
    ])
    await web.run(['systemctl', 'stop', ...units])
    await web.run(['sh', '-c', `: >${sleep}.slept && touch -d '2 days ago' ${sleep}.slept`])
    assert.equal(await waitFor(150, () => isThere(`${sleep}.cold`)), true, 'the sweep prunes it')
    const isGone = async (): Promise<true | undefined> =>
      (await web.attempt(['test', '-e', `${path}/vendor`])).status === 1 ? true : undefined
    assert.equal(await waitFor(20, isGone), true)
    assert.equal(await inside('git status --porcelain'), '?? composer.lock\n')
    const pruned = await now(web)
    const cold = await visit(guest, 1)
    assert.deepEqual([cold.status, cold.body], [200, 'welcome'])
    context.diagnostic(`cold: awake after ${cold.milliseconds} ms`)
    assert.equal(await vendor(), installed)
    assert.deepEqual(await starts(web, units, pruned), [1, 1])
  },
)
